//! The KV section of a file: checked, and looked up in place (FORMAT §2.6).

use std::sync::OnceLock;

use smallvec::SmallVec;

use super::kv_decode::KvRef;
use super::names::NameTable;
use super::{FileBytes, Header, Metadata, Section, Trailer};
use crate::bytes::{Cursor, to_usize};
use crate::error::{FormatError, Rule};

/// Where the entries of a KV section are, in the order of the file; keys and values stay in it.
#[derive(Debug, Default)]
pub(crate) struct KvSection {
    entries: SmallVec<[Entry; 2]>,
    /// Nothing for a few keys.
    keys: Option<NameTable>,
    /// Positions in the order of the bytes of the keys; made when first needed.
    ascending: OnceLock<SmallVec<[usize; 2]>>,
}

/// One entry, by its places in the file.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Section,
    /// Tag and payload.
    value: Section,
}

impl KvSection {
    const COUNT_SIZE: u64 = 4;
    /// The least that an entry takes: a key of one byte, and an empty value would still take two more.
    const MIN_ENTRY_SIZE: u64 = 5;
    /// How many keys are found faster one by one than by a table.
    const FEW: usize = 8;

    /// Reads the section that `trailer` points at, if any.
    pub(crate) fn decode(
        file: FileBytes<'_>,
        header: &Header,
        trailer: &Trailer,
    ) -> Result<Self, FormatError> {
        let Some(section) = trailer.kv else { return Ok(Self::default()) };
        let bytes = section.of(file).ok_or_else(|| Rule::Trl10.broken().at(section.offset()))?;
        Self::decode_entries(file, bytes, section, header)
    }

    fn decode_entries(
        file: FileBytes<'_>,
        bytes: &[u8],
        section: Section,
        header: &Header,
    ) -> Result<Self, FormatError> {
        let base = section.offset();
        let room = section.length().checked_sub(Self::COUNT_SIZE).ok_or_else(|| {
            Rule::Kv01.broken().at(base).expected_to_be("4 bytes at least").but_found(section.length())
        })?;
        let mut cursor = Cursor::new(bytes, base, Rule::Kv02);
        let count = cursor.u32()?;
        let room = room / Self::MIN_ENTRY_SIZE;
        Rule::Kv01.check(u64::from(count) <= room, |e| {
            e.at(base).expected_to_be(format!("{room} entries at most")).but_found(count)
        })?;
        let count = to_usize(u64::from(count)).unwrap_or(usize::MAX);
        let mut entries = SmallVec::with_capacity(count);
        let mut keys = (count > Self::FEW).then(|| NameTable::with_capacity(count));
        for position in 0..count {
            let key = decode_key(&mut cursor)?;
            let start = cursor.offset();
            KvRef::decode(&mut cursor)?;
            let value = section_between(start, cursor.offset());
            let name = key.of(file).unwrap_or_default();
            let is_new = match &mut keys {
                Some(keys) => keys.insert(name, position, |at| key_at(&entries, file, at)).is_ok(),
                None => one_by_one(&entries, file, name).is_none(),
            };
            Rule::Kv06.check(is_new, |e| {
                e.at(key.offset()).but_found(format_args!("another `{}`", name.escape_ascii()))
            })?;
            entries.push(Entry { key, value });
        }
        Rule::Kv03.check(cursor.remaining() == 0 || !header.is_fully_known(), |e| {
            e.at(cursor.offset()).but_found(format_args!("{} bytes more", cursor.remaining()))
        })?;
        Ok(Self { entries, keys, ascending: OnceLock::new() })
    }

