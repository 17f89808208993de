//! One entry of the index (FORMAT §2.5).

use super::{FileBytes, ITEM_ALIGNMENT, Kind, Section};
use crate::bytes::{Cursor, align_up, is_aligned, is_same};
use crate::error::{FormatError, Rule};

/// One entry of the index, read where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record<'f> {
    name: &'f [u8],
    /// `D`, in bytes from the start of the file.
    pub(crate) descriptor_offset: u64,
    /// In bytes from the start of the file.
    pub(crate) data_offset: u64,
    /// In bytes, from the start of the first buffer to the end of the last one.
    pub(crate) data_length: u64,
    /// `L`, in bytes.
    pub(crate) descriptor_length: u32,
    flags: u32,
    /// The number of the tensor's kind, if it is known.
    pub(super) kind: u32,
}

/// Where in the file an entry of the index is, which was checked when the file was opened, and what is often asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// In bytes from the start of the file.
    pub(super) entry: u64,
    /// As [`Record::kind`].
    pub(super) kind: u32,
    /// The length of the descriptor in bytes, saturated; in the highest bit whether the tensor has any data. A composite
    /// head has none.
    told: u32,
}

// Sixteen bytes a tensor are all that an open file keeps of the index, beside the table of names.
const _: () = assert!(size_of::<Place>() == 16);

impl Place {
    const HAS_DATA: u32 = 1 << 31;
    const MAX_LENGTH: u32 = Self::HAS_DATA - 1;

    #[inline(always)]
    pub(super) fn new(record: &Record<'_>, entry: u64) -> Self {
        let has_data = if record.data_length > 0 { Self::HAS_DATA } else { 0 };
        let told = record.descriptor_length.min(Self::MAX_LENGTH) | has_data;
        Self { entry, kind: Kind::NO_NUMBER, told }
    }

    #[inline(always)]
    pub(super) fn has_data(self) -> bool {
        self.told & Self::HAS_DATA != 0
    }

    /// The length of the descriptor in bytes, in memory; `None` if it is past 31 bits.
    #[inline(always)]
    pub(super) fn descriptor_len(self) -> Option<usize> {
        let length = self.told & Self::MAX_LENGTH;
        usize::try_from(length).ok().filter(|_| length < Self::MAX_LENGTH)
    }

    /// The name of the entry.
    #[inline]
    pub(super) fn name(self, file: FileBytes<'_>) -> &[u8] {
        let name = file.starting_at(self.entry).and_then(|bytes| {
            let (length, rest) = bytes.split_first_chunk::<2>()?;
            rest.get(..usize::from(u16::from_le_bytes(*length)))
        });
        name.unwrap_or_default()
    }
}

impl<'f> Record<'f> {
    /// The least that an entry takes: a name of one byte.
    pub(super) const MIN_SIZE: u64 = 35;
    /// An entry without its name.
    pub(super) const FIXED_SIZE: u64 = 34;
    /// The least that a descriptor takes: its fixed header.
    const MIN_DESCRIPTOR_LENGTH: u32 = 20;

    // Of the fields behind the name.
    const DESCRIPTOR_OFFSET_AT: u64 = 0;
    const DESCRIPTOR_LENGTH_AT: u64 = 8;
    const DATA_OFFSET_AT: u64 = 12;
    const DATA_LENGTH_AT: u64 = 20;
    const FLAGS_AT: u64 = 28;

    /// Reads the entry that `bytes` start with, unchecked, and tells what follows it.
    #[inline(always)]
    pub(super) fn split_off(bytes: &'f [u8]) -> Option<(Self, &'f [u8])> {
        let (name_length, rest) = bytes.split_first_chunk::<2>()?;
        Self::split_off_name(rest, usize::from(u16::from_le_bytes(*name_length)))
    }

    /// The same behind the length of the name.
    #[inline(always)]
    fn split_off_name(bytes: &'f [u8], name_length: usize) -> Option<(Self, &'f [u8])> {
        let (entry, rest) = bytes.split_at_checked(name_length.saturating_add(FIELDS))?;
        let (name, fields) = entry.split_last_chunk::<FIELDS>()?;
        let (descriptor_offset, fields) = fields.split_first_chunk::<8>()?;
        let (descriptor_length, fields) = fields.split_first_chunk::<4>()?;
        let (data_offset, fields) = fields.split_first_chunk::<8>()?;
        let (data_length, fields) = fields.split_first_chunk::<8>()?;
        let flags: &[u8; 4] = fields.try_into().ok()?;
        let record = Self {
            name,
            descriptor_offset: u64::from_le_bytes(*descriptor_offset),
            descriptor_length: u32::from_le_bytes(*descriptor_length),
            data_offset: u64::from_le_bytes(*data_offset),
            data_length: u64::from_le_bytes(*data_length),
            flags: u32::from_le_bytes(*flags),
            kind: Kind::NO_NUMBER,
        };
        Some((record, rest))
    }

