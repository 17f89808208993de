//! The file header (FORMAT §2.2).

use super::{FileFlags, ITEM_ALIGNMENT, KNOWN_MINORS, WRITTEN_MINOR};
use crate::bytes::{Cursor, Sink, is_aligned};
use crate::error::{FormatError, Rule};

/// The first 64 bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) version_minor: u8,
    pub(crate) flags: FileFlags,
    /// `A`: data buffers start at multiples of this, in bytes. A power of two in [`Self::ALIGNMENTS`].
    pub(crate) alignment: u32,
    /// Where the tensor region starts.
    pub(crate) first_descriptor_offset: u64,
    /// How many tensors the writer announced; never relied on.
    pub(crate) tensor_count_hint: Option<u64>,
}

impl Header {
    /// In bytes.
    pub(crate) const SIZE: usize = 64;
    pub(crate) const MAGIC: [u8; 8] = *b"HRRYFILE";
    /// The only major version there is.
    pub(crate) const MAJOR: u8 = 1;
    /// What `data_buffer_alignment` may be, if a power of two.
    pub(crate) const ALIGNMENTS: std::ops::RangeInclusive<u32> = 4096..=2_097_152;
    /// What the hint is when the count is not known.
    const NO_HINT: u64 = u64::MAX;

    const MAJOR_AT: u64 = 8;
    const RESERVED_AT: u64 = 10;
    const FLAGS_AT: u64 = 12;
    const ALIGNMENT_AT: u64 = 16;
    pub(super) const FIRST_AT: u64 = 20;
    const TAIL_AT: u64 = 36;
    const RESERVED_SIZE: usize = 2;
    const TAIL_SIZE: usize = 28;

    /// Reads the header from the start of `file`; the caller knows that the magic is there.
    pub(crate) fn decode(file: &[u8]) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(file, 0, Rule::Hdr01);
        let magic = cursor.array()?;
        Rule::Hdr02.check(magic == Self::MAGIC, |e| {
            e.at(0).expected_to_be("`HRRYFILE`").but_found(format_args!("`{}`", magic.escape_ascii()))
        })?;
        let major = cursor.u8()?;
        Rule::Hdr03.check(major == Self::MAJOR, |e| {
            e.at(Self::MAJOR_AT).expected_to_be("major version 1").but_found(major)
        })?;
        let version_minor = cursor.u8()?;
        let is_known = KNOWN_MINORS.contains(&version_minor);
        let reserved = cursor.take(Self::RESERVED_SIZE)?;
        Rule::Hdr04.check(!is_known || is_zero(reserved), |e| e.at(Self::RESERVED_AT))?;
        let flags = FileFlags::decode(cursor.u32()?, Self::FLAGS_AT)?;

        let alignment = cursor.u32()?;
        Rule::Hdr05.check(alignment.is_power_of_two(), |e| {
            e.at(Self::ALIGNMENT_AT).expected_to_be("a power of two").but_found(alignment)
        })?;
        Rule::Hdr06.check(Self::ALIGNMENTS.contains(&alignment), |e| {
            e.at(Self::ALIGNMENT_AT).expected_to_be("4096 to 2097152").but_found(alignment)
        })?;

        let first_descriptor_offset = cursor.u64()?;
        Rule::Hdr07.check(first_descriptor_offset >= Self::END, |e| {
            e.at(Self::FIRST_AT).expected_to_be("64 at least").but_found(first_descriptor_offset)
        })?;
        Rule::Hdr08.check(is_aligned(first_descriptor_offset, ITEM_ALIGNMENT), |e| {
            e.at(Self::FIRST_AT).expected_to_be("a multiple of 8").but_found(first_descriptor_offset)
        })?;

        let hint = cursor.u64()?;
        let tail = cursor.take(Self::TAIL_SIZE)?;
        Rule::Hdr10.check(!is_known || is_zero(tail), |e| e.at(Self::TAIL_AT))?;
        Ok(Self {
            version_minor,
            flags,
            alignment,
            first_descriptor_offset,
            tensor_count_hint: (hint != Self::NO_HINT).then_some(hint),
        })
    }

    /// Writes the 64 bytes, always as version 1.0 (HDR-13).
    pub(crate) fn encode(&self, sink: &mut Sink) {
        sink.bytes(&Self::MAGIC)
            .u8(Self::MAJOR)
            .u8(WRITTEN_MINOR)
            .zeros(Self::RESERVED_SIZE)
            .u32(self.flags.bits())
            .u32(self.alignment)
            .u64(self.first_descriptor_offset)
            .u64(self.tensor_count_hint.unwrap_or(Self::NO_HINT))
            .zeros(Self::TAIL_SIZE);
    }

    /// Where the header ends, in bytes.
    pub(crate) const END: u64 = 64;

    /// Whether reserved and trailing bytes of the container must be zero or absent: they may carry
    /// something in a later minor version (FORMAT §8.2).
    pub(crate) fn is_fully_known(&self) -> bool {
        KNOWN_MINORS.contains(&self.version_minor)
    }

    /// `A`, for arithmetic on offsets.
    pub(crate) fn alignment(&self) -> u64 {
        u64::from(self.alignment)
    }
}

const _: () = assert!(
    Header::MAGIC.len() + 1 + 1 + Header::RESERVED_SIZE + 4 + 4 + 8 + 8 + Header::TAIL_SIZE == Header::SIZE
);

pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::Header;
    use crate::bytes::Sink;
    use crate::container::FileFlags;
    use crate::error::Rule;

    fn encoded() -> (Header, Vec<u8>) {
        let header = Header {
            version_minor: 0,
            flags: FileFlags { has_index_crc32c: true, ..FileFlags::default() },
            alignment: 4096,
            first_descriptor_offset: 64,
            tensor_count_hint: Some(3),
        };
        let mut sink = Sink::default();
        header.encode(&mut sink);
        (header, sink.into_vec())
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        let (header, bytes) = encoded();
        assert_eq!(bytes.len(), Header::SIZE);
        assert_eq!(Header::decode(&bytes).unwrap(), header);
    }

    #[test]
    fn refuses_a_changed_byte_by_its_rule() {
        let cases = [
            (0, b'h', Rule::Hdr02),
            (8, 2, Rule::Hdr03),
            (11, 1, Rule::Hdr04),
            (12, 8, Rule::Flag01),
            (16, 1, Rule::Hdr05),
            (17, 8, Rule::Hdr06),
            (20, 56, Rule::Hdr07),
            (20, 68, Rule::Hdr08),
            (63, 1, Rule::Hdr10),
        ];
        for (at, value, rule) in cases {
            let (_, mut bytes) = encoded();
            bytes[at] = value;
            assert_eq!(Header::decode(&bytes).unwrap_err().rule(), rule, "byte {at} = {value}");
        }
    }

    #[test]
    fn ignores_reserved_bytes_of_a_later_minor_version() {
        let (_, mut bytes) = encoded();
        (bytes[9], bytes[10], bytes[40]) = (1, 1, 1);
        assert!(!Header::decode(&bytes).unwrap().is_fully_known());
    }
}