    /// The length of the section that starts at `cursor`, whose end nothing tells; `None` if there is none.
    pub(super) fn walk(mut cursor: Cursor<'_>) -> Option<usize> {
        for _ in 0..cursor.u32().ok()? {
            decode_key(&mut cursor).ok()?;
            KvRef::decode(&mut cursor).ok()?;
        }
        Some(cursor.position())
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value of `key`, out of the file that the section was read from.
    pub(crate) fn get<'f>(&self, file: FileBytes<'f>, key: &str) -> Option<KvRef<'f>> {
        self.entry(file, self.position(file, key)?).map(|(_, value)| value)
    }

    /// The place of `key` in the order of the file, from 0.
    pub(crate) fn position(&self, file: FileBytes<'_>, key: &str) -> Option<usize> {
        match &self.keys {
            Some(keys) => keys.find(key.as_bytes(), |position| key_at(&self.entries, file, position)),
            None => one_by_one(&self.entries, file, key.as_bytes()),
        }
    }

    /// All entries in the order of the file.
    pub(crate) fn iter<'s, 'f>(
        &'s self,
        file: FileBytes<'f>,
    ) -> impl Iterator<Item = (&'f str, KvRef<'f>)> + use<'s, 'f> {
        (0..self.len()).filter_map(move |position| self.entry(file, position))
    }

    /// The entries whose keys begin with `prefix`, in the order of the bytes of the keys.
    pub(crate) fn starting_with<'s, 'f>(
        &'s self,
        file: FileBytes<'f>,
        prefix: &'s str,
    ) -> impl Iterator<Item = (&'f str, KvRef<'f>)> + use<'s, 'f> {
        let ascending = self.ascending.get_or_init(|| {
            let mut positions: SmallVec<[usize; 2]> = (0..self.len()).collect();
            positions.sort_by_key(|position| key_at(&self.entries, file, *position));
            positions
        });
        let start =
            ascending.partition_point(|position| key_at(&self.entries, file, *position) < prefix.as_bytes());
        ascending
            .iter()
            .skip(start)
            // The key first: the value of the one behind the last may be a long array.
            .take_while(move |position| {
                key_at(&self.entries, file, **position).starts_with(prefix.as_bytes())
            })
            .filter_map(move |position| self.entry(file, *position))
    }

    /// All entries, owned.
    pub(crate) fn to_metadata(&self, file: FileBytes<'_>) -> Metadata {
        Metadata::from_unique(self.iter(file).map(|(key, value)| (key.to_owned(), value.to_value())))
    }

    /// Key and value; both were checked when the section was decoded.
    pub(crate) fn entry<'f>(&self, file: FileBytes<'f>, position: usize) -> Option<(&'f str, KvRef<'f>)> {
        let entry = self.entries.get(position)?;
        let key = std::str::from_utf8(entry.key.of(file)?).ok()?;
        let mut cursor = Cursor::new(entry.value.of(file)?, entry.value.offset(), Rule::Kv02);
        Some((key, KvRef::decode(&mut cursor).ok()?))
    }
}

fn decode_key(cursor: &mut Cursor<'_>) -> Result<Section, FormatError> {
    let start = cursor.offset();
    let length = cursor.u16()?;
    Rule::Kv04.check(length >= 1, |e| e.at(start))?;
    let offset = cursor.offset();
    let key = cursor.take(usize::from(length))?;
    std::str::from_utf8(key)
        .map_err(|_| Rule::Kv05.broken().at(offset).but_found(format_args!("`{}`", key.escape_ascii())))?;
    Ok(section_between(offset, cursor.offset()))
}

fn section_between(start: u64, end: u64) -> Section {
    Section::new(start, end.saturating_sub(start)).unwrap_or_default()
}

/// The position of the entry of that key.
fn one_by_one(entries: &[Entry], file: FileBytes<'_>, key: &[u8]) -> Option<usize> {
    entries.iter().position(|entry| entry.key.of(file) == Some(key))
}

#[inline]
fn key_at<'f>(entries: &[Entry], file: FileBytes<'f>, position: usize) -> &'f [u8] {
    entries.get(position).and_then(|entry| entry.key.of(file)).unwrap_or_default()
}
