//! Where the elements of dense layouts lie, counted in elements from the one at index 0 (FORMAT §5.1–§5.6).

use std::iter::zip;

#[cfg(test)]
use smallvec::SmallVec;

use crate::descriptor::{Dims, shape};

use super::{Layout, TileOrder, Tiled};

/// The least and the largest offset that a layout gives to any place of a shape; the least is never above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extremes {
    /// In elements; negative only where strides are.
    pub(crate) min: i128,
    /// In elements, of the last place that belongs to the layout, padding included.
    pub(crate) max: i128,
}

impl Extremes {
    /// `count` places from 0 on.
    fn contiguous(count: u128) -> Option<Self> {
        Some(Self { min: 0, max: i128::try_from(count).ok()?.checked_sub(1)? })
    }
}

impl Layout {
    /// The extremes over a shape that is resolved and not empty. `None` past 128 bits, and for layouts that
    /// are not dense.
    #[inline]
    pub(crate) fn extremes(&self, shape: &[u64]) -> Option<Extremes> {
        match self {
            Self::RowMajor | Self::ColumnMajor => Extremes::contiguous(shape::product(shape.iter().copied())),
            Self::Strided { strides } => strided_extremes(strides, shape),
            Self::Tiled(tiled) => tiled.extremes(shape),
            Self::Morton { bits } => {
                let slots =
                    1_u128.checked_shl(bits.iter().try_fold(0_u32, |sum, bits| sum.checked_add(*bits))?)?;
                let last: Dims = shape.iter().map(|dim| dim.saturating_sub(1)).collect();
                Extremes::contiguous(slots.max(u128::from(morton_code(&last, bits)).checked_add(1)?))
            }
            Self::Hilbert { order } => {
                let bits = u32::try_from(shape.len()).ok()?.checked_mul(*order)?;
                Extremes::contiguous(1_u128.checked_shl(bits)?)
            }
            _ => None,
        }
    }

    /// The offset of the element at `index`, which is within `shape` (the storage shape, see
    /// [`TensorDescriptor::storage_shape`](crate::descriptor::TensorDescriptor)). `None` past 128 bits, and for
    /// layouts that are not dense.
    #[cfg(test)]
    pub(crate) fn offset_of(&self, index: &[u64], shape: &[u64]) -> Option<i128> {
        match self {
            Self::RowMajor => row_major(index, shape),
            Self::ColumnMajor => column_major(index, shape),
            Self::Strided { strides } => strided(index, strides),
            Self::Tiled(tiled) => tiled.offset_of(index, shape),
            Self::Morton { bits } => Some(i128::from(morton_code(index, bits))),
            Self::Hilbert { order } => Some(i128::from(hilbert_code(index, *order))),
            _ => None,
        }
    }
}

/// FORMAT §5.1.
#[cfg(test)]
fn row_major(index: &[u64], shape: &[u64]) -> Option<i128> {
    zip(index, shape).try_fold(0, next_digit)
}

/// FORMAT §5.2.
#[cfg(test)]
fn column_major(index: &[u64], shape: &[u64]) -> Option<i128> {
    zip(index, shape).rev().try_fold(0, next_digit)
}

#[cfg(test)]
fn next_digit(offset: i128, (index, length): (&u64, &u64)) -> Option<i128> {
    offset.checked_mul(i128::from(*length))?.checked_add(i128::from(*index))
}

/// FORMAT §5.3.
#[cfg(test)]
fn strided(index: &[u64], strides: &[i64]) -> Option<i128> {
    zip(index, strides).try_fold(0_i128, |offset, (index, stride)| {
        offset.checked_add(i128::from(*index).checked_mul(i128::from(*stride))?)
    })
}

fn strided_extremes(strides: &[i64], shape: &[u64]) -> Option<Extremes> {
    let mut extremes = Extremes { min: 0, max: 0 };
    for (stride, length) in zip(strides, shape) {
        let reach = i128::from(*stride).checked_mul(i128::from(length.checked_sub(1)?))?;
        let side = if reach < 0 { &mut extremes.min } else { &mut extremes.max };
        *side = side.checked_add(reach)?;
    }
    Some(extremes)
}

impl Tiled {
    fn extremes(&self, dims: &[u64]) -> Option<Extremes> {
        let grid = self.grid(dims)?;
        let tile = i128::try_from(shape::product(self.tile_shape.iter().copied())).ok()?;
        let outer = self.outer.extremes(&grid)?;
        let inner = self.inner.extremes(&self.tile_shape)?;
        Some(Extremes {
            min: outer.min.checked_mul(tile)?.checked_add(inner.min)?,
            max: outer.max.checked_mul(tile)?.checked_add(inner.max)?,
        })
    }

