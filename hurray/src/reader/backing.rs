//! Where the bytes of an open file are.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::bytes::{AlignedBytes, to_usize};
use crate::container::{Ends, Header, Trailer};
use crate::error::{FileKind, OpenError};
use crate::sys::{self, Mapping};

/// The bytes of an open file.
#[derive(Debug)]
pub(super) enum Backing {
    Mapped(Mapping),
    Aligned(AlignedBytes),
    Vec(Vec<u8>),
    Static(&'static [u8]),
}

/// In bytes: no element type needs more. Buffers start at multiples of 4096 in the file, so that the first
/// byte of the file decides.
const VIEW_ALIGNMENT: usize = 8;

/// Whether views of every element type can borrow from `bytes`.
pub(crate) fn check_alignment(bytes: &[u8]) -> Result<(), OpenError> {
    let address = bytes.as_ptr().addr();
    if bytes.is_empty() || address.is_multiple_of(VIEW_ALIGNMENT) {
        return Ok(());
    }
    // An address that is no multiple of 8 has a lowest bit.
    let have = 1_usize.checked_shl(address.trailing_zeros()).unwrap_or(1);
    Err(OpenError::Misaligned { need: VIEW_ALIGNMENT, have })
}

/// More than enough to tell what a file is.
const HEAD: u64 = 4096;

impl Backing {
    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Mapped(mapping) => mapping.as_slice(),
            // Apart: a mapping is asked for its bytes at every look-up.
            other => other.in_memory(),
        }
    }

    #[inline(never)]
    fn in_memory(&self) -> &[u8] {
        match self {
            Self::Mapped(mapping) => mapping.as_slice(),
            Self::Aligned(bytes) => bytes.as_slice(),
            Self::Vec(bytes) => bytes,
            Self::Static(bytes) => bytes,
        }
    }

    /// The file comes along, for what is better read than touched.
    ///
    /// # Safety
    /// That of [`sys::map_file`], as long as the backing lives.
    pub(super) unsafe fn map(path: &Path) -> Result<(Self, fs::File), OpenError> {
        let (file, facts) = open(path)?;
        if !facts.is_file() {
            let source =
                io::Error::new(io::ErrorKind::InvalidInput, "not a regular file: it can't be mapped");
            return Err(io_error(path, source));
        }
        if facts.len() == 0 {
            // Systems refuse to map nothing, each in its own words.
            return Ok((Self::Static(&[]), file));
        }
        let Some(length) = to_usize(facts.len()) else {
            return Err(io_error(path, io::ErrorKind::FileTooLarge.into()));
        };
        // SAFETY: the caller keeps the contract of `map_file`, which is that of this function.
        match unsafe { sys::map_file(&file, length) } {
            Ok(mapping) => Ok((Self::Mapped(mapping), file)),
            Err(source) => Err(io_error(path, source)),
        }
    }

    /// The first and last bytes of a mapped file, read, with all that opening needs asked for; `None` where there
    /// is no better way than to touch them.
    pub(super) fn ends(&self, file: &fs::File) -> Option<Ends> {
        let Self::Mapped(mapping) = self else { return None };
        let length = u64::try_from(mapping.as_slice().len()).ok()?;
        let mut ends = Ends { header: [0; Header::SIZE], trailer: [0; Trailer::SIZE] };
        let trailer_at = length.checked_sub(u64::try_from(Trailer::SIZE).ok()?)?;
        let are_read =
            sys::read_at(file, &mut ends.header, 0) && sys::read_at(file, &mut ends.trailer, trailer_at);
        let tail = ends.tail_start(length).filter(|_| are_read)?;
        mapping.fetch_from(to_usize(tail)?);
        Some(ends)
    }

    /// Reads the whole file, once and in order.
    pub(super) fn read(path: &Path, is_ours: impl FnOnce(&[u8]) -> bool) -> Result<Self, OpenError> {
        let (file, facts) = open(path)?;
        let read = if facts.is_file() {
            Self::read_file(file, facts.len(), is_ours)
        } else {
            // A pipe has no length to go by.
            let mut bytes = Vec::new();
            (&file).read_to_end(&mut bytes).map(|_| Self::from_vec(bytes))
        };
        read.map_err(|source| io_error(path, source))
    }

    /// Stops after the first bytes of a file that is not one of ours, however large it is.
    fn read_file(mut file: fs::File, len: u64, is_ours: impl FnOnce(&[u8]) -> bool) -> io::Result<Self> {
        let mut head = Vec::new();
        (&mut file).take(HEAD).read_to_end(&mut head)?;
        let len = to_usize(len).ok_or(io::ErrorKind::FileTooLarge)?;
        if head.len() >= len || !is_ours(&head) {
            return Ok(Self::Aligned(AlignedBytes::copy_from(&head)));
        }
        let mut bytes = AlignedBytes::try_zeroed(len)?;
        let (start, rest) = bytes.as_mut_slice().split_at_mut(head.len());
        start.copy_from_slice(&head);
        file.read_exact(rest)?;
        Ok(Self::Aligned(bytes))
    }

    /// Takes the bytes as they are, or copies them if views could not borrow from them.
    pub(super) fn from_vec(bytes: Vec<u8>) -> Self {
        match check_alignment(&bytes) {
            Ok(()) => Self::Vec(bytes),
            Err(_) => Self::Aligned(AlignedBytes::copy_from(&bytes)),
        }
    }
}

fn open(path: &Path) -> Result<(fs::File, fs::Metadata), OpenError> {
    let opened = fs::File::open(path).and_then(|file| file.metadata().map(|facts| (file, facts)));
    // Some systems open directories, others refuse.
    let is_directory = match &opened {
        Ok((_, facts)) => facts.is_dir(),
        Err(_) => path.is_dir(),
    };
    if is_directory {
        return Err(OpenError::NotHurray { path: Some(path.to_owned()), found: FileKind::Directory });
    }
    opened.map_err(|source| io_error(path, source))
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    OpenError::Io { path: Some(path.to_owned()), source }
}
