//! The elements of a dense view, one by one.

use crate::element::Element;
use crate::view::Shape;
use crate::view::strides::Strides;

/// The elements of a view in row-major order of their indices.
#[derive(Debug, Clone)]
pub struct Iter<'a, T> {
    data: &'a [T],
    shape: Shape,
    strides: Strides,
    index: [usize; Shape::MAX_RANK],
    /// Of the next element, in `data`.
    position: isize,
    remaining: usize,
}

impl<'a, T: Element> Iter<'a, T> {
    /// Every element was checked to lie in `data`.
    pub(super) fn new(data: &'a [T], origin: usize, shape: Shape, strides: Strides) -> Self {
        Self {
            data,
            shape,
            strides,
            index: [0; Shape::MAX_RANK],
            position: origin.cast_signed(),
            remaining: shape.element_count().unwrap_or(usize::MAX),
        }
    }

    /// Moves on by one, as an odometer: no division, and one addition for all but the last of a row.
    #[inline]
    fn advance(&mut self) {
        let rank = self.shape.rank();
        let dims = self.shape.dims().iter().rev();
        let strides = self.strides.as_slice(rank).iter().rev();
        let index = self.index.get_mut(..rank).unwrap_or_default().iter_mut().rev();
        for ((at, &dim), &stride) in index.zip(dims).zip(strides) {
            *at = at.wrapping_add(1);
            self.position = self.position.wrapping_add(stride);
            if *at < dim {
                return;
            }
            self.position = self.position.wrapping_sub(stride.wrapping_mul(dim.cast_signed()));
            *at = 0;
        }
    }
}

impl<T: Element> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.remaining = self.remaining.checked_sub(1)?;
        let element = usize::try_from(self.position).ok().and_then(|at| self.data.get(at)).copied();
        self.advance();
        element
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}
