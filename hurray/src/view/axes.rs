//! Addresses of the dense layouts but Hilbert, one dimension at a time (FORMAT §5.1–§5.5).
//!
//! In all of these layouts the offset of an element is a sum of one term per dimension, and each term is a
//! mixed-radix number: the index along the dimension is split into digits, and each digit has a stride. Row- and
//! column-major and strided tensors have one digit per dimension, tiled ones one per level of tiles and one for
//! the grid, Morton ones one per bit.

use smallvec::{SmallVec, smallvec};

use super::index::Extents;
use crate::descriptor::{Layout, Quantization, TensorDescriptor, TileOrder, Tiled};

/// One digit of an index along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digit {
    /// How many values the digit takes; the last one of an axis takes what the index needs.
    pub(crate) extent: usize,
    /// In elements.
    pub(crate) stride: isize,
}

/// How an index along one dimension becomes an offset: its digits, lowest first, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) digits: SmallVec<[Digit; 2]>,
}

impl Axis {
    pub(crate) fn linear(extent: usize, stride: isize) -> Self {
        Self { digits: smallvec![Digit { extent, stride }] }
    }

    /// The stride of an axis with one digit.
    pub(crate) fn stride(&self) -> Option<isize> {
        match self.digits.as_slice() {
            [digit] => Some(digit.stride),
            _ => None,
        }
    }

    /// Whether all indices have the same offset.
    pub(crate) fn is_constant(&self) -> bool {
        self.digits.iter().all(|digit| digit.stride == 0)
    }

    /// The offset of an index: two's complement, so that negative strides add up by wrapping.
    #[inline]
    pub(crate) fn offset(&self, at: usize) -> usize {
        let mut rest = at;
        let mut offset = 0_usize;
        let Some((last, lower)) = self.digits.split_last() else { return 0 };
        for digit in lower {
            let value = if digit.extent.is_power_of_two() {
                // Bits of Morton order, and most tiles: a division would take longer than all the rest.
                let value = rest & digit.extent.wrapping_sub(1);
                rest >>= digit.extent.trailing_zeros();
                value
            } else {
                let value = rest.checked_rem(digit.extent).unwrap_or(0);
                rest = rest.checked_div(digit.extent).unwrap_or(0);
                value
            };
            offset = offset.wrapping_add(value.wrapping_mul(digit.stride.cast_unsigned()));
        }
        offset.wrapping_add(rest.wrapping_mul(last.stride.cast_unsigned()))
    }

    /// The least and the largest offset of `0..extent`, which is not 0.
    fn range(&self, extent: usize) -> Option<(i128, i128)> {
        let mut rest = extent.checked_sub(1)?;
        // Over all values of the lower digits, and over those up to the lower digits of the last index.
        let (mut any, mut bounded) = ((0_i128, 0_i128), (0_i128, 0_i128));
        let (last, lower) = self.digits.split_last()?;
        for digit in lower {
            let value = rest.checked_rem(digit.extent)?;
            rest = rest.checked_div(digit.extent)?;
            bounded = digit.extend(any, bounded, value)?;
            any = digit.extend(any, any, digit.extent.checked_sub(1)?)?;
        }
        last.extend(any, bounded, rest)
    }
}

impl Digit {
    /// The range of offsets when this digit goes up to `value`: with any lower digits below it, with `bounded`
    /// ones at it.
    fn extend(&self, any: (i128, i128), bounded: (i128, i128), value: usize) -> Option<(i128, i128)> {
        let at = |value: usize| i128::try_from(value).ok()?.checked_mul(i128::try_from(self.stride).ok()?);
        let own = at(value)?;
        let mut range = (bounded.0.checked_add(own)?, bounded.1.checked_add(own)?);
        // The extremes below `value` are at 0 or just below it, as the offset is linear in the digit.
        if let Some(below) = value.checked_sub(1) {
            let below = at(below)?;
            range.0 = range.0.min(any.0.checked_add(below.min(0))?);
            range.1 = range.1.max(any.1.checked_add(below.max(0))?);
        }
        Some(range)
    }
}

