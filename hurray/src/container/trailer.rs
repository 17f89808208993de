//! The trailer (FORMAT §2.7).

use super::header::is_zero;
use super::{Header, ITEM_ALIGNMENT, Section};
use crate::bytes::{Cursor, Sink, is_aligned};
use crate::error::{FormatError, Rule};

/// The last 40 bytes of a file: where index and KV section are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub(crate) index: Section,
    pub(crate) kv: Option<Section>,
    /// 0 without [`FileFlags::has_index_crc32c`](super::FileFlags::has_index_crc32c).
    pub(crate) index_crc32c: u32,
}

impl Trailer {
    /// In bytes.
    pub(crate) const SIZE: usize = 40;
    pub(crate) const MAGIC: [u8; 4] = *b"HRRY";

    const INDEX_OFFSET_AT: u64 = 0;
    const INDEX_LENGTH_AT: u64 = 8;
    const KV_OFFSET_AT: u64 = 16;
    const CRC_AT: u64 = 28;
    const RESERVED_AT: u64 = 32;
    const RESERVED_SIZE: usize = 4;
    const MAGIC_AT: u64 = 36;

    /// Reads the trailer, `bytes`, which stands at `base`, in the light of the file's header.
    pub(crate) fn decode(bytes: &[u8; Self::SIZE], base: u64, header: &Header) -> Result<Self, FormatError> {
        // Only HDR-09 leaves its place open: it blames a field of the header.
        Self::decode_fields(bytes, base, header).map_err(|error| error.shifted(base).at(Header::FIRST_AT))
    }

    fn decode_fields(bytes: &[u8; Self::SIZE], base: u64, header: &Header) -> Result<Self, FormatError> {
        let magic = bytes.last_chunk::<4>();
        Rule::Trl01.check(magic == Some(&Self::MAGIC), |e| {
            let found = magic.map(|magic| magic.escape_ascii().to_string()).unwrap_or_default();
            e.at(Self::MAGIC_AT).expected_to_be("`HRRY`").but_found(format_args!("`{found}`"))
        })?;
        let mut cursor = Cursor::new(bytes, 0, Rule::Hdr01);
        let (index_offset, index_length) = (cursor.u64()?, cursor.u64()?);
        let (kv_offset, kv_length) = (cursor.u64()?, cursor.u32()?);
        let index_crc32c = cursor.u32()?;
        let reserved = cursor.take(Self::RESERVED_SIZE)?;
        Rule::Trl11.check(!header.is_fully_known() || is_zero(reserved), |e| e.at(Self::RESERVED_AT))?;

        let index = Self::index(index_offset, index_length, base, header)?;
        Rule::Trl07.check(header.flags.has_index_crc32c || index_crc32c == 0, |e| {
            e.at(Self::CRC_AT).expected_to_be("0").but_found(format_args!("{index_crc32c:#010x}"))
        })?;
        Rule::Trl08.check((kv_offset == 0) == (kv_length == 0), |e| {
            e.at(Self::KV_OFFSET_AT)
                .but_found(format_args!("`kv_offset` {kv_offset}, `kv_length` {kv_length}"))
        })?;
        Rule::Flag02.check(!header.flags.has_kv_metadata || kv_length != 0, |e| e.at(Self::KV_OFFSET_AT))?;
        let kv = match kv_length {
            0 => None,
            _ => Some(Self::kv(kv_offset, kv_length, index, header)?),
        };
        Ok(Self { index, kv, index_crc32c })
    }

    fn index(offset: u64, length: u64, base: u64, header: &Header) -> Result<Section, FormatError> {
        Rule::Trl03.check(is_aligned(offset, ITEM_ALIGNMENT), |e| {
            e.at(Self::INDEX_OFFSET_AT).expected_to_be("a multiple of 8").but_found(offset)
        })?;
        Rule::Trl05.check(length >= 8, |e| {
            e.at(Self::INDEX_LENGTH_AT).expected_to_be("8 at least").but_found(length)
        })?;
        let index = Section::new(offset, length).filter(|index| index.end() <= base).ok_or_else(|| {
            Rule::Trl02
                .broken()
                .at(Self::INDEX_OFFSET_AT)
                .expected_to_be(format!("an index that ends at {base} at most"))
                .but_found(format_args!("{length} bytes at {offset}"))
        })?;
        let first = header.first_descriptor_offset;
        // The same comparison breaks two rules; the field that is off by itself gets the blame.
        Rule::Hdr09.check(first <= base, |e| {
            e.expected_to_be("`first_descriptor_offset` in the tensor region").but_found(first)
        })?;
        Rule::Trl04.check(offset >= first, |e| {
            e.at(Self::INDEX_OFFSET_AT).expected_to_be(format!("{first} at least")).but_found(offset)
        })?;
        Ok(index)
    }

