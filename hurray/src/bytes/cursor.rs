//! The only reader of little-endian fields: bounds-checked, and aware of where in the file it is.

use crate::error::{FormatError, Rule};

/// Reads fields off a slice, front to back. A field that does not fit breaks `rule`.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    /// Of `bytes[0]`, in the file (or in the part that the caller reports offsets in).
    base: u64,
    position: usize,
    rule: Rule,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: u64, rule: Rule) -> Self {
        Self { bytes, base, position: 0, rule }
    }

    /// The offset in the file of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.base.saturating_add(u64::try_from(self.position).unwrap_or(u64::MAX))
    }

    /// How many bytes were read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// How many bytes are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], FormatError> {
        let taken =
            self.position.checked_add(count).and_then(|end| Some((end, self.bytes.get(self.position..end)?)));
        match taken {
            Some((end, bytes)) => {
                self.position = end;
                Ok(bytes)
            }
            None => Err(self.exhausted(count)),
        }
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        match self.bytes.get(self.position..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(bytes) => {
                self.position = self.position.saturating_add(N);
                Ok(*bytes)
            }
            None => Err(self.exhausted(N)),
        }
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, FormatError> {
        self.array().map(u8::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, FormatError> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, FormatError> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> Result<u64, FormatError> {
        self.array().map(u64::from_le_bytes)
    }

    #[inline]
    pub(crate) fn i32(&mut self) -> Result<i32, FormatError> {
        self.array().map(i32::from_le_bytes)
    }

    #[inline]
    pub(crate) fn i64(&mut self) -> Result<i64, FormatError> {
        self.array().map(i64::from_le_bytes)
    }

    #[inline]
    pub(crate) fn f32(&mut self) -> Result<f32, FormatError> {
        self.array().map(f32::from_le_bytes)
    }

    #[inline]
    pub(crate) fn f64(&mut self) -> Result<f64, FormatError> {
        self.array().map(f64::from_le_bytes)
    }

    #[cold]
    fn exhausted(&self, wanted: usize) -> FormatError {
        self.rule
            .broken()
            .at(self.offset())
            .expected_to_be(format!("{wanted} more bytes"))
            .but_found(format_args!("{} left", self.remaining()))
    }
}
