//! The index: which tensors there are, and where (FORMAT §2.5).

use std::sync::OnceLock;

use super::names::NameTable;
use super::record::{Place, Record, Region, not_utf8};
use super::tree_order::TreeOrder;
use super::{FileBytes, Header, Kind, Trailer};
use crate::bytes::{Cursor, Sink, to_usize};
use crate::error::{FormatError, Rule};
use crate::policy::Mode;

/// Where all entries are, in the order of their descriptors in the file.
#[derive(Debug)]
pub(crate) struct Index {
    places: Vec<Place>,
    /// The places in the index, by position; empty if that is the order of the descriptors.
    in_index: Vec<u32>,
    /// Of all descriptors, in bytes; saturated.
    descriptors_length: u64,
    /// Made when a name is first looked for, or at once where it proves that names are unique.
    names: OnceLock<NameTable>,
}

/// What is known of a tensor without data before its entry is read again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithoutData {
    pub(crate) position: usize,
    /// The number of its kind.
    pub(crate) kind: Option<u32>,
    /// The length of its descriptor in bytes, if it is not past 31 bits.
    pub(crate) descriptor_len: Option<usize>,
}

impl Index {
    /// `index_entry_count`, in bytes.
    pub(crate) const COUNT_SIZE: usize = 8;
    /// Places and positions are kept in 32 bits, one value of which means none. So many entries take 140 GiB.
    const MAX_COUNT: u64 = 0xFFFF_FFFE;

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
        let Walked { places, order, is_tree } = walk_entries(bytes, section.offset(), region, header)?;
        let Order { descriptors_length, is_disjoint, .. } = order;
        // Where names ascend, or walk through a tree, none is there twice; else a table tells.
        let is_sorted = header.flags.sorted_index && check_sorted(file, &places, mode)?;
        let names_are_unique = is_sorted || is_tree;
        let mut index = Self { places, in_index: Vec::new(), descriptors_length, names: OnceLock::new() };
        let is_in_order = is_disjoint || index.put_in_order(file);
        if !names_are_unique {
            let entries = bytes.get(Self::COUNT_SIZE..).unwrap_or_default();
            let table = if is_disjoint {
                table_of(names_in(entries).take(index.places.len()), file, &index.places)?
            } else {
                name_table(file, &index.places)?
            };
            let _ = index.names.set(table);
        }
        let starts_first = |first: Record<'_>| first.descriptor_offset == region.start;
        if !is_in_order || !index.record(file, 0).is_none_or(starts_first) {
            index.check_order(file, region, mode)?;
        }
        Ok(index)
    }

    /// Whether all descriptors together are no longer than a file of `length` bytes: more only where they lie on each
    /// other. Whoever reads or compares each of them is not to do more than that.
    pub(crate) fn descriptors_fit(&self, length: usize) -> bool {
        usize::try_from(self.descriptors_length).is_ok_and(|descriptors| descriptors <= length)
    }

    /// How many entries there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The entry at a position in the order of descriptors, out of the file that the index was read from.
    #[inline(always)]
    pub(crate) fn record<'f>(&self, file: FileBytes<'f>, position: usize) -> Option<Record<'f>> {
        let place = self.places.get(position)?;
        Record::at(file, *place)
    }

    /// All entries, in the order of descriptors.
    pub(crate) fn records<'s, 'f>(
        &'s self,
        file: FileBytes<'f>,
    ) -> impl Iterator<Item = Record<'f>> + use<'s, 'f> {
        // None is missing: all were read when the file was opened.
        self.places.iter().filter_map(move |place| Record::at(file, *place))
    }

    /// The name at a position, for comparing; empty past the end.
    #[inline]
    pub(crate) fn name_bytes<'f>(&self, file: FileBytes<'f>, position: usize) -> &'f [u8] {
        name_at(file, &self.places, position)
    }

    /// The place in the index of the entry at a position, both from 0.
    #[inline]
    pub(crate) fn place_in_index(&self, position: usize) -> u64 {
        match self.in_index.get(position) {
            Some(place) => u64::from(*place),
            None => u64::try_from(position).unwrap_or(u64::MAX),
        }
    }

    /// The tensors that the index gives no data, in ascending order of positions.
    pub(crate) fn without_data(&self) -> impl Iterator<Item = WithoutData> + use<'_> {
        let places = self.places.iter().enumerate().filter(|(_, place)| !place.has_data());
        places.map(|(position, place)| WithoutData {
            position,
            kind: Kind::known(place.kind),
            descriptor_len: place.descriptor_len(),
        })
    }

    /// Keeps the number of each tensor's kind, by position.
    pub(super) fn keep_kinds(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.places.iter_mut().zip(numbers).for_each(|(place, number)| place.kind = number);
    }

    /// The position of the tensor of that name.
    #[inline]
    pub(crate) fn find(&self, file: FileBytes<'_>, name: &str) -> Option<usize> {
        self.find_record(file, name).map(|(position, _)| position)
    }

    /// The position of the tensor of that name, and its entry.
    #[inline]
    pub(crate) fn find_record<'f>(&self, file: FileBytes<'f>, name: &str) -> Option<(usize, Record<'f>)> {
        let names = match self.names.get() {
            Some(names) => names,
            None => self.make_names(file),
        };
        names.find_by(name.as_bytes(), |position| {
            let place = self.places.get(position)?;
            Some((position, Record::named(file, *place, name.as_bytes())?))
        })
    }

    #[cold]
    fn make_names(&self, file: FileBytes<'_>) -> &NameTable {
        // Unique since it was opened, so the error can't be.
        let make = || name_table(file, &self.places).unwrap_or_else(|_| NameTable::with_capacity(0));
        self.names.get_or_init(make)
    }

    /// Puts entries in the order of their descriptors, those of one descriptor in that of the index. Tells whether none
    /// reaches into the next.
    #[cold]
    fn put_in_order(&mut self, file: FileBytes<'_>) -> bool {
        let mut places: Vec<_> = (0..u32::MAX)
            .zip(&self.places)
            .filter_map(|(in_index, place)| Some((Record::at(file, *place)?, in_index, place.entry)))
            .collect();
        places.sort_unstable_by_key(|(record, in_index, _)| (record.descriptor_offset, *in_index));
        self.in_index = places.iter().map(|(_, in_index, _)| *in_index).collect();
        let mut order = Order::NEW;
        self.places =
            places.iter().map(|(record, _, entry)| order.put(record, record.end(), *entry)).collect();
        order.is_disjoint
    }

    /// IDX-13, IDX-14 and IDX-16: how descriptors and data follow each other.
    fn check_order(&self, file: FileBytes<'_>, region: Region, mode: Mode) -> Result<(), FormatError> {
        if mode == Mode::Permissive {
            return Ok(());
        }
        if let Some(first) = self.record(file, 0) {
            Rule::Idx14.check(first.descriptor_offset == region.start, |e| {
                e.in_tensor(first.name())
                    .at(first.descriptor_offset)
                    .expected_to_be(format!("the first descriptor at {}", region.start))
                    .but_found(first.descriptor_offset)
            })?;
        }
        // A record ends behind its descriptor's start: what holds of the ends holds of the starts (IDX-13).
        let follows = |(record, next): &(Record<'_>, Record<'_>)| record.end() <= next.descriptor_offset;
        match self.records(file).zip(self.records(file).skip(1)).find(|pair| !follows(pair)) {
            None => Ok(()),
            Some((record, next)) => Err(overlap(&record, &next)),
        }
    }
}