    /// Reads the entry at a place.
    #[inline(always)]
    pub(super) fn at(file: FileBytes<'f>, place: Place) -> Option<Self> {
        let (record, _) = Self::split_off(file.starting_at(place.entry)?)?;
        Some(Self { kind: place.kind, ..record })
    }

    /// Reads the entry at a place if it has a name.
    #[inline(always)]
    pub(super) fn named(file: FileBytes<'f>, place: Place, name: &[u8]) -> Option<Self> {
        let (name_length, rest) = file.starting_at(place.entry)?.split_first_chunk::<2>()?;
        // By the length of the name that is asked for: what is behind it need not wait for that of the entry.
        let (record, _) = Self::split_off_name(rest, name.len())?;
        let is_named =
            usize::from(u16::from_le_bytes(*name_length)) == name.len() && is_same(record.name, name);
        is_named.then_some(Self { kind: place.kind, ..record })
    }

    /// Where whatever belongs to the tensor ends, if all is right that the entry itself tells, but for its name being
    /// text. If not, [`explain`](Self::explain) says what.
    #[inline(always)]
    pub(super) fn sound_end(&self, region: Region) -> Option<u64> {
        let descriptor_end = self.descriptor_offset.checked_add(u64::from(self.descriptor_length))?;
        let is_sound = !self.name.is_empty()
            && self.flags == 0
            && is_aligned(self.descriptor_offset, ITEM_ALIGNMENT)
            && self.descriptor_length >= Self::MIN_DESCRIPTOR_LENGTH
            && self.descriptor_offset >= region.start
            && descriptor_end <= region.end;
        if !is_sound {
            return None;
        }
        if self.data_length == 0 {
            return Some(descriptor_end);
        }
        let end = self.data_offset.checked_add(self.data_length)?;
        (end <= region.end && self.data_offset >= descriptor_end).then_some(end)
    }

    /// The bytes of the name.
    #[inline]
    pub(crate) fn name_bytes(&self) -> &'f [u8] {
        self.name
    }

    /// The name.
    #[inline]
    pub(crate) fn name(&self) -> &'f str {
        std::str::from_utf8(self.name).unwrap_or_default()
    }

    /// The bytes of the descriptor.
    pub(crate) fn descriptor(&self) -> Option<Section> {
        Section::new(self.descriptor_offset, u64::from(self.descriptor_length))
    }

    /// The length of the descriptor in bytes, in memory.
    #[inline]
    pub(crate) fn descriptor_len(&self) -> Option<usize> {
        usize::try_from(self.descriptor_length).ok()
    }

    /// The number of the tensor's kind, if it is known: those of one kind have the same descriptor.
    #[inline]
    pub(crate) fn kind_number(&self) -> Option<u32> {
        Kind::known(self.kind)
    }

    /// From the first buffer to the end of the last one.
    pub(crate) fn data(&self) -> Option<Section> {
        Section::new(self.data_offset, self.data_length)
    }

    /// Whether a single buffer of `byte_size` bytes (not 0) lies just where it belongs in a file of that alignment
    /// (PLC-01 to PLC-03; PLC-04 was checked with the index).
    #[inline]
    pub(crate) fn has_only_buffer(&self, alignment: u32, byte_size: u64) -> bool {
        self.data_length == byte_size
            && align_up(self.descriptor_end(), u64::from(alignment)) == Some(self.data_offset)
    }

    /// Whether `field` under `path` is the name.
    #[inline(always)]
    pub(crate) fn is_named(&self, path: &str, field: &str) -> bool {
        let rest = match self.name.split_at_checked(path.len()) {
            Some(([], rest)) => rest,
            Some((start, [b'.', rest @ ..])) if is_same(start, path.as_bytes()) => rest,
            _ => return false,
        };
        is_same(rest, field.as_bytes())
    }

    /// Saturated: such an end is in no region.
    #[inline]
    fn descriptor_end(&self) -> u64 {
        self.descriptor_offset.saturating_add(u64::from(self.descriptor_length))
    }

    /// Where whatever belongs to the tensor ends, as far as the index tells.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        match self.data_length {
            0 => self.descriptor_end(),
            length => self.descriptor_end().max(self.data_offset.saturating_add(length)),
        }
    }

    /// Which rule is broken by the entry that is not whole, or not sound, or has a name that is not text.
    #[cold]
    pub(super) fn explain(bytes: &[u8], offset: u64, region: Region) -> FormatError {
        match Self::check_entry(Cursor::new(bytes, offset, Rule::Idx02), region) {
            Err(error) => error,
            Ok(()) => Rule::Idx02.broken().at(offset),
        }
    }

    fn check_entry(mut cursor: Cursor<'_>, region: Region) -> Result<(), FormatError> {
        let start = cursor.offset();
        let name_length = cursor.u16()?;
        Rule::Idx04.check(name_length >= 1, |e| e.at(start))?;
        let name_offset = cursor.offset();
        let name = cursor.take(usize::from(name_length))?;
        let name = std::str::from_utf8(name).map_err(|error| not_utf8(name, name_offset, error))?;
        let fields = cursor.offset();
        let record = Record {
            name: name.as_bytes(),
            descriptor_offset: cursor.u64()?,
            descriptor_length: cursor.u32()?,
            data_offset: cursor.u64()?,
            data_length: cursor.u64()?,
            flags: cursor.u32()?,
            kind: Kind::NO_NUMBER,
        };
        record.check(region).map_err(|error| error.shifted(fields).in_tensor(name))
    }

    /// What can be said of one entry; offsets from the first field behind the name.
    fn check(&self, region: Region) -> Result<(), FormatError> {
        let (offset, length) = (self.descriptor_offset, self.descriptor_length);
        Rule::Idx08.check(is_aligned(offset, ITEM_ALIGNMENT), |e| {
            e.at(Self::DESCRIPTOR_OFFSET_AT).expected_to_be("a multiple of 8").but_found(offset)
        })?;
        Rule::Idx09.check(length >= Self::MIN_DESCRIPTOR_LENGTH, |e| {
            e.at(Self::DESCRIPTOR_LENGTH_AT).expected_to_be("20 at least").but_found(length)
        })?;
        let end = offset.checked_add(u64::from(length));
        Rule::Idx10.check(offset >= region.start && end.is_some_and(|end| end <= region.end), |e| {
            e.at(Self::DESCRIPTOR_OFFSET_AT)
                .expected_to_be(format!("a descriptor inside {}..{}", region.start, region.end))
                .but_found(format_args!("{length} bytes at {offset}"))
        })?;
        if self.data_length > 0 {
            self.check_data(region)?;
        }
        Rule::Idx07.check(self.flags == 0, |e| {
            e.at(Self::FLAGS_AT).expected_to_be("0").but_found(format_args!("{:#010x}", self.flags))
        })
    }

    fn check_data(&self, region: Region) -> Result<(), FormatError> {
        let end = self.data_offset.checked_add(self.data_length);
        Rule::Idx11.check(end.is_some_and(|end| end <= region.end), |e| {
            e.at(Self::DATA_LENGTH_AT)
                .expected_to_be(format!("data that ends at {} at most", region.end))
                .but_found(format_args!("{} bytes at {}", self.data_length, self.data_offset))
        })?;
        Rule::Idx12.check(self.data_offset >= self.descriptor_end(), |e| {
            e.at(Self::DATA_OFFSET_AT)
                .expected_to_be(format!("{} at least", self.descriptor_end()))
                .but_found(self.data_offset)
        })
    }
}