/// The axes of a tensor, one per dimension.
pub(crate) type Axes = SmallVec<[Axis; 4]>;

/// The axes of a dense layout; `None` for other layouts, and where an offset would not fit in memory.
pub(crate) fn axes(descriptor: &TensorDescriptor, shape: &[usize]) -> Option<Axes> {
    match descriptor.layout() {
        Layout::RowMajor | Layout::ColumnMajor => {
            let stored = storage_shape(descriptor, shape)?;
            let strides = match descriptor.layout() {
                Layout::RowMajor => contiguous(&stored, true)?,
                _ => contiguous(&stored, false)?,
            };
            stored.iter().zip(strides).map(|(&extent, stride)| linear(extent, stride)).collect()
        }
        Layout::Strided { strides } => {
            shape.iter().zip(strides).map(|(&extent, &stride)| linear(extent, stride.into())).collect()
        }
        Layout::Tiled(tiled) => {
            let mut axes: SmallVec<[WideAxis; 4]> = smallvec![SmallVec::new(); shape.len()];
            tile(&mut axes, shape, tiled)?;
            axes.iter().map(narrow).collect()
        }
        Layout::Morton { bits } => shape
            .iter()
            .zip(bits)
            .enumerate()
            .map(|(d, (&n, &bits))| morton(d, n, bits, shape.len()))
            .collect(),
        _ => None,
    }
}

/// The least and the largest offset over all indices of a non-empty shape.
pub(crate) fn extremes(axes: &Axes, shape: &[usize]) -> Option<(i128, i128)> {
    axes.iter().zip(shape).try_fold((0_i128, 0_i128), |(low, high), (axis, &extent)| {
        let (least, largest) = axis.range(extent)?;
        Some((low.checked_add(least)?, high.checked_add(largest)?))
    })
}

/// The shape as stored: row- and column-major tensors with quantized blocks store whole blocks (FORMAT §6.3).
pub(crate) fn storage_shape(descriptor: &TensorDescriptor, shape: &[usize]) -> Option<Extents> {
    let mut stored: Extents = shape.iter().copied().collect();
    if let Some(
        Quantization::PerBlock { axis, block_size, .. }
        | Quantization::Nf4 { axis, block_size, .. }
        | Quantization::Mxfp { axis, block_size, .. },
    ) = descriptor.quantization()
    {
        let extent = stored.get_mut(usize::try_from(*axis).ok()?)?;
        *extent = extent.checked_next_multiple_of(usize::try_from(*block_size).ok()?)?;
    }
    Some(stored)
}

/// Strides in elements of a shape without gaps; the last dimension fastest if `is_row_major`.
fn contiguous(shape: &[usize], is_row_major: bool) -> Option<SmallVec<[i128; 8]>> {
    let mut strides: SmallVec<[i128; 8]> = smallvec![0; shape.len()];
    // A dimension of 0 has no element: strides do not matter, and must not be an obstacle.
    if shape.contains(&0) {
        return Some(strides);
    }
    let mut stride = 1_i128;
    let mut step = |(slot, extent): (&mut i128, &usize)| {
        *slot = stride;
        stride = stride.checked_mul(i128::try_from(*extent).ok()?)?;
        Some(())
    };
    if is_row_major {
        strides.iter_mut().zip(shape).rev().try_for_each(&mut step)?;
    } else {
        strides.iter_mut().zip(shape).try_for_each(&mut step)?;
    }
    Some(strides)
}

fn linear(extent: usize, stride: i128) -> Option<Axis> {
    // The stride of a dimension of size 1 is never used, whatever it is.
    let stride = if extent > 1 { isize::try_from(stride).ok()? } else { 0 };
    Some(Axis::linear(extent, stride))
}

/// Digits with wide strides, while they are added up level by level.
type WideAxis = SmallVec<[(usize, i128); 2]>;