/// How descriptors and data of entries follow each other.
#[derive(Debug)]
struct Order {
    /// Where all that belongs to the last tensor ends.
    end: u64,
    /// Of all descriptors so far, in bytes; saturated.
    descriptors_length: u64,
    /// Whether no tensor reaches into the next, so that they are in the order of their descriptors, too.
    is_disjoint: bool,
}

impl Order {
    const NEW: Self = Self { end: 0, descriptors_length: 0, is_disjoint: true };

    /// The place of the entry that comes next.
    #[inline(always)]
    fn put(&mut self, record: &Record<'_>, end: u64, entry: u64) -> Place {
        self.is_disjoint &= self.end <= record.descriptor_offset;
        self.end = end;
        self.descriptors_length = self.descriptors_length.saturating_add(u64::from(record.descriptor_length));
        Place::new(record, entry)
    }
}

/// What reading every entry once tells.
struct Walked {
    places: Vec<Place>,
    order: Order,
    /// Whether names are in the order of a tree, and so text and unique.
    is_tree: bool,
}

/// Reads every entry once: whether it is sound, where it is, and how all follow each other. Whether its name is text is
/// told only of all together.
#[inline(never)]
fn walk_entries(bytes: &[u8], base: u64, region: Region, header: &Header) -> Result<Walked, FormatError> {
    let mut cursor = Cursor::new(bytes, base, Rule::Idx02);
    let count = cursor.u64()?;
    let end = base.saturating_add(length_of(bytes));
    let room = (end.saturating_sub(cursor.offset()) / Record::MIN_SIZE).min(Index::MAX_COUNT);
    let capacity = to_usize(count).filter(|_| count <= room).ok_or_else(|| {
        Rule::Idx01.broken().at(base).expected_to_be(format!("{room} entries at most")).but_found(count)
    })?;
    let mut places = Vec::with_capacity(capacity);
    let mut order = Order::NEW;
    let (mut names, mut is_tree) = (TreeOrder::new(), !header.flags.sorted_index);
    let mut rest = cursor.take(cursor.remaining())?;
    for _ in 0..capacity {
        // The rest lies in front of the end.
        let entry = end.wrapping_sub(length_of(rest));
        match Record::split_off(rest)
            .and_then(|(record, after)| Some((record.sound_end(region)?, record, after)))
        {
            Some((end, record, after)) => {
                is_tree = is_tree && names.follows(record.name_bytes(), rest);
                places.push(order.put(&record, end, entry));
                rest = after;
            }
            None => return Err(Record::explain(rest, entry, region)),
        }
    }
    Rule::Idx03.check(rest.is_empty() || !header.is_fully_known(), |e| {
        e.at(end.saturating_sub(length_of(rest))).but_found(format_args!("{} bytes more", rest.len()))
    })?;
    Ok(Walked { places, order, is_tree })
}

