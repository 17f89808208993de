//! Kinds of tensors: the different descriptors of a file. A model has few of them, so that what one says is read once,
//! and each tensor goes by a number.

use super::{FileBytes, NameTable, Record};
use crate::bytes::piece;
use crate::descriptor::{PlainDescriptor, RowMajor, peek_length};
use crate::element::ElementType;

/// One of the different descriptors of a file: where its copy is, and what it says if it is a plain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Of the copy among all copies, in bytes.
    start: u32,
    /// Of the descriptor, in bytes.
    length: u32,
    plain: Option<Plain>,
}

/// What a plain descriptor without a byte offset says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plain {
    shape: RowMajor,
    /// Of all elements.
    element_bytes: usize,
    /// Of the only buffer.
    byte_size: u64,
    type_tag: u8,
}

impl Kind {
    /// The number of tensors of no known kind.
    pub(super) const NO_NUMBER: u32 = u32::MAX;

    const TYPE_AT: usize = 14;

    /// A number, unless it is that of no known kind.
    #[inline(always)]
    pub(super) fn known(number: u32) -> Option<u32> {
        Some(number).filter(|number| *number != Self::NO_NUMBER)
    }

    fn read(start: u32, length: u32, bytes: &[u8]) -> Self {
        Self { start, length, plain: Self::read_plain(bytes) }
    }

    fn read_plain(bytes: &[u8]) -> Option<Plain> {
        let type_tag = *bytes.get(Self::TYPE_AT)?;
        let bits = ElementType::from_tag(type_tag).bits().filter(|bits| bits.is_multiple_of(8))?;
        let plain = PlainDescriptor::read(bytes, type_tag, usize::try_from(bits / 8).ok()?)?;
        let PlainDescriptor { shape, element_bytes, byte_offset, byte_size } = plain;
        (byte_offset == 0).then_some(Plain { shape, element_bytes, byte_size, type_tag })
    }

    /// The copy of the descriptor.
    #[inline]
    pub(crate) fn copy_in<'t>(&self, copies: &'t [u8]) -> Option<&'t [u8]> {
        let start = usize::try_from(self.start).ok()?;
        copies.get(start..)?.get(..usize::try_from(self.length).ok()?)
    }

    /// Shape and elements of an entry's tensor, whose only buffer lies just where it belongs in a file of that
    /// alignment; `None` if the descriptor has to be asked, or says another element type.
    #[inline(always)]
    pub(crate) fn elements<'f>(
        &self,
        record: &Record<'f>,
        file: &'f [u8],
        alignment: u32,
        type_tag: u8,
    ) -> Option<(&RowMajor, &'f [u8])> {
        let plain = self.plain.as_ref()?;
        let is_known = plain.type_tag == type_tag
            && self.length == record.descriptor_length
            && record.has_only_buffer(alignment, plain.byte_size);
        if !is_known {
            return None;
        }
        // No more than the bytes of the buffer.
        let elements = FileBytes::from(file).range(record.data_offset, plain.element_bytes)?;
        Some((&plain.shape, elements))
    }
}

