//! Element types: the tag table of FORMAT §4, and the Rust types that are plain old data.

mod cast;
mod pod;
mod types;

pub use pod::Element;
pub use types::ElementType;

pub(crate) use cast::FloatCast;
