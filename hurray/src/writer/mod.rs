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
mod progress;
mod sealed;
mod source;
mod stream;
mod tail;
#[cfg(test)]
mod tests;

pub use crate::descriptor::placement::Profile;
pub use error::{BoxError, NameProblem, NameSpace, SaveError};
pub use options::{SaveOptions, SaveReport};
pub use source::TensorSource;
pub use stream::{Writer, WriterItem, WriterOptions};

#[cfg(feature = "safetensors")]
pub(crate) use file::replace_file;
pub(crate) use file::save_atomically;
pub(crate) use form::FileForm;
pub(crate) use options::is_reserved;
pub(crate) use plan::{Plan, PlanOptions};
pub(crate) use sealed::SealedPlan;
