//! The Hilbert curve: Skilling's transform, dimension 0 most significant inside each bit plane (FORMAT §5.6).
//!
//! The transform turns what lies below a bit plane as a whole: it inverts coordinates and swaps them. So the part of
//! the curve through a small cube is that through any other of the size, turned, and [`Cubes`] keeps it.

use smallvec::SmallVec;

use super::index::Extents;

/// The position on the curve of a point; coordinates are below `2^order`. Uses up the coordinates.
pub(crate) fn encode(order: u32, point: &mut [usize]) -> usize {
    // The same for arrays, so that loops over the usual ranks have no end to look for.
    if let Ok(point) = <&mut [usize; 2]>::try_from(&mut *point) {
        return encode_point(order, point);
    }
    if let Ok(point) = <&mut [usize; 3]>::try_from(&mut *point) {
        return encode_point(order, point);
    }
    encode_point(order, point)
}

#[inline(always)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "rank * order <= 63 by rule LAY-HIL-01: shifts and products fit"
)]
fn encode_point(order: u32, point: &mut [usize]) -> usize {
    for bit in (1..order).rev() {
        let mask = (1_usize << bit) - 1;
        undo(point, 0, bit, mask);
        for i in 1..point.len() {
            undo(point, i, bit, mask);
        }
    }
    let mut previous = None;
    for coordinate in point.iter_mut() {
        *coordinate ^= previous.unwrap_or(0);
        previous = Some(*coordinate);
    }
    let last = previous.unwrap_or(0);
    let t = (1..order).rev().filter(|bit| last >> bit & 1 == 1).fold(0, |t, bit| t ^ ((1_usize << bit) - 1));
    let mut position = 0;
    for bit in (0..order).rev() {
        for coordinate in point.iter() {
            position = position << 1 | (coordinate ^ t) >> bit & 1;
        }
    }
    position
}

/// The point at a position on the curve.
pub(crate) fn decode(order: u32, position: usize, point: &mut [usize]) {
    untangle(order, position, point);
    turn(1..order, point, |_| {});
}

/// The bits of a position as coordinates, before anything is turned.
fn untangle(order: u32, position: usize, point: &mut [usize]) {
    point.fill(0);
    let mut rest = position;
    for bit in 0..order {
        for coordinate in point.iter_mut().rev() {
            *coordinate |= (rest & 1) << bit;
            rest >>= 1;
        }
    }
    let t = point.last().map_or(0, |last| last >> 1);
    let mut previous = 0;
    for coordinate in point.iter_mut() {
        let own = *coordinate;
        *coordinate ^= previous;
        previous = own;
    }
    if let Some(first) = point.first_mut() {
        *first ^= t;
    }
}

/// Turns what lies below each of some bit planes; tells which coordinates are swapped with coordinate 0.
#[expect(clippy::arithmetic_side_effects, reason = "bits are below 63 by rule LAY-HIL-01")]
fn turn(bits: std::ops::Range<u32>, point: &mut [usize], mut swapped: impl FnMut(usize)) {
    for bit in bits {
        let mask = (1_usize << bit) - 1;
        for i in (0..point.len()).rev() {
            if undo(point, i, bit, mask) {
                swapped(i);
            }
        }
    }
}

/// Inverts the low bits of coordinate 0, or swaps them with those of coordinate `i`, which it tells.
#[inline(always)]
fn undo(point: &mut [usize], i: usize, bit: u32, mask: usize) -> bool {
    let Some(own) = point.get(i).copied() else { return false };
    let Some(first) = point.first_mut() else { return false };
    if own >> bit & 1 == 1 {
        *first ^= mask;
        return false;
    }
    let t = (*first ^ own) & mask;
    *first ^= t;
    // For i = 0 this undoes nothing: t is 0.
    if let Some(own) = point.get_mut(i) {
        *own ^= t;
    }
    true
}

/// The points of a curve one after another, by way of small cubes: what is inside of them is looked up.
pub(crate) struct Cubes {
    order: u32,
    /// Of a cube.
    inner: u32,
    /// The points inside of a cube that nothing turned, `rank` numbers each: those of cubes at even places, and those
    /// of cubes at odd ones. Bits of a point below a cube's depend on its position above by one bit.
    points: [Vec<usize>; 2],
}

impl Cubes {
    /// In bits of the position.
    const LARGEST: u32 = 10;

    /// The cubes of a curve; `None` if the rank is too high for them.
    pub(crate) fn new(order: u32, rank: usize) -> Option<Self> {
        let rank_bits = u32::try_from(rank).ok()?;
        let inner = Self::LARGEST.checked_div(rank_bits)?.min(order);
        let bits = inner.checked_mul(rank_bits).filter(|bits| *bits > 0)?;
        let count = 1_usize.checked_shl(bits)?;
        let mut point = Extents::from_elem(0, rank);
        let mut points_from = |start: usize| {
            let mut points = Vec::with_capacity(count.saturating_mul(rank));
            for position in start..start.saturating_add(count) {
                // The one bit above is all that matters of the rest.
                untangle(inner.saturating_add(1), position, &mut point);
                point.iter_mut().for_each(|coordinate| *coordinate &= low_bits(inner));
                turn(1..inner, &mut point, |_| {});
                points.extend_from_slice(&point);
            }
            points
        };
        Some(Self { order, inner, points: [points_from(0), points_from(count)] })
    }

