//! Tensors of which several elements share a byte: bool and the 2-, 4- and 6-bit types.

use std::ops::Range;

use super::dense::{Dense, describe, lay_out, misfit};
use super::index;
use super::raw::{RawTensor, SharedTensor};
use super::rows::Positions;
use super::twin::views;
use crate::descriptor::Layout;
use crate::element::PackedElement;
use crate::error::TensorError;
use crate::limits::Limits;

/// The elements of row-major, column-major and strided layouts.
#[derive(Debug, Clone)]
struct Linear<P>(Dense<P>);

impl<P: PackedElement> Linear<P> {
    fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        match raw.descriptor().layout() {
            Layout::RowMajor | Layout::ColumnMajor | Layout::Strided { .. } => {
                let dense = Dense::<P>::of(raw)?;
                // Strides of 0 make large tensors of few bytes; what is no larger than what is there can be copied.
                let (shape, there) = (&dense.geometry.shape, dense.geometry.count);
                if index::element_count(shape) > u128::try_from(there).unwrap_or(u128::MAX) {
                    index::count_within(shape, size_of::<P::Value>(), Limits::default().dense_bytes)?;
                }
                Ok(Self(dense))
            }
            _ => Err(raw.wrong_layout("row_major, column_major or strided")),
        }
    }

    fn shape(&self) -> &[usize] {
        &self.0.geometry.shape
    }
}

views! {
    /// A borrowed tensor of bool or 2-, 4- or 6-bit elements, row-major, column-major or strided.
    ///
    /// ```
    /// use hurray::{Packed, U4};
    ///
    /// let packed = Packed::<U4>::from_values(&[5, 12, 3], &[3])?;
    /// assert_eq!(packed.view().as_bytes(), [0xC5, 0x03]);
    /// assert_eq!(packed.view().get(&[1]), Some(12));
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    view PackedView;
    /// The `'static` twin of [`PackedView`]: owns its bytes or shares those of a file.
    twin Packed;
    plan Linear;
    elements PackedElement;
}

impl<'a, P: PackedElement> PackedView<'a, P> {
    /// The element at an index; `None` outside the shape.
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<P::Value> {
        self.plan.0.get(&self.raw, index)
    }

    /// All elements in row-major order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = P::Value> + use<'a, P> {
        let geometry = &self.plan.0.geometry;
        // There are no more than memory has, as `of` makes sure of.
        let count = usize::try_from(index::element_count(&geometry.shape)).unwrap_or(0);
        let values = self.plan.0.values(&self.raw);
        let rows = geometry.rows().filter(|_| count > 0 && values.is_some());
        let positions = rows.map(|rows| Positions::new(rows, count));
        PackedIter::<P> { values, positions: positions.unwrap_or_else(Positions::none) }
    }

    /// All elements in row-major order.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past the default [`Limits::dense_bytes`].
    pub fn to_dense(&self) -> Result<Vec<P::Value>, TensorError> {
        self.to_dense_within(&Limits::default())
    }

    /// All elements in row-major order, at most [`Limits::dense_bytes`] of them.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`].
    pub fn to_dense_within(&self, limits: &Limits) -> Result<Vec<P::Value>, TensorError> {
        self.plan.0.to_dense(&self.raw, limits)
    }

    /// All elements in row-major order. No limit is needed: there is no view of elements that strides of 0 repeat
    /// past the default [`Limits::dense_bytes`].
    #[must_use]
    pub fn to_vec(&self) -> Vec<P::Value> {
        let unlimited = Limits { dense_bytes: u64::MAX, ..Limits::default() };
        self.to_dense_within(&unlimited).unwrap_or_default()
    }

    /// The bytes of the buffer as they lie in the file.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.raw.buffer(0)
    }
}

/// The elements of a packed tensor in row-major order.
#[derive(Debug, Clone)]
struct PackedIter<'a, P: PackedElement> {
    /// `None` if there are no positions.
    values: Option<P::Values<'a>>,
    positions: Positions,
}

impl<P: PackedElement> PackedIter<'_, P> {
    #[inline]
    fn at(&self, position: usize) -> Option<P::Value> {
        P::get(self.values?, position)
    }
}

