//! Whether boxes cover a whole exactly (FORMAT §7.4): disjoint, and of the same volume in sum.

use crate::error::{FormatError, Rule};

/// Boxes of one rank, in one allocation.
#[derive(Debug, Clone)]
pub(crate) struct Boxes {
    rank: usize,
    /// How many; rank 0 has nothing to count by.
    len: usize,
    /// `rank` for each box.
    sides: Vec<Side>,
}

/// `[start, end)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Boxes of which any two may overlap, by their numbers.
pub(super) type Group = Vec<usize>;

impl Boxes {
    /// Up to this many boxes every pair is tested.
    const FEW: usize = 24;

    pub(crate) fn new(rank: usize) -> Self {
        Self { rank, len: 0, sides: Vec::new() }
    }

    /// Adds a box of `rank` dimensions whose ends are known not to overflow.
    pub(crate) fn push(&mut self, offset: &[u64], shape: &[u64]) {
        let sides = offset.iter().zip(shape);
        self.sides
            .extend(sides.map(|(start, size)| Side { start: *start, end: start.saturating_add(*size) }));
        self.len = self.len.saturating_add(1);
    }

    /// CMP-25 and CMP-26: the boxes, each inside `whole`, are disjoint and leave no gap.
    pub(super) fn check_cover(&self, whole: &[u64]) -> Result<(), FormatError> {
        if let Some((a, b)) = self.find_overlap() {
            return Err(Rule::Cmp25.broken().but_found(format_args!("members {a} and {b} overlap")));
        }
        let wanted = volume(whole.iter().copied());
        let sum = (0..self.len).try_fold(0_u128, |sum, number| {
            let sizes = self.sides(number).iter().map(|side| side.end.saturating_sub(side.start));
            sum.checked_add(volume(sizes)?)
        });
        Rule::Cmp26.check(wanted.is_some() && wanted == sum, |e| {
            let tell = |volume: Option<u128>| {
                volume.map_or_else(|| "more than 128 bits hold".to_owned(), |volume| volume.to_string())
            };
            e.expected_to_be(format!("{} elements in all members", tell(wanted))).but_found(tell(sum))
        })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn sides(&self, number: usize) -> &[Side] {
        let start = number.saturating_mul(self.rank);
        self.sides.get(start..start.saturating_add(self.rank)).unwrap_or_default()
    }

    fn side(&self, number: usize, dimension: usize) -> Option<Side> {
        self.sides(number).get(dimension).copied()
    }

    /// Two boxes that overlap.
    ///
    /// Splits groups of boxes in two at a coordinate as long as that makes them smaller, and tests all pairs
    /// in what is left. For grids and the like this is n log n.
    fn find_overlap(&self) -> Option<(usize, usize)> {
        let mut groups: Vec<Group> = vec![(0..self.len).collect()];
        while let Some(group) = groups.pop() {
            let halves = if group.len() > Self::FEW { self.split(&group) } else { None };
            match halves {
                Some(Halves { low, high, .. }) => groups.extend([low, high]),
                None => {
                    if let Some(pair) = self.find_in_pairs(&group) {
                        return Some(pair);
                    }
                }
            }
        }
        None
    }

    /// Two groups such that every two boxes of `group` that overlap are both in one of them.
    ///
    /// Boxes across the coordinate are in both groups, so the dimension that has the fewest of them is taken;
    /// none if no dimension is worth it.
    pub(super) fn split(&self, group: &[usize]) -> Option<Halves> {
        let good = group.len().saturating_add(group.len() / 8);
        let tolerable = group.len().saturating_add(group.len() / 2).saturating_add(group.len() / 8);
        let mut best: Option<Cut> = None;
        let mut starts = Vec::with_capacity(group.len());
        for dimension in 0..self.rank {
            let Some(cut) = self.cut(group, dimension, &mut starts) else { continue };
            if best.as_ref().is_none_or(|best| cut.total < best.total) {
                best = Some(cut);
            }
            if best.as_ref().is_some_and(|best| best.total <= good) {
                break;
            }
        }
        let Cut { dimension, coordinate, .. } = best.filter(|best| best.total <= tolerable)?;
        let pick = |keep: fn(Side, u64) -> bool| -> Group {
            let is_kept =
                |number: &usize| self.side(*number, dimension).is_some_and(|side| keep(side, coordinate));
            group.iter().copied().filter(is_kept).collect()
        };
        Some(Halves { dimension, coordinate, low: pick(Side::is_low), high: pick(Side::is_high) })
    }

    /// The cut at the median of the starts in one dimension; none if a half would be no smaller.
    fn cut(&self, group: &[usize], dimension: usize, starts: &mut Vec<u64>) -> Option<Cut> {
        let sides = || group.iter().filter_map(|number| self.side(*number, dimension));
        starts.clear();
        starts.extend(sides().map(|side| side.start));
        let middle = starts.len() / 2;
        if starts.is_empty() {
            return None;
        }
        let (_, median, _) = starts.select_nth_unstable(middle);
        let coordinate = *median;
        let low = sides().filter(|side| side.is_low(coordinate)).count();
        let high = sides().filter(|side| side.is_high(coordinate)).count();
        let is_smaller = low < group.len() && high < group.len();
        is_smaller.then_some(Cut { total: low.saturating_add(high), dimension, coordinate })
    }

    fn find_in_pairs(&self, group: &[usize]) -> Option<(usize, usize)> {
        let mut rest = group;
        while let Some((a, others)) = rest.split_first() {
            if let Some(b) = others.iter().find(|b| self.overlap(*a, **b)) {
                return Some((*a, *b));
            }
            rest = others;
        }
        None
    }

    /// Taken literally, also for empty boxes and for rank 0.
    fn overlap(&self, a: usize, b: usize) -> bool {
        self.sides(a).iter().zip(self.sides(b)).all(|(a, b)| a.start < b.end && b.start < a.end)
    }
}

/// A group split in two at a coordinate.
pub(super) struct Halves {
    pub(super) dimension: usize,
    pub(super) coordinate: u64,
    /// The boxes that are [low](Side::is_low); those across the coordinate are in both.
    pub(super) low: Group,
    pub(super) high: Group,
}

/// Where to split a group.
struct Cut {
    /// The boxes of both halves.
    total: usize,
    dimension: usize,
    coordinate: u64,
}

impl Side {
    // Two sides that overlap are both low or both high: if the later start is below the coordinate, both
    // starts are; otherwise each of them ends above it, or is empty and starts at it or above.

