//! What follows the tensors: KV section, index, trailer (FORMAT §2.5 to §2.8).

use std::io::{self, Write};

use super::SaveError;
use super::emitter::Emitter;
use super::form::{FileForm, Placed};
use super::source::len;
use crate::bytes::{Sink, align_up};
use crate::container::{ITEM_ALIGNMENT, IndexEntry, Section, Trailer, encode_index};
use crate::error::{FormatError, Rule};

/// The end of a file, encoded.
pub(super) struct Tail {
    kv: Option<Vec<u8>>,
    kv_offset: u64,
    index: Vec<u8>,
    index_offset: u64,
    trailer: Vec<u8>,
    file_size: u64,
}

impl Tail {
    /// Encodes what stands behind the tensors, which end at `region_end`. `entries` are in file order.
    pub(super) fn encode(
        form: &FileForm,
        region_end: u64,
        kv: Option<Vec<u8>>,
        mut entries: Vec<IndexEntry<'_>>,
    ) -> Result<Self, SaveError> {
        let kv_offset = align_up(region_end, ITEM_ALIGNMENT).ok_or_else(SaveError::too_large)?;
        let kv_section = match &kv {
            Some(kv) => Some(Section::new(kv_offset, len(kv)).ok_or_else(SaveError::too_large)?),
            None => None,
        };
        let kv_end = kv_section.map_or(kv_offset, Section::end);
        let index_offset = align_up(kv_end, ITEM_ALIGNMENT).ok_or_else(SaveError::too_large)?;

        if form.sorted_index {
            // FLAG-05: the order of bytes, which is that of `str`.
            entries.sort_unstable_by_key(|entry| entry.name);
        }
        let index = encode_index(&entries)?;
        drop(entries);
        let section = Section::new(index_offset, len(&index)).ok_or_else(SaveError::too_large)?;
        let trailer = Trailer { index: section, kv: kv_section, index_crc32c: crc32c::crc32c(&index) };
        let mut sink = Sink::with_capacity(Trailer::SIZE);
        trailer.encode(&mut sink);
        let trailer = sink.into_vec();
        let file_size = section.end().checked_add(len(&trailer)).ok_or_else(SaveError::too_large)?;
        Ok(Self { kv, kv_offset, index, index_offset, trailer, file_size })
    }

    /// In bytes.
    pub(super) fn file_size(&self) -> u64 {
        self.file_size
    }

    /// Overwrites the end of the KV section.
    pub(super) fn end_kv_with(&mut self, checksums: &[u32]) {
        let Some(kv) = &mut self.kv else { return };
        for (place, checksum) in kv.rchunks_exact_mut(size_of::<u32>()).zip(checksums.iter().rev()) {
            place.copy_from_slice(&checksum.to_le_bytes());
        }
    }

    /// Writes everything after the tensors, with the padding in front of it.
    pub(super) fn emit<W: Write>(&self, emitter: &mut Emitter<'_, W>) -> io::Result<()> {
        if let Some(kv) = &self.kv {
            emitter.pad_to(self.kv_offset)?;
            emitter.copy(kv)?;
        }
        emitter.pad_to(self.index_offset)?;
        emitter.copy(&self.index)?;
        emitter.copy(&self.trailer)
    }
}

/// An entry of the index; the length of a descriptor is bounded by its own encoding.
pub(super) fn index_entry<'n>(
    name: &'n str,
    descriptor_length: usize,
    placed: &Placed,
) -> Result<IndexEntry<'n>, FormatError> {
    let descriptor_length = u32::try_from(descriptor_length)
        .map_err(|_| Rule::Idx15.broken().in_tensor(name).but_found(descriptor_length))?;
    Ok(IndexEntry {
        name,
        descriptor_offset: placed.descriptor_offset,
        descriptor_length,
        data_offset: placed.data_offset,
        data_length: placed.data_length,
    })
}