fn narrow(axis: &WideAxis) -> Option<Axis> {
    // Digits with a single value contribute nothing, but an axis keeps one.
    let used = axis.iter().filter(|(extent, _)| *extent > 1);
    let mut digits: SmallVec<[Digit; 2]> = used
        .map(|&(extent, stride)| Some(Digit { extent, stride: isize::try_from(stride).ok()? }))
        .collect::<Option<_>>()?;
    if digits.is_empty() {
        digits.push(Digit { extent: 1, stride: 0 });
    }
    Some(Axis { digits })
}

/// One level of tiles over an index space of `dims` (FORMAT §5.4): the digits inside a tile, then the grid's.
fn tile(axes: &mut [WideAxis], dims: &[usize], tiled: &Tiled) -> Option<()> {
    let tile_shape: Extents =
        tiled.tile_shape.iter().map(|t| usize::try_from(*t).ok()).collect::<Option<_>>()?;
    let grid: Extents = dims
        .iter()
        .zip(&tile_shape)
        .map(|(d, t)| d.checked_add(t.checked_sub(1)?)?.checked_div(*t))
        .collect::<Option<_>>()?;
    let volume =
        tile_shape.iter().try_fold(1_i128, |volume, t| volume.checked_mul(i128::try_from(*t).ok()?))?;
    match &tiled.inner {
        TileOrder::Tiled(inner) => tile(axes, &tile_shape, inner)?,
        order => digits(axes, &tile_shape, order, 1)?,
    }
    digits(axes, &grid, &tiled.outer, volume)
}

fn digits(axes: &mut [WideAxis], extents: &[usize], order: &TileOrder, unit: i128) -> Option<()> {
    let strides = match order {
        TileOrder::RowMajor => contiguous(extents, true)?,
        TileOrder::ColumnMajor => contiguous(extents, false)?,
        TileOrder::Strided(strides) => strides.iter().map(|stride| i128::from(*stride)).collect(),
        TileOrder::Tiled(_) => return None,
    };
    for ((axis, &extent), stride) in axes.iter_mut().zip(extents).zip(strides) {
        axis.push((extent, if extent > 1 { stride.checked_mul(unit)? } else { 0 }));
    }
    Some(())
}

/// Bit `b` of dimension `d` is bit `b * rank + d` of the offset (FORMAT §5.5).
fn morton(dimension: usize, extent: usize, bits: u32, rank: usize) -> Option<Axis> {
    let needed = usize::BITS.checked_sub(extent.saturating_sub(1).leading_zeros())?;
    if needed > bits {
        return None;
    }
    let mut digits = SmallVec::new();
    for bit in 0..needed {
        let shift = usize::try_from(bit).ok()?.checked_mul(rank)?.checked_add(dimension)?;
        let stride = 1_isize.checked_shl(u32::try_from(shift).ok()?).filter(|stride| *stride > 0)?;
        digits.push(Digit { extent: 2, stride });
    }
    if digits.is_empty() {
        digits.push(Digit { extent: 1, stride: 0 });
    }
    Some(Axis { digits })
}

#[cfg(test)]
mod tests {
    use super::{Axis, Digit};

    #[test]
    fn the_range_of_an_axis_is_exact() {
        for strides in [[1, 2, 4], [1, 4, 16], [-1, 3, -9], [5, -2, 1], [0, 7, -7]] {
            for extents in [[2, 2, 2], [3, 2, 4], [1, 4, 2]] {
                let pairs = extents.into_iter().zip(strides);
                let axis = Axis { digits: pairs.map(|(extent, stride)| Digit { extent, stride }).collect() };
                for extent in 1..=extents.iter().product::<usize>() {
                    let offsets = || (0..extent).map(|at| axis.offset(at).cast_signed() as i128);
                    let expected = (offsets().min().unwrap(), offsets().max().unwrap());
                    assert_eq!(axis.range(extent), Some(expected), "{axis:?} {extent}");
                }
            }
        }
    }
}
