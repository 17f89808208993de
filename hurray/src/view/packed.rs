//! Tensors of which several elements share a byte: bool and the 2-, 4- and 6-bit types.

use std::ops::Range;

use super::dense::{Dense, describe, lay_out, misfit};
use super::index;
use super::raw::{RawTensor, SharedTensor};
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
    pub fn iter(&self) -> impl Iterator<Item = P::Value> + '_ {
        let shape = self.shape();
        let mut next = (!shape.contains(&0)).then(|| index::Extents::from_elem(0, shape.len()));
        std::iter::from_fn(move || {
            let at = next.as_mut()?;
            let value = self.get(at);
            if !index::advance(at, shape) {
                next = None;
            }
            value
        })
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
