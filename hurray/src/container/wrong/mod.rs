//! What a file is that does not open: something else, or a part of itself.

mod extent;
mod kind;

use super::Header;
#[cfg(feature = "safetensors")]
use crate::error::FileKind;
use crate::error::{FormatError, OpenError};

/// Names what `file`, which does not start with the magic, is.
#[cold]
pub(crate) fn not_hurray(file: &[u8]) -> OpenError {
    if !file.is_empty() && Header::MAGIC.starts_with(file) {
        return cut(file, None);
    }
    OpenError::NotHurray { path: None, found: kind::of(file) }
}

/// What a file is, by its first bytes.
#[cfg(feature = "safetensors")]
pub(crate) fn kind_of(start: &[u8]) -> FileKind {
    kind::of(start)
}

/// A file of another size than it should have.
#[cold]
pub(crate) fn cut(file: &[u8], needed: Option<u64>) -> OpenError {
    OpenError::Truncated { path: None, needed, have: size_of(file) }
}

/// A file whose last bytes are no trailer (`error`): cut, followed by something else, or just damaged.
#[cold]
pub(super) fn no_trailer(file: &[u8], header: &Header, error: FormatError) -> OpenError {
    match extent::needed(file, header) {
        Some(needed) if needed == size_of(file) => error.into(),
        needed => cut(file, needed),
    }
}

fn size_of(file: &[u8]) -> u64 {
    u64::try_from(file.len()).unwrap_or(u64::MAX)
}
