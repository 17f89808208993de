//! The index: which tensors there are, and where (FORMAT §2.5).

use std::sync::OnceLock;

use super::kinds::{Brief, Kinds};
use super::names::NameTable;
use super::record::{Record, Region};
use super::{FileBytes, Header, Trailer};
use crate::bytes::{Cursor, Sink, to_usize};
use crate::error::{FormatError, Rule};
use crate::policy::Mode;

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
        let is_in_order = put_in_order(&mut records);
        let index = Self { records, names: OnceLock::new() };
        if !names_are_unique {
            let table = index.name_table(file)?;
            let _ = index.names.set(table);
        }
        let starts_first = |first: &Record| first.descriptor_offset == region.start;
        if !is_in_order || !index.records.first().is_none_or(starts_first) {
            index.check_order(file, region, mode)?;
        }
        Ok(index)
    }

    /// The length of all descriptors together, in bytes, if a table of them can exist.
    pub(crate) fn descriptors_length(&self) -> Option<u64> {
        let Some(last) = self.records.last() else { return Some(0) };
        u32::checked_add(last.table_offset, last.descriptor_length).map(u64::from)
    }

    /// What a table of all descriptors says of the plain tensors, by position.
    pub(super) fn briefs(&self, file: &[u8], table: &[u8], alignment: u32) -> Vec<Brief> {
        if table.is_empty() {
            return Vec::new();
        }
        let mut kinds = Kinds::default();
        let mut brief = |record: &Record| {
            let kind = record.copy_in(table).and_then(|bytes| kinds.of(bytes))?;
            record.only_buffer(file, alignment, kind.byte_size).map(|_| kind.brief)
        };
        self.records.iter().map(|record| brief(record).unwrap_or(Brief::NONE)).collect()
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
        // A record ends behind its descriptor's start: what holds of the ends holds of the starts (IDX-13).
        let follows = |[record, next]: &[Record; 2]| record.end() <= next.descriptor_offset;
        match self.records.array_windows().find(|pair| !follows(pair)) {
            None => Ok(()),
            Some([record, next]) => Err(overlap(file, record, next)),
        }
    }
}

/// Puts records in the order of their descriptors, and finds the copies of these in a table of all. Tells whether
/// none reaches into the next.
fn put_in_order(records: &mut [Record]) -> bool {
    if !records.is_sorted_by_key(|record| record.descriptor_offset) {
        records.sort_unstable_by_key(|record| (record.descriptor_offset, record.index_position));
    }
    let (mut end, mut table_offset, mut is_in_order) = (0, 0u32, true);
    for record in records {
        is_in_order &= end <= record.descriptor_offset;
        end = record.end();
        record.table_offset = table_offset;
        table_offset = table_offset.saturating_add(record.descriptor_length);
    }
    is_in_order
}

fn decode_records(
    bytes: &[u8],
    base: u64,
    region: Region,
    header: &Header,
) -> Result<Vec<Record>, FormatError> {
    let mut cursor = Cursor::new(bytes, base, Rule::Idx02);
    let count = cursor.u64()?;
    let end = base.saturating_add(length_of(bytes));
    let room = end.saturating_sub(cursor.offset()) / Record::MIN_SIZE;
    let capacity = to_usize(count).filter(|_| count <= room).ok_or_else(|| {
        Rule::Idx01.broken().at(base).expected_to_be(format!("{room} entries at most")).but_found(count)
    })?;
    let mut records = Vec::with_capacity(capacity);
    let mut rest = cursor.take(cursor.remaining())?;
    for index_position in (0..=u32::MAX).take(capacity) {
        let offset = end.saturating_sub(length_of(rest));
        match Record::split_off(rest, offset, index_position, region) {
            Some((record, after)) => {
                records.push(record);
                rest = after;
            }
            None => return Err(Record::explain(rest, offset, region)),
        }
    }
    Rule::Idx03.check(rest.is_empty() || !header.is_fully_known(), |e| {
        e.at(end.saturating_sub(length_of(rest))).but_found(format_args!("{} bytes more", rest.len()))
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
    let start = cursor.take(cursor.remaining()).ok()?;
    let mut rest = start;
    for _ in 0..count {
        (_, rest) = Record::split_off(rest, 0, 0, anywhere)?;
    }
    start.len().checked_sub(rest.len())?.checked_add(Index::COUNT_SIZE)
}

/// Whether the names ascend strictly, in the order of the index; in strict mode they must (FLAG-05).
fn check_sorted(file: FileBytes<'_>, records: &[Record], mode: Mode) -> Result<bool, FormatError> {
    for [record, next] in records.array_windows() {
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

/// IDX-13 or IDX-16.
#[cold]
fn overlap(file: FileBytes<'_>, record: &Record, next: &Record) -> FormatError {
    if record.descriptor_offset == next.descriptor_offset {
        let found = format_args!("the descriptor of `{}`", record.name(file).escape_debug()).to_string();
        return Rule::Idx13.broken().in_tensor(next.name(file)).at(next.descriptor_offset).but_found(found);
    }
    Rule::Idx16
        .broken()
        .in_tensor(record.name(file))
        .at(next.descriptor_offset)
        .expected_to_be(format!("an end at {} at most", next.descriptor_offset))
        .but_found(record.end())
}

#[cold]
fn duplicate(file: FileBytes<'_>, record: &Record) -> FormatError {
    Rule::Idx06
        .broken()
        .at(record.name_offset)
        .in_tensor(record.name(file))
        .but_found("another tensor of this name")
}

#[inline]
fn length_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
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
