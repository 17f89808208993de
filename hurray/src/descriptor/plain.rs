//! The common case of a descriptor, straight off its bytes: row-major, one host buffer, no optional section.

use super::{FIXED_LEN, MAGIC};

/// What such a descriptor says. Every rule that it could break was checked; whatever does not fit the pattern,
/// sound or not, is for the full decoder to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainDescriptor {
    pub(crate) shape: RowMajor,
    /// Of all elements.
    pub(crate) element_bytes: usize,
    pub(crate) byte_offset: u64,
    pub(crate) byte_size: u64,
}

/// A row-major shape of rank 4 at most, whose elements can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowMajor {
    /// In elements; 0 from the rank on.
    dims: [usize; Self::MAX_RANK],
    rank: u8,
}

impl RowMajor {
    pub(crate) const MAX_RANK: usize = 4;

    /// The shape of the first `rank` dimensions, whose product is known to fit.
    #[inline]
    fn new(rank: u8, dims: [usize; Self::MAX_RANK]) -> Self {
        let [d0, d1, d2, d3] = dims;
        let dim = |axis: u8, dim: usize| if axis < rank { dim } else { 0 };
        Self { rank, dims: [dim(0, d0), dim(1, d1), dim(2, d2), dim(3, d3)] }
    }

    #[inline(always)]
    pub(crate) fn rank(&self) -> u8 {
        self.rank
    }

    /// In elements; 0 from the rank on.
    #[inline(always)]
    pub(crate) fn dims(&self) -> [usize; Self::MAX_RANK] {
        self.dims
    }
}

impl PlainDescriptor {
    const ROW_MAJOR: u8 = 1;
    /// No element takes more, in bytes.
    const MAX_ELEMENT_SIZE: u64 = 16;
    /// Byte offset, number of buffers, and the handle of the only one, in bytes.
    const BUFFER_LEN: usize = 25;

    /// Reads a descriptor of elements of a type that take `element_size` bytes each; `None` if it is not of this
    /// kind, is a scalar's, or of a rank above [`RowMajor::MAX_RANK`].
    pub(crate) fn read(bytes: &[u8], type_tag: u8, element_size: usize) -> Option<Self> {
        let (header, rest) = bytes.split_first_chunk::<FIXED_LEN>()?;
        let [m0, m1, m2, m3, major, minor, l0, l1, l2, l3, f0, f1, f2, f3, tag, layout, rank @ ..] = *header;
        let rank = u8::try_from(u32::from_le_bytes(rank)).ok()?;
        let is_plain = u32::from_le_bytes([m0, m1, m2, m3]) == u32::from_le_bytes(MAGIC)
            && [major, minor] == [1, 0]
            && u32::from_le_bytes([f0, f1, f2, f3]) == 0
            && [tag, layout] == [type_tag, Self::ROW_MAJOR]
            && usize::try_from(u32::from_le_bytes([l0, l1, l2, l3])) == Ok(bytes.len())
            && (1..=RowMajor::MAX_RANK).contains(&usize::from(rank));
        if !is_plain {
            return None;
        }
        // A descriptor of any rank but 0 has as much behind its header.
        let (sizes, _) = rest.first_chunk::<32>()?.as_chunks::<8>();
        let [s0, s1, s2, s3] = *sizes else { return None };
        let size = |axis: u8, size: [u8; 8]| if axis < rank { i64::from_le_bytes(size) } else { 1 };
        let (d0, d1, d2, d3) = (size(0, s0), size(1, s1), size(2, s2), size(3, s3));
        // A dynamic one, or one that no tensor can have in this way.
        if (d0 | d1 | d2 | d3) < 0 {
            return None;
        }
        let elements = d0.checked_mul(d1)?.checked_mul(d2.checked_mul(d3)?)?;
        let elements = elements.cast_unsigned();
        if elements == 0 || elements > u64::MAX / Self::MAX_ELEMENT_SIZE {
            return None;
        }
        let element_bytes = elements.wrapping_mul(u64::try_from(element_size).ok()?);
        let buffer: &[u8; Self::BUFFER_LEN] =
            rest.get(usize::from(rank).wrapping_mul(8)..)?.try_into().ok()?;
        let (byte_offset, buffer) = buffer.split_first_chunk::<8>()?;
        let ([1], buffer) = buffer.split_first_chunk::<1>()? else { return None };
        let (byte_size, buffer) = buffer.split_first_chunk::<8>()?;
        let (alignment, reserved) = buffer.split_first_chunk::<4>()?;
        let (byte_offset, byte_size) = (u64::from_le_bytes(*byte_offset), u64::from_le_bytes(*byte_size));
        let alignment = u32::from_le_bytes(*alignment);
        // BUF-03, BUF-04, BUF-14, DSC-10; an empty tensor (BUF-15) was left to the long way.
        let is_sound = element_bytes.checked_add(byte_offset).is_some_and(|needed| needed <= byte_size)
            && alignment.is_power_of_two()
            && alignment >= 64
            && reserved == [0; 4];
        if !is_sound {
            return None;
        }
        // None is above the number of elements, whose bytes are in the file.
        let in_memory = |size: i64| usize::try_from(size.cast_unsigned()).unwrap_or(usize::MAX);
        let shape = RowMajor::new(rank, [d0, d1, d2, d3].map(in_memory));
        Some(Self { shape, element_bytes: usize::try_from(element_bytes).ok()?, byte_offset, byte_size })
    }
}

