//! A copy of all descriptors in one place, as a metadata entry of ours: so that opening a file need not touch
//! the page of every tensor. The descriptors in the tensor region stay the truth (`docs/format.md`).
//!
//! ```text
//! off  size
//! 0    4     version of this layout, u32: 1
//! 4    4     CRC-32C of all that follows, u32
//! 8    -     the descriptors in the order of their offsets, back to back; the index has their lengths
//! ```

use super::{FileBytes, Index, KvRef, KvSection, Section};

/// The key of the entry.
pub(crate) const DESCRIPTORS: &str = "hurray.descriptors";

const VERSION: u32 = 1;
const HEAD_SIZE: usize = 8;

/// The value of the entry for descriptors that lie back to back.
pub(crate) fn encode_table(descriptors: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(descriptors.len().saturating_add(HEAD_SIZE));
    value.extend(VERSION.to_le_bytes());
    value.extend(crc32c::crc32c(descriptors).to_le_bytes());
    value.extend(descriptors);
    value
}

/// Where the copies lie, if there are any and they are sound: of the known version, whole, and as long as all
/// descriptors of the index together. What is not is left alone.
pub(super) fn decode_table(file: FileBytes<'_>, index: &Index, kv: &KvSection) -> Option<Section> {
    let Some(KvRef::Bytes(value)) = kv.get(file, DESCRIPTORS) else { return None };
    let (version, rest) = value.split_first_chunk::<4>()?;
    let (crc, descriptors) = rest.split_first_chunk::<4>()?;
    let length = u64::try_from(descriptors.len()).ok()?;
    let is_sound = u32::from_le_bytes(*version) == VERSION
        && index.descriptors_length(file) == Some(length)
        && u32::from_le_bytes(*crc) == crc32c::crc32c(descriptors);
    if !is_sound {
        return None;
    }
    Section::new(file.offset_of(descriptors)?, length)
}
