//! Errors, split by who can mend them: the file ([`OpenError`], [`FormatError`], [`TensorError`]), the model
//! and the file together (`LoadError`, in `model`), the model or the disk (`SaveError`, in `model`).

mod format;
mod open;
mod rule;
mod tensor;

pub use format::FormatError;
pub use open::{FileKind, OpenError};
pub use rule::{Rule, RuleKind};
pub use tensor::TensorError;

pub(crate) use tensor::near as near_names;
