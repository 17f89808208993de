//! The common case of a descriptor, straight off its bytes: row-major, one host buffer, no optional section.

use super::{DYNAMIC, FIXED_LEN, MAGIC};

/// What such a descriptor says. Every rule that it could break was checked; whatever does not fit the pattern,
/// sound or not, is for the full decoder to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainDescriptor {
    pub(crate) type_tag: u8,
    pub(crate) rank: usize,
    /// Of which `rank` count.
    pub(crate) dims: [usize; Self::MAX_RANK],
    /// The product of the dimensions.
    pub(crate) elements: usize,
    pub(crate) byte_offset: u64,
    pub(crate) byte_size: u64,
}

impl PlainDescriptor {
    /// The rank of typed views.
    const MAX_RANK: usize = 8;
    /// Beside the dimensions: fixed header, byte offset, buffer count, one handle.
    const FIXED: usize = FIXED_LEN + 8 + 1 + 16;

    /// Reads a descriptor of elements of `element_size` bytes; `None` if it is not of this kind.
    #[inline]
    pub(crate) fn read(bytes: &[u8], element_size: usize) -> Option<Self> {
        let (header, rest) = bytes.split_first_chunk::<FIXED_LEN>()?;
        let [m0, m1, m2, m3, major, minor, l0, l1, l2, l3, f0, f1, f2, f3, type_tag, layout, rank @ ..] =
            *header;
        if [m0, m1, m2, m3] != MAGIC || [major, minor, f0, f1, f2, f3, layout] != [1, 0, 0, 0, 0, 0, 1] {
            return None;
        }
        let rank = usize::try_from(u32::from_le_bytes(rank)).ok().filter(|rank| *rank <= Self::MAX_RANK)?;
        let length = rank.checked_mul(8)?.checked_add(Self::FIXED)?;
        if u32::from_le_bytes([l0, l1, l2, l3]) != u32::try_from(length).ok()? || bytes.len() != length {
            return None;
        }
        let mut dims = [0; Self::MAX_RANK];
        let mut elements = 1usize;
        let mut rest = rest;
        for dim in dims.iter_mut().take(rank) {
            let (bytes, after) = rest.split_first_chunk::<8>()?;
            let size = u64::from_le_bytes(*bytes);
            *dim = usize::try_from(size).ok().filter(|_| size != DYNAMIC)?;
            elements = elements.checked_mul(*dim)?;
            rest = after;
        }
        let (byte_offset, rest) = rest.split_first_chunk::<8>()?;
        let ([1], handle) = rest.split_first_chunk::<1>()? else { return None };
        let (byte_size, handle) = handle.split_first_chunk::<8>()?;
        let (alignment, [0, 0, 0, 0]) = handle.split_first_chunk::<4>()? else { return None };
        let (byte_offset, byte_size) = (u64::from_le_bytes(*byte_offset), u64::from_le_bytes(*byte_size));
        let alignment = u32::from_le_bytes(*alignment);
        let needed = u64::try_from(elements.checked_mul(element_size)?).ok()?.checked_add(byte_offset)?;
        // BUF-03, BUF-04, BUF-14, DSC-10; an empty tensor (BUF-15) takes the long way.
        let is_sound = elements > 0 && needed <= byte_size && alignment.is_power_of_two() && alignment >= 64;
        is_sound.then_some(Self { type_tag, rank, dims, elements, byte_offset, byte_size })
    }
}

#[cfg(test)]
mod tests {
    use super::PlainDescriptor;
    use crate::bytes::Sink;
    use crate::descriptor::{BufferHandle, Layout, TensorDescriptor};
    use crate::element::ElementType;
    use crate::policy::Policy;
    use proptest::prelude::*;

    fn encoded(descriptor: &TensorDescriptor) -> Vec<u8> {
        let mut sink = Sink::default();
        descriptor.encode(&mut sink);
        sink.into_vec()
    }

    proptest! {
        #[test]
        fn what_it_reads_the_full_decoder_reads_too(
            dims in prop::collection::vec(0u64..5, 0..9),
            extra in 0u64..9,
            flips in prop::collection::vec((0usize..120, any::<u8>()), 0..3),
        ) {
            let size = dims.iter().product::<u64>() * 4 + extra;
            let mut bytes = encoded(&TensorDescriptor::row_major(ElementType::Float32, dims, size));
            for (at, value) in flips {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = value;
                }
            }
            if let Some(plain) = PlainDescriptor::read(&bytes, 4)
                && plain.type_tag == ElementType::Float32.tag()
            {
                let full = TensorDescriptor::decode(&bytes, &Policy::default()).unwrap();
                prop_assert_eq!(full.layout(), &Layout::RowMajor);
                let dims: Vec<u64> = plain.dims[..plain.rank].iter().map(|&dim| dim as u64).collect();
                prop_assert_eq!(full.shape(), &dims[..]);
                prop_assert_eq!(full.byte_offset(), plain.byte_offset);
                prop_assert_eq!(full.buffers()[0].byte_size, plain.byte_size);
            }
        }
    }

    #[test]
    fn anything_else_is_for_the_full_decoder() {
        let plain = TensorDescriptor::row_major(ElementType::Int8, [3], 3);
        assert!(PlainDescriptor::read(&encoded(&plain), 1).is_some());
        assert!(PlainDescriptor::read(&encoded(&plain), 2).is_none());
        let mut column = plain.clone();
        column.layout = Layout::ColumnMajor;
        assert!(PlainDescriptor::read(&encoded(&column), 1).is_none());
        let mut device = plain;
        device.buffers[0] = BufferHandle { alignment: 32, ..BufferHandle::host(3) };
        assert!(PlainDescriptor::read(&encoded(&device), 1).is_none());
    }
}