/// Reads copies of descriptors that lie back to back, by the lengths that they tell; `None` unless they fill `copies`.
pub(super) fn read_kinds(count: u32, copies: &[u8]) -> Option<Vec<Kind>> {
    // No descriptor is shorter than its fixed header.
    let count =
        usize::try_from(count).ok().filter(|count| *count <= copies.len() / crate::descriptor::FIXED_LEN)?;
    let mut kinds = Vec::with_capacity(count);
    let (mut start, mut rest) = (0u32, copies);
    for _ in 0..count {
        let length = peek_length(rest).ok()?;
        let (descriptor, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        kinds.push(Kind::read(start, length, descriptor));
        (start, rest) = (start.checked_add(length)?, after);
    }
    rest.is_empty().then_some(kinds)
}

/// Numbers descriptors, so that those that are alike to the byte have one number.
#[derive(Debug)]
pub(super) struct Numbering {
    /// Each different one, back to back.
    copies: Vec<u8>,
    ends: Vec<usize>,
    table: NameTable,
}

impl Numbering {
    pub(super) fn new() -> Self {
        Self { copies: Vec::new(), ends: Vec::new(), table: NameTable::with_capacity(0) }
    }

    /// The number of a descriptor; `None` past what numbers and offsets can tell.
    pub(super) fn number(&mut self, descriptor: &[u8]) -> Option<u32> {
        let position = self.ends.len();
        let (copies, ends) = (&self.copies, &self.ends);
        let number = match self.table.insert(descriptor, position, |known| copy_at(copies, ends, known)) {
            Err(known) => known,
            Ok(()) => {
                self.copies.extend_from_slice(descriptor);
                self.ends.push(self.copies.len());
                u32::try_from(self.copies.len()).ok()?;
                position
            }
        };
        u32::try_from(number).ok()
    }

    /// How many different ones there are.
    pub(super) fn count(&self) -> Option<u32> {
        u32::try_from(self.ends.len()).ok()
    }

    /// Each different one, back to back.
    pub(super) fn into_copies(self) -> Vec<u8> {
        self.copies
    }

    /// What each different one says.
    pub(super) fn kinds(&self) -> Option<Vec<Kind>> {
        let kind = |position: usize| {
            let copy = copy_at(&self.copies, &self.ends, position);
            let end = u32::try_from(*self.ends.get(position)?).ok()?;
            let length = u32::try_from(copy.len()).ok()?;
            Some(Kind::read(end.checked_sub(length)?, length, copy))
        };
        (0..self.ends.len()).map(kind).collect()
    }
}

fn copy_at<'c>(copies: &'c [u8], ends: &[usize], position: usize) -> &'c [u8] {
    piece(ends, position).and_then(|piece| copies.get(piece)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Kind, Numbering, read_kinds};
    use crate::descriptor::{Layout, TensorDescriptor};
    use crate::element::ElementType;

    fn shape_of(kind: &Kind) -> Option<(u8, [usize; 4], u64)> {
        let plain = kind.plain.filter(|plain| plain.type_tag == ElementType::Float32.tag())?;
        Some((plain.shape.rank(), plain.shape.dims(), plain.byte_size))
    }

    #[test]
    fn descriptors_that_are_alike_have_one_number() {
        let all: Vec<Vec<u8>> = (1..40u64)
            .map(|dim| TensorDescriptor::row_major(ElementType::Float32, [dim, 2], dim * 8).to_bytes())
            .collect();
        let mut numbering = Numbering::new();
        for _ in 0..3 {
            for (at, bytes) in all.iter().enumerate() {
                assert_eq!(numbering.number(bytes), Some(at as u32));
            }
        }
        assert_eq!(numbering.count(), Some(39));
        let told = numbering.kinds().unwrap();
        let copies = numbering.into_copies();
        let kinds = read_kinds(39, &copies).unwrap();
        assert_eq!(kinds, told);
        for (at, (kind, bytes)) in kinds.iter().zip(&all).enumerate() {
            assert_eq!(kind.copy_in(&copies), Some(&bytes[..]));
            assert_eq!(shape_of(kind), Some((2, [at + 1, 2, 0, 0], at as u64 * 8 + 8)));
        }
    }

    #[test]
    fn copies_that_do_not_fill_their_place_are_none() {
        let copies = TensorDescriptor::row_major(ElementType::Float32, [2], 8).to_bytes();
        assert_eq!(read_kinds(1, &copies).map(|kinds| kinds.len()), Some(1));
        assert_eq!(read_kinds(2, &copies), None);
        assert_eq!(read_kinds(u32::MAX, &copies), None);
        assert_eq!(read_kinds(1, &copies[..copies.len() - 1]), None);
        assert_eq!(read_kinds(1, &[&copies[..], &[0]].concat()), None);
        assert_eq!(read_kinds(0, &[]), Some(Vec::new()));
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_descriptor() {
        let plain = TensorDescriptor::row_major(ElementType::Float32, [2, 3], 24);
        let mut column = plain.clone();
        column.layout = Layout::ColumnMajor;
        let others = [
            column.to_bytes(),
            TensorDescriptor::row_major(ElementType::Int4, [2, 3], 3).to_bytes(),
            TensorDescriptor::row_major(ElementType::Float32, [1, 1, 1, 1, 2], 8).to_bytes(),
            TensorDescriptor::row_major(ElementType::Float32, [0], 0).to_bytes(),
        ];
        for bytes in &others {
            let kinds = read_kinds(1, bytes).unwrap();
            assert_eq!(shape_of(&kinds[0]), None);
            assert_eq!(kinds[0].copy_in(bytes), Some(&bytes[..]));
        }
    }
}
