//! A reader that knows where it is, and can look ahead a little.

use std::io::{self, Read};

use crate::error::OpenError;

/// Bytes from a reader, in order, with some of them kept for looking at twice.
#[derive(Debug)]
pub(super) struct Source<R> {
    reader: R,
    /// Of `ahead[0]`, from the start of the file.
    offset: u64,
    /// Read already, and not taken yet.
    ahead: Vec<u8>,
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, offset: 0, ahead: Vec::new() }
    }

    /// How many bytes were taken.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes `count` bytes, or what there is. Memory grows with what really comes, not with `count`.
    pub(super) fn read_up_to(&mut self, count: u64) -> Result<Vec<u8>, OpenError> {
        let ahead = usize::try_from(count).map_or(self.ahead.len(), |count| count.min(self.ahead.len()));
        let mut bytes: Vec<u8> = self.ahead.drain(..ahead).collect();
        let rest = count.saturating_sub(length(&bytes));
        (&mut self.reader).take(rest).read_to_end(&mut bytes).map_err(io_error)?;
        self.offset = self.offset.saturating_add(length(&bytes));
        Ok(bytes)
    }

    /// Takes `count` bytes.
    pub(super) fn read(&mut self, count: u64) -> Result<Vec<u8>, OpenError> {
        let bytes = self.read_up_to(count)?;
        if length(&bytes) < count { Err(self.ended()) } else { Ok(bytes) }
    }

    /// Drops the bytes up to `offset`.
    pub(super) fn skip_to(&mut self, offset: u64) -> Result<(), OpenError> {
        let count = offset.saturating_sub(self.offset);
        let ahead = usize::try_from(count).map_or(self.ahead.len(), |count| count.min(self.ahead.len()));
        let dropped = u64::try_from(self.ahead.drain(..ahead).len()).unwrap_or(u64::MAX);
        let rest = count.saturating_sub(dropped);
        let skipped = io::copy(&mut (&mut self.reader).take(rest), &mut io::sink()).map_err(io_error)?;
        self.offset = self.offset.saturating_add(dropped).saturating_add(skipped);
        if skipped < rest { Err(self.ended()) } else { Ok(()) }
    }

    /// Up to `count` bytes from `offset` on, which stay; fewer at the end.
    pub(super) fn peek(&mut self, offset: u64, count: usize) -> Result<&[u8], OpenError> {
        let start = self.look_ahead(offset, count)?;
        let bytes = self.ahead.get(start..).unwrap_or_default();
        Ok(bytes.get(..count).unwrap_or(bytes))
    }

    /// Whether all bytes of `[from, to)` are there, and zero; they stay.
    pub(super) fn is_zero_until(&mut self, from: u64, to: u64) -> Result<bool, OpenError> {
        let Ok(count) = usize::try_from(to.saturating_sub(from)) else { return Ok(false) };
        let bytes = self.peek(from, count)?;
        Ok(bytes.len() == count && bytes.iter().all(|byte| *byte == 0))
    }

    /// Reads ahead up to `count` bytes behind `offset`; where in `ahead` that is.
    fn look_ahead(&mut self, offset: u64, count: usize) -> Result<usize, OpenError> {
        let start = usize::try_from(offset.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let wanted = start.saturating_add(count);
        let missing = u64::try_from(wanted.saturating_sub(self.ahead.len())).unwrap_or(u64::MAX);
        (&mut self.reader).take(missing).read_to_end(&mut self.ahead).map_err(io_error)?;
        Ok(start)
    }

    /// The bytes ended before they should.
    #[cold]
    fn ended(&self) -> OpenError {
        OpenError::Truncated { path: None, needed: None, have: self.offset }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn io_error(source: io::Error) -> OpenError {
    OpenError::Io { path: None, source }
}
