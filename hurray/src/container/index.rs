//! The index: which tensors there are, and where (FORMAT §2.5).

use std::sync::OnceLock;

use super::names::NameTable;
use super::{FileBytes, Header, ITEM_ALIGNMENT, Section, Trailer};
use crate::bytes::{Cursor, Sink, is_aligned, to_usize};
use crate::error::{FormatError, Rule};
use crate::policy::Mode;

/// One entry of the index; the name stays in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    /// Where in the file the bytes of the name are.
    name_offset: u64,
    name_length: u16,
    /// `L`, in bytes.
    pub(crate) descriptor_length: u32,
    /// `D`, in bytes from the start of the file.
    pub(crate) descriptor_offset: u64,
    /// In bytes from the start of the file.
    pub(crate) data_offset: u64,
    /// In bytes, from the start of the first buffer to the end of the last one.
    pub(crate) data_length: u64,
    /// The place in the index, from 0.
    pub(crate) index_position: u64,
}

impl Record {
    /// The least that an entry takes: a name of one byte.
    const MIN_SIZE: u64 = 35;
    /// An entry without its name.
    const FIXED_SIZE: u64 = 34;
    /// The least that a descriptor takes: its fixed header.
    const MIN_DESCRIPTOR_LENGTH: u32 = 20;

    // Of the fields behind the name.
    const DESCRIPTOR_OFFSET_AT: u64 = 0;
    const DESCRIPTOR_LENGTH_AT: u64 = 8;
    const DATA_OFFSET_AT: u64 = 12;
    const DATA_LENGTH_AT: u64 = 20;
    const FLAGS_AT: u64 = 28;

    /// The bytes of the name, out of the file that the record was read from.
    #[inline]
    pub(crate) fn name_bytes<'f>(&self, file: impl Into<FileBytes<'f>>) -> &'f [u8] {
        Section::new(self.name_offset, u64::from(self.name_length))
            .and_then(|name| name.of(file))
            .unwrap_or_default()
    }

    /// The name, out of the file that the record was read from.
    #[inline]
    pub(crate) fn name<'f>(&self, file: impl Into<FileBytes<'f>>) -> &'f str {
        std::str::from_utf8(self.name_bytes(file)).unwrap_or_default()
    }

    /// The bytes of the descriptor.
    pub(crate) fn descriptor(&self) -> Option<Section> {
        Section::new(self.descriptor_offset, u64::from(self.descriptor_length))
    }

    /// From the first buffer to the end of the last one.
    pub(crate) fn data(&self) -> Option<Section> {
        Section::new(self.data_offset, self.data_length)
    }

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

    #[inline]
    fn decode(cursor: &mut Cursor<'_>, index_position: u64, region: Region) -> Result<Self, FormatError> {
        let start = cursor.offset();
        let name_length = cursor.u16()?;
        Rule::Idx04.check(name_length >= 1, |e| e.at(start))?;
        let name_offset = cursor.offset();
        let name = cursor.take(usize::from(name_length))?;
        // Names are short and most of them ASCII, which this tests first.
        std::str::from_utf8(name).map_err(|error| not_utf8(name, name_offset, error))?;
        let fields = cursor.offset();
        let record = Self {
            name_offset,
            name_length,
            descriptor_offset: cursor.u64()?,
            descriptor_length: cursor.u32()?,
            data_offset: cursor.u64()?,
            data_length: cursor.u64()?,
            index_position,
        };
        let flags = cursor.u32()?;
        record
            .check(flags, region)
            .map_err(|error| error.shifted(fields).in_tensor(&String::from_utf8_lossy(name)))?;
        Ok(record)
    }

    /// What can be said of one entry; offsets from the first field behind the name.
    #[inline]
    fn check(&self, flags: u32, region: Region) -> Result<(), FormatError> {
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
        Rule::Idx07.check(flags == 0, |e| {
            e.at(Self::FLAGS_AT).expected_to_be("0").but_found(format_args!("{flags:#010x}"))
        })
    }

    #[inline]
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

const _: () = assert!(2 + Record::FLAGS_AT + 4 == Record::FIXED_SIZE);
const _: () = assert!(Record::FIXED_SIZE + 1 == Record::MIN_SIZE);
// One record costs hardly more memory than the entry that it was read from.
const _: () = assert!(size_of::<Record>() == 48);

/// The tensor region: from the first descriptor to the KV section or the index.
#[derive(Debug, Clone, Copy)]
struct Region {
    start: u64,
    end: u64,
}

