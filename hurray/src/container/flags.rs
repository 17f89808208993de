//! File flags (FORMAT §2.3).

use crate::error::{FormatError, Rule};

/// What the header announces about the rest of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FileFlags {
    /// There is a KV section. A reader decides this from the trailer.
    pub has_kv_metadata: bool,
    /// The index entries are strictly ascending by the bytes of their names.
    pub sorted_index: bool,
    /// The trailer has a checksum of the index.
    pub has_index_crc32c: bool,
}

impl FileFlags {
    const HAS_KV_METADATA: u32 = 1 << 0;
    const SORTED_INDEX: u32 = 1 << 1;
    const HAS_INDEX_CRC32C: u32 = 1 << 2;
    const KNOWN: u32 = Self::HAS_KV_METADATA | Self::SORTED_INDEX | Self::HAS_INDEX_CRC32C;

    /// Reads the flags that stand at `offset` in the file; an unknown bit breaks FLAG-01.
    pub(crate) fn decode(bits: u32, offset: u64) -> Result<Self, FormatError> {
        let unknown = bits & !Self::KNOWN;
        Rule::Flag01.check(unknown == 0, |e| {
            e.at(offset).expected_to_be("bits 3..32 clear").but_found(format_args!("{bits:#010x}"))
        })?;
        Ok(Self {
            has_kv_metadata: bits & Self::HAS_KV_METADATA != 0,
            sorted_index: bits & Self::SORTED_INDEX != 0,
            has_index_crc32c: bits & Self::HAS_INDEX_CRC32C != 0,
        })
    }

    /// The flags as the header has them.
    #[must_use]
    pub fn bits(self) -> u32 {
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        bit(self.has_kv_metadata, Self::HAS_KV_METADATA)
            | bit(self.sorted_index, Self::SORTED_INDEX)
            | bit(self.has_index_crc32c, Self::HAS_INDEX_CRC32C)
    }
}

#[cfg(test)]
mod tests {
    use super::FileFlags;
    use crate::error::Rule;

    #[test]
    fn known_bits_round_trip_and_unknown_bits_are_refused() {
        for bits in 0..8 {
            assert_eq!(FileFlags::decode(bits, 12).unwrap().bits(), bits);
        }
        for bit in 3..32 {
            let error = FileFlags::decode(1 << bit, 12).unwrap_err();
            assert_eq!((error.rule(), error.offset()), (Rule::Flag01, Some(12)));
        }
    }
}
