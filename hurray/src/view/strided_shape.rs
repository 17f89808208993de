//! How a typed view keeps its shape and strides: inline, in as little room as a processor moves without a call.

use crate::descriptor::RowMajor;
use crate::error::TensorError;
use crate::view::strides::Strides;
use crate::view::{Shape, shape, strides};

/// The dimensions of a typed view, and how its elements lie.
///
/// Strides of row-major order follow from the dimensions and are not kept. Others are kept as they are where there is
/// room, and in half as many bits where not: at rank 7 and 8.
///
/// In the order of `repr(C)`, here and in a view, the slots begin on a multiple of 16 bytes: a shape that was just moved is
/// compared in pieces of 16.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct StridedShape {
    rank: u32,
    order: Order,
    /// The dimensions; behind them the strides.
    slots: [usize; Self::SLOTS],
}

/// As wide as the rank: padding would be moved on its own wherever a view goes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Order {
    RowMajor,
    /// Each stride in a slot of its own.
    Wide,
    /// Two strides in a slot, the first in the lower half.
    Narrow,
}

impl StridedShape {
    /// With this many a view has 128 bytes on 64 bits. Half of 32 bits is too little for a stride: there is room for
    /// all.
    const SLOTS: usize = if usize::BITS < 64 { 2 * Shape::MAX_RANK } else { 12 };
    const HALF: u32 = usize::BITS / 2;
    /// The largest stride that half a slot holds.
    const MAX_NARROW: isize = isize::MAX >> Self::HALF;

    /// That of a plain tensor.
    #[inline(always)]
    pub(crate) fn plain(shape: &RowMajor) -> Self {
        let mut slots = [0; Self::SLOTS];
        let [d0, d1, d2, d3] = shape.dims();
        if let Some(dims) = slots.first_chunk_mut() {
            *dims = [d0, d1, d2, d3];
        }
        Self { slots, rank: shape.rank().into(), order: Order::RowMajor }
    }

    /// Elements one after another in row-major order.
    pub(crate) fn row_major(shape: &Shape) -> Self {
        let mut slots = [0; Self::SLOTS];
        slots.iter_mut().zip(shape.iter()).for_each(|(slot, dim)| *slot = *dim);
        Self { slots, rank: u32::try_from(shape.rank()).unwrap_or(0), order: Order::RowMajor }
    }

    /// Strides that are one for each dimension.
    pub(crate) fn new(shape: &Shape, strides: &Strides) -> Result<Self, TensorError> {
        let row_major = Self::row_major(shape);
        if *strides == Strides::row_major(shape) {
            return Ok(row_major);
        }
        let Self { mut slots, rank, .. } = row_major;
        let room = slots.get_mut(shape.rank()..).unwrap_or_default();
        if room.len() >= strides.len() {
            room.iter_mut().zip(strides.iter()).for_each(|(slot, stride)| *slot = stride.cast_unsigned());
            return Ok(Self { slots, rank, order: Order::Wide });
        }
        let fits = |stride: isize| (!Self::MAX_NARROW..=Self::MAX_NARROW).contains(&stride);
        if let Some(dimension) = strides.iter().position(|stride| !fits(*stride)) {
            let stride = strides.get(dimension).and_then(|stride| i64::try_from(*stride).ok());
            return Err(TensorError::stride_too_large(dimension, stride.unwrap_or(i64::MAX)));
        }
        for (slot, pair) in room.iter_mut().zip(strides.chunks(2)) {
            let half = |at: usize| pair.get(at).map_or(0, |stride| stride.cast_unsigned());
            *slot = half(0) & (usize::MAX >> Self::HALF) | half(1) << Self::HALF;
        }
        Ok(Self { slots, rank, order: Order::Narrow })
    }

