//! The rows of strided elements: an odometer over all dimensions but the innermost.

use smallvec::SmallVec;

/// One dimension outside of the rows. The position is two's complement, so that negative strides add up by wrapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outer {
    pub(super) extent: usize,
    pub(super) stride: usize,
    at: usize,
}

/// Elements in row-major order of their indices, as rows of one length in each of which neighbours have one
/// distance. Dimensions of size 1 are left out, and those that make up one with their neighbour are merged: what is
/// contiguous is a single row.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Innermost first.
    outer: SmallVec<[Outer; 7]>,
    /// Elements of a row.
    len: usize,
    /// From an element of a row to the next.
    step: isize,
    /// Where the row that comes next starts.
    start: usize,
}

impl Rows {
    /// The rows of a non-empty shape, from element `[0, ..., 0]` at `origin` on. `dims` are extents and strides,
    /// dimension 0 first.
    pub(super) fn new(origin: usize, dims: impl DoubleEndedIterator<Item = (usize, isize)>) -> Self {
        let mut dims = dims.rev().filter(|(extent, _)| *extent != 1);
        let (len, step) = dims.next().unwrap_or((1, 1));
        let mut rows = Self { outer: SmallVec::new(), len, step, start: origin };
        for (extent, stride) in dims {
            let (inner_len, inner_stride) = match rows.outer.last_mut() {
                Some(outer) => (&mut outer.extent, outer.stride.cast_signed()),
                None => (&mut rows.len, rows.step),
            };
            let is_next =
                isize::try_from(*inner_len).ok().and_then(|n| n.checked_mul(inner_stride)) == Some(stride);
            match inner_len.checked_mul(extent).filter(|_| is_next) {
                Some(product) => *inner_len = product,
                None => rows.outer.push(Outer { extent, stride: stride.cast_unsigned(), at: 0 }),
            }
        }
        rows
    }

    /// The number of elements of each row.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The distance from an element of a row to the next.
    #[inline]
    pub(super) fn step(&self) -> isize {
        self.step
    }

    /// The dimensions outside of a row, innermost first.
    pub(super) fn outer(&self) -> &[Outer] {
        &self.outer
    }

    /// The same rows as they lie in a row-major copy.
    pub(super) fn packed(&self) -> Self {
        let mut pitch = self.len;
        let outer = self.outer.iter().map(|outer| {
            let stride = pitch;
            pitch = pitch.wrapping_mul(outer.extent);
            Outer { stride, at: 0, ..*outer }
        });
        Self { outer: outer.collect(), len: self.len, step: 1, start: 0 }
    }

    /// The rows at index 0 of one of the dimensions outside of them.
    pub(super) fn without(mut self, outer: usize) -> Self {
        if outer < self.outer.len() {
            self.outer.remove(outer);
        }
        self
    }

    /// Where the next row starts; goes on behind it. After the last row comes the first.
    #[inline]
    pub(super) fn next_start(&mut self) -> usize {
        let start = self.start;
        for outer in &mut self.outer {
            outer.at = outer.at.wrapping_add(1);
            self.start = self.start.wrapping_add(outer.stride);
            if outer.at < outer.extent {
                break;
            }
            self.start = self.start.wrapping_sub(outer.stride.wrapping_mul(outer.extent));
            outer.at = 0;
        }
        start
    }

    /// Passes over rows.
    pub(super) fn skip(&mut self, rows: usize) {
        let mut carry = rows;
        for outer in &mut self.outer {
            if carry == 0 {
                break;
            }
            let before = outer.at;
            let sum = before.saturating_add(carry);
            outer.at = sum.checked_rem(outer.extent).unwrap_or(0);
            carry = sum.checked_div(outer.extent).unwrap_or(0);
            let steps = outer.at.wrapping_sub(before);
            self.start = self.start.wrapping_add(steps.wrapping_mul(outer.stride));
        }
    }
}

/// Elements of one row at equal distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) step: isize,
    pub(super) len: usize,
}

/// Where elements lie, in row-major order of their indices: one by one, or run by run.
#[derive(Debug, Clone)]
pub(super) struct Positions {
    rows: Rows,
    /// Of the next element of this row.
    position: usize,
    /// Elements of this row to come.
    left: usize,
    /// Elements of all rows after this one.
    after: usize,
}

