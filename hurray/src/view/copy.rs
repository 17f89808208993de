//! Copies of strided elements in row-major order.
//!
//! Where columns are contiguous and rows are not, as in column-major order, a copy row by row would touch a cache line
//! per element, and use it again a whole row later. Such planes are copied in blocks that read and write lines in full.

use bytemuck::Pod;

use crate::element::Element;
use crate::view::Iter;
use crate::view::rows::{Outer, Rows};

/// The elements of `rows`, of which there are `count`, in row-major order.
pub(super) fn row_major<T: Element>(data: &[T], rows: Rows, count: usize) -> Vec<T> {
    if rows.len() >= SHORT_ROW && columns(&rows).is_none() {
        let mut elements = Vec::with_capacity(count);
        Iter::new(data, rows, count).append_to(&mut elements, count);
        return elements;
    }
    let mut elements = bytemuck::allocation::zeroed_vec(count);
    let (data, to) = (bytemuck::cast_slice(data), bytemuck::cast_slice_mut(&mut elements));
    row_major_bytes(data, to, (size_of::<T>(), align_of::<T>()), rows);
    elements
}

/// The same for the bytes of elements of that size and alignment. A copy is there once for each size, and not for each
/// type in each crate.
fn row_major_bytes(data: &[u8], to: &mut [u8], size_and_alignment: (usize, usize), rows: Rows) {
    fn of<T: Pod>(data: &[u8], to: &mut [u8], rows: Rows) {
        // Both were cast from elements of that size, and no less aligned.
        if let (Ok(data), Ok(to)) = (bytemuck::try_cast_slice::<_, T>(data), bytemuck::try_cast_slice_mut(to))
        {
            copy(data, to, rows);
        }
    }
    match size_and_alignment {
        (1, _) => of::<u8>(data, to, rows),
        (2, _) => of::<u16>(data, to, rows),
        (4, _) => of::<u32>(data, to, rows),
        (8, 8) => of::<u64>(data, to, rows),
        (8, _) => of::<[u32; 2]>(data, to, rows),
        (_, 8) => of::<[u64; 2]>(data, to, rows),
        _ => of::<[u8; 16]>(data, to, rows),
    }
}

fn copy<T: Pod>(data: &[T], to: &mut [T], rows: Rows) {
    if transposed(data, &rows, to).is_none() {
        short_rows(data, rows, to);
    }
}

/// Rows that are shorter than this are copied element by element: a call for each would take longer.
const SHORT_ROW: usize = 16;

fn short_rows<T: Pod>(data: &[T], mut rows: Rows, to: &mut [T]) {
    let step = rows.step().cast_unsigned();
    for row in to.chunks_exact_mut(rows.len().max(1)) {
        let mut position = rows.next_start();
        for slot in row {
            // What is outside is never asked for: the view was checked.
            *slot = data.get(position).copied().unwrap_or_else(T::zeroed);
            position = position.wrapping_add(step);
        }
    }
}

/// Columns that are shorter than this are no better read in blocks.
const LEAST_HEIGHT: usize = 8;

/// The dimension outside of the rows along which columns are contiguous. `None` where blocks win nothing: rows are
/// contiguous, or no dimension outside of them is, or that is short.
fn columns(rows: &Rows) -> Option<usize> {
    let is_down = |outer: &Outer| outer.stride == 1 && outer.extent >= LEAST_HEIGHT;
    rows.outer().iter().position(is_down).filter(|_| rows.step().unsigned_abs() > 1)
}

/// The same in blocks, if there are such columns.
fn transposed<T: Pod>(data: &[T], rows: &Rows, elements: &mut [T]) -> Option<()> {
    let down = columns(rows)?;
    let packed = rows.packed();
    let plane = Plane {
        data,
        height: rows.outer().get(down)?.extent,
        width: rows.len(),
        step: rows.step().cast_unsigned(),
        pitch: packed.outer().get(down)?.stride,
    };
    let planes = elements.len().checked_div(plane.height.checked_mul(plane.width)?)?;
    let (mut sources, mut targets) = (rows.clone().without(down), packed.without(down));
    for _ in 0..planes {
        let (from, to) = (sources.next_start(), elements.get_mut(targets.next_start()..)?);
        // Blocks are a cache line of 64 bytes wide and high.
        match size_of::<T>() {
            1 => plane.copy::<64>(from, to)?,
            2 => plane.copy::<32>(from, to)?,
            4 => plane.copy::<16>(from, to)?,
            _ => plane.copy::<8>(from, to)?,
        }
    }
    Some(())
}

/// Columns, each contiguous in `data`.
struct Plane<'a, T> {
    data: &'a [T],
    height: usize,
    width: usize,
    /// From column to column.
    step: usize,
    /// From row to row of the copy.
    pitch: usize,
}

