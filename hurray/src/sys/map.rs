//! Mapping a file into memory.

use std::fs::File;
use std::io;

/// The bytes of a file, mapped for reading.
#[derive(Debug)]
pub(crate) struct Mapping(memmap2::Mmap);

impl Mapping {
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// Maps the whole of `file`, as long as it is now.
///
/// # Safety
/// As long as the mapping lives, nobody may change the file or cut it short: neither this process nor any
/// other. Its bytes are handed out as `&[u8]`, which must not change; a read past a new end kills the process.
pub(crate) unsafe fn map_file(file: &File) -> io::Result<Mapping> {
    // SAFETY: the caller promises that the file is not changed, which is the whole of the contract of `map`.
    let map = unsafe { memmap2::Mmap::map(file) }?;
    Ok(Mapping(map))
}
