//! The strides of a typed view, in elements.

use std::iter::Take;
use std::ops::Deref;
use std::{array, fmt};

use crate::error::TensorError;
use crate::view::Shape;

/// The strides of a typed view, in elements, one for each dimension; a slice of them, and compared with arrays.
///
/// ```
/// use hurray::TensorView;
///
/// let view = TensorView::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
/// assert_eq!(view.strides(), [3, 1]);
/// assert_eq!(view.narrow(1, 0, 2)?.strides(), [3, 1]);
/// # Ok::<(), hurray::TensorError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Strides {
    strides: [isize; Shape::MAX_RANK],
    rank: u8,
}

/// The lowest and highest offset, in elements from element `[0, ..., 0]`, that a shape reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) lowest: isize,
    pub(crate) highest: isize,
}

impl Strides {
    const NONE: Self = Self { strides: [0; Shape::MAX_RANK], rank: 0 };

    /// Of at most eight dimensions.
    pub(crate) fn row_major(dims: &[usize]) -> Self {
        Self::accumulate(dims.len(), dims.iter().enumerate().rev())
    }

    /// Of at most eight dimensions.
    pub(crate) fn column_major(dims: &[usize]) -> Self {
        Self::accumulate(dims.len(), dims.iter().enumerate())
    }

    /// Strides grow by each dimension in turn. A product past `isize` belongs to an empty shape or to one
    /// whose element count is refused elsewhere, so saturating it is never observed.
    fn accumulate<'d>(rank: usize, dims: impl Iterator<Item = (usize, &'d usize)>) -> Self {
        let mut strides = Self { rank: u8::try_from(rank).unwrap_or(0), ..Self::NONE };
        let mut next = 1isize;
        for (axis, &dim) in dims {
            if let Some(stride) = strides.strides.get_mut(axis) {
                *stride = next;
            }
            next = next.saturating_mul(isize::try_from(dim).unwrap_or(isize::MAX));
        }
        strides
    }

    /// Those of at most eight dimensions.
    pub(crate) fn collect(strides: impl IntoIterator<Item = isize>) -> Self {
        let mut all = Self::NONE;
        for (slot, stride) in all.strides.iter_mut().zip(strides) {
            *slot = stride;
            all.rank = all.rank.saturating_add(1);
        }
        all
    }

    /// `None` above rank 8.
    pub(crate) fn new(strides: &[isize]) -> Option<Self> {
        (strides.len() <= Shape::MAX_RANK).then(|| Self::collect(strides.iter().copied()))
    }

    /// Whether elements lie one after another in row-major order. Dimensions of size 1 may have any stride, and so
    /// may all of a tensor without elements.
    #[inline]
    pub(crate) fn are_row_major(&self, dims: &[usize]) -> bool {
        dims.contains(&0) || Self::are_dense(dims.iter().zip(self.iter()).rev())
    }

    /// The same in column-major order.
    pub(crate) fn are_column_major(&self, dims: &[usize]) -> bool {
        dims.contains(&0) || Self::are_dense(dims.iter().zip(self.iter()))
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
    pub(crate) fn reach(&self, dims: &[usize]) -> Option<Reach> {
        let mut reach = Reach { lowest: 0, highest: 0 };
        for (&dim, &stride) in dims.iter().zip(self.iter()) {
            let last = isize::try_from(dim.saturating_sub(1)).ok()?.checked_mul(stride)?;
            if last < 0 {
                reach.lowest = reach.lowest.checked_add(last)?;
            } else {
                reach.highest = reach.highest.checked_add(last)?;
            }
        }
        Some(reach)
    }
}

impl Deref for Strides {
    type Target = [isize];

    #[inline]
    fn deref(&self) -> &[isize] {
        self.strides.get(..usize::from(self.rank)).unwrap_or_default()
    }
}

impl PartialEq for Strides {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Strides {}

impl<const RANK: usize> PartialEq<[isize; RANK]> for Strides {
    fn eq(&self, other: &[isize; RANK]) -> bool {
        **self == *other
    }
}

impl IntoIterator for Strides {
    type Item = isize;
    type IntoIter = Take<array::IntoIter<isize, { Shape::MAX_RANK }>>;

    fn into_iter(self) -> Self::IntoIter {
        self.strides.into_iter().take(usize::from(self.rank))
    }
}

impl fmt::Debug for Strides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// The offset of an index of the same rank, in elements from element `[0, ..., 0]`; `None` when it is outside the shape.
#[inline]
pub(crate) fn offset(
    dims: &[usize],
    strides: impl IntoIterator<Item = isize>,
    index: &[usize],
) -> Option<isize> {
    let mut offset = 0isize;
    for ((&at, &dim), stride) in index.iter().zip(dims).zip(strides) {
        if at >= dim {
            return None;
        }
        // Inside the shape nothing overflows: how far it reaches was checked when the view was made.
        offset = offset.wrapping_add(at.cast_signed().wrapping_mul(stride));
    }
    Some(offset)
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
    let fits = strides.reach(shape.dims()).is_some_and(|reach| {
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
