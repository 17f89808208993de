//! Where the bytes of a tensor come from.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use super::BoxError;

/// The bytes of one buffer of a tensor, in the file's form: little-endian, packed.
#[expect(clippy::type_complexity, reason = "spelled out where users read it")]
pub enum TensorSource<'s> {
    /// Bytes of the model: written from where they are.
    Borrowed(&'s [u8]),
    /// Bytes made for saving, kept until their turn comes.
    Owned(Vec<u8>),
    /// Bytes made when their turn comes, one source at a time.
    Lazy {
        /// How many bytes there will be. Another number is an error.
        len: u64,
        /// Called once, or not at all if saving fails earlier.
        fetch: Box<dyn FnOnce() -> Result<Cow<'s, [u8]>, BoxError> + 's>,
    },
    /// Bytes made in blocks when their turn comes, such as a strided view gathered row by row.
    Stream {
        /// How many bytes there will be. Another number is an error.
        len: u64,
        /// Called once, or not at all if saving fails earlier.
        write: Box<dyn FnOnce(&mut dyn Write) -> Result<(), BoxError> + 's>,
    },
}

impl<'s> TensorSource<'s> {
    /// Bytes that `fetch` makes when their turn comes.
    pub fn lazy(len: u64, fetch: impl FnOnce() -> Result<Cow<'s, [u8]>, BoxError> + 's) -> Self {
        Self::Lazy { len, fetch: Box::new(fetch) }
    }

    /// Bytes that `write` makes in blocks when their turn comes.
    pub fn stream(len: u64, write: impl FnOnce(&mut dyn Write) -> Result<(), BoxError> + 's) -> Self {
        Self::Stream { len, write: Box::new(write) }
    }

    /// In bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Borrowed(bytes) => len(bytes),
            Self::Owned(bytes) => len(bytes),
            Self::Lazy { len, .. } | Self::Stream { len, .. } => *len,
        }
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The length of a slice in bytes.
pub(super) fn len(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl fmt::Debug for TensorSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Borrowed(_) => "Borrowed",
            Self::Owned(_) => "Owned",
            Self::Lazy { .. } => "Lazy",
            Self::Stream { .. } => "Stream",
        };
        f.debug_struct(kind).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<'s> From<&'s [u8]> for TensorSource<'s> {
    fn from(bytes: &'s [u8]) -> Self {
        Self::Borrowed(bytes)
    }
}

impl From<Vec<u8>> for TensorSource<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Owned(bytes)
    }
}

impl<'s> From<Cow<'s, [u8]>> for TensorSource<'s> {
    fn from(bytes: Cow<'s, [u8]>) -> Self {
        match bytes {
            Cow::Borrowed(bytes) => Self::Borrowed(bytes),
            Cow::Owned(bytes) => Self::Owned(bytes),
        }
    }
}