    #[cfg(test)]
    fn offset_of(&self, index: &[u64], dims: &[u64]) -> Option<i128> {
        let grid = self.grid(dims)?;
        let mut tile_index = Dims::new();
        let mut in_tile = Dims::new();
        for (index, length) in zip(index, &self.tile_shape) {
            tile_index.push(index.checked_div(*length)?);
            in_tile.push(index.checked_rem(*length)?);
        }
        let tile = i128::try_from(shape::product(self.tile_shape.iter().copied())).ok()?;
        let outer = self.outer.offset_of(&tile_index, &grid)?;
        let inner = self.inner.offset_of(&in_tile, &self.tile_shape)?;
        outer.checked_mul(tile)?.checked_add(inner)
    }

    /// How many tiles there are along each dimension.
    fn grid(&self, dims: &[u64]) -> Option<Dims> {
        zip(dims, &self.tile_shape)
            .map(|(dim, tile)| if *tile == 0 { None } else { Some(dim.div_ceil(*tile)) })
            .collect()
    }
}

impl TileOrder {
    fn extremes(&self, dims: &[u64]) -> Option<Extremes> {
        match self {
            Self::RowMajor | Self::ColumnMajor => Extremes::contiguous(shape::product(dims.iter().copied())),
            Self::Strided(strides) => strided_extremes(strides, dims),
            Self::Tiled(nested) => nested.extremes(dims),
        }
    }

    #[cfg(test)]
    fn offset_of(&self, index: &[u64], dims: &[u64]) -> Option<i128> {
        match self {
            Self::RowMajor => row_major(index, dims),
            Self::ColumnMajor => column_major(index, dims),
            Self::Strided(strides) => strided(index, strides),
            Self::Tiled(nested) => nested.offset_of(index, dims),
        }
    }
}

/// FORMAT §5.5. Bits past the 64th, which LAY-MOR-03 rules out, are left out.
pub(crate) fn morton_code(index: &[u64], bits: &[u32]) -> u64 {
    let mut code = 0_u64;
    let rank = u32::try_from(index.len()).unwrap_or(u32::MAX);
    for ((dimension, index), bits) in zip(zip(0_u32.., index), bits) {
        for bit in 0..*bits {
            let set = index.checked_shr(bit).unwrap_or(0) & 1;
            let position = bit.saturating_mul(rank).saturating_add(dimension);
            code |= set.checked_shl(position).unwrap_or(0);
        }
    }
    code
}

/// FORMAT §5.6: Skilling's transform, dimension 0 most significant in each plane of bits.
#[cfg(test)]
pub(crate) fn hilbert_code(index: &[u64], order: u32) -> u64 {
    let mut axes: SmallVec<[u64; 8]> = SmallVec::from_slice(index);
    undo_excess_work(&mut axes, order);
    gray_encode(&mut axes, order);
    // The planes from the top one down, dimension 0 first in each.
    let mut code = 0_u64;
    for plane in (0..order).rev() {
        for axis in &axes {
            code = code.wrapping_shl(1) | (axis.checked_shr(plane).unwrap_or(0) & 1);
        }
    }
    code
}

#[cfg(test)]
fn undo_excess_work(axes: &mut [u64], order: u32) {
    let Some((first, others)) = axes.split_first_mut() else { return };
    for plane in (1..order).rev() {
        let bit = 1_u64.checked_shl(plane).unwrap_or(0);
        let below = bit.wrapping_sub(1);
        if *first & bit != 0 {
            *first ^= below;
        }
        for other in &mut *others {
            if *other & bit != 0 {
                *first ^= below;
            } else {
                let swapped = (*first ^ *other) & below;
                *first ^= swapped;
                *other ^= swapped;
            }
        }
    }
}