/// All entries, in the order of their descriptors in the file.
#[derive(Debug)]
pub(crate) struct Index {
    records: Vec<Record>,
    /// Made when a name is first looked for, or at once where it proves that names are unique.
    names: OnceLock<NameTable>,
}

impl Index {
    /// `index_entry_count`, in bytes.
    pub(crate) const COUNT_SIZE: usize = 8;

    /// Reads the index that `trailer` points at, and checks all that can be said without descriptors.
    pub(crate) fn decode(
        file: FileBytes<'_>,
        header: &Header,
        trailer: &Trailer,
        mode: Mode,
    ) -> Result<Self, FormatError> {
        let section = trailer.index;
        let bytes = section.of(file).ok_or_else(|| Rule::Trl02.broken().at(section.offset()))?;
        if header.flags.has_index_crc32c {
            let found = crc32c::crc32c(bytes);
            Rule::Trl06.check(found == trailer.index_crc32c, |e| {
                e.at(section.offset())
                    .expected_to_be(format!("CRC-32C {:#010x}", trailer.index_crc32c))
                    .but_found(format_args!("{found:#010x}"))
            })?;
        }
        let region = Region { start: header.first_descriptor_offset, end: trailer.region_end() };
        let mut records = decode_records(bytes, section.offset(), region, header)?;
        let names_are_unique = header.flags.sorted_index && check_sorted(file, &records, mode)?;
        if !records.is_sorted_by_key(|record| record.descriptor_offset) {
            records.sort_unstable_by_key(|record| (record.descriptor_offset, record.index_position));
        }
        let index = Self { records, names: OnceLock::new() };
        if !names_are_unique {
            let table = index.name_table(file)?;
            let _ = index.names.set(table);
        }
        index.check_order(file, region, mode)?;
        Ok(index)
    }

    /// By position: the place in the order of descriptors.
    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }

    /// The position of the tensor of that name.
    pub(crate) fn find(&self, file: FileBytes<'_>, name: &str) -> Option<usize> {
        // Unique since it was opened, so the error can't be.
        let table =
            self.names.get_or_init(|| self.name_table(file).unwrap_or_else(|_| NameTable::with_capacity(0)));
        table.find(name.as_bytes(), |position| self.name_at(file, position))
    }

    #[inline]
    fn name_at<'f>(&self, file: FileBytes<'f>, position: usize) -> &'f [u8] {
        self.records.get(position).map(|record| record.name_bytes(file)).unwrap_or_default()
    }

    /// Maps every name to its position; a second entry of one name breaks IDX-06.
    fn name_table(&self, file: FileBytes<'_>) -> Result<NameTable, FormatError> {
        let mut table = NameTable::with_capacity(self.records.len());
        for (position, record) in self.records.iter().enumerate() {
            let name = record.name_bytes(file);
            table
                .insert(name, position, |position| self.name_at(file, position))
                .map_err(|_| duplicate(file, record))?;
        }
        Ok(table)
    }

    /// IDX-13, IDX-14 and IDX-16: how descriptors and data follow each other.
    fn check_order(&self, file: FileBytes<'_>, region: Region, mode: Mode) -> Result<(), FormatError> {
        if mode == Mode::Permissive {
            return Ok(());
        }
        if let Some(first) = self.records.first() {
            Rule::Idx14.check(first.descriptor_offset == region.start, |e| {
                e.in_tensor(first.name(file))
                    .at(first.descriptor_offset)
                    .expected_to_be(format!("the first descriptor at {}", region.start))
                    .but_found(first.descriptor_offset)
            })?;
        }
        for (record, next) in self.records.iter().zip(self.records.iter().skip(1)) {
            Rule::Idx13.check(record.descriptor_offset != next.descriptor_offset, |e| {
                e.in_tensor(next.name(file))
                    .at(next.descriptor_offset)
                    .but_found(format_args!("the descriptor of `{}`", record.name(file).escape_debug()))
            })?;
            Rule::Idx16.check(record.end() <= next.descriptor_offset, |e| {
                e.in_tensor(record.name(file))
                    .at(next.descriptor_offset)
                    .expected_to_be(format!("an end at {} at most", next.descriptor_offset))
                    .but_found(record.end())
            })?;
        }
        Ok(())
    }
}

