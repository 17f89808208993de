//! The Hilbert curve: Skilling's transform, dimension 0 most significant inside each bit plane (FORMAT §5.6).

/// The position on the curve of a point; coordinates are below `2^order`. Uses up the coordinates.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "rank * order <= 63 by rule LAY-HIL-01: shifts and products fit"
)]
pub(crate) fn encode(order: u32, point: &mut [usize]) -> usize {
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
#[expect(
    clippy::arithmetic_side_effects,
    reason = "rank * order <= 63 by rule LAY-HIL-01: shifts and products fit"
)]
pub(crate) fn decode(order: u32, position: usize, point: &mut [usize]) {
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
    for bit in 1..order {
        let mask = (1_usize << bit) - 1;
        for i in (0..point.len()).rev() {
            undo(point, i, bit, mask);
        }
    }
}

/// Inverts the low bits of coordinate 0, or swaps them with those of coordinate `i`.
#[inline]
fn undo(point: &mut [usize], i: usize, bit: u32, mask: usize) {
    let Some(own) = point.get(i).copied() else { return };
    let Some(first) = point.first_mut() else { return };
    if own >> bit & 1 == 1 {
        *first ^= mask;
        return;
    }
    let t = (*first ^ own) & mask;
    *first ^= t;
    // For i = 0 this undoes nothing: t is 0.
    if let Some(own) = point.get_mut(i) {
        *own ^= t;
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

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
}