#[cfg(test)]
fn gray_encode(axes: &mut [u64], order: u32) {
    let mut previous = 0;
    for axis in &mut *axes {
        *axis ^= previous;
        previous = *axis;
    }
    let mut flip = 0;
    for plane in (1..order).rev() {
        let bit = 1_u64.checked_shl(plane).unwrap_or(0);
        if previous & bit != 0 {
            flip ^= bit.wrapping_sub(1);
        }
    }
    for axis in axes {
        *axis ^= flip;
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn contiguous_orders_count_as_in_the_examples() {
        assert_eq!(Layout::RowMajor.offset_of(&[1, 2], &[3, 4]), Some(6));
        assert_eq!(Layout::ColumnMajor.offset_of(&[1, 2], &[3, 4]), Some(7));
        assert_eq!(Layout::RowMajor.offset_of(&[], &[]), Some(0));
        assert_eq!(Layout::RowMajor.extremes(&[3, 4]), Some(Extremes { min: 0, max: 11 }));
        assert_eq!(Layout::RowMajor.extremes(&[u64::MAX - 1; 3]), None);
    }

    #[test]
    fn negative_strides_reach_below_the_origin() {
        let layout = Layout::Strided { strides: smallvec![-4, 1] };
        assert_eq!(layout.extremes(&[3, 4]), Some(Extremes { min: -8, max: 3 }));
        assert_eq!(layout.offset_of(&[2, 3], &[3, 4]), Some(-5));
    }

    #[test]
    fn strides_past_128_bits_have_no_extremes() {
        let layout = Layout::Strided { strides: smallvec![i64::MAX, i64::MAX, i64::MAX] };
        assert_eq!(layout.extremes(&[u64::MAX - 1; 3]), None);
        let broadcast = Layout::Strided { strides: smallvec![0, 0, 0] };
        assert_eq!(broadcast.extremes(&[u64::MAX - 1; 3]), Some(Extremes { min: 0, max: 0 }));
    }

    #[test]
    fn tiles_nest() {
        let tiled =
            Tiled { tile_shape: smallvec![2, 4], outer: TileOrder::RowMajor, inner: TileOrder::RowMajor };
        let layout = Layout::Tiled(Box::new(tiled.clone()));
        assert_eq!(layout.offset_of(&[3, 5], &[6, 8]), Some(29));
        assert_eq!(layout.extremes(&[5, 7]), Some(Extremes { min: 0, max: 47 }));
        let nested = Layout::Tiled(Box::new(Tiled {
            tile_shape: smallvec![4, 8],
            outer: TileOrder::ColumnMajor,
            inner: TileOrder::Tiled(Box::new(tiled)),
        }));
        // Tile [1, 0] of 32 elements, in it tile [0, 1] of 8, in it [1, 1].
        assert_eq!(nested.offset_of(&[5, 5], &[8, 8]), Some(32 + 8 + 5));
        assert_eq!(nested.extremes(&[8, 8]), Some(Extremes { min: 0, max: 63 }));
    }

    #[test]
    fn morton_interleaves_bits() {
        let layout = Layout::Morton { bits: smallvec![2, 2] };
        assert_eq!(layout.offset_of(&[2, 3], &[4, 4]), Some(14));
        assert_eq!(layout.extremes(&[4, 4]), Some(Extremes { min: 0, max: 15 }));
        // With unequal bits codes have gaps and exceed 2^sum(bits).
        let uneven = Layout::Morton { bits: smallvec![3, 1] };
        assert_eq!(uneven.offset_of(&[7, 1], &[8, 2]), Some(0b010111));
        assert_eq!(uneven.extremes(&[8, 2]), Some(Extremes { min: 0, max: 0b010111 }));
    }

    #[test]
    fn hilbert_follows_the_check_values() {
        let curve = |order: u32, rank: u32| {
            let side = 1_u64 << order;
            let mut places: Vec<(u64, Vec<u64>)> = (0..side.pow(rank))
                .map(|flat| {
                    let index: Vec<u64> = (0..rank).map(|d| flat / side.pow(d) % side).collect();
                    (hilbert_code(&index, order), index)
                })
                .collect();
            places.sort_unstable();
            places
        };
        let indices =
            |order, rank| curve(order, rank).into_iter().map(|(_, index)| index).collect::<Vec<_>>();
        assert_eq!(indices(1, 2), [[0, 0], [0, 1], [1, 1], [1, 0]]);
        assert_eq!(
            indices(2, 2),
            [
                [0, 0],
                [1, 0],
                [1, 1],
                [0, 1],
                [0, 2],
                [0, 3],
                [1, 3],
                [1, 2],
                [2, 2],
                [2, 3],
                [3, 3],
                [3, 2],
                [3, 1],
                [2, 1],
                [2, 0],
                [3, 0]
            ]
        );
        assert_eq!(
            indices(1, 3),
            [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 0, 0]]
        );
        let codes: Vec<u64> = curve(3, 2).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, (0..64).collect::<Vec<_>>());
    }
}