#[inline]
fn name_at<'f>(file: FileBytes<'f>, places: &[Place], position: usize) -> &'f [u8] {
    places.get(position).map(|place| place.name(file)).unwrap_or_default()
}

/// Maps every name to its position; one that is not text breaks IDX-05, a second one IDX-06.
fn name_table(file: FileBytes<'_>, places: &[Place]) -> Result<NameTable, FormatError> {
    table_of(places.iter().map(|place| place.name(file)), file, places)
}

/// The same for the names of all `places` in their order.
#[inline(never)]
fn table_of<'f>(
    names: impl Iterator<Item = &'f [u8]>,
    file: FileBytes<'_>,
    places: &[Place],
) -> Result<NameTable, FormatError> {
    let mut table = NameTable::with_capacity(places.len());
    for (position, name) in names.enumerate() {
        let digest = table.digest(name);
        let place = || places.get(position).copied().unwrap_or_default();
        if !digest.is_ascii() {
            check_text(file, place())?;
        }
        table
            .insert_digested(name, digest, position, |position| name_at(file, places, position))
            .map_err(|_| duplicate(file, place()))?;
    }
    Ok(table)
}

/// The names of sound entries that follow each other.
fn names_in(mut entries: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (record, after) = Record::split_off(entries)?;
        entries = after;
        Some(record.name_bytes())
    })
}

/// IDX-05: a name is text.
#[cold]
fn check_text(file: FileBytes<'_>, place: Place) -> Result<(), FormatError> {
    let name = place.name(file);
    std::str::from_utf8(name).map(drop).map_err(|error| not_utf8(name, name_offset(place), error))
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
        let (record, after) = Record::split_off(rest)?;
        if record.sound_end(anywhere).is_none() || std::str::from_utf8(record.name_bytes()).is_err() {
            return None;
        }
        rest = after;
    }
    start.len().checked_sub(rest.len())?.checked_add(Index::COUNT_SIZE)
}

/// Whether the names ascend strictly, in the order of the index; in strict mode they must (FLAG-05).
fn check_sorted(file: FileBytes<'_>, places: &[Place], mode: Mode) -> Result<bool, FormatError> {
    for place in places.iter().filter(|place| !place.name(file).is_ascii()) {
        check_text(file, *place)?;
    }
    for [place, next] in places.array_windows() {
        let (name, next_name) = (place.name(file), next.name(file));
        if name == next_name {
            return Err(duplicate(file, *next));
        }
        if name > next_name {
            return match mode {
                Mode::Permissive => Ok(false),
                Mode::Strict => Err(Rule::Flag05
                    .broken()
                    .at(name_offset(*next))
                    .in_tensor(&String::from_utf8_lossy(next_name))
                    .expected_to_be(format!("a name above `{}`", escaped(name)))
                    .but_found(format_args!("`{}`", escaped(next_name)))),
            };
        }
    }
    Ok(true)
}

/// IDX-13 or IDX-16.
#[cold]
fn overlap(record: &Record<'_>, next: &Record<'_>) -> FormatError {
    if record.descriptor_offset == next.descriptor_offset {
        let found = format_args!("the descriptor of `{}`", record.name().escape_debug()).to_string();
        return Rule::Idx13.broken().in_tensor(next.name()).at(next.descriptor_offset).but_found(found);
    }
    Rule::Idx16
        .broken()
        .in_tensor(record.name())
        .at(next.descriptor_offset)
        .expected_to_be(format!("an end at {} at most", next.descriptor_offset))
        .but_found(record.end())
}

#[cold]
fn duplicate(file: FileBytes<'_>, place: Place) -> FormatError {
    Rule::Idx06
        .broken()
        .at(name_offset(place))
        .in_tensor(&String::from_utf8_lossy(place.name(file)))
        .but_found("another tensor of this name")
}

/// Where in the file the name is.
fn name_offset(place: Place) -> u64 {
    place.entry.saturating_add(2)
}

/// As it can be shown.
fn escaped(name: &[u8]) -> String {
    String::from_utf8_lossy(name).escape_debug().to_string()
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
