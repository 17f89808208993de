//! What a file is that does not open: something else, or a part of itself.

use super::Header;
use crate::error::{FileKind, FormatError, OpenError};

/// Names what `file`, which does not start with the magic, is.
#[cold]
pub(super) fn not_hurray(file: &[u8]) -> OpenError {
    if !file.is_empty() && Header::MAGIC.starts_with(file) {
        return cut(file, None);
    }
    OpenError::NotHurray { path: None, found: kind_of(file) }
}

/// A file of another size than it should have.
#[cold]
pub(super) fn cut(file: &[u8], needed: Option<u64>) -> OpenError {
    OpenError::Truncated { path: None, needed, have: u64::try_from(file.len()).unwrap_or(u64::MAX) }
}

/// A file whose last bytes are no trailer: cut, or with something behind its end, or just broken (`error`).
#[cold]
pub(super) fn no_trailer(file: &[u8], header: &Header, error: FormatError) -> OpenError {
    let _ = (header, error);
    cut(file, None)
}

/// By its first bytes.
fn kind_of(file: &[u8]) -> FileKind {
    let _ = file;
    FileKind::Unknown
}
