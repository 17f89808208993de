//! The container around the tensors: header, KV section, index, trailer (FORMAT §2). Pure functions over
//! bytes, no I/O.

mod flags;
mod header;
mod index;
mod kv;
mod kv_decode;
mod kv_section;
mod metadata;
mod names;
mod parsed;
mod section;
mod trailer;
pub(crate) mod wrong;

pub use flags::FileFlags;
pub use kv::{KvArray, KvValue};
pub use metadata::{Metadata, MetadataError};

pub(crate) use header::Header;
pub(crate) use index::{Index, IndexEntry, Record, encode_index};
pub(crate) use kv_decode::KvRef;
pub(crate) use kv_section::KvSection;
pub(crate) use names::NameTable;
pub(crate) use parsed::Parsed;
pub(crate) use section::{FileBytes, Section};
pub(crate) use trailer::Trailer;

/// The smallest file: header, an index without entries, trailer (FORMAT §2.1).
pub(crate) const MIN_FILE_SIZE: usize = Header::SIZE + Index::COUNT_SIZE + Trailer::SIZE;

const _: () = assert!(MIN_FILE_SIZE == 112);

/// Descriptors, the KV section and the index start at multiples of this, in bytes.
pub(crate) const ITEM_ALIGNMENT: u64 = 8;

/// The largest minor version of the container whose every byte is known (FORMAT §8.1).
pub(crate) const KNOWN_MINOR: u8 = 0;
