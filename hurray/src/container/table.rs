//! A copy of all descriptors in one place, as a metadata entry of ours: so that opening a file need not touch
//! the page of every tensor. The descriptors in the tensor region stay the truth (`docs/format.md`).
//!
//! ```text
//! off  size
//! 0    4     version of this layout, u32: 2
//! 4    4     CRC-32C of all that follows, u32
//! 8    4     how many different descriptors there are, K, u32: N at most
//! 12   4*N   of each of the N tensors, in the order of their descriptors: which one, u32 below K
//! -    -     the K descriptors back to back; each has its length
//! ```

use super::kinds::{Kind, Numbering, read_kinds};
use super::{FileBytes, KvRef, KvSection, Record, Section};
use crate::bytes::to_usize;

/// The key of the entry.
pub(crate) const DESCRIPTORS: &str = "hurray.descriptors";

const VERSION: u32 = 2;
const HEAD_SIZE: usize = 12;
const NUMBER_SIZE: usize = 4;

/// The value of the entry for the descriptors of a file, in its order; `None` if they are too many for one.
pub(crate) fn encode_table<'d>(descriptors: impl ExactSizeIterator<Item = &'d [u8]>) -> Option<Vec<u8>> {
    let mut numbering = Numbering::new();
    let mut value = vec![0; HEAD_SIZE];
    value.reserve(descriptors.len().saturating_mul(NUMBER_SIZE));
    for descriptor in descriptors {
        value.extend(numbering.number(descriptor)?.to_le_bytes());
    }
    let count = numbering.count()?;
    value.extend(numbering.into_copies());
    let (head, rest) = value.split_first_chunk_mut::<HEAD_SIZE>()?;
    let [version, checksum, kinds] = head.as_chunks_mut::<4>().0 else { return None };
    *version = VERSION.to_le_bytes();
    *kinds = count.to_le_bytes();
    *checksum = crc32c::crc32c_append(crc32c::crc32c(kinds), rest).to_le_bytes();
    // What a value of the KV section can be at most.
    u32::try_from(value.len()).is_ok().then_some(value)
}

/// The different descriptors of a file, and the copies of all of them; nothing where none are known.
#[derive(Debug, Default)]
pub(crate) struct Table {
    kinds: Vec<Kind>,
    copies: Copies,
}

/// Where the different descriptors are, back to back.
#[derive(Debug, Default)]
enum Copies {
    #[default]
    None,
    /// As the file has them, and they are sound.
    InFile(Section),
    /// Read from where each descriptor lies.
    Gathered(Vec<u8>),
}

impl Table {
    /// What the file has for its `count` tensors, with the number of the kind of each, as little-endian words: if it
    /// is there and sound, of the known version and whole. What is not is left alone.
    pub(super) fn decode<'f>(
        file: FileBytes<'f>,
        count: usize,
        kv: &KvSection,
    ) -> Option<(Self, &'f [[u8; NUMBER_SIZE]])> {
        let Some(KvRef::Bytes(value)) = kv.get(file, DESCRIPTORS) else { return None };
        let (version, rest) = value.split_first_chunk::<4>()?;
        let (checksum, rest) = rest.split_first_chunk::<4>()?;
        if u32::from_le_bytes(*version) != VERSION || u32::from_le_bytes(*checksum) != crc32c::crc32c(rest) {
            return None;
        }
        let (kind_count, rest) = rest.split_first_chunk::<4>()?;
        // A copy that is no tensor's would take memory for nothing.
        let kind_count = u32::from_le_bytes(*kind_count);
        if to_usize(kind_count.into())? > count {
            return None;
        }
        let (numbers, copies) = rest.split_at_checked(count.checked_mul(NUMBER_SIZE)?)?;
        let (numbers, _) = numbers.as_chunks::<NUMBER_SIZE>();
        if numbers.iter().any(|number| u32::from_le_bytes(*number) >= kind_count) {
            return None;
        }
        let kinds = read_kinds(kind_count, copies)?;
        let section = Section::new(file.offset_of(copies)?, u64::try_from(copies.len()).ok()?)?;
        Some((Self { kinds, copies: Copies::InFile(section) }, numbers))
    }

    /// The table of descriptors that were read from where they lie, with the number of the kind of each.
    pub(super) fn gathered<'d>(descriptors: impl Iterator<Item = &'d [u8]>) -> Option<(Self, Vec<u32>)> {
        let mut numbering = Numbering::new();
        let numbers =
            descriptors.map(|descriptor| numbering.number(descriptor)).collect::<Option<Vec<u32>>>()?;
        let kinds = numbering.kinds()?;
        Some((Self { kinds, copies: Copies::Gathered(numbering.into_copies()) }, numbers))
    }

    /// Whether the copies are those that the file has.
    pub(crate) fn is_in_file(&self) -> bool {
        matches!(self.copies, Copies::InFile(_))
    }

    /// Whether the copies were read from where each descriptor lies.
    pub(crate) fn is_gathered(&self) -> bool {
        matches!(self.copies, Copies::Gathered(_))
    }

    /// The copies, if the file has them; else nothing.
    #[inline]
    pub(crate) fn copies_of_file<'f>(&self, file: &'f [u8]) -> &'f [u8] {
        match self.copies {
            Copies::InFile(section) => section.of(file).unwrap_or_default(),
            Copies::None | Copies::Gathered(_) => &[],
        }
    }

    /// The copies, wherever they are.
    #[inline]
    pub(crate) fn copies<'f>(&'f self, file: &'f [u8]) -> &'f [u8] {
        match &self.copies {
            Copies::Gathered(copies) => copies,
            Copies::None | Copies::InFile(_) => self.copies_of_file(file),
        }
    }

    /// How many kinds there are.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The kind of an entry's tensor, if it is known.
    #[inline(always)]
    pub(crate) fn kind(&self, record: &Record<'_>) -> Option<&Kind> {
        self.kinds.get(to_usize(u64::from(record.kind))?)
    }
}
