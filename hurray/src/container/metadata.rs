//! Metadata: the entries of a KV section, owned (FORMAT §2.6).

use std::fmt;
use std::sync::OnceLock;

use super::kv::KvValue;
use super::names::NameTable;
use crate::bytes::Sink;
use crate::error::{FormatError, Rule};

/// Key-value entries of a file, in the order of the file. Keys are unique.
#[derive(Clone, Default)]
pub struct Metadata {
    entries: Vec<(String, KvValue)>,
    keys: Option<NameTable>,
    /// Positions in the order of the bytes of the keys; made when first needed.
    ascending: OnceLock<Vec<usize>>,
}

/// Why an entry can't be added to [`Metadata`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// The key is there already.
    #[error("the key `{}` is there already", key.escape_debug())]
    Duplicate {
        /// The key.
        key: String,
    },
    /// Keys have 1 to 65 535 bytes.
    #[error("a key of {length} bytes, of 1 to 65535 allowed")]
    KeyLength {
        /// In bytes.
        length: usize,
    },
}

impl Metadata {
    /// No entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From entries whose keys are known to be unique.
    pub(super) fn from_unique(entries: impl Iterator<Item = (String, KvValue)>) -> Self {
        let mut metadata = Self { entries: entries.collect(), ..Self::default() };
        let mut keys = NameTable::with_capacity(metadata.entries.len());
        for (position, (key, _)) in metadata.entries.iter().enumerate() {
            let _ = keys.insert(key.as_bytes(), position, |position| key_at(&metadata.entries, position));
        }
        metadata.keys = Some(keys);
        metadata
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&KvValue> {
        let keys = self.keys.as_ref()?;
        let position = keys.find(key.as_bytes(), |position| key_at(&self.entries, position))?;
        self.entries.get(position).map(|(_, value)| value)
    }

    /// All entries, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &KvValue)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The entries whose keys begin with `prefix`, in the order of the bytes of the keys.
    pub fn keys_under<'m>(&'m self, prefix: &'m str) -> impl Iterator<Item = (&'m str, &'m KvValue)> {
        let ascending = self.ascending.get_or_init(|| {
            let mut positions: Vec<usize> = (0..self.entries.len()).collect();
            positions.sort_by_key(|position| key_at(&self.entries, *position));
            positions
        });
        let start =
            ascending.partition_point(|position| key_at(&self.entries, *position) < prefix.as_bytes());
        ascending
            .iter()
            .skip(start)
            .filter_map(|position| self.entries.get(*position))
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(key, value)| (key.as_str(), value))
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry after all others.
    ///
    /// # Errors
    /// [`MetadataError::Duplicate`] if the key is there already, [`MetadataError::KeyLength`] if it is empty
    /// or longer than 65 535 bytes.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<KvValue>) -> Result<(), MetadataError> {
        let key = key.into();
        if key.is_empty() || u16::try_from(key.len()).is_err() {
            return Err(MetadataError::KeyLength { length: key.len() });
        }
        let keys = self.keys.get_or_insert_with(|| NameTable::with_capacity(0));
        let position = self.entries.len();
        if keys.insert(key.as_bytes(), position, |position| key_at(&self.entries, position)).is_err() {
            return Err(MetadataError::Duplicate { key });
        }
        self.entries.push((key, value.into()));
        self.ascending = OnceLock::new();
        Ok(())
    }

    /// Writes the section.
    ///
    /// # Errors
    /// KV-13 for what is too long for a 32-bit count, the whole section included.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, FormatError> {
        let mut sink = Sink::default();
        let too_long =
            |found: usize, unit: &str| Rule::Kv13.broken().but_found(format_args!("{found} {unit}"));
        sink.u32(u32::try_from(self.len()).map_err(|_| too_long(self.len(), "entries"))?);
        for (key, value) in &self.entries {
            let key_length = u16::try_from(key.len()).map_err(|_| too_long(key.len(), "bytes of key"))?;
            sink.u16(key_length).bytes(key.as_bytes());
            value.encode(&mut sink)?;
        }
        match u32::try_from(sink.len()) {
            Ok(_) => Ok(sink.into_vec()),
            Err(_) => Err(too_long(sink.len(), "bytes of section")),
        }
    }
}

impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl PartialEq for Metadata {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

fn key_at(entries: &[(String, KvValue)], position: usize) -> &[u8] {
    entries.get(position).map(|(key, _)| key.as_bytes()).unwrap_or_default()
}
