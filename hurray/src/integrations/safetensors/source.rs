//! One safetensors file: its header, and its data a block at a time.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use ::safetensors::Dtype;

use super::error::SourceError;
use super::header::{Header, Listed};
use crate::bytes::to_usize;
use crate::sys::{self, Mapping};
use crate::writer::{BoxError, TensorSource};

/// In bytes: how much is in memory at a time; a multiple of 8.
const BLOCK: usize = 1 << 20;

/// An open safetensors file.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) header: Header,
    file: File,
    mapping: Option<Mapping>,
}

impl Source {
    /// Opens a file whose data are read when their turn comes.
    pub(super) fn open(path: &Path) -> Result<Self, SourceError> {
        let file = File::open(path)?;
        let facts = file.metadata()?;
        if facts.is_dir() {
            return Err(SourceError::Other(crate::FileKind::Directory));
        }
        let header = Header::read(&file, facts.len())?;
        Ok(Self { path: path.to_owned(), header, file, mapping: None })
    }

    /// Opens a file and maps it.
    ///
    /// # Safety
    /// As long as the source lives, nobody changes the file or cuts it short.
    pub(super) unsafe fn map(path: &Path) -> Result<Self, SourceError> {
        let source = Self::open(path)?;
        let length = to_usize(source.file.metadata()?.len())
            .ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        // SAFETY: the caller promises what `map_file` asks for.
        let mapping = unsafe { sys::map_file(&source.file, length) }?;
        Ok(Self { mapping: Some(mapping), ..source })
    }

    /// The data of a tensor, as a Hurray file has them: bools packed, unless they are kept as bytes.
    pub(super) fn data<'s>(&'s self, tensor: &'s Listed, keeps_bytes: bool) -> TensorSource<'s> {
        if tensor.dtype == Ok(Dtype::BOOL) && !keeps_bytes {
            return TensorSource::stream(tensor.size().div_ceil(8), move |writer| {
                self.blocks(tensor, |block| Ok(writer.write_all(&pack(block))?))
            });
        }
        match self.mapped(tensor) {
            Some(bytes) => TensorSource::Borrowed(bytes),
            None => TensorSource::stream(tensor.size(), move |writer| {
                self.blocks(tensor, |block| Ok(writer.write_all(block)?))
            }),
        }
    }

    fn mapped(&self, tensor: &Listed) -> Option<&[u8]> {
        let bytes = self.mapping.as_ref()?.as_slice();
        bytes.get(to_usize(tensor.start)?..to_usize(tensor.end)?)
    }

    /// Gives the data of a tensor to `take`, in order, in blocks whose lengths are multiples of 8 but for the last.
    pub(super) fn blocks(
        &self,
        tensor: &Listed,
        mut take: impl FnMut(&[u8]) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        if let Some(bytes) = self.mapped(tensor) {
            return bytes.chunks(BLOCK).try_for_each(take);
        }
        let mut file = &self.file;
        file.seek(SeekFrom::Start(tensor.start))?;
        let mut left = tensor.size();
        let mut block = vec![0; to_usize(left).unwrap_or(BLOCK).min(BLOCK)];
        while left > 0 {
            let length = to_usize(left).unwrap_or(BLOCK).min(BLOCK);
            let block = block.get_mut(..length).unwrap_or_default();
            file.read_exact(block)?;
            take(block)?;
            left = left.saturating_sub(u64::try_from(length).unwrap_or(u64::MAX));
        }
        Ok(())
    }

    /// Why the values of a tensor can't be carried, where that is so: the values are looked at.
    pub(super) fn refused_value(&self, tensor: &Listed) -> Result<Option<Cow<'static, str>>, io::Error> {
        let (is_refused, reason): (fn(u8) -> bool, _) = match tensor.dtype {
            Ok(Dtype::BOOL) => (|byte| byte > 1, "a bool that is neither 0 nor 1"),
            // TYP-05
            Ok(Dtype::F8_E8M0) => (|byte| matches!(byte, 0x00 | 0xFF), "a float8_e8m0 that no file may hold"),
            _ => return Ok(None),
        };
        let mut position = 0usize;
        let mut found = None;
        let looked = self.blocks(tensor, |block| {
            if let (None, Some(at)) = (&found, block.iter().position(|&byte| is_refused(byte))) {
                let value = block.get(at).copied().unwrap_or_default();
                found = Some((position.saturating_add(at), value));
            }
            position = position.saturating_add(block.len());
            Ok(())
        });
        looked.map_err(|error| match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        })?;
        Ok(found.map(|(at, value)| format!("element {at} is {value:#04x}, {reason}").into()))
    }
}

/// Bools of one byte each, eight to a byte, the first in the lowest bit (FORMAT §4.2).
fn pack(bools: &[u8]) -> Vec<u8> {
    let byte = |bits: &[u8]| bits.iter().rev().fold(0u8, |byte, &bit| (byte << 1) | u8::from(bit != 0));
    bools.chunks(8).map(byte).collect()
}

/// The opposite: the first `count` bits of `bytes`, one byte each.
pub(super) fn unpack(bytes: &[u8], count: usize) -> Vec<u8> {
    bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1)).take(count).collect()
}