fn decode_records(
    bytes: &[u8],
    base: u64,
    region: Region,
    header: &Header,
) -> Result<Vec<Record>, FormatError> {
    let mut cursor = Cursor::new(bytes, base, Rule::Idx02);
    let count = cursor.u64()?;
    let room = u64::try_from(cursor.remaining()).unwrap_or(u64::MAX) / Record::MIN_SIZE;
    let capacity = to_usize(count).filter(|_| count <= room).ok_or_else(|| {
        Rule::Idx01.broken().at(base).expected_to_be(format!("{room} entries at most")).but_found(count)
    })?;
    let mut records = Vec::with_capacity(capacity);
    for index_position in 0..count {
        records.push(Record::decode(&mut cursor, index_position, region)?);
    }
    Rule::Idx03.check(cursor.remaining() == 0 || !header.is_fully_known(), |e| {
        e.at(cursor.offset()).but_found(format_args!("{} bytes more", cursor.remaining()))
    })?;
    Ok(records)
}

/// The length of the index of `count` tensors that starts at `cursor`, whose end nothing tells; `None` if there
/// is none.
pub(super) fn walk(mut cursor: Cursor<'_>, count: u64) -> Option<usize> {
    if cursor.u64().ok()? != count {
        return None;
    }
    let anywhere = Region { start: 0, end: u64::MAX };
    for index_position in 0..count {
        Record::decode(&mut cursor, index_position, anywhere).ok()?;
    }
    Some(cursor.position())
}

/// Whether the names ascend strictly, in the order of the index; in strict mode they must (FLAG-05).
fn check_sorted(file: FileBytes<'_>, records: &[Record], mode: Mode) -> Result<bool, FormatError> {
    for (record, next) in records.iter().zip(records.iter().skip(1)) {
        let (name, next_name) = (record.name_bytes(file), next.name_bytes(file));
        if name == next_name {
            return Err(duplicate(file, next));
        }
        if name > next_name {
            return match mode {
                Mode::Permissive => Ok(false),
                Mode::Strict => Err(Rule::Flag05
                    .broken()
                    .at(next.name_offset)
                    .in_tensor(next.name(file))
                    .expected_to_be(format!("a name above `{}`", record.name(file).escape_debug()))
                    .but_found(format_args!("`{}`", next.name(file).escape_debug()))),
            };
        }
    }
    Ok(true)
}

#[cold]
fn duplicate(file: FileBytes<'_>, record: &Record) -> FormatError {
    Rule::Idx06
        .broken()
        .at(record.name_offset)
        .in_tensor(record.name(file))
        .but_found("another tensor of this name")
}

#[cold]
fn not_utf8(name: &[u8], offset: u64, error: std::str::Utf8Error) -> FormatError {
    let valid = u64::try_from(error.valid_up_to()).unwrap_or(0);
    Rule::Idx05.broken().at(offset.saturating_add(valid)).but_found(format_args!("`{}`", name.escape_ascii()))
}

/// One entry, as a writer has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexEntry<'a> {
    pub(crate) name: &'a str,
    pub(crate) descriptor_offset: u64,
    pub(crate) descriptor_length: u32,
    pub(crate) data_offset: u64,
    pub(crate) data_length: u64,
}

/// Writes the index in the order of `entries`: that in which they were written, or that of the bytes of their
/// names (FORMAT §2.5).
///
/// # Errors
/// IDX-19 for a name that is longer than 65 535 bytes, IDX-04 for an empty one.
pub(crate) fn encode_index(entries: &[IndexEntry<'_>]) -> Result<Vec<u8>, FormatError> {
    let fixed = to_usize(Record::FIXED_SIZE).unwrap_or_default();
    let size: usize = entries.iter().map(|entry| entry.name.len().saturating_add(fixed)).sum();
    let mut sink = Sink::with_capacity(size.saturating_add(Index::COUNT_SIZE));
    sink.u64(u64::try_from(entries.len()).unwrap_or(u64::MAX));
    for entry in entries {
        Rule::Idx04.check(!entry.name.is_empty(), |e| e)?;
        let name_length = u16::try_from(entry.name.len())
            .map_err(|_| Rule::Idx19.broken().but_found(format_args!("{} bytes", entry.name.len())))?;
        sink.u16(name_length)
            .bytes(entry.name.as_bytes())
            .u64(entry.descriptor_offset)
            .u32(entry.descriptor_length)
            .u64(entry.data_offset)
            .u64(entry.data_length)
            .u32(0);
    }
    Ok(sink.into_vec())
}