    fn kv(offset: u64, length: u32, index: Section, header: &Header) -> Result<Section, FormatError> {
        Rule::Trl09.check(is_aligned(offset, ITEM_ALIGNMENT), |e| {
            e.at(Self::KV_OFFSET_AT).expected_to_be("a multiple of 8").but_found(offset)
        })?;
        let first = header.first_descriptor_offset;
        Section::new(offset, u64::from(length))
            .filter(|kv| kv.offset() >= first && kv.end() <= index.offset())
            .ok_or_else(|| {
                Rule::Trl10
                    .broken()
                    .at(Self::KV_OFFSET_AT)
                    .expected_to_be(format!("a section inside {first}..{}", index.offset()))
                    .but_found(format_args!("{length} bytes at {offset}"))
            })
    }

    /// Writes the 40 bytes.
    pub(crate) fn encode(&self, sink: &mut Sink) {
        let kv_offset = self.kv.map_or(0, Section::offset);
        let kv_length = self.kv.map_or(0, Section::length);
        // KV-13 holds here: an encoded section is below 2^32 bytes.
        let kv_length = u32::try_from(kv_length).unwrap_or(u32::MAX);
        sink.u64(self.index.offset())
            .u64(self.index.length())
            .u64(kv_offset)
            .u32(kv_length)
            .u32(self.index_crc32c)
            .zeros(Self::RESERVED_SIZE)
            .bytes(&Self::MAGIC);
    }

    /// Where the tensor region ends (FORMAT §0).
    pub(crate) fn region_end(&self) -> u64 {
        self.kv.unwrap_or(self.index).offset()
    }
}

const _: () = assert!(8 + 8 + 8 + 4 + 4 + Trailer::RESERVED_SIZE + Trailer::MAGIC.len() == Trailer::SIZE);

#[cfg(test)]
mod tests {
    use super::Trailer;
    use crate::bytes::Sink;
    use crate::container::{FileFlags, Header, Section};
    use crate::error::Rule;

    const HEADER: Header = Header {
        version_minor: 0,
        flags: FileFlags { has_kv_metadata: true, sorted_index: false, has_index_crc32c: false },
        alignment: 4096,
        first_descriptor_offset: 64,
        tensor_count_hint: None,
    };
    const TRAILER: Trailer =
        Trailer { index: Section::at(72, 8), kv: Some(Section::at(64, 4)), index_crc32c: 0 };

    fn encoded() -> [u8; Trailer::SIZE] {
        let mut sink = Sink::default();
        TRAILER.encode(&mut sink);
        sink.into_vec().try_into().unwrap()
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        assert_eq!(Trailer::decode(&encoded(), 80, &HEADER).unwrap(), TRAILER);
    }

    #[test]
    fn refuses_a_changed_byte_by_its_rule_and_place() {
        let cases = [
            (36, b'X', Rule::Trl01, 36),
            (35, 1, Rule::Trl11, 32),
            (0, 76, Rule::Trl03, 0),
            (8, 4, Rule::Trl05, 8),
            (8, 9, Rule::Trl02, 0),
            (0, 56, Rule::Trl04, 0),
            (28, 1, Rule::Trl07, 28),
            (16, 0, Rule::Trl08, 16),
            (16, 66, Rule::Trl09, 16),
            (24, 9, Rule::Trl10, 16),
        ];
        for (at, value, rule, offset) in cases {
            let mut bytes = encoded();
            bytes[at] = value;
            let error = Trailer::decode(&bytes, 80, &HEADER).unwrap_err();
            assert_eq!((error.rule(), error.offset()), (rule, Some(80 + offset)), "byte {at} = {value}");
        }
    }

    #[test]
    fn refuses_an_index_whose_end_overflows() {
        let mut bytes = encoded();
        bytes[0..8].copy_from_slice(&(u64::MAX - 7).to_le_bytes());
        assert_eq!(Trailer::decode(&bytes, 80, &HEADER).unwrap_err().rule(), Rule::Trl02);
    }
}
