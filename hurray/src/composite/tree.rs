//! Finding the boxes that hold a point, or meet a box, without looking at each of them.

use super::cover::{Boxes, Group, Side};

/// Boxes, split in two at a coordinate again and again as long as that makes the groups smaller. For grids and
/// the like a point is found in log n.
#[derive(Debug, Clone)]
pub(crate) struct BoxTree {
    boxes: Boxes,
    /// The root comes first; empty if there is no box.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
enum Node {
    /// All are looked at.
    Leaf(Group),
    /// Where the boxes of each half are among the nodes.
    Split { dimension: usize, coordinate: u64, low: usize, high: usize },
}

impl BoxTree {
    /// So many boxes are looked at one by one.
    const FEW: usize = 8;

    pub(crate) fn new(boxes: Boxes) -> Self {
        let mut nodes = vec![Node::Leaf((0..boxes.len()).collect())];
        let mut to_split = vec![0];
        while let Some(at) = to_split.pop() {
            let Some(Node::Leaf(group)) = nodes.get(at) else { continue };
            if group.len() <= Self::FEW {
                continue;
            }
            let Some(halves) = boxes.split(group) else { continue };
            let low = nodes.len();
            let high = low.saturating_add(1);
            nodes.extend([Node::Leaf(halves.low), Node::Leaf(halves.high)]);
            if let Some(node) = nodes.get_mut(at) {
                let (dimension, coordinate) = (halves.dimension, halves.coordinate);
                *node = Node::Split { dimension, coordinate, low, high };
            }
            to_split.extend([low, high]);
        }
        Self { boxes, nodes }
    }

    /// The boxes that hold an element at an index, in ascending order. Empty ones hold none.
    pub(crate) fn holding<'t>(&'t self, index: &'t [u64]) -> impl DoubleEndedIterator<Item = usize> + 't {
        let mut at = 0;
        let group = loop {
            match self.nodes.get(at) {
                Some(Node::Split { dimension, coordinate, low, high }) => {
                    let is_low = index.get(*dimension).is_some_and(|at| at < coordinate);
                    at = if is_low { *low } else { *high };
                }
                Some(Node::Leaf(group)) => break group.as_slice(),
                None => break &[],
            }
        };
        let holds = move |number: &usize| {
            let sides = self.boxes.sides(*number).iter();
            sides.zip(index).all(|(side, at)| side.start <= *at && *at < side.end)
        };
        group.iter().copied().filter(holds)
    }

    /// The boxes that share an element with another one, `[start, end)` in each dimension, in ascending order.
    pub(crate) fn meeting(&self, sides: &[(u64, u64)]) -> Group {
        let wanted: Vec<Side> = sides.iter().map(|(start, end)| Side { start: *start, end: *end }).collect();
        let meets = |number: &usize| {
            self.boxes
                .sides(*number)
                .iter()
                .zip(&wanted)
                .all(|(side, wanted)| side.start.max(wanted.start) < side.end.min(wanted.end))
        };
        let (mut found, mut nodes) = (Group::new(), vec![0]);
        while let Some(at) = nodes.pop() {
            match self.nodes.get(at) {
                Some(Node::Split { dimension, coordinate, low, high }) => {
                    let Some(side) = wanted.get(*dimension) else { continue };
                    nodes.extend(side.is_low(*coordinate).then_some(*low));
                    nodes.extend(side.is_high(*coordinate).then_some(*high));
                }
                Some(Node::Leaf(group)) => found.extend(group.iter().copied().filter(meets)),
                None => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{BoxTree, Boxes};

    #[test]
    fn agrees_with_looking_at_every_box() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for round in 0..60_usize {
            let rank = 1 + round % 3;
            let random: Vec<[(u64, u64); 3]> = (0..10 + 4 * round)
                .map(|_| {
                    std::array::from_fn(|_| (next(40), next(12))).map(|(start, size)| (start, start + size))
                })
                .collect();
            let mut boxes = Boxes::new(rank);
            for sides in &random {
                let (offset, shape): (Vec<u64>, Vec<u64>) =
                    sides[..rank].iter().map(|(start, end)| (*start, end - start)).unzip();
                boxes.push(&offset, &shape);
            }
            let tree = BoxTree::new(boxes);
            for _ in 0..50 {
                let point: Vec<u64> = (0..rank).map(|_| next(52)).collect();
                let holds =
                    |sides: &[(u64, u64); 3]| (0..rank).all(|k| (sides[k].0..sides[k].1).contains(&point[k]));
                let expected: Vec<usize> = (0..random.len()).filter(|at| holds(&random[*at])).collect();
                assert_eq!(tree.holding(&point).collect::<Vec<_>>(), expected);
                let wanted: Vec<(u64, u64)> = point.iter().map(|start| (*start, start + next(9))).collect();
                let meets = |sides: &[(u64, u64); 3]| {
                    (0..rank)
                        .all(|k| (sides[k].0..sides[k].1).any(|at| (wanted[k].0..wanted[k].1).contains(&at)))
                };
                let expected: Vec<usize> = (0..random.len()).filter(|at| meets(&random[*at])).collect();
                assert_eq!(tree.meeting(&wanted), expected);
            }
        }
    }
}