/// What follows the name, in bytes.
const FIELDS: usize = 32;

const _: () = assert!(Record::FLAGS_AT + 4 == 32 && FIELDS == 32);
const _: () = assert!(2 + Record::FLAGS_AT + 4 == Record::FIXED_SIZE);
const _: () = assert!(Record::FIXED_SIZE + 1 == Record::MIN_SIZE);

/// The tensor region: from the first descriptor to the KV section or the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) start: u64,
    pub(super) end: u64,
}

#[cold]
pub(super) fn not_utf8(name: &[u8], offset: u64, error: std::str::Utf8Error) -> FormatError {
    let valid = u64::try_from(error.valid_up_to()).unwrap_or(0);
    Rule::Idx05.broken().at(offset.saturating_add(valid)).but_found(format_args!("`{}`", name.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use super::{Record, Region};
    use crate::bytes::{Cursor, Sink};
    use crate::error::Rule;
    use proptest::prelude::*;

    const REGION: Region = Region { start: 64, end: 256 };

    fn offsets() -> impl Strategy<Value = u64> {
        prop_oneof![6 => (0u64..40).prop_map(|at| at * 8), 1 => 0u64..300, 1 => (0u64..40).prop_map(|at| !at)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn an_entry_is_sound_if_and_only_if_no_rule_is_broken(
            name in "[a-z]{0,3}",
            descriptor_offset in offsets(),
            descriptor_length in prop_oneof![6 => 18u32..60, 1 => Just(u32::MAX)],
            data_offset in offsets(),
            data_length in prop_oneof![2 => Just(0), 6 => 1u64..100, 1 => (0u64..3).prop_map(|less| !less)],
            flags in prop_oneof![8 => Just(0u32), 1 => any::<u32>()],
        ) {
            let mut sink = Sink::default();
            sink.u16(name.len() as u16).bytes(name.as_bytes()).u64(descriptor_offset).u32(descriptor_length);
            sink.u64(data_offset).u64(data_length).u32(flags);
            let bytes = sink.into_vec();
            let (record, rest) = Record::split_off(&bytes).unwrap();
            prop_assert!(rest.is_empty());
            let checked = Record::check_entry(Cursor::new(&bytes, 0, Rule::Idx02), REGION);
            let sound_end = record.sound_end(REGION);
            prop_assert_eq!(sound_end.is_some(), checked.is_ok(), "{:?}", checked);
            prop_assert!(sound_end.is_none_or(|end| end == record.end()));
        }
    }
}
