//! Writing: a plan of the whole file first, then one pass from front to back (FORMAT §2.11).

mod composites;
mod emit_source;
mod emitter;
mod error;
mod file;
mod form;
mod names;
mod options;
mod plan;
mod plan_parts;
mod progress;
mod sealed;
mod source;
mod stream;
mod tail;
#[cfg(test)]
mod tests;

pub use crate::descriptor::placement::Profile;
pub use error::{BoxError, NameProblem, NameSpace, SaveError, TieProblem};
pub use options::{SaveOptions, SaveReport};
pub use source::TensorSource;
pub use stream::{Writer, WriterItem, WriterOptions};

use file::save_atomically;
#[cfg(feature = "safetensors")]
pub(crate) use file::{FileOptions, replace_file};
pub(crate) use options::is_reserved;
pub(crate) use plan::Plan;
pub(crate) use plan_parts::Difference;
pub(crate) use sealed::{CHECKSUMS, SealedPlan};
