//! The container around the tensors: header, KV section, index, trailer (FORMAT §2). Pure functions over
//! bytes, no I/O.

mod flags;
mod header;
mod index;
mod kinds;
mod kv;
mod kv_decode;
mod kv_section;
mod metadata;
mod names;
mod parsed;
mod record;
mod section;
mod table;
#[cfg(test)]
mod tests;
mod trailer;
mod tree_order;
pub(crate) mod wrong;

pub use flags::FileFlags;
pub use kv::{KvArray, KvValue};
pub use metadata::{Metadata, MetadataError};

pub(crate) use header::Header;
pub(crate) use index::{Index, IndexEntry, WithoutData, encode_index};
pub(crate) use kinds::Kind;
pub(crate) use kv_decode::KvRef;
pub(crate) use kv_section::KvSection;
pub(crate) use names::NameTable;
pub(crate) use parsed::{Ends, Parsed};
pub(crate) use record::Record;
pub(crate) use section::{FileBytes, Section};
pub(crate) use table::{DESCRIPTORS, Table, encode_table};
pub(crate) use trailer::Trailer;

/// The smallest file: header, an index without entries, trailer (FORMAT §2.1).
pub(crate) const MIN_FILE_SIZE: usize = Header::SIZE + Index::COUNT_SIZE + Trailer::SIZE;

const _: () = assert!(MIN_FILE_SIZE == 112);

pub(crate) use crate::descriptor::placement::ITEM_ALIGNMENT;

/// The minor version of the container that is written: the lowest one that suffices (HDR-13).
pub(crate) const WRITTEN_MINOR: u8 = 0;

/// The minor versions of the container whose every byte is known (FORMAT §8.1).
pub(crate) const KNOWN_MINORS: std::ops::RangeInclusive<u8> = 0..=WRITTEN_MINOR;
