//! Copies of strided elements in row-major order.
//!
//! Where columns are contiguous and rows are not, as in column-major order, a copy row by row would touch a cache line
//! per element, and use it again a whole row later. Such planes are copied in blocks that read and write lines in full.

use crate::element::Element;
use crate::view::Iter;
use crate::view::rows::{Outer, Rows};

/// The elements of `rows`, of which there are `count`, in row-major order.
pub(super) fn row_major<T: Element>(data: &[T], rows: Rows, count: usize) -> Vec<T> {
    if let Some(elements) = transposed(data, &rows, count) {
        return elements;
    }
    let mut elements = Vec::with_capacity(count);
    Iter::new(data, rows, count).append_to(&mut elements, count);
    elements
}

/// Columns that are shorter than this are no better read in blocks.
const LEAST_HEIGHT: usize = 8;

/// The same in blocks. `None` where nothing is won: rows are contiguous, or no dimension outside of them is, or that
/// is short.
fn transposed<T: Element>(data: &[T], rows: &Rows, count: usize) -> Option<Vec<T>> {
    let is_down = |outer: &Outer| outer.stride == 1 && outer.extent >= LEAST_HEIGHT;
    let down = rows.outer().iter().position(is_down).filter(|_| rows.step().unsigned_abs() > 1)?;
    let packed = rows.packed();
    let plane = Plane {
        data,
        height: rows.outer().get(down)?.extent,
        width: rows.len(),
        step: rows.step().cast_unsigned(),
        pitch: packed.outer().get(down)?.stride,
    };
    let planes = count.checked_div(plane.height.checked_mul(plane.width)?)?;
    let mut elements: Vec<T> = bytemuck::allocation::zeroed_vec(count);
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
    Some(elements)
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

impl<T: Element> Plane<'_, T> {
    /// Copies in blocks of `B` rows and columns. `None` if an element lies outside, which checked views rule out.
    fn copy<const B: usize>(&self, from: usize, to: &mut [T]) -> Option<()> {
        let mut block = [[T::zeroed(); B]; B];
        for left in (0..self.width).step_by(B) {
            let columns = B.min(self.width.checked_sub(left)?);
            for top in (0..self.height).step_by(B) {
                let rows = B.min(self.height.checked_sub(top)?);
                let first = from.wrapping_add(left.wrapping_mul(self.step)).wrapping_add(top);
                for at in 0..columns {
                    let start = first.wrapping_add(at.wrapping_mul(self.step));
                    let column = self.data.get(start..start.checked_add(rows)?)?;
                    for (line, element) in block.iter_mut().zip(column) {
                        *line.get_mut(at)? = *element;
                    }
                }
                let mut start = top.checked_mul(self.pitch)?.checked_add(left)?;
                for line in block.iter().take(rows) {
                    let row = to.get_mut(start..start.checked_add(columns)?)?;
                    match row.as_chunks_mut::<B>().0 {
                        [whole] => *whole = *line,
                        _ => row.iter_mut().zip(line).for_each(|(to, element)| *to = *element),
                    }
                    start = start.wrapping_add(self.pitch);
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::transposed;
    use crate::view::rows::Rows;

    /// Sides that end within a block, on its edge, and behind it, for elements of every size.
    #[test]
    fn columns_come_out_as_rows() {
        fn check<T: crate::element::Element>(of: impl Fn(usize) -> T) {
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
                        assert_eq!(transposed(&data, &rows, data.len()).as_deref(), Some(&expected[..]));
                    }
                }
            }
        }
        check(|at| at as u8);
        check(|at| at as u16);
        check(|at| at as u32);
        check(|at| at as u64);
    }

    #[test]
    fn nothing_is_won_where_rows_are_contiguous_or_columns_are_not() {
        let data = [0_u8; 4096];
        for dims in [[(16, 16), (15, 1)], [(16, 2), (16, 32)], [(4, 1), (16, 4)], [(16, 0), (16, 1)]] {
            assert_eq!(transposed(&data, &Rows::new(0, dims.into_iter()), 1), None, "{dims:?}");
        }
    }
}
