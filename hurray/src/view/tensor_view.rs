//! The typed, borrowed view of a dense tensor.

use std::fmt;
use std::ops::Range;

use crate::element::Element;
use crate::error::TensorError;
use crate::view::copy::row_major;
use crate::view::rows::Rows;
use crate::view::strided_shape::StridedShape;
use crate::view::strides::check_reach;
use crate::view::{Iter, Shape, Strides, Tensor};

/// A dense tensor borrowed from memory: a slice, a shape and strides, all in elements.
///
/// A plain value of 128 bytes: copying it copies no element. Rank 0 to 8; tensors of higher rank have `DynTensorView`.
///
/// ```
/// use hurray::TensorView;
///
/// let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let view = TensorView::from_slice(&data, &[2, 3])?;
/// assert_eq!(view.get(&[1, 0]), Some(4.0));
/// assert_eq!(view.as_slice(), Some(&data[..]));
/// # Ok::<(), hurray::TensorError>(())
/// ```
#[derive(Clone, Copy)]
#[repr(C)]
pub struct TensorView<'a, T> {
    /// Everything that the strides can reach; of row-major order, just the elements.
    data: &'a [T],
    /// Where element `[0, ..., 0]` lies in `data`.
    origin: usize,
    shape: StridedShape,
}

impl<'a, T: Element> TensorView<'a, T> {
    /// A row-major view of a whole slice.
    ///
    /// # Errors
    ///
    /// [`TensorError::Shape`] unless the shape has exactly `data.len()` elements,
    /// [`TensorError::RankTooHigh`] above rank 8.
    pub fn from_slice(data: &'a [T], shape: &[usize]) -> Result<Self, TensorError> {
        let shape = Shape::new(shape)?;
        if shape.element_count() == Some(data.len()) {
            Ok(Self::contiguous(data, shape))
        } else {
            Err(TensorError::Shape {
                expected: vec![u64::try_from(data.len()).unwrap_or(u64::MAX)],
                found: shape.iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect(),
            })
        }
    }

    /// A view through signed strides: element `i` lies at `data[origin + sum(i[k] * strides[k])]`.
    ///
    /// # Errors
    ///
    /// [`TensorError::Shape`] when an element would lie outside `data`, [`TensorError::Rank`] when shape and
    /// strides differ in length, [`TensorError::RankTooHigh`] above rank 8, [`TensorError::StrideTooLarge`] for
    /// strides past 32 bits at rank 7 and 8.
    pub fn from_strided(
        data: &'a [T],
        origin: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, TensorError> {
        let shape = Shape::new(shape)?;
        let strides = Strides::new(strides)
            .filter(|strides| strides.len() == shape.rank())
            .ok_or(TensorError::Rank { expected: shape.rank(), found: strides.len() })?;
        check_reach(&shape, &strides, origin, data.len())?;
        Ok(Self::checked(data, origin, StridedShape::new(&shape, &strides)?))
    }

    /// `data` has exactly as many elements as `shape`.
    pub(crate) fn contiguous(data: &'a [T], shape: Shape) -> Self {
        Self::packed(data, StridedShape::row_major(&shape))
    }

    /// `shape` is row-major, and `data` has exactly as many elements.
    #[inline(always)]
    pub(crate) fn packed(data: &'a [T], shape: StridedShape) -> Self {
        Self { data, origin: 0, shape }
    }

    /// Every element was checked to lie in `data`.
    pub(crate) fn checked(data: &'a [T], origin: usize, shape: StridedShape) -> Self {
        if !shape.is_row_major() {
            return Self { data, origin, shape };
        }
        let elements = data.get(origin..).and_then(|data| data.get(..shape.element_count()?));
        Self::packed(elements.unwrap_or_default(), shape)
    }

    /// The dimensions in elements, dimension 0 first; empty for a scalar.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.shape.dims()
    }

    /// The strides in elements, one per dimension.
    #[must_use]
    pub fn strides(&self) -> Strides {
        self.shape.strides()
    }

