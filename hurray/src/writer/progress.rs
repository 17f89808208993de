//! How far a save has come.

use std::io::{self, IoSlice, Write};

/// Called with the bytes written so far and the size of the file.
pub(crate) type Progress = dyn Fn(u64, u64) + Send + Sync;

/// A sink that reports every write.
pub(super) struct Reporting<'p, W> {
    sink: W,
    done: u64,
    total: u64,
    progress: Option<&'p Progress>,
}

impl<'p, W: Write> Reporting<'p, W> {
    pub(super) fn new(sink: W, total: u64, progress: Option<&'p Progress>) -> Self {
        Self { sink, done: 0, total, progress }
    }

    fn report(&mut self, taken: usize) -> usize {
        self.done = self.done.saturating_add(u64::try_from(taken).unwrap_or(u64::MAX));
        if let Some(progress) = self.progress {
            progress(self.done, self.total);
        }
        taken
    }
}

impl<W: Write> Write for Reporting<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes).map(|taken| self.report(taken))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.sink.write_vectored(slices).map(|taken| self.report(taken))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
