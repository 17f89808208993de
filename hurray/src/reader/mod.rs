//! Reading: a file over bytes that are mapped, owned or borrowed, and one tensor of it after the other.

mod backing;
mod contents;
mod entry;
mod file;
mod info;
mod near;
mod open;
mod padding;
mod sequential;
mod validate;

pub use entry::TensorEntry;
pub use file::File;
pub use info::ContainerInfo;
pub use open::OpenOptions;
pub use sequential::{SequentialEnd, SequentialReader, SequentialTensor};

pub(crate) use contents::{Contents, Source, default_policy};
pub(crate) use near::near_names;
pub(crate) use open::open_strict;
