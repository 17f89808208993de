//! What a load reads from: an open file, or bytes that a caller lends.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::entry::{Home, Lent};
use super::{File, TensorEntry};
use crate::container::{KvRef, Parsed, Record, WithoutData};
use crate::descriptor::RowMajor;
use crate::limits::Limits;
use crate::policy::Policy;

/// The bytes of a file and what was parsed of them. Entries live as long as the bytes, `'f`, not only as
/// long as what was parsed of them, `'c`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contents<'c, 'f> {
    pub(crate) bytes: &'f [u8],
    pub(crate) parsed: &'c Parsed,
    pub(crate) policy: &'f Policy,
    /// The open file that the bytes belong to; `None` for bytes that a caller lends.
    pub(crate) owner: Option<&'f File>,
    /// The copies of the different descriptors; empty without them.
    pub(crate) copies: &'f [u8],
}

/// The same, with its own hold on what was parsed: for a walk that outlives the call that started it.
#[derive(Debug, Clone)]
pub(crate) struct Source<'f> {
    bytes: &'f [u8],
    parsed: Arc<Parsed>,
    policy: &'f Policy,
    owner: Option<&'f File>,
    copies: &'f [u8],
}

impl<'f> Source<'f> {
    pub(crate) fn new(
        bytes: &'f [u8],
        parsed: Arc<Parsed>,
        policy: &'f Policy,
        owner: Option<&'f File>,
        copies: &'f [u8],
    ) -> Self {
        Self { bytes, parsed, policy, owner, copies }
    }

    #[inline]
    pub(crate) fn contents(&self) -> Contents<'_, 'f> {
        let Self { bytes, parsed, policy, owner, copies } = self;
        Contents { bytes, parsed, policy, owner: *owner, copies }
    }

    /// The memory of an open file, if that is what the bytes belong to.
    pub(crate) fn shared_memory(&self) -> Option<Arc<dyn AsRef<[u8]> + Send + Sync>> {
        self.owner.map(File::shared_memory)
    }

    pub(crate) fn path(&self) -> Option<&'f Path> {
        self.owner.and_then(File::path)
    }

    pub(crate) fn limits(&self) -> &'f Limits {
        &self.policy.limits
    }
}

/// Strict, with the default limits.
pub(crate) fn default_policy() -> &'static Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);
    &POLICY
}

impl<'c, 'f> Contents<'c, 'f> {
    /// How many tensors there are, composite heads included.
    pub(crate) fn len(&self) -> usize {
        self.parsed.index.len()
    }

    /// The tensor at a position in the order of the file.
    #[inline]
    pub(crate) fn entry(&self, position: usize) -> Option<TensorEntry<'f>> {
        Some(self.entry_of(position, self.record(position)?))
    }

    #[inline(always)]
    fn entry_of(&self, position: usize, record: Record<'f>) -> TensorEntry<'f> {
        let home = match self.owner {
            Some(file) if std::ptr::eq(self.policy, file.policy()) => Home::File(file),
            // Of lent bytes, or of a file that is gone through under another policy than its own.
            _ => Home::Lent(Lent {
                bytes: self.bytes,
                policy: self.policy,
                alignment: self.parsed.header.alignment,
                region_end: self.parsed.trailer.region_end(),
                index_position: self.parsed.index.place_in_index(position),
                copy: self.copy_of(&record),
            }),
        };
        TensorEntry { home, record, position }
    }

    /// The index entry at a position in the order of the file.
    #[inline(always)]
    pub(crate) fn record(&self, position: usize) -> Option<Record<'f>> {
        self.parsed.index.record(self.bytes.into(), position)
    }

    /// Shape and elements of an entry's tensor, if there is nothing special about it and its kind is known.
    #[inline(always)]
    pub(crate) fn known(&self, record: &Record<'f>, type_tag: u8) -> Option<(&'c RowMajor, &'f [u8])> {
        let kind = self.parsed.table.kind(record)?;
        kind.elements(record, self.bytes, self.parsed.header.alignment, type_tag)
    }

    /// Whether an entry's tensor has a single buffer of `byte_size` bytes (not 0) that lies just where it belongs.
    #[inline]
    pub(crate) fn has_only_buffer(&self, record: &Record<'f>, byte_size: u64) -> bool {
        record.has_only_buffer(self.parsed.header.alignment, byte_size)
    }

    /// The copy of an entry's descriptor.
    #[inline]
    pub(crate) fn copy_of(&self, record: &Record<'f>) -> Option<&'f [u8]> {
        self.parsed.table.kind(record)?.copy_in(self.copies)
    }

    /// The tensors that the index gives no data, in ascending order of positions: only these can be composite heads.
    pub(crate) fn without_data(&self) -> impl Iterator<Item = WithoutData> + use<'c> {
        self.parsed.index.without_data()
    }

    /// All tensors in the order of the file.
    pub(crate) fn entries(self) -> impl ExactSizeIterator<Item = TensorEntry<'f>> + use<'c, 'f> {
        Entries { contents: self, next: 0 }
    }

    /// The bytes of the name at a position, for comparing; empty past the end.
    #[inline]
    pub(crate) fn name_bytes(&self, position: usize) -> &'f [u8] {
        self.parsed.index.name_bytes(self.bytes.into(), position)
    }

    /// The name at a position; empty past the end.
    #[inline]
    pub(crate) fn name(&self, position: usize) -> &'f str {
        std::str::from_utf8(self.name_bytes(position)).unwrap_or_default()
    }

    /// The tensor of that name.
    #[inline]
    pub(crate) fn look_up(&self, name: &str) -> Option<TensorEntry<'f>> {
        let (position, record) = self.parsed.index.find_record(self.bytes.into(), name)?;
        Some(self.entry_of(position, record))
    }

    /// The position of the tensor of that name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.parsed.index.find(self.bytes.into(), name)
    }

    /// The value of a metadata entry; text and bytes are borrowed from the file.
    #[cfg(feature = "candle")]
    pub(crate) fn kv(&self, key: &str) -> Option<KvRef<'f>> {
        self.parsed.kv.get(self.bytes.into(), key)
    }

    /// How many metadata entries there are.
    pub(crate) fn kv_len(&self) -> usize {
        self.parsed.kv.len()
    }

    /// The position of the metadata entry of that key.
    pub(crate) fn kv_position(&self, key: &str) -> Option<usize> {
        self.parsed.kv.position(self.bytes.into(), key)
    }

    /// The metadata entry at a position in the order of the file.
    pub(crate) fn kv_at(&self, position: usize) -> Option<(&'f str, KvRef<'f>)> {
        self.parsed.kv.entry(self.bytes.into(), position)
    }

    /// The metadata entries whose keys begin with `prefix`, in the order of the bytes of the keys.
    pub(crate) fn kv_starting_with(
        &self,
        prefix: &'c str,
    ) -> impl Iterator<Item = (&'f str, KvRef<'f>)> + use<'c, 'f> {
        self.parsed.kv.starting_with(self.bytes.into(), prefix)
    }
}

struct Entries<'c, 'f> {
    contents: Contents<'c, 'f>,
    next: usize,
}

impl<'f> Iterator for Entries<'_, 'f> {
    type Item = TensorEntry<'f>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.contents.entry(self.next)?;
        self.next = self.next.saturating_add(1);
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.contents.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Entries<'_, '_> {}
