//! A range of bytes of the file.

use crate::bytes::to_usize;

/// The bytes of a file from `origin` on; all of it where that is 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileBytes<'f> {
    bytes: &'f [u8],
    origin: u64,
}

impl<'f> FileBytes<'f> {
    /// The end of a file, whose first byte stands at `origin`.
    pub(crate) fn tail(bytes: &'f [u8], origin: u64) -> Self {
        Self { bytes, origin }
    }

    /// The offset in the file of a part of its bytes.
    pub(crate) fn offset_of(self, part: &[u8]) -> Option<u64> {
        let start = part.as_ptr().addr().checked_sub(self.bytes.as_ptr().addr())?;
        self.origin.checked_add(u64::try_from(start).ok()?)
    }

    /// All bytes from `offset` in the file on.
    #[inline]
    pub(crate) fn starting_at(self, offset: u64) -> Option<&'f [u8]> {
        self.bytes.get(usize::try_from(offset.checked_sub(self.origin)?).ok()?..)
    }

    /// `length` bytes at `offset` in the file.
    #[inline]
    pub(crate) fn range(self, offset: u64, length: usize) -> Option<&'f [u8]> {
        self.starting_at(offset)?.get(..length)
    }
}

impl<'f> From<&'f [u8]> for FileBytes<'f> {
    #[inline]
    fn from(bytes: &'f [u8]) -> Self {
        Self { bytes, origin: 0 }
    }
}

/// A range of bytes whose end is known not to overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Section {
    offset: u64,
    length: u64,
}

impl Section {
    /// `None` if the end does not fit in 64 bits.
    pub(crate) fn new(offset: u64, length: u64) -> Option<Self> {
        offset.checked_add(length).map(|_| Self { offset, length })
    }

    /// For tests: the caller knows that the end fits.
    #[cfg(test)]
    pub(crate) const fn at(offset: u64, length: u64) -> Self {
        Self { offset, length }
    }

    pub(crate) fn offset(self) -> u64 {
        self.offset
    }

    pub(crate) fn length(self) -> u64 {
        self.length
    }

    pub(crate) fn end(self) -> u64 {
        self.offset.saturating_add(self.length)
    }

    /// The bytes, where `file` has them all.
    #[inline]
    pub(crate) fn of<'f>(self, file: impl Into<FileBytes<'f>>) -> Option<&'f [u8]> {
        file.into().range(self.offset, to_usize(self.length)?)
    }
}
