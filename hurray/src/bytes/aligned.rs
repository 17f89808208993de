//! Owned bytes that start at an address aligned to 64, without `unsafe`.

use std::io;

/// One cache line; a vector of these is aligned to it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u8; AlignedBytes::ALIGNMENT]);

impl std::fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AlignedBytes").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Owned bytes whose first address is a multiple of 64.
#[derive(Clone, Default)]
pub(crate) struct AlignedBytes {
    lines: Vec<Line>,
    len: usize,
}

impl AlignedBytes {
    /// In bytes.
    pub(crate) const ALIGNMENT: usize = 64;

    /// `len` zero bytes.
    pub(crate) fn zeroed(len: usize) -> Self {
        // Asked of the allocator as zeroed memory, so that pages that are never written cost nothing.
        Self { lines: bytemuck::allocation::zeroed_vec(len.div_ceil(Self::ALIGNMENT)), len }
    }

    /// As [`Self::zeroed`], for a length that comes from outside: an error where memory does not suffice.
    pub(crate) fn try_zeroed(len: usize) -> io::Result<Self> {
        match bytemuck::allocation::try_zeroed_vec(len.div_ceil(Self::ALIGNMENT)) {
            Ok(lines) => Ok(Self { lines, len }),
            Err(()) => Err(io::ErrorKind::OutOfMemory.into()),
        }
    }

    pub(crate) fn copy_from(bytes: &[u8]) -> Self {
        let mut copy = Self::zeroed(bytes.len());
        copy.as_mut_slice().copy_from_slice(bytes);
        copy
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        bytemuck::cast_slice(&self.lines).get(..self.len).unwrap_or_default()
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.lines).get_mut(..self.len).unwrap_or_default()
    }
}