impl Positions {
    /// All `count` elements of some rows.
    pub(super) fn new(rows: Rows, count: usize) -> Self {
        Self { rows, position: 0, left: 0, after: count }
    }

    /// Those of no element.
    pub(super) fn none() -> Self {
        Self::new(Rows::new(0, std::iter::empty()), 0)
    }

    /// How many are left.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.left.saturating_add(self.after)
    }

    /// Goes to the next row; `false` if there is none.
    #[inline]
    fn next_row(&mut self) -> bool {
        self.left = self.rows.len().min(self.after);
        self.after = self.after.wrapping_sub(self.left);
        if self.left > 0 {
            self.position = self.rows.next_start();
        }
        self.left > 0
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.left == 0 && !self.next_row() {
            return None;
        }
        self.left = self.left.wrapping_sub(1);
        let position = self.position;
        self.position = position.wrapping_add(self.rows.step.cast_unsigned());
        Some(position)
    }

    /// As [`Iterator::nth`].
    pub(super) fn nth(&mut self, n: usize) -> Option<usize> {
        let mut n = n;
        if let Some(beyond) = n.checked_sub(self.left) {
            // Whole rows first.
            let rows = beyond.checked_div(self.rows.len).unwrap_or(0);
            let passed = rows.saturating_mul(self.rows.len);
            self.left = 0;
            self.after = self.after.saturating_sub(passed);
            self.rows.skip(rows);
            if !self.next_row() {
                return None;
            }
            n = beyond.saturating_sub(passed);
        }
        self.left = self.left.saturating_sub(n);
        self.position = self.position.wrapping_add(n.wrapping_mul(self.rows.step.cast_unsigned()));
        self.next()
    }

    /// The next elements, as far as they are of one row and at most `limit`.
    #[inline]
    pub(super) fn next_run(&mut self, limit: usize) -> Option<Run> {
        if limit == 0 || (self.left == 0 && !self.next_row()) {
            return None;
        }
        let run = Run { start: self.position, step: self.rows.step, len: self.left.min(limit) };
        self.left = self.left.wrapping_sub(run.len);
        self.position = run.start.wrapping_add(run.len.wrapping_mul(run.step.cast_unsigned()));
        Some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;

    fn rows(origin: usize, dims: &[(usize, isize)]) -> Rows {
        Rows::new(origin, dims.iter().copied())
    }

    #[test]
    fn what_is_contiguous_is_one_row() {
        for dims in [&[][..], &[(1, 7)], &[(6, 1)], &[(2, 3), (3, 1)], &[(2, 12), (1, 5), (3, 4), (4, 1)]] {
            let rows = rows(0, dims);
            assert_eq!((rows.len(), rows.step()), (dims.iter().map(|dim| dim.0).product(), 1), "{dims:?}");
            assert!(rows.outer().is_empty(), "{dims:?}");
        }
    }

    #[test]
    fn dimensions_merge_where_one_stride_leads_through_both() {
        // Backwards, repeated, and columns.
        assert_eq!((rows(5, &[(2, -3), (3, -1)]).len(), rows(5, &[(2, -3), (3, -1)]).step()), (6, -1));
        assert_eq!((rows(0, &[(2, 0), (3, 0)]).len(), rows(0, &[(2, 0), (3, 0)]).step()), (6, 0));
        let columns = rows(0, &[(2, 1), (3, 2)]);
        assert_eq!((columns.len(), columns.step(), columns.outer().len()), (3, 2, 1));
        // More elements than memory has: not merged.
        assert_eq!(rows(0, &[(usize::MAX, 0), (3, 0)]).outer().len(), 1);
    }

    #[test]
    fn skipping_is_going_on_so_often() {
        let dims = [(3, 100), (2, -10), (4, 3), (2, 1)];
        for rows_skipped in 0..50 {
            let (mut skipped, mut walked) = (rows(10, &dims), rows(10, &dims));
            skipped.skip(rows_skipped);
            for _ in 0..rows_skipped {
                walked.next_start();
            }
            assert_eq!(skipped.next_start(), walked.next_start(), "{rows_skipped}");
            assert_eq!(skipped.next_start(), walked.next_start(), "{rows_skipped}");
        }
    }
}
