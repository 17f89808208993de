//! Facts about the container around the tensors.

use crate::container::{FileFlags, Header, Parsed, Section};

/// What header and trailer of a file say (FORMAT §2.2, §2.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContainerInfo {
    /// Major and minor version of the container.
    pub version: (u8, u8),
    /// The file flags.
    pub flags: FileFlags,
    /// Data buffers start at multiples of this, in bytes.
    pub alignment: u32,
    /// Where the tensor region starts, in bytes from the start of the file.
    pub first_descriptor_offset: u64,
    /// How many tensors the writer announced, if it did. Never relied on.
    pub tensor_count_hint: Option<u64>,
    /// In bytes from the start of the file.
    pub index_offset: u64,
    /// In bytes.
    pub index_length: u64,
    /// 0 if there is none.
    pub index_crc32c: u32,
    /// In bytes from the start of the file; 0 without a KV section.
    pub kv_offset: u64,
    /// In bytes; 0 without a KV section.
    pub kv_length: u64,
}

impl ContainerInfo {
    pub(super) fn new(parsed: &Parsed) -> Self {
        let Parsed { header, trailer, .. } = parsed;
        Self {
            version: (Header::MAJOR, header.version_minor),
            flags: header.flags,
            alignment: header.alignment,
            first_descriptor_offset: header.first_descriptor_offset,
            tensor_count_hint: header.tensor_count_hint,
            index_offset: trailer.index.offset(),
            index_length: trailer.index.length(),
            index_crc32c: trailer.index_crc32c,
            kv_offset: trailer.kv.map_or(0, Section::offset),
            kv_length: trailer.kv.map_or(0, Section::length),
        }
    }
}