#[cfg(test)]
mod tests {
    use super::{PlainDescriptor, RowMajor};
    use crate::descriptor::{BufferHandle, Layout, TensorDescriptor};
    use crate::element::ElementType;
    use crate::policy::Policy;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_it_reads_the_full_decoder_reads_too(
            dims in prop::collection::vec(0u64..5, 0..6),
            extra in 0u64..9,
            flips in prop::collection::vec((0usize..120, any::<u8>()), 0..3),
        ) {
            let size = dims.iter().product::<u64>() * 4 + extra;
            let mut bytes = TensorDescriptor::row_major(ElementType::Float32, dims, size).to_bytes();
            for (at, value) in flips {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = value;
                }
            }
            if let Some(plain) = PlainDescriptor::read(&bytes, ElementType::Float32.tag(), 4) {
                let full = TensorDescriptor::decode(&bytes, &Policy::default()).unwrap();
                prop_assert_eq!(full.layout(), &Layout::RowMajor);
                let RowMajor { rank, dims } = plain.shape;
                let wide = |values: &[usize]| values.iter().map(|&value| value as u64).collect::<Vec<u64>>();
                let (dims, rest) = dims.split_at(usize::from(rank));
                prop_assert_eq!(full.shape(), &wide(dims)[..]);
                prop_assert!(rest.iter().all(|&dim| dim == 0));
                prop_assert_eq!(plain.element_bytes as u64, full.shape().iter().product::<u64>() * 4);
                prop_assert_eq!(full.byte_offset(), plain.byte_offset);
                prop_assert_eq!(full.buffers()[0].byte_size, plain.byte_size);
            }
        }
    }

    #[test]
    fn every_rank_up_to_four_is_read() {
        for rank in 1..=4usize {
            let dims: Vec<u64> = (2..).take(rank).collect();
            let size = dims.iter().product();
            let plain = TensorDescriptor::row_major(ElementType::Int8, dims, size);
            let read = PlainDescriptor::read(&plain.to_bytes(), ElementType::Int8.tag(), 1).unwrap();
            assert_eq!(usize::from(read.shape.rank()), rank);
            assert_eq!((read.element_bytes as u64, read.byte_size), (size, size));
        }
    }

    #[test]
    fn sizes_whose_product_overflows_are_not_plain() {
        let mut bytes = TensorDescriptor::row_major(ElementType::Int8, [2, 3, 4, 5], 120).to_bytes();
        let sizes = [1u64 << 32, 1 << 31, 1 << 20, 1 << 13];
        for (at, size) in sizes.into_iter().enumerate() {
            bytes[20 + 8 * at..28 + 8 * at].copy_from_slice(&size.to_le_bytes());
        }
        assert_eq!(PlainDescriptor::read(&bytes, ElementType::Int8.tag(), 1), None);
    }

    #[test]
    fn anything_else_is_for_the_full_decoder() {
        let plain = TensorDescriptor::row_major(ElementType::Int8, [3], 3);
        let tag = ElementType::Int8.tag();
        let read = |bytes: &[u8], size| PlainDescriptor::read(bytes, tag, size);
        assert!(read(&plain.to_bytes(), 1).is_some());
        assert!(read(&plain.to_bytes(), 2).is_none());
        assert!(PlainDescriptor::read(&plain.to_bytes(), ElementType::UInt8.tag(), 1).is_none());
        let mut column = plain.clone();
        column.layout = Layout::ColumnMajor;
        assert!(read(&column.to_bytes(), 1).is_none());
        let mut device = plain;
        device.buffers[0] = BufferHandle { alignment: 32, ..BufferHandle::host(3) };
        assert!(read(&device.to_bytes(), 1).is_none());
    }
}
