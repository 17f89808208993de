//! The common case of a descriptor, straight off its bytes: row-major, one host buffer, no optional section.

use super::{DYNAMIC, FIXED_LEN, MAGIC};

/// What such a descriptor says. Every rule that it could break was checked; whatever does not fit the pattern,
/// sound or not, is for the full decoder to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainDescriptor {
    pub(crate) shape: RowMajor,
    /// Of all elements.
    pub(crate) element_bytes: usize,
    pub(crate) byte_offset: u64,
    pub(crate) byte_size: u64,
}

/// A row-major shape of a rank that typed views can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowMajor {
    pub(crate) rank: usize,
    /// In elements; 0 from the rank on.
    pub(crate) dims: [usize; Self::MAX_RANK],
    /// In elements; 0 from the rank on.
    pub(crate) strides: [usize; Self::MAX_RANK],
}

impl RowMajor {
    /// The rank of typed views.
    const MAX_RANK: usize = 8;

    /// The shape of `rank` of these dimensions, whose product is known to fit, and how many elements it has.
    #[inline]
    pub(crate) fn of_small(rank: usize, dims: [u32; 4]) -> (Self, usize) {
        // No loop: the compiler keeps all of it in registers until it is where the view is to be.
        let [d0, d1, d2, d3] = dims.map(|dim| usize::try_from(dim).unwrap_or(usize::MAX));
        let inner = d2.wrapping_mul(d3);
        let rows = d1.wrapping_mul(inner);
        let if_below = |axis: usize, value: usize| if axis < rank { value } else { 0 };
        let dims = [if_below(0, d0), if_below(1, d1), if_below(2, d2), if_below(3, d3), 0, 0, 0, 0];
        let strides = [if_below(0, rows), if_below(1, inner), if_below(2, d3), if_below(3, 1), 0, 0, 0, 0];
        (Self { rank, dims, strides }, d0.wrapping_mul(rows))
    }
}

impl PlainDescriptor {
    const MAX_RANK: usize = RowMajor::MAX_RANK;
    const ROW_MAJOR: u8 = 1;

    /// Reads a descriptor of elements of a type that take `element_size` bytes each; `None` if it is not of this
    /// kind.
    #[inline]
    pub(crate) fn read(bytes: &[u8], type_tag: u8, element_size: usize) -> Option<Self> {
        let (header, rest) = bytes.split_first_chunk::<FIXED_LEN>()?;
        let [m0, m1, m2, m3, major, minor, l0, l1, l2, l3, f0, f1, f2, f3, tag, layout, rank @ ..] = *header;
        let rank = usize::try_from(u32::from_le_bytes(rank)).ok()?;
        let is_plain = u32::from_le_bytes([m0, m1, m2, m3]) == u32::from_le_bytes(MAGIC)
            && [major, minor] == [1, 0]
            && u32::from_le_bytes([f0, f1, f2, f3]) == 0
            && [tag, layout] == [type_tag, Self::ROW_MAJOR]
            && rank <= Self::MAX_RANK;
        let (sizes, rest) = rest.split_at_checked(rank.checked_mul(8)?)?;
        let (byte_offset, rest) = rest.split_first_chunk::<8>()?;
        let ([1], handle) = rest.split_first_chunk::<1>()? else { return None };
        let handle: &[u8; 16] = handle.try_into().ok()?;
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        if !is_plain || usize::try_from(length) != Ok(bytes.len()) {
            return None;
        }
        let (mut dims, mut strides, mut elements) = ([0; Self::MAX_RANK], [0; Self::MAX_RANK], 1usize);
        let (sizes, _) = sizes.as_chunks::<8>();
        for ((dim, stride), size) in dims.iter_mut().zip(&mut strides).zip(sizes).rev() {
            let size = u64::from_le_bytes(*size);
            if size == DYNAMIC {
                return None;
            }
            *dim = usize::try_from(size).ok()?;
            *stride = elements;
            elements = elements.checked_mul(*dim)?;
        }
        let [size @ .., a0, a1, a2, a3, 0, 0, 0, 0] = *handle else { return None };
        let (byte_offset, byte_size) = (u64::from_le_bytes(*byte_offset), u64::from_le_bytes(size));
        let alignment = u32::from_le_bytes([a0, a1, a2, a3]);
        let element_bytes = elements.checked_mul(element_size)?;
        let needed = u64::try_from(element_bytes).ok()?.checked_add(byte_offset)?;
        // BUF-03, BUF-04, BUF-14, DSC-10; an empty tensor (BUF-15) takes the long way.
        let is_sound = elements > 0 && needed <= byte_size && alignment.is_power_of_two() && alignment >= 64;
        let shape = RowMajor { rank, dims, strides };
        is_sound.then_some(Self { shape, element_bytes, byte_offset, byte_size })
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
            dims in prop::collection::vec(0u64..5, 0..9),
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
                let RowMajor { rank, dims, strides } = plain.shape;
                let small = std::array::from_fn(|axis| if axis < rank { dims[axis] as u32 } else { 1 });
                if rank <= 4 {
                    prop_assert_eq!(RowMajor::of_small(rank, small), (plain.shape, plain.element_bytes / 4));
                }
                let dims: Vec<u64> = dims[..rank].iter().map(|&dim| dim as u64).collect();
                prop_assert_eq!(full.shape(), &dims[..]);
                prop_assert_eq!(plain.element_bytes as u64, dims.iter().product::<u64>() * 4);
                for (axis, stride) in strides[..rank].iter().enumerate() {
                    prop_assert_eq!(*stride as u64, dims[axis + 1..].iter().product::<u64>());
                }
                prop_assert_eq!(full.byte_offset(), plain.byte_offset);
                prop_assert_eq!(full.buffers()[0].byte_size, plain.byte_size);
            }
        }
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
