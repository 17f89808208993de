//! Mapping a file into memory.

use std::fs::File;
use std::io;

/// The bytes of a file, mapped for reading.
#[derive(Debug)]
pub(crate) struct Mapping(memmap2::Mmap);

impl Mapping {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// Asks the system to have all from `start` on in memory, and no more than that: a first touch would fetch
    /// what lies around, too, up to several megabytes. A hint, so failure is no error.
    #[cfg(unix)]
    pub(crate) fn fetch_from(&self, start: usize) {
        if let Some(length) = self.0.len().checked_sub(start) {
            let _ = self.0.advise_range(memmap2::Advice::WillNeed, start, length);
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn fetch_from(&self, _start: usize) {}
}

/// Maps `length` bytes of `file`, which has so many.
///
/// # Safety
/// As long as the mapping lives, nobody may change the file or cut it short: neither this process nor any
/// other. Its bytes are handed out as `&[u8]`, which must not change; a read past a new end kills the process.
pub(crate) unsafe fn map_file(file: &File, length: usize) -> io::Result<Mapping> {
    // SAFETY: the caller promises that the file is not changed, which is the whole of the contract of `map`.
    let map = unsafe { memmap2::MmapOptions::new().len(length).map(file) }?;
    Ok(Mapping(map))
}

/// Fills `bytes` with those of the file from `offset` on, without moving in it; whether that worked.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> bool {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn read_at(_file: &File, _bytes: &mut [u8], _offset: u64) -> bool {
    false
}
