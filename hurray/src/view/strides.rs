//! The strides of a typed view, in elements.

use crate::error::TensorError;
use crate::view::Shape;

/// One signed stride per dimension, in elements; the rank is the shape's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strides([isize; Shape::MAX_RANK]);

/// The lowest and highest offset, in elements from element `[0, ..., 0]`, that a shape reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) lowest: isize,
    pub(crate) highest: isize,
}

impl Strides {
    #[inline]
    pub(crate) fn row_major(shape: &Shape) -> Self {
        Self::accumulate(shape.iter().enumerate().rev())
    }

    pub(crate) fn column_major(shape: &Shape) -> Self {
        Self::accumulate(shape.iter().enumerate())
    }

    /// Strides grow by each dimension in turn. A product past `isize` belongs to an empty shape or to one
    /// whose element count is refused elsewhere, so saturating it is never observed.
    fn accumulate<'d>(dims: impl Iterator<Item = (usize, &'d usize)>) -> Self {
        let mut strides = [0; Shape::MAX_RANK];
        let mut next = 1isize;
        for (axis, &dim) in dims {
            if let Some(stride) = strides.get_mut(axis) {
                *stride = next;
            }
            next = next.saturating_mul(isize::try_from(dim).unwrap_or(isize::MAX));
        }
        Self(strides)
    }

    /// Those of the first four dimensions, none of them negative; the others are 0.
    #[inline(always)]
    pub(crate) fn from_counts(strides: [usize; 4]) -> Self {
        let [s0, s1, s2, s3] = strides.map(usize::cast_signed);
        Self([s0, s1, s2, s3, 0, 0, 0, 0])
    }

    pub(crate) fn from_slice(strides: &[isize]) -> Option<Self> {
        let mut all = [0; Shape::MAX_RANK];
        all.get_mut(..strides.len())?.copy_from_slice(strides);
        Some(Self(all))
    }

    #[inline]
    pub(crate) fn as_slice(&self, rank: usize) -> &[isize] {
        self.0.get(..rank).unwrap_or_default()
    }

    /// Whether elements lie one after another in row-major order. Dimensions of size 1 may have any stride, and so
    /// may all of a tensor without elements.
    #[inline]
    pub(crate) fn is_row_major(&self, shape: &Shape) -> bool {
        shape.contains(&0) || Self::are_dense(shape.iter().zip(&self.0).rev())
    }

    /// The same in column-major order.
    pub(crate) fn is_column_major(&self, shape: &Shape) -> bool {
        shape.contains(&0) || Self::are_dense(shape.iter().zip(&self.0))
    }

    /// Whether each stride is the number of elements of the dimensions before it.
    fn are_dense<'d>(mut dims: impl Iterator<Item = (&'d usize, &'d isize)>) -> bool {
        let mut expected = 1isize;
        dims.all(|(&dim, &stride)| {
            let is_next = dim == 1 || stride == expected;
            expected = expected.saturating_mul(isize::try_from(dim).unwrap_or(isize::MAX));
            is_next
        })
    }

    /// How far below and above the origin a non-empty shape reaches; `None` past `isize`.
    pub(crate) fn reach(&self, shape: &Shape) -> Option<Reach> {
        let mut reach = Reach { lowest: 0, highest: 0 };
        for (&dim, &stride) in shape.iter().zip(&self.0) {
            let last = isize::try_from(dim.saturating_sub(1)).ok()?.checked_mul(stride)?;
            if last < 0 {
                reach.lowest = reach.lowest.checked_add(last)?;
            } else {
                reach.highest = reach.highest.checked_add(last)?;
            }
        }
        Some(reach)
    }

    /// The offset of an index, in elements from the origin; an error when it is outside the shape.
    #[inline]
    pub(crate) fn offset(&self, shape: &Shape, index: &[usize]) -> Option<isize> {
        if index.len() != shape.rank() {
            return None;
        }
        let mut offset = 0isize;
        for ((&at, &dim), &stride) in index.iter().zip(shape.iter()).zip(&self.0) {
            if at >= dim {
                return None;
            }
            // Inside the shape nothing overflows: `reach` was checked when the view was made.
            offset = offset.wrapping_add(at.cast_signed().wrapping_mul(stride));
        }
        Some(offset)
    }
}

/// Whether every element of `shape` under `strides`, counted from `origin`, lies in `0..len`.
pub(crate) fn check_reach(
    shape: &Shape,
    strides: &Strides,
    origin: usize,
    len: usize,
) -> Result<(), TensorError> {
    if shape.contains(&0) {
        return Ok(());
    }
    let fits = strides.reach(shape).is_some_and(|reach| {
        origin.checked_add_signed(reach.lowest).is_some()
            && origin.checked_add_signed(reach.highest).is_some_and(|highest| highest < len)
    });
    if fits {
        Ok(())
    } else {
        Err(TensorError::Shape {
            expected: vec![u64::try_from(len).unwrap_or(u64::MAX)],
            found: shape.iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect(),
        })
    }
}
