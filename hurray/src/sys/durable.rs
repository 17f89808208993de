//! What the operating system offers for files that must survive a crash.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::path::Path;

/// A file under construction, whose bytes go to the disk while later ones are still being written, so that
/// the final sync has little left to wait for.
pub(crate) struct PacedFile<'f> {
    file: &'f File,
    written: u64,
    /// Up to here the system was asked to write back.
    started: u64,
    is_paced: bool,
}

impl<'f> PacedFile<'f> {
    /// How many bytes may wait in memory, in bytes.
    const STEP: u64 = 32 << 20;

    /// `file` is empty. With `is_paced` write-back starts early.
    pub(crate) fn new(file: &'f File, is_paced: bool) -> Self {
        Self { file, written: 0, started: 0, is_paced }
    }

    fn count(&mut self, taken: usize) {
        self.written = self.written.saturating_add(u64::try_from(taken).unwrap_or(u64::MAX));
        let waiting = self.written.saturating_sub(self.started);
        if self.is_paced && waiting >= Self::STEP {
            start_write_back(self.file, self.started, waiting);
            self.started = self.written;
        }
    }
}

impl Write for PacedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.file.write(bytes)?;
        self.count(taken);
        Ok(taken)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let taken = self.file.write_vectored(slices)?;
        self.count(taken);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Asks the system to start writing a range to the disk; a hint, so failure is no error.
#[cfg(target_os = "linux")]
fn start_write_back(file: &File, offset: u64, len: u64) {
    use std::os::fd::AsRawFd;

    let (Ok(offset), Ok(len)) = (i64::try_from(offset), i64::try_from(len)) else { return };
    // SAFETY: `sync_file_range` takes no pointers, and the descriptor is open as long as `file` is borrowed.
    unsafe {
        libc::sync_file_range(file.as_raw_fd(), offset, len, libc::SYNC_FILE_RANGE_WRITE);
    }
}

#[cfg(not(target_os = "linux"))]
fn start_write_back(_file: &File, _offset: u64, _len: u64) {}

/// Reserves `len` bytes of disk for an empty file, where the file system can: a full disk then shows before
/// the first byte. The length of the file is set with it.
///
/// # Errors
///
/// When there is no room. That a file system has no such call is no error.
#[cfg(target_os = "linux")]
pub(crate) fn reserve(file: &File, len: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;

    match fallocate(file, FallocateFlags::empty(), 0, len) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn reserve(_file: &File, _len: u64) -> io::Result<()> {
    Ok(())
}

/// Makes renames in a folder survive a crash, where the file system has a way.
///
/// # Errors
///
/// When the disk fails. A folder that may not be read, and a file system without such a call, are no errors.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let result = File::open(folder).and_then(|folder| folder.sync_all());
    match result {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Renames are part of the file system's own journal here.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
