//! The elements of a dense view, one by one.

use std::iter::{FusedIterator, repeat_n};

use crate::element::Element;
use crate::view::rows::{Positions, Rows, Run};

/// The elements of a view in row-major order of their indices.
///
/// Goes along the innermost dimension by a single addition per element. `fold`, and with it `for_each`, `sum` and the
/// like, go along slices where elements lie one after another.
#[derive(Debug, Clone)]
pub struct Iter<'a, T> {
    data: &'a [T],
    positions: Positions,
}

impl<'a, T: Element> Iter<'a, T> {
    /// Every element was checked to lie in `data`; `count` is how many there are.
    pub(super) fn new(data: &'a [T], rows: Rows, count: usize) -> Self {
        Self { data, positions: Positions::new(rows, count) }
    }

    /// Appends the next `count` elements, or all that are left.
    pub(super) fn append_to(&mut self, elements: &mut Vec<T>, count: usize) {
        let mut missing = count;
        while let Some(run) = self.positions.next_run(missing) {
            missing = missing.saturating_sub(run.len);
            match Elements::of(self.data, run) {
                Elements::Slice(slice) => elements.extend_from_slice(slice),
                Elements::Reversed(slice) => elements.extend(slice.iter().rev()),
                Elements::Same(element, len) => elements.resize(elements.len().saturating_add(len), element),
                Elements::Steps(run) => elements.extend(steps(self.data, run)),
            }
        }
    }
}

/// The elements of a run.
enum Elements<'a, T> {
    Slice(&'a [T]),
    /// From the last to the first.
    Reversed(&'a [T]),
    /// One that is repeated.
    Same(T, usize),
    Steps(Run),
}

impl<'a, T: Element> Elements<'a, T> {
    #[inline]
    fn of(data: &'a [T], run: Run) -> Self {
        let Run { start, step, len } = run;
        match step {
            1 => {
                let slice = start.checked_add(len).and_then(|end| data.get(start..end));
                Self::Slice(slice.unwrap_or_default())
            }
            -1 => {
                let first = start.wrapping_add(1).wrapping_sub(len);
                Self::Reversed(data.get(first..=start).unwrap_or_default())
            }
            0 => data.get(start).map_or(Self::Slice(&[]), |element| Self::Same(*element, len)),
            _ => Self::Steps(run),
        }
    }
}

#[inline]
fn steps<T: Element>(data: &[T], run: Run) -> impl Iterator<Item = T> {
    let Run { start, step, len } = run;
    (0..len).map(move |at| {
        let position = start.wrapping_add(at.wrapping_mul(step.cast_unsigned()));
        // What is outside is never asked for: the view was checked.
        data.get(position).copied().unwrap_or_else(T::zeroed)
    })
}

impl<T: Element> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.data.get(self.positions.next()?).copied()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.positions.len(), Some(self.positions.len()))
    }

    fn nth(&mut self, n: usize) -> Option<T> {
        self.data.get(self.positions.nth(n)?).copied()
    }

    #[inline]
    fn count(self) -> usize {
        self.len()
    }

    fn last(mut self) -> Option<T> {
        self.nth(self.len().checked_sub(1)?)
    }

    #[inline]
    fn fold<B, F: FnMut(B, T) -> B>(mut self, init: B, mut f: F) -> B {
        let mut accumulator = init;
        while let Some(run) = self.positions.next_run(usize::MAX) {
            accumulator = match Elements::of(self.data, run) {
                Elements::Slice(slice) => slice.iter().copied().fold(accumulator, &mut f),
                Elements::Reversed(slice) => slice.iter().rev().copied().fold(accumulator, &mut f),
                Elements::Same(element, len) => repeat_n(element, len).fold(accumulator, &mut f),
                Elements::Steps(run) => steps(self.data, run).fold(accumulator, &mut f),
            };
        }
        accumulator
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}

