//! Small pieces of a file, read one by one from wherever they lie.

use std::fs::File;
use std::io;

/// Where a piece starts in the file, and how many bytes it has.
pub(crate) type Piece = (u64, usize);

/// Reads pieces of a file, back to back.
///
/// From the page cache a system call takes less than the page fault of a mapping does. What is not there yet is
/// asked for by the window, so that the disk has many requests at a time; pieces are to come in the order of the
/// file.
///
/// # Errors
/// From the system, and when the file ends before a piece does.
#[cfg(target_os = "linux")]
pub(crate) fn gather(file: &File, pieces: &[Piece]) -> io::Result<Vec<u8>> {
    let total = pieces.iter().fold(0usize, |total, (_, length)| total.saturating_add(*length));
    let mut gathered = Vec::new();
    gathered.try_reserve_exact(total)?;
    gathered.resize(total, 0);
    let mut rest = gathered.as_mut_slice();
    let mut cached = true;
    for window in pieces.chunks(WINDOW) {
        if !cached {
            window.iter().for_each(|piece| fetch(file, *piece));
        }
        for (at, (offset, length)) in window.iter().enumerate() {
            let (piece, after) = rest.split_at_mut_checked(*length).ok_or(io::ErrorKind::InvalidInput)?;
            if cached && !read_cached(file, *offset, piece) {
                cached = false;
                window.iter().skip(at).for_each(|piece| fetch(file, *piece));
            }
            if !cached {
                std::os::unix::fs::FileExt::read_exact_at(file, piece, *offset)?;
            }
            rest = after;
        }
    }
    Ok(gathered)
}

/// How many pieces the disk is asked for at a time.
#[cfg(target_os = "linux")]
const WINDOW: usize = 1024;

/// Reads a piece if the page cache has all of it; whether it did.
#[cfg(target_os = "linux")]
fn read_cached(file: &File, offset: u64, piece: &mut [u8]) -> bool {
    use rustix::io::{ReadWriteFlags, preadv2};
    let wanted = piece.len();
    let read = preadv2(file, &mut [io::IoSliceMut::new(piece)], offset, ReadWriteFlags::NOWAIT);
    read.is_ok_and(|read| read == wanted)
}

/// Asks the system to read a piece ahead; a hint, so failure is no error.
#[cfg(target_os = "linux")]
fn fetch(file: &File, (offset, length): Piece) {
    use rustix::fs::{Advice, fadvise};
    let length = u64::try_from(length).ok().and_then(std::num::NonZeroU64::new);
    let _ = fadvise(file, offset, length, Advice::WillNeed);
}

/// There is no cheap way: the mapping has to do.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn gather(_file: &File, _pieces: &[Piece]) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::gather;

    #[test]
    fn pieces_come_back_to_back_and_none_behind_the_end() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..100_000u32).map(|at| (at % 251) as u8).collect();
        std::io::Write::write_all(&mut file, &bytes).unwrap();
        let pieces = [(3, 5), (4096, 1), (90_000, 10_000)];
        let wanted: Vec<u8> = pieces
            .iter()
            .flat_map(|(offset, length)| bytes[*offset as usize..][..*length].to_vec())
            .collect();
        assert_eq!(gather(&file, &pieces).unwrap(), wanted);
        assert!(gather(&file, &[(99_999, 2)]).is_err());
        assert!(gather(&file, &[]).unwrap().is_empty());
    }
}