impl<T: Pod> Plane<'_, T> {
    /// Copies in blocks of `B` rows and columns. `None` if an element lies outside, which checked views rule out.
    fn copy<const B: usize>(&self, from: usize, to: &mut [T]) -> Option<()> {
        for left in (0..self.width).step_by(B) {
            let columns = B.min(self.width.checked_sub(left)?);
            let first = from.wrapping_add(left.wrapping_mul(self.step));
            for top in (0..self.height).step_by(B) {
                let rows = B.min(self.height.checked_sub(top)?);
                let (from, to) = (first.wrapping_add(top), to.get_mut(top.checked_mul(self.pitch)?..)?);
                let to = to.get_mut(left..)?;
                if rows == B && columns == B {
                    self.block::<B>(from, to)?;
                } else {
                    self.edge(from, to, rows, columns)?;
                }
            }
        }
        Some(())
    }

    /// Columns are read one after another, rows written so: pages and cache lines are often apart by powers of two,
    /// and would push each other out of the cache.
    #[expect(clippy::indexing_slicing, reason = "arrays of `B` by indices below `B`")]
    fn block<const B: usize>(&self, from: usize, to: &mut [T]) -> Option<()> {
        let mut block = [[T::zeroed(); B]; B];
        for (at, column) in block.iter_mut().enumerate() {
            *column = *self.data.get(from.wrapping_add(at.wrapping_mul(self.step))..)?.first_chunk()?;
        }
        for (at, line) in to.chunks_mut(self.pitch.max(1)).take(B).enumerate() {
            let line: &mut [T; B] = line.first_chunk_mut()?;
            *line = std::array::from_fn(|column| block[column][at]);
        }
        Some(())
    }

    fn edge(&self, from: usize, to: &mut [T], rows: usize, columns: usize) -> Option<()> {
        for column in 0..columns {
            let start = from.wrapping_add(column.wrapping_mul(self.step));
            let elements = self.data.get(start..start.checked_add(rows)?)?;
            for (slot, element) in to.get_mut(column..)?.iter_mut().step_by(self.pitch.max(1)).zip(elements) {
                *slot = *element;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{row_major, transposed};
    use crate::element::{Complex64, Complex128, Element, F128};
    use crate::view::rows::Rows;

    /// Sides that end within a block, on its edge, and behind it, for elements of every size.
    #[test]
    fn columns_come_out_as_rows() {
        fn check<T: Element>(of: impl Fn(usize) -> T) {
            for height in [8, 16, 63, 64, 65] {
                for width in [2, 15, 16, 17, 64, 70] {
                    for depth in [1, 3] {
                        let data: Vec<T> = (0..height * width * depth).map(&of).collect();
                        // Columns of each layer, the layers between rows and columns in the copy.
                        let dims = [(height, 1), (depth, height * width), (width, height)];
                        let rows = Rows::new(0, dims.into_iter().map(|(n, stride)| (n, stride as isize)));
                        let mut expected = Vec::new();
                        for row in 0..height {
                            for layer in 0..depth {
                                let at = |column| row + layer * height * width + column * height;
                                expected.extend((0..width).map(|column| data[at(column)]));
                            }
                        }
                        let mut elements = vec![T::zeroed(); data.len()];
                        assert_eq!(transposed(&data, &rows, &mut elements), Some(()));
                        assert_eq!(elements, expected);
                    }
                }
            }
        }
        check(|at| at as u8);
        check(|at| at as u16);
        check(|at| at as u32);
        check(|at| at as u64);
    }

    /// Short rows, and columns in blocks.
    #[test]
    fn elements_of_every_size_and_alignment_are_copied() {
        fn check<T: Element>() {
            for (height, width) in [(3, 5), (20, 7), (17, 40)] {
                let bytes: Vec<u8> =
                    (0..height * width * size_of::<T>()).map(|at| (at % 251) as u8).collect();
                let data: Vec<T> = bytemuck::pod_collect_to_vec(&bytes);
                let dims = [(height, 1), (width, height)];
                let rows = Rows::new(0, dims.into_iter().map(|(n, stride)| (n, stride as isize)));
                let copied = row_major(&data, rows, data.len());
                for (at, element) in copied.iter().enumerate() {
                    let from = data[at / width + at % width * height];
                    assert_eq!(bytemuck::bytes_of(element), bytemuck::bytes_of(&from));
                }
            }
        }
        check::<u8>();
        check::<half::bf16>();
        check::<f32>();
        check::<f64>();
        check::<Complex64>();
        check::<Complex128>();
        check::<F128>();
    }

    #[test]
    fn nothing_is_won_where_rows_are_contiguous_or_columns_are_not() {
        let data = [0_u8; 4096];
        for dims in [[(16, 16), (15, 1)], [(16, 2), (16, 32)], [(4, 1), (16, 4)], [(16, 0), (16, 1)]] {
            assert_eq!(transposed(&data, &Rows::new(0, dims.into_iter()), &mut [0]), None, "{dims:?}");
        }
    }
}