impl<T: Element> FusedIterator for Iter<'_, T> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::TensorView;
    use crate::view::index;

    /// A dimension and how its stride comes about: from what is inside of it, but twisted.
    fn dims() -> impl Strategy<Value = Vec<(usize, u8)>> {
        proptest::collection::vec(
            (prop_oneof![1 => Just(0_usize), 2 => Just(1), 12 => 2..12_usize], 0..8_u8),
            0..=5,
        )
    }

    /// Elements, origin, shape and strides: in an order of dimensions of its own, backwards, repeated, with gaps.
    fn laid_out(dims: &[(usize, u8)], order: u64) -> (Vec<u32>, usize, Vec<usize>, Vec<isize>) {
        let shape: Vec<usize> = dims.iter().map(|dim| dim.0).collect();
        let mut fastest: Vec<usize> = (0..dims.len()).rev().collect();
        if !fastest.is_empty() {
            // Mostly rows, sometimes columns, sometimes neither.
            match order % 4 {
                0 | 1 => {}
                2 => fastest.reverse(),
                _ => fastest.rotate_left(order as usize / 4 % dims.len()),
            }
        }
        let (mut strides, mut next, mut origin) = (vec![0_isize; dims.len()], 1_isize, 3_usize);
        for axis in fastest {
            let (extent, twist) = dims[axis];
            let stride = match twist {
                0 => 0,
                1 => -next,
                2 => next + 1,
                _ => next,
            };
            strides[axis] = stride;
            let span = extent.saturating_sub(1) as isize * stride;
            origin += if span < 0 { span.unsigned_abs() } else { 0 };
            next += span.abs();
        }
        let len = origin + next as usize + 3;
        ((0..len as u32).map(|at| at * 7 + 1).collect(), origin, shape, strides)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn all_ways_give_the_elements_of_the_indices(dims in dims(), order: u64, steps: Vec<u8>) {
            let (data, origin, shape, strides) = laid_out(&dims, order);
            let view = TensorView::from_strided(&data, origin, &shape, &strides).unwrap();
            let mut expected = Vec::new();
            index::each(&shape, |at| {
                let offset: isize = at.iter().zip(&strides).map(|(at, stride)| *at as isize * stride).sum();
                expected.push(data[(origin as isize + offset) as usize]);
                assert_eq!(view.get(at), expected.last().copied());
            });
            prop_assert_eq!(view.to_vec(), &expected[..]);
            prop_assert_eq!(view.iter().len(), expected.len());
            prop_assert_eq!(view.iter().last(), expected.last().copied());
            let mut next = Vec::new();
            for element in view {
                next.push(element);
            }
            prop_assert_eq!(next, &expected[..]);
            // Any mixture of single steps, leaps and copies, and then the rest at once.
            let (mut iter, mut slow) = (view.iter(), expected.iter().copied());
            for step in steps {
                let n = usize::from(step >> 2);
                match step & 3 {
                    0 => prop_assert_eq!(iter.next(), slow.next()),
                    1 => prop_assert_eq!(iter.nth(n), slow.nth(n)),
                    2 => prop_assert_eq!(iter.nth(n * 8), slow.nth(n * 8)),
                    _ => {
                        let mut copied = Vec::new();
                        iter.append_to(&mut copied, n);
                        prop_assert_eq!(copied, slow.by_ref().take(n).collect::<Vec<_>>());
                    }
                }
                prop_assert_eq!(iter.len(), slow.len());
                prop_assert_eq!(iter.clone().count(), slow.len());
            }
            let mut folded = Vec::new();
            iter.clone().for_each(|element| folded.push(element));
            prop_assert_eq!(folded, slow.collect::<Vec<_>>());
            prop_assert_eq!(iter.nth(expected.len()), None);
            prop_assert_eq!(iter.next(), None);
        }
    }

    #[test]
    fn strides_of_zero_are_no_obstacle_to_leaps_over_more_elements_than_memory_has() {
        let view = TensorView::from_strided(&[1_u8, 2], 0, &[usize::MAX / 4, 2, 2], &[0, 1, 0]).unwrap();
        let mut iter = view.iter();
        assert_eq!(iter.nth(usize::MAX / 2), Some(2));
        assert_eq!(iter.next(), Some(1));
        assert_eq!(iter.nth(usize::MAX), None);
        assert_eq!(iter.len(), 0);
    }
}