impl<P: PackedElement> Iterator for PackedIter<'_, P> {
    type Item = P::Value;

    #[inline]
    fn next(&mut self) -> Option<P::Value> {
        let position = self.positions.next()?;
        self.at(position)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.positions.len(), Some(self.positions.len()))
    }

    fn nth(&mut self, n: usize) -> Option<P::Value> {
        let position = self.positions.nth(n)?;
        self.at(position)
    }

    #[inline]
    fn fold<B, F: FnMut(B, P::Value) -> B>(mut self, init: B, mut f: F) -> B {
        let mut accumulator = init;
        let Some(values) = self.values else { return accumulator };
        let mut unpacked = [P::zero(); 256];
        while let Some(run) = self.positions.next_run(unpacked.len()) {
            let unpacked = unpacked.get_mut(..run.len).unwrap_or_default();
            if run.step == 1 {
                // Cannot fail: all positions lie in what there is.
                let _ = P::copy(values, run.start, unpacked);
            } else {
                let mut position = run.start;
                for slot in unpacked.iter_mut() {
                    *slot = P::get(values, position).unwrap_or(P::zero());
                    position = position.wrapping_add(run.step.cast_unsigned());
                }
            }
            accumulator = unpacked.iter().copied().fold(accumulator, &mut f);
        }
        accumulator
    }
}

impl<P: PackedElement> ExactSizeIterator for PackedIter<'_, P> {}

impl<P: PackedElement> Packed<P> {
    /// Packs the elements of a row-major tensor.
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] if there is not one value per element, [`TensorError::Value`] if an integer is
    /// out of range. Floats round to nearest, ties to even, and saturate.
    pub fn from_values(values: &[P::Value], shape: &[usize]) -> Result<Self, TensorError> {
        Self::contiguous(values, shape, Layout::RowMajor)
    }

    /// Packs the elements of a row-major slice in column-major order: the first dimension varies fastest.
    ///
    /// # Errors
    ///
    /// As [`from_values`](Self::from_values); [`TensorError::Format`] for a scalar, which has no columns.
    pub fn from_values_column_major(values: &[P::Value], shape: &[usize]) -> Result<Self, TensorError> {
        Self::contiguous(values, shape, Layout::ColumnMajor)
    }

    fn contiguous(values: &[P::Value], shape: &[usize], layout: Layout) -> Result<Self, TensorError> {
        let slots = u64::try_from(values.len()).unwrap_or(u64::MAX);
        let (descriptor, bytes) = lay_out::<P>(values, shape, layout, slots)?;
        Self::made(SharedTensor::new(descriptor, [bytes]))
    }

    /// Packs what signed strides reach: element `i` is `stored[origin + sum(i[k] * strides[k])]`, as for
    /// [`TensorView::from_strided`](crate::TensorView::from_strided). Elements may share a place.
    ///
    /// ```
    /// use hurray::{Packed, U4};
    ///
    /// let transposed = Packed::<U4>::from_strided(&[1, 2, 3, 4, 5, 6], 0, &[3, 2], &[1, 3])?;
    /// assert_eq!(transposed.view().to_vec(), [1, 4, 2, 5, 3, 6]);
    /// let reversed = Packed::<U4>::from_strided(&[1, 2, 3], 2, &[3], &[-1])?;
    /// assert_eq!(reversed.view().to_vec(), [3, 2, 1]);
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] when shape and strides differ in length or there is no dimension,
    /// [`TensorError::Shape`] when an element would lie outside `stored`, [`TensorError::Value`] for an integer
    /// out of range.
    pub fn from_strided(
        stored: &[P::Value],
        origin: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, TensorError> {
        if strides.len() != shape.len() || shape.is_empty() {
            return Err(TensorError::Rank { expected: shape.len().max(1), found: strides.len() });
        }
        let as_u64 = |extent: &usize| u64::try_from(*extent).unwrap_or(u64::MAX);
        let outside = || TensorError::Shape {
            expected: vec![as_u64(&stored.len())],
            found: shape.iter().map(as_u64).collect(),
        };
        let reached = reach(origin, shape, strides)
            .filter(|reached| reached.is_empty() || reached.end <= stored.len())
            .ok_or_else(outside)?;
        // Element `[0, ..., 0]` starts a group of its own, since a descriptor says its place in bytes.
        let (per_group, group_bytes) = P::STORED_TYPE.group().unwrap_or((1, 1));
        let below = as_u64(&origin.saturating_sub(reached.start));
        let before = if reached.is_empty() { 0 } else { below.div_ceil(per_group.max(1)) };
        let padding = usize::try_from(before.saturating_mul(per_group).saturating_sub(below)).unwrap_or(0);
        let mut values = P::zeros(padding);
        values.extend_from_slice(stored.get(reached.clone()).unwrap_or_default());
        let bytes = P::encode(&values)
            .map_err(|at| misfit::<P>(at.saturating_sub(padding).saturating_add(reached.start)))?;
        let strides = strides.iter().map(|stride| i64::try_from(*stride).unwrap_or(i64::MAX)).collect();
        let size = as_u64(&bytes.len());
        let mut descriptor = describe(P::STORED_TYPE, shape, Layout::Strided { strides }, [size]);
        descriptor.byte_offset = before.saturating_mul(group_bytes);
        Self::made(SharedTensor::new(descriptor, [bytes.into()]))
    }
}