    /// The dimensions, dimension 0 first.
    #[inline]
    pub(crate) fn dims(&self) -> &[usize] {
        self.slots.get(..self.rank()).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn rank(&self) -> usize {
        crate::bytes::to_usize(self.rank.into()).unwrap_or(0)
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape::from_dims(self.dims().iter().copied()).unwrap_or(Shape::SCALAR)
    }

    /// As [`Shape::element_count`].
    #[inline]
    pub(crate) fn element_count(&self) -> Option<usize> {
        shape::element_count(self.dims())
    }

    /// Whether the strides are those of row-major order, for each dimension and whatever its size.
    #[inline]
    pub(crate) fn is_row_major(&self) -> bool {
        self.order == Order::RowMajor
    }

    pub(crate) fn strides(&self) -> Strides {
        let (dims, kept) = self.slots.split_at_checked(self.rank()).unwrap_or_default();
        match self.order {
            Order::RowMajor => Strides::row_major(dims),
            Order::Wide => Strides::collect(dims.iter().zip(kept).map(|(_, stride)| stride.cast_signed())),
            Order::Narrow => {
                let halves = kept.iter().flat_map(|slot| [slot << Self::HALF, *slot]);
                let strides = halves.map(|half| half.cast_signed() >> Self::HALF);
                Strides::collect(dims.iter().zip(strides).map(|(_, stride)| stride))
            }
        }
    }

    /// Where the element at an index lies, in elements from element `[0, ..., 0]` on; `None` outside the shape or at
    /// another rank.
    #[inline]
    pub(crate) fn offset(&self, index: &[usize]) -> Option<isize> {
        let (dims, kept) = self.slots.split_at_checked(self.rank())?;
        if index.len() != dims.len() {
            return None;
        }
        match self.order {
            // Inside the shape nothing overflows: there are as many elements in memory.
            Order::RowMajor => index.iter().zip(dims).try_fold(0isize, |offset, (&at, &dim)| {
                let inside = || offset.wrapping_mul(dim.cast_signed()).wrapping_add(at.cast_signed());
                (at < dim).then(inside)
            }),
            Order::Wide => strides::offset(dims, kept.iter().map(|stride| stride.cast_signed()), index),
            Order::Narrow => strides::offset(dims, self.strides(), index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StridedShape;
    use crate::TensorError;
    use crate::view::Shape;
    use crate::view::strides::Strides;
    use proptest::prelude::*;

    fn kept(dims: &[usize], strides: &[isize]) -> Result<StridedShape, TensorError> {
        StridedShape::new(&Shape::new(dims).unwrap(), &Strides::new(strides).unwrap())
    }

    fn strides(bits: u32) -> impl Strategy<Value = isize> {
        let most = isize::MAX >> (isize::BITS - bits);
        prop_oneof![4 => -20..20_isize, 1 => !most..=most, 1 => Just(most), 1 => Just(!most)]
    }

    proptest! {
        #[test]
        fn what_is_kept_comes_back(
            dims in prop::collection::vec(0..6_usize, 0..=8),
            wide in prop::collection::vec(strides(isize::BITS), 8),
            narrow in prop::collection::vec(strides(32), 8),
            at in prop::collection::vec(0..6_usize, 8),
        ) {
            let (wide, narrow) = (&wide[..dims.len()], &narrow[..dims.len()]);
            let after = |axis: usize| dims[axis + 1..].iter().product::<usize>() as isize;
            let row_major: Vec<isize> = (0..dims.len()).map(after).collect();
            for strides in [wide, narrow, &row_major] {
                if dims.len() > 6 && strides == wide {
                    continue;
                }
                let shape = kept(&dims, strides).unwrap();
                prop_assert_eq!((shape.dims(), &shape.strides()[..]), (&dims[..], strides));
                prop_assert_eq!(shape.shape(), Shape::new(&dims).unwrap());
                prop_assert_eq!(shape.is_row_major(), strides == &row_major[..]);
                let at = &at[..dims.len()];
                let is_inside = at.iter().zip(&dims).all(|(at, dim)| at < dim);
                let offset = at.iter().zip(strides).fold(0_isize, |sum, (at, stride)| {
                    sum.wrapping_add(stride.wrapping_mul(*at as isize))
                });
                prop_assert_eq!(shape.offset(at), is_inside.then_some(offset));
            }
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_view_moves_without_a_call() {
        assert_eq!(size_of::<crate::TensorView<'_, f32>>(), 128);
        assert_eq!(size_of::<Option<crate::TensorView<'_, f32>>>(), 128);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn strides_past_32_bits_need_a_rank_below_7() {
        let far = 1_isize << 31;
        for rank in 1..=8 {
            let (dims, mut strides) = (vec![2; rank], vec![1; rank]);
            for (stride, is_near) in [(far - 1, true), (far, false), (-far, true), (-far - 1, false)] {
                strides[rank - 1] = stride;
                let error = TensorError::stride_too_large(rank - 1, stride as i64);
                let expected = if rank <= 6 || is_near { Ok(strides.clone()) } else { Err(error) };
                assert_eq!(kept(&dims, &strides).map(|shape| shape.strides().to_vec()), expected);
            }
        }
    }
}
