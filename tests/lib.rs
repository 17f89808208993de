//! Helpers of the integration tests: build a file, change a named field of it, compare.

#[path = "support/counting.rs"]
mod counting;
#[path = "support/flat.rs"]
mod flat;
#[path = "support/listing.rs"]
mod listing;
pub mod manifest;
#[path = "support/patch.rs"]
mod patch;
#[path = "support/peak.rs"]
mod peak;
#[path = "support/quantizable.rs"]
pub mod quantizable;

pub use counting::{Allocated, Counting, allocated_by};
pub use flat::flat;
pub use listing::{composite_depth, listing, listing_of};
pub use patch::Patch;
pub use peak::{Peak, peak_of};

use hurray::{File, HurrayLoadOwned, HurraySave};

/// Opens the bytes of a saved model.
///
/// # Panics
///
/// When it does not save or open.
pub fn file_of<M: HurraySave + ?Sized>(model: &M) -> File {
    let bytes = hurray::to_bytes(model).unwrap_or_else(|error| panic!("does not save: {error}"));
    File::from_vec(bytes).unwrap_or_else(|error| panic!("does not open: {error}"))
}

/// Saves a model, and loads one from what was saved.
///
/// # Panics
///
/// When it does not save, open or load.
#[must_use]
pub fn reloaded<M: HurraySave + HurrayLoadOwned>(model: &M) -> M {
    file_of(model).load().unwrap_or_else(|error| panic!("does not load: {error}"))
}

/// The report of a load that has to fail.
///
/// # Panics
///
/// When it succeeds, or fails without a report.
pub fn report_of<M: HurrayLoadOwned>(file: &File) -> hurray::LoadReport {
    match file.load::<M>() {
        Ok(_) => panic!("loads, and must not"),
        Err(error) => error.report().unwrap_or_else(|| panic!("no report: {error}")).clone(),
    }
}