    /// The number of dimensions.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The number of elements.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "a tensor is seldom asked that way, and rank 0 is not empty"
    )]
    pub fn len(&self) -> usize {
        self.shape.element_count().unwrap_or(usize::MAX)
    }

    /// The elements as one slice, when they lie one after another in row-major order; else `None`, never
    /// reordered data.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        if self.shape.is_row_major() { Some(self.data) } else { self.strided_slice() }
    }

    /// The elements of strides that do no more than leave out dimensions of size 1, or have no element to lead to.
    fn strided_slice(&self) -> Option<&'a [T]> {
        if !self.strides().are_row_major(self.shape()) {
            return None;
        }
        match self.shape.element_count()? {
            0 => Some(&[]),
            count => self.data.get(self.origin..self.origin.checked_add(count)?),
        }
    }

    /// The element at an index; `None` outside the shape or at another rank.
    #[inline]
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<T> {
        let offset = self.shape.offset(index)?;
        self.data.get(self.origin.checked_add_signed(offset)?).copied()
    }

    /// The elements in row-major order of their indices, whatever the strides are.
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T> {
        Iter::new(self.data, self.rows(), self.len())
    }

    /// The elements in row-major order, copied.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        match self.as_slice() {
            Some(slice) => slice.to_vec(),
            None => row_major(self.data, self.rows(), self.len()),
        }
    }

    fn rows(&self) -> Rows {
        Rows::new(self.origin, self.shape().iter().copied().zip(self.strides().iter().copied()))
    }

    /// The elements in row-major order, copied, if a copy stays within the limit.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`], before anything is allocated.
    pub(crate) fn to_vec_within(self, limit: u64) -> Result<Vec<T>, TensorError> {
        self.check_copy(limit)?;
        Ok(self.to_vec())
    }

    /// Refuses a view of which a copy takes more than `limit` bytes *and* more than lie there: strides of 0 make
    /// large tensors of few bytes.
    pub(crate) fn check_copy(&self, limit: u64) -> Result<(), TensorError> {
        let count = self.shape.element_count().unwrap_or(usize::MAX);
        let bytes = u128::try_from(count)
            .unwrap_or(u128::MAX)
            .saturating_mul(u128::try_from(size_of::<T>()).unwrap_or(1));
        let held = u128::try_from(size_of_val(self.data)).unwrap_or(u128::MAX);
        if bytes > held && bytes > u128::from(limit) {
            return Err(TensorError::limit("dense_bytes", limit, bytes));
        }
        Ok(())
    }

    /// The same tensor, packed in row-major order in memory of its own.
    #[must_use]
    pub fn to_dense(&self) -> Tensor<T> {
        Tensor::contiguous(self.to_vec(), self.shape.shape())
    }

    /// Rows `rows` along dimension 0; borrows the same memory.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] when the range ends past dimension 0 or before it starts,
    /// [`TensorError::Rank`] for a scalar.
    pub fn slice(&self, rows: Range<usize>) -> Result<Self, TensorError> {
        match rows.end.checked_sub(rows.start) {
            Some(length) => self.narrow(0, rows.start, length),
            None => {
                Err(TensorError::Index { index: vec![rows.start, rows.end], shape: self.shape().to_vec() })
            }
        }
    }

    /// `length` indices of an axis from `start` on; borrows the same memory.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] when these end past the axis, [`TensorError::Rank`] when there is no such axis,
    /// [`TensorError::StrideTooLarge`] when that leaves strides past 32 bits at rank 7 and 8.
    pub fn narrow(&self, axis: usize, start: usize, length: usize) -> Result<Self, TensorError> {
        let (dims, strides) = (self.shape(), self.strides());
        let rank = TensorError::Rank { expected: axis.saturating_add(1), found: self.rank() };
        let (&count, &stride) = dims.get(axis).zip(strides.get(axis)).ok_or(rank)?;
        if start.checked_add(length).is_none_or(|end| end > count) {
            return Err(TensorError::Index { index: vec![start, length], shape: dims.to_vec() });
        }
        let dims = dims.iter().enumerate().map(|(at, &dim)| if at == axis { length } else { dim });
        let shape = Shape::from_dims(dims).unwrap_or(Shape::SCALAR);
        // An empty range moves nothing: its start may lie one past the last index.
        let offset = if length == 0 { 0 } else { start.cast_signed().wrapping_mul(stride) };
        let origin = self.origin.checked_add_signed(offset).unwrap_or(self.origin);
        Ok(Self::checked(self.data, origin, StridedShape::new(&shape, &strides)?))
    }

    /// Whether elements lie one after another in column-major order.
    pub(crate) fn is_column_major(&self) -> bool {
        self.strides().are_column_major(self.shape())
    }

    /// The shape, with the strides.
    pub(crate) fn strided_shape(&self) -> StridedShape {
        self.shape
    }

    /// The shortest slice that holds all elements, and where element `[0, ..., 0]` lies in it.
    pub(crate) fn reached(&self) -> (&'a [T], usize) {
        if self.shape().contains(&0) {
            return (&[], 0);
        }
        let reached = self.strides().reach(self.shape()).and_then(|reach| {
            let start = self.origin.checked_add_signed(reach.lowest)?;
            let end = self.origin.checked_add_signed(reach.highest)?.checked_add(1)?;
            Some((self.data.get(start..end)?, reach.lowest.unsigned_abs()))
        });
        // All of it was checked to lie inside when the view was made.
        reached.unwrap_or((self.data, self.origin))
    }

    /// The slice that holds all elements, and where element `[0, ..., 0]` lies in it.
    pub(crate) fn storage(&self) -> (&'a [T], usize) {
        (self.data, self.origin)
    }
}

impl<T: Element> PartialEq for TensorView<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        if self.shape() != other.shape() {
            return false;
        }
        match (self.as_slice(), other.as_slice()) {
            (Some(left), Some(right)) => left == right,
            _ => self.iter().eq(other.iter()),
        }
    }
}

impl<T: Element> fmt::Debug for TensorView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TensorView<{}>{:?} ", T::TYPE, self.shape())?;
        fmt_elements(f, self.iter())
    }
}

/// The first elements; the rest as dots.
pub(crate) fn fmt_elements<T: fmt::Debug>(
    f: &mut fmt::Formatter<'_>,
    elements: impl Iterator<Item = T>,
) -> fmt::Result {
    const SHOWN: usize = 8;
    f.write_str("[")?;
    for (position, element) in elements.take(SHOWN.saturating_add(1)).enumerate() {
        match position {
            0 => write!(f, "{element:?}")?,
            SHOWN => f.write_str(", ..")?,
            _ => write!(f, ", {element:?}")?,
        }
    }
    f.write_str("]")
}

impl<'a, T: Element> IntoIterator for TensorView<'a, T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
