//! Large writes at round offsets, with the data of large tensors passed on by reference.

use std::io::{self, IoSlice, Write};

use smallvec::SmallVec;

use super::source::len;
use crate::bytes::align_up;

/// Every write but the last ends at a multiple of this offset in the file.
///
/// Linux then keeps the file in large pages, so that a reader who touches one small part of each tensor
/// takes one page fault for 2 MiB instead of one for 64 KiB.
pub(super) const WINDOW: u64 = 2 << 20;

/// From this length on, copying costs more than one more part in a vectored write.
const BY_REFERENCE: usize = 8 << 10;

/// Room for the pieces of a window that holds large tensors, so that a save of them allocates the same however
/// large they are. A window of many small ones takes more.
const PIECES: usize = 64;

/// Room for what such a window copies: descriptors and padding.
const STAGED: usize = 64 << 10;

/// What padding is made of.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// Turns pieces of any size into writes of [`WINDOW`] bytes. Bytes of lifetime `'s` are not copied.
pub(super) struct Emitter<'s, W> {
    sink: W,
    /// The pieces of the window being filled, in order.
    pieces: Vec<Piece<'s>>,
    /// The bytes of all [`Piece::Staged`], in order; fewer than a window.
    staged: Vec<u8>,
    /// The offset in the file after all pieces.
    position: u64,
    /// Of the bytes since [`Emitter::start_checksum`], CRC-32C.
    checksum: Option<u32>,
}

enum Piece<'s> {
    /// The next so many bytes of what is staged.
    Staged(usize),
    Borrowed(&'s [u8]),
}

impl<'s, W: Write> Emitter<'s, W> {
    pub(super) fn new(sink: W) -> Self {
        let (pieces, staged) = (Vec::with_capacity(PIECES), Vec::with_capacity(STAGED));
        Self { sink, pieces, staged, position: 0, checksum: None }
    }

    /// The offset in the file of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Starts a CRC-32C of all bytes to come.
    pub(super) fn start_checksum(&mut self) {
        self.checksum = Some(0);
    }

    /// The CRC-32C of the bytes since it was started.
    pub(super) fn end_checksum(&mut self) -> Option<u32> {
        self.checksum.take()
    }

    /// Writes bytes that live until the end: kept by reference if large.
    pub(super) fn borrow(&mut self, mut bytes: &'s [u8]) -> io::Result<()> {
        self.sum(bytes);
        while let Some((now, rest, fills)) = self.split(bytes) {
            if now.len() >= BY_REFERENCE {
                self.pieces.push(Piece::Borrowed(now));
                self.advance(now);
            } else {
                self.stage(now);
            }
            if fills {
                self.flush_window(&[])?;
            }
            bytes = rest;
        }
        Ok(())
    }

    /// Writes bytes that may go away: what does not complete a window is copied.
    pub(super) fn copy(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.sum(bytes);
        while let Some((now, rest, fills)) = self.split(bytes) {
            if fills {
                self.advance(now);
                self.flush_window(now)?;
            } else {
                self.stage(now);
            }
            bytes = rest;
        }
        Ok(())
    }

    /// Writes zeros up to `offset`, which is not before the present position.
    pub(super) fn pad_to(&mut self, offset: u64) -> io::Result<()> {
        debug_assert!(offset >= self.position);
        loop {
            let missing = usize::try_from(offset.saturating_sub(self.position)).unwrap_or(usize::MAX);
            match ZEROS.get(..missing.min(ZEROS.len())) {
                Some([]) | None => return Ok(()),
                Some(zeros) => self.borrow(zeros)?,
            }
        }
    }

    /// Hands everything to the sink and flushes it.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.flush_window(&[])?;
        self.sink.flush()?;
        Ok(self.sink)
    }

    /// The part of `bytes` that fits the window, the rest, and whether that part fills the window.
    fn split<'b>(&self, bytes: &'b [u8]) -> Option<(&'b [u8], &'b [u8], bool)> {
        if bytes.is_empty() {
            return None;
        }
        // A full window is written at once, so there is always room.
        let end = align_up(self.position.saturating_add(1), WINDOW).unwrap_or(u64::MAX);
        let room = end.saturating_sub(self.position);
        match usize::try_from(room).ok().and_then(|room| bytes.split_at_checked(room)) {
            Some((now, rest)) => Some((now, rest, true)),
            None => Some((bytes, &[], false)),
        }
    }

    fn stage(&mut self, bytes: &[u8]) {
        self.staged.extend_from_slice(bytes);
        match self.pieces.last_mut() {
            Some(Piece::Staged(staged)) => *staged = staged.saturating_add(bytes.len()),
            _ => self.pieces.push(Piece::Staged(bytes.len())),
        }
        self.advance(bytes);
    }

    fn advance(&mut self, bytes: &[u8]) {
        self.position = self.position.saturating_add(len(bytes));
    }

    fn sum(&mut self, bytes: &[u8]) {
        if let Some(checksum) = &mut self.checksum {
            *checksum = crc32c::crc32c_append(*checksum, bytes);
        }
    }

    /// Writes the pieces and then `last`, up to the present position.
    fn flush_window(&mut self, last: &[u8]) -> io::Result<()> {
        let mut staged = self.staged.as_slice();
        let mut slices: SmallVec<[IoSlice<'_>; PIECES]> = SmallVec::new();
        for piece in &self.pieces {
            let bytes = match piece {
                Piece::Borrowed(bytes) => bytes,
                Piece::Staged(len) => staged.split_off(..*len).unwrap_or_default(),
            };
            slices.push(IoSlice::new(bytes));
        }
        slices.push(IoSlice::new(last));
        write_all(&mut self.sink, &mut slices)?;
        drop(slices);
        self.pieces.clear();
        self.staged.clear();
        Ok(())
    }
}