    pub(super) fn is_low(self, coordinate: u64) -> bool {
        self.start < coordinate
    }

    pub(super) fn is_high(self, coordinate: u64) -> bool {
        self.end > coordinate || self.start >= coordinate
    }
}

/// 0 if any factor is; `None` if 128 bits do not hold it.
fn volume(factors: impl Iterator<Item = u64> + Clone) -> Option<u128> {
    if factors.clone().any(|factor| factor == 0) {
        return Some(0);
    }
    let mut factors = factors;
    factors.try_fold(1_u128, |volume, factor| volume.checked_mul(u128::from(factor)))
}

#[cfg(test)]
mod tests {
    use super::Boxes;
    use crate::error::Rule;

    fn verdict(whole: &[u64], boxes: &[(&[u64], &[u64])]) -> Option<Rule> {
        let mut all = Boxes::new(whole.len());
        boxes.iter().for_each(|(offset, shape)| all.push(offset, shape));
        all.check_cover(whole).err().map(|error| error.rule())
    }

    #[test]
    fn accepts_exact_covers() {
        assert_eq!(verdict(&[4], &[(&[0], &[1]), (&[1], &[3])]), None);
        assert_eq!(verdict(&[2, 2], &[(&[0, 0], &[2, 1]), (&[0, 1], &[1, 1]), (&[1, 1], &[1, 1])]), None);
        assert_eq!(verdict(&[0], &[]), None);
        assert_eq!(verdict(&[], &[(&[], &[])]), None);
        assert_eq!(verdict(&[u64::MAX - 1], &[(&[0], &[u64::MAX - 1])]), None);
    }

    #[test]
    fn refuses_gaps_and_overlaps() {
        assert_eq!(verdict(&[4], &[(&[0], &[1]), (&[2], &[2])]), Some(Rule::Cmp26));
        assert_eq!(verdict(&[4], &[(&[0], &[3]), (&[2], &[1])]), Some(Rule::Cmp25));
        assert_eq!(verdict(&[4], &[]), Some(Rule::Cmp26));
        let wide = 1 << 33;
        assert_eq!(verdict(&[wide; 4], &[(&[0; 4], &[wide; 4])]), Some(Rule::Cmp26));
    }

    #[test]
    fn takes_the_overlap_of_empty_boxes_and_of_rank_0_literally() {
        assert_eq!(verdict(&[4], &[(&[0], &[4]), (&[2], &[0])]), Some(Rule::Cmp25));
        assert_eq!(verdict(&[4], &[(&[0], &[4]), (&[4], &[0]), (&[0], &[0])]), None);
        assert_eq!(verdict(&[], &[(&[], &[]), (&[], &[])]), Some(Rule::Cmp25));
    }

    /// As the definition says it.
    fn any_pair(boxes: &[(Vec<u64>, Vec<u64>)]) -> bool {
        let overlap = |a: &(Vec<u64>, Vec<u64>), b: &(Vec<u64>, Vec<u64>)| {
            (0..a.0.len()).all(|k| a.0[k] < b.0[k] + b.1[k] && b.0[k] < a.0[k] + a.1[k])
        };
        (0..boxes.len()).any(|i| (0..i).any(|j| overlap(&boxes[i], &boxes[j])))
    }

    #[test]
    fn agrees_with_all_pairs_on_arbitrary_boxes() {
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut seen = [0; 2];
        for round in 0..600_usize {
            let (rank, count) = (1 + round % 3, 30 + round % 60);
            let size = [2, 14, 40][rank - 1];
            let boxes: Vec<(Vec<u64>, Vec<u64>)> = (0..count)
                .map(|_| ((0..rank).map(|_| next(300)).collect(), (0..rank).map(|_| next(size)).collect()))
                .collect();
            let mut all = Boxes::new(rank);
            boxes.iter().for_each(|(offset, shape)| all.push(offset, shape));
            let expected = any_pair(&boxes);
            assert_eq!(all.find_overlap().is_some(), expected);
            seen[usize::from(expected)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 60), "both answers are tested: {seen:?}");
    }

    #[test]
    fn a_hundred_thousand_members_take_no_quadratic_time() {
        let [rows, columns] = [400, 250];
        let (mut grid, mut slices) = (Boxes::new(3), Boxes::new(3));
        for i in 0..rows {
            for j in 0..columns {
                grid.push(&[i, j, 0], &[1, 1, 3]);
                slices.push(&[0, 0, i * columns + j], &[7, 3, 1]);
            }
        }
        let start = std::time::Instant::now();
        assert!(grid.check_cover(&[rows, columns, 3]).is_ok());
        assert!(slices.check_cover(&[7, 3, rows * columns]).is_ok());
        // Pair by pair it would be 10^10 tests.
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