/// The positions from the lowest to the highest that strides reach from `origin`; none for an empty shape, `None`
/// below 0 and past what memory has.
fn reach(origin: usize, shape: &[usize], strides: &[isize]) -> Option<Range<usize>> {
    if shape.contains(&0) {
        return Some(0..0);
    }
    let (mut low, mut high) = (origin, origin);
    for (extent, stride) in shape.iter().zip(strides) {
        let span = extent.saturating_sub(1).checked_mul(stride.unsigned_abs())?;
        if *stride < 0 {
            low = low.checked_sub(span)?;
        } else {
            high = high.checked_add(span)?;
        }
    }
    Some(low..high.checked_add(1)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Packed;
    use crate::element::{Bool, F6E2M3, I4, PackedElement, U2};
    use crate::view::index;

    fn check<P: PackedElement>(
        shape: &[usize],
        strides: &[isize],
        steps: &[u8],
        of: impl Fn(usize) -> P::Value,
    ) {
        let (mut low, mut high) = (0_usize, 0_usize);
        for (extent, stride) in shape.iter().zip(strides) {
            let span = extent.saturating_sub(1) * stride.unsigned_abs();
            if *stride < 0 { low += span } else { high += span }
        }
        let stored: Vec<P::Value> = (0..low + high + 1).map(of).collect();
        let packed = Packed::<P>::from_strided(&stored, low, shape, strides).unwrap();
        let view = packed.view();
        let mut expected = Vec::new();
        index::each(shape, |at| {
            let offset: isize = at.iter().zip(strides).map(|(at, stride)| *at as isize * stride).sum();
            expected.push(stored[(low as isize + offset) as usize]);
            assert_eq!(view.get(at), expected.last().copied());
        });
        assert_eq!(view.to_vec(), expected);
        let (mut iter, mut slow) = (view.iter(), expected.iter().copied());
        assert_eq!(iter.len(), expected.len());
        for step in steps {
            assert_eq!(iter.nth((*step).into()), slow.nth((*step).into()));
            assert_eq!(iter.next(), slow.next());
            assert_eq!(iter.len(), slow.len());
        }
        let mut folded = Vec::new();
        iter.for_each(|value| folded.push(value));
        assert_eq!(folded, slow.collect::<Vec<_>>());
        let mut next = Vec::new();
        for value in view.iter() {
            next.push(value);
        }
        assert_eq!(next, expected);
    }

    proptest! {
        #[test]
        fn all_ways_give_the_elements_of_the_indices(
            dims in proptest::collection::vec((0..20_usize, -8..9_isize), 1..=4), is_dense: bool, steps: Vec<u8>,
        ) {
            let shape: Vec<usize> = dims.iter().map(|dim| dim.0).collect();
            let mut strides: Vec<isize> = dims.iter().map(|dim| dim.1).collect();
            if is_dense {
                strides = (0..shape.len()).map(|axis| shape[axis + 1..].iter().product::<usize>() as isize).collect();
            }
            check::<Bool>(&shape, &strides, &steps, |at| at % 3 == 0);
            check::<U2>(&shape, &strides, &steps, |at| (at * 7 % 4) as u8);
            check::<I4>(&shape, &strides, &steps, |at| (at * 7 % 16) as i8 - 8);
            check::<F6E2M3>(&shape, &strides, &steps, |at| (at * 7 % 16) as f32 / 8.0);
        }
    }
}
