//! Walks over all elements of a dense tensor in row-major order of the result, without a division per element.

use smallvec::SmallVec;

use super::axes::{Axes, Axis};

/// Takes elements from where they are stored to where they belong in a row-major result.
pub(crate) trait Transfer {
    /// Stored elements `from..from + len` are elements `to..to + len` of the result.
    fn run(&mut self, from: usize, to: usize, len: usize);

    /// Stored element `base + offsets[j]` is element `to + j` of the result. Sums wrap.
    #[inline]
    fn gather(&mut self, base: usize, offsets: &[usize], to: usize) {
        for (to, offset) in (to..).zip(offsets) {
            self.run(base.wrapping_add(*offset), to, 1);
        }
    }
}

/// Elements of the innermost dimension that are walked at a time: their offsets are computed once for all rows,
/// and the columns of sources with a long stride stay in the cache from row to row.
const CHUNK: usize = 512;

/// Below this mean length of runs of neighbours, elements are gathered one by one.
const SHORT_RUN: usize = 4;

/// Walks a non-empty shape. `first` is the position of element `[0, ..., 0]`.
pub(crate) fn walk(axes: &Axes, shape: &[usize], first: usize, transfer: &mut impl Transfer) {
    let merged = merge(axes, shape);
    let Some(((extent, inner), outer)) = merged.split_last() else {
        transfer.run(first, 0, 1);
        return;
    };
    let is_contiguous = inner.stride() == Some(1);
    let chunk = if is_contiguous { *extent } else { CHUNK };
    let mut offsets = Vec::new();
    let mut runs = Vec::new();
    let mut column = Counter::new(*extent, inner);
    for start in (0..*extent).step_by(chunk) {
        let len = chunk.min(extent.saturating_sub(start));
        if is_contiguous {
            runs = vec![Run { from: 0, to: 0, len }];
        } else {
            offsets.clear();
            offsets.extend((0..len).map(|_| column.step()));
            runs = find_runs(&offsets);
        }
        let gathers = runs.len().saturating_mul(SHORT_RUN) > len && len >= SHORT_RUN;
        let mut to = start;
        rows(outer, |row| {
            let base = first.wrapping_add(row);
            if gathers {
                transfer.gather(base, &offsets, to);
            } else {
                for run in &runs {
                    transfer.run(base.wrapping_add(run.from), to.wrapping_add(run.to), run.len);
                }
            }
            to = to.wrapping_add(*extent);
        });
    }
    drop(runs);
}

/// Neighbours in the source that are neighbours in the result.
struct Run {
    from: usize,
    to: usize,
    len: usize,
}

fn find_runs(offsets: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (to, &from) in offsets.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.from.wrapping_add(run.len) == from => run.len = run.len.saturating_add(1),
            _ => runs.push(Run { from, to, len: 1 }),
        }
    }
    runs
}

/// The dimensions that matter: without those of size 1, and with neighbours merged where they make up one.
fn merge(axes: &Axes, shape: &[usize]) -> SmallVec<[(usize, Axis); 4]> {
    let mut merged: SmallVec<[(usize, Axis); 4]> = SmallVec::new();
    for (axis, &extent) in axes.iter().zip(shape).rev().filter(|(_, extent)| **extent > 1) {
        if let Some((inner_extent, inner)) = merged.last_mut()
            && let (Some(stride), Some(inner_stride)) = (axis.stride(), inner.stride())
            && isize::try_from(*inner_extent).ok().and_then(|n| inner_stride.checked_mul(n)) == Some(stride)
            && let Some(product) = inner_extent.checked_mul(extent)
        {
            *inner_extent = product;
            *inner = Axis::linear(product, inner_stride);
        } else {
            merged.push((extent, axis.clone()));
        }
    }
    merged.reverse();
    merged
}

/// Visits the offset of every index of the outer dimensions, the last fastest.
fn rows(outer: &[(usize, Axis)], mut visit: impl FnMut(usize)) {
    let mut counters: SmallVec<[Counter<'_>; 8]> =
        outer.iter().map(|(extent, axis)| Counter::new(*extent, axis)).collect();
    let mut offset = 0_usize;
    loop {
        visit(offset);
        let mut carried = true;
        for counter in counters.iter_mut().rev() {
            let before = counter.offset;
            carried = counter.advance();
            offset = offset.wrapping_sub(before).wrapping_add(counter.offset);
            if !carried {
                break;
            }
        }
        if carried {
            return;
        }
    }
}

/// An index along one axis that counts up, with its offset, by carrying from digit to digit.
struct Counter<'a> {
    axis: &'a Axis,
    left: usize,
    extent: usize,
    digits: SmallVec<[usize; 4]>,
    offset: usize,
}

impl<'a> Counter<'a> {
    fn new(extent: usize, axis: &'a Axis) -> Self {
        Self { axis, left: extent, extent, digits: SmallVec::from_elem(0, axis.digits.len()), offset: 0 }
    }

    /// The offset, and then one on.
    #[inline]
    fn step(&mut self) -> usize {
        let offset = self.offset;
        self.advance();
        offset
    }

    /// Counts up; `true` when that wraps around to 0.
    #[inline]
    fn advance(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.left = self.extent;
            self.offset = 0;
            self.digits.fill(0);
            return true;
        }
        for (value, digit) in self.digits.iter_mut().zip(&self.axis.digits) {
            *value = value.wrapping_add(1);
            let stride = digit.stride.cast_unsigned();
            self.offset = self.offset.wrapping_add(stride);
            if *value < digit.extent {
                break;
            }
            self.offset = self.offset.wrapping_sub(stride.wrapping_mul(*value));
            *value = 0;
        }
        false
    }
}
