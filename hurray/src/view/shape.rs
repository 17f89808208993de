//! The shape of a typed view: inline, so that a view is a plain value.

use std::fmt;
use std::ops::Deref;

use crate::error::TensorError;

/// The dimensions of a typed view, in elements; rank 0 to 8.
#[derive(Clone, Copy)]
pub struct Shape {
    dims: [usize; Self::MAX_RANK],
    rank: u8,
}

impl Shape {
    /// The largest rank of a typed view. Tensors of rank 9 to 64 have `DynTensorView`.
    pub const MAX_RANK: usize = 8;

    /// The shape of a scalar.
    pub const SCALAR: Self = Self { dims: [0; Self::MAX_RANK], rank: 0 };

    /// A shape from dimensions.
    ///
    /// # Errors
    ///
    /// [`TensorError::RankTooHigh`] above rank 8.
    pub fn new(dims: &[usize]) -> Result<Self, TensorError> {
        Self::from_dims(dims.iter().copied()).ok_or_else(|| TensorError::rank_too_high(dims.len()))
    }

    /// A shape from dimensions; `None` above rank 8.
    pub(crate) fn from_dims(dims: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut shape = Self::SCALAR;
        for dim in dims {
            *shape.dims.get_mut(usize::from(shape.rank))? = dim;
            shape.rank = shape.rank.checked_add(1)?;
        }
        Some(shape)
    }

    /// The dimensions, dimension 0 first.
    #[must_use]
    #[inline]
    pub fn dims(&self) -> &[usize] {
        self.dims.get(..usize::from(self.rank)).unwrap_or_default()
    }

    /// The number of dimensions.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// The product of the dimensions, 1 for a scalar; `None` past `usize`, unless a dimension is 0.
    #[must_use]
    #[inline]
    pub fn element_count(&self) -> Option<usize> {
        element_count(self.dims())
    }
}

/// The product of dimensions; `None` past `usize`, unless one is 0.
#[inline]
pub(super) fn element_count(dims: &[usize]) -> Option<usize> {
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1usize, |product, &dim| product.checked_mul(dim))
}

impl Deref for Shape {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        self.dims()
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.dims() == other.dims()
    }
}

impl Eq for Shape {}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dims().fmt(f)
    }
}
