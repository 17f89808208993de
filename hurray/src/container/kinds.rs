//! Plain descriptors in brief. A model has few kinds of tensors, so that most descriptors are alike to the byte, and
//! kinds follow each other in the same order layer after layer.

use super::FileBytes;
use super::record::{Place, Record, name_of_entry};
use crate::descriptor::{PlainDescriptor, RowMajor};
use crate::element::ElementType;

/// A plain descriptor in brief: row-major, of a small rank and without a byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Brief {
    /// In elements; 1 from the rank on.
    dims: [u32; Self::MAX_RANK],
    type_tag: u8,
    rank: u8,
}

impl Brief {
    const MAX_RANK: usize = RowMajor::MAX_RANK;

    /// For a tensor whose descriptor has to be asked.
    pub(crate) const NONE: Self = Self { dims: [0; Self::MAX_RANK], type_tag: 0, rank: u8::MAX };

    /// The shape; `None` if the descriptor has to be asked, or says another element type.
    #[inline(always)]
    pub(crate) fn shape(&self, type_tag: u8) -> Option<RowMajor> {
        let rank = usize::from(self.rank);
        let is_known = rank <= Self::MAX_RANK && self.type_tag == type_tag;
        is_known.then(|| RowMajor::known(rank, self.dims))
    }
}

/// What a look-up by name needs of a tensor, in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    entry: u64,
    table_offset: u32,
    pub(crate) brief: Brief,
}

// Two of them in a cache line.
const _: () = assert!(size_of::<Known>() == 32);

impl Known {
    pub(super) fn new(place: Place, brief: Brief) -> Self {
        Self { entry: place.entry, table_offset: place.table_offset, brief }
    }

    /// The name.
    #[inline]
    pub(super) fn name<'f>(&self, file: FileBytes<'f>) -> &'f [u8] {
        name_of_entry(file, self.entry)
    }

    /// The entry of the index.
    #[inline]
    pub(crate) fn record<'f>(&self, file: FileBytes<'f>) -> Option<Record<'f>> {
        Record::at(file, self.entry, self.table_offset)
    }
}

/// A brief, and the bytes of the only buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) brief: Brief,
    pub(super) byte_size: u64,
}

impl Kind {
    const TYPE_AT: usize = 14;

    /// `None` for any other descriptor.
    fn read(bytes: &[u8]) -> Option<Self> {
        let type_tag = *bytes.get(Self::TYPE_AT)?;
        let bits = ElementType::from_tag(type_tag).bits().filter(|bits| bits.is_multiple_of(8))?;
        let plain = PlainDescriptor::read(bytes, type_tag, usize::try_from(bits / 8).ok()?)?;
        let rank = plain.shape.rank();
        if plain.byte_offset != 0 {
            return None;
        }
        let mut dims = [1; Brief::MAX_RANK];
        for (brief, dim) in dims.iter_mut().zip(plain.shape.dims::<{ Brief::MAX_RANK }>()).take(rank) {
            *brief = u32::try_from(dim).ok()?;
        }
        let brief = Brief { dims, type_tag, rank: u8::try_from(rank).ok()? };
        Some(Self { brief, byte_size: plain.byte_size })
    }
}

/// The kinds that were met last, by the bytes of their descriptors.
#[derive(Debug, Default)]
pub(super) struct Kinds<'t> {
    met: Vec<Met<'t>>,
    /// Which was met last.
    last: usize,
    /// Which is given up for the next new one.
    oldest: usize,
}

#[derive(Debug)]
struct Met<'t> {
    bytes: &'t [u8],
    kind: Option<Kind>,
    /// Which one followed when it was met before.
    next: usize,
}

impl<'t> Kinds<'t> {
    /// As many as layers of models have.
    const MAX: usize = 16;

    /// What a descriptor says, if it is plain.
    #[inline]
    pub(super) fn of(&mut self, bytes: &'t [u8]) -> Option<Kind> {
        let expected = self.met.get(self.last).map_or(0, |last| last.next);
        match self.met.get(expected) {
            Some(met) if met.bytes == bytes => {
                self.last = expected;
                met.kind
            }
            _ => self.search(bytes),
        }
    }

    fn search(&mut self, bytes: &'t [u8]) -> Option<Kind> {
        let found = self.met.iter().position(|met| met.bytes == bytes).unwrap_or_else(|| self.meet(bytes));
        if let Some(last) = self.met.get_mut(self.last) {
            last.next = found;
        }
        self.last = found;
        self.met.get(found).and_then(|met| met.kind)
    }

    fn meet(&mut self, bytes: &'t [u8]) -> usize {
        let met = Met { bytes, kind: Kind::read(bytes), next: 0 };
        let at = self.oldest;
        match self.met.get_mut(at) {
            Some(oldest) => *oldest = met,
            None => self.met.push(met),
        }
        self.oldest = at.saturating_add(1) % Self::MAX;
        at
    }
}

#[cfg(test)]
mod tests {
    use super::{Brief, Kind, Kinds};
    use crate::descriptor::{Layout, TensorDescriptor};
    use crate::element::ElementType;

    #[test]
    fn every_descriptor_is_told_by_its_bytes_however_many_kinds_there_are() {
        let all: Vec<Vec<u8>> = (1..40u64)
            .map(|dim| TensorDescriptor::row_major(ElementType::Float32, [dim, 2], dim * 8).to_bytes())
            .collect();
        let mut kinds = Kinds::default();
        for round in 0..3 {
            for (at, bytes) in all.iter().enumerate().filter(|(at, _)| round < 2 || at % 7 != 0) {
                let dim = u32::try_from(at + 1).unwrap();
                let brief = Brief { dims: [dim, 2, 1, 1], type_tag: ElementType::Float32.tag(), rank: 2 };
                let kind = Kind { brief, byte_size: u64::from(dim) * 8 };
                assert_eq!(kinds.of(bytes), Some(kind));
                assert_eq!(kinds.of(bytes), Some(kind));
            }
        }
    }

    #[test]
    fn what_is_not_brief_is_left_to_the_descriptor() {
        let mut kinds = Kinds::default();
        let plain = TensorDescriptor::row_major(ElementType::Float32, [2, 3], 24);
        let mut column = plain.clone();
        column.layout = Layout::ColumnMajor;
        let others = [
            column.to_bytes(),
            TensorDescriptor::row_major(ElementType::Int4, [2, 3], 3).to_bytes(),
            TensorDescriptor::row_major(ElementType::Int8, [1, 1, 1, 1, 2], 2).to_bytes(),
            TensorDescriptor::row_major(ElementType::Int8, [0], 0).to_bytes(),
            Vec::new(),
        ];
        for bytes in &others {
            assert_eq!(kinds.of(bytes), None);
            assert_eq!(kinds.of(bytes), None);
        }
    }
}