    /// Calls `visit` with the offset of every point under `strides`, in the order of the curve. Sums wrap.
    pub(crate) fn each(&self, strides: &[usize], mut visit: impl FnMut(usize)) {
        let rank = strides.len();
        let mut corner = Extents::from_elem(0, rank);
        let mut axes: SmallVec<[(usize, usize, usize); 4]> = SmallVec::from_elem((0, 0, 0), rank);
        let low = low_bits(self.inner);
        let bits = |order: u32| u32::try_from(rank).ok().and_then(|rank| rank.checked_mul(order));
        let cubes = bits(self.order.saturating_sub(self.inner)).and_then(|bits| 1_usize.checked_shl(bits));
        for cube in 0..cubes.unwrap_or(0) {
            let [even, odd] = &self.points;
            let points = if cube & 1 == 0 { even } else { odd };
            // The corner of the cube, and below it which coordinates the turns swap and invert.
            untangle(self.order.saturating_sub(self.inner), cube, &mut corner);
            for (coordinate, (number, axis)) in corner.iter_mut().zip(axes.iter_mut().enumerate()) {
                *coordinate <<= self.inner;
                axis.0 = number;
            }
            turn(self.inner.max(1)..self.order, &mut corner, |i| {
                let first = axes.first().map_or(0, |axis| axis.0);
                if let Some(axis) = axes.get_mut(i) {
                    let own = std::mem::replace(&mut axis.0, first);
                    if let Some(axis) = axes.first_mut() {
                        axis.0 = own;
                    }
                }
            });
            let mut base = 0_usize;
            for ((axis, coordinate), stride) in axes.iter_mut().zip(&corner).zip(strides) {
                // Bits that started as 0 are ones where the coordinate is inverted.
                (axis.1, axis.2) = (coordinate & low, *stride);
                base = base.wrapping_add((coordinate & !low).wrapping_mul(*stride));
            }
            for point in points.chunks_exact(rank.max(1)) {
                let terms = axes.iter().map(|(source, flip, stride)| {
                    point.get(*source).map_or(0, |coordinate| (coordinate ^ flip).wrapping_mul(*stride))
                });
                visit(terms.fold(base, usize::wrapping_add));
            }
        }
    }
}

/// As many ones as there are bits below `bit`, which is at most 62.
#[expect(clippy::arithmetic_side_effects, reason = "one less than a power of two")]
fn low_bits(bit: u32) -> usize {
    (1_usize << bit) - 1
}

#[cfg(test)]
mod tests {
    use super::{Cubes, decode, encode};

    fn curve(rank: usize, order: u32, len: usize) -> Vec<Vec<usize>> {
        (0..len)
            .map(|position| {
                let mut point = vec![0; rank];
                decode(order, position, &mut point);
                assert_eq!(encode(order, &mut point.clone()), position);
                point
            })
            .collect()
    }

    #[test]
    fn runs_through_the_points_that_the_format_lists() {
        let pairs = |list: &[(usize, usize)]| list.iter().map(|&(a, b)| vec![a, b]).collect::<Vec<_>>();
        assert_eq!(curve(2, 1, 4), pairs(&[(0, 0), (0, 1), (1, 1), (1, 0)]));
        let second = [
            (0, 0),
            (1, 0),
            (1, 1),
            (0, 1),
            (0, 2),
            (0, 3),
            (1, 3),
            (1, 2),
            (2, 2),
            (2, 3),
            (3, 3),
            (3, 2),
            (3, 1),
            (2, 1),
            (2, 0),
            (3, 0),
        ];
        assert_eq!(curve(2, 2, 16), pairs(&second));
        let third = [
            (0, 0),
            (0, 1),
            (1, 1),
            (1, 0),
            (2, 0),
            (3, 0),
            (3, 1),
            (2, 1),
            (2, 2),
            (3, 2),
            (3, 3),
            (2, 3),
            (1, 3),
            (1, 2),
            (0, 2),
            (0, 3),
        ];
        assert_eq!(curve(2, 3, 16), pairs(&third));
        let cube = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 0, 0]];
        assert_eq!(curve(3, 1, 8), cube.map(|point| point.to_vec()));
    }

    #[test]
    fn neighbours_differ_by_one_in_one_coordinate() {
        for (rank, order) in [(2, 5), (3, 3), (4, 2), (5, 2)] {
            let points = curve(rank, order, 1 << (rank as u32 * order));
            for pair in points.windows(2) {
                let distance: usize = pair[0].iter().zip(&pair[1]).map(|(a, b)| a.abs_diff(*b)).sum();
                assert_eq!(distance, 1);
            }
        }
    }

    #[test]
    fn cubes_go_along_the_whole_curve() {
        let orders = [(2, 1..8), (3, 1..6), (4, 1..4), (5, 1..4), (6, 1..3), (10, 1..2)];
        for (rank, orders) in orders {
            for order in orders {
                let strides: Vec<usize> = (0..rank).map(|k| 1 << (order * k as u32)).collect();
                let mut offsets = Vec::new();
                Cubes::new(order, rank).unwrap().each(&strides, |offset| offsets.push(offset));
                let mut point = vec![0; rank];
                let expected = (0..1_usize << (rank as u32 * order)).map(|position| {
                    decode(order, position, &mut point);
                    point.iter().zip(&strides).map(|(at, stride)| at * stride).sum::<usize>()
                });
                assert_eq!(offsets, expected.collect::<Vec<_>>(), "rank {rank}, order {order}");
            }
        }
        assert!(Cubes::new(1, 11).is_none());
    }
}