/// As `Write::write_all`, over several slices.
fn write_all(sink: &mut impl Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    let mut left = slices.iter().fold(0_usize, |sum, slice| sum.saturating_add(slice.len()));
    IoSlice::advance_slices(&mut slices, 0);
    while left > 0 {
        match sink.write_vectored(slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(taken) => {
                left = left.checked_sub(taken).ok_or_else(|| {
                    io::Error::other("the sink claims to have taken more than it was given")
                })?;
                IoSlice::advance_slices(&mut slices, taken);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{self, IoSlice, Write};

    use super::{BY_REFERENCE, Emitter, WINDOW};

    /// Records the size of every write, and the address of every slice.
    #[derive(Default)]
    struct Recorder {
        bytes: Vec<u8>,
        writes: Vec<usize>,
        addresses: Vec<usize>,
    }

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            let before = self.bytes.len();
            for slice in slices {
                self.bytes.extend_from_slice(slice);
                self.addresses.push(slice.as_ptr().addr());
            }
            self.writes.push(self.bytes.len() - before);
            Ok(self.bytes.len() - before)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Takes `self.0` bytes of the first slice at a time, and is interrupted now and then.
    struct Dribble(usize, usize, Vec<u8>);

    impl Write for Dribble {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(3) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let taken = bytes.len().min(self.0);
            self.2.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn data(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i % 251) as u8).collect()
    }

    #[test]
    fn writes_end_at_window_boundaries() {
        let large = data(5_000_000);
        let mut emitter = Emitter::new(Recorder::default());
        emitter.copy(b"head").unwrap();
        emitter.pad_to(4096).unwrap();
        emitter.borrow(&large).unwrap();
        emitter.copy(&large).unwrap();
        let recorder = emitter.finish().unwrap();
        let (last, full) = recorder.writes.split_last().unwrap();
        assert!(full.iter().all(|size| *size as u64 == WINDOW), "{full:?}");
        assert_eq!(full.len(), 4);
        assert_eq!(*last as u64, 4096 + 10_000_000 - 4 * WINDOW);
        let mut expected = b"head".to_vec();
        expected.resize(4096, 0);
        expected.extend_from_slice(&large);
        expected.extend_from_slice(&large);
        assert!(recorder.bytes == expected);
    }

    #[test]
    fn large_pieces_are_not_copied() {
        let large = data(BY_REFERENCE);
        let mut emitter = Emitter::new(Recorder::default());
        emitter.copy(b"head").unwrap();
        emitter.borrow(&large).unwrap();
        let recorder = emitter.finish().unwrap();
        assert!(recorder.addresses.contains(&large.as_ptr().addr()));
    }

    #[test]
    fn a_sink_that_takes_little_at_a_time_gets_the_same_bytes() {
        let (small, large) = (data(100), data(70_000));
        for at_a_time in [1, 7, 65_537] {
            let mut emitter = Emitter::new(Dribble(at_a_time, 0, Vec::new()));
            emitter.borrow(&small).unwrap();
            emitter.pad_to(9_000).unwrap();
            emitter.borrow(&large).unwrap();
            emitter.copy(&small).unwrap();
            let expected = [&small[..], &[0; 8_900], &large, &small].concat();
            assert!(emitter.finish().unwrap().2 == expected);
        }
    }

    #[test]
    fn a_sink_that_takes_nothing_is_an_error() {
        let mut full = [0_u8; 10];
        let mut emitter = Emitter::new(&mut full[..]);
        emitter.copy(&data(11)).unwrap();
        assert_eq!(emitter.finish().map(drop).unwrap_err().kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn a_sink_that_claims_too_much_is_an_error() {
        struct Liar;
        impl Write for Liar {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                Ok(bytes.len() + 1)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut emitter = Emitter::new(Liar);
        emitter.copy(b"x").unwrap();
        assert!(emitter.finish().is_err());
    }

    #[test]
    fn the_checksum_is_of_the_bytes_between() {
        let mut emitter = Emitter::new(Vec::new());
        emitter.copy(b"abc").unwrap();
        emitter.start_checksum();
        emitter.copy(b"1234").unwrap();
        emitter.borrow(b"56789").unwrap();
        assert_eq!(emitter.end_checksum(), Some(0xE306_9283));
    }
}
