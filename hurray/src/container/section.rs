//! A range of bytes of the file.

use crate::bytes::to_usize;

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

    /// The bytes, where the file has them all.
    #[inline]
    pub(crate) fn of(self, file: &[u8]) -> Option<&[u8]> {
        file.get(to_usize(self.offset)?..to_usize(self.end())?)
    }
}
