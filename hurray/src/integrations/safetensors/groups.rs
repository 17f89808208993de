//! Composite heads made from dotted names.

use std::collections::{HashMap, HashSet};

/// One entry of a file with heads, in the order in which it is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed<'n> {
    /// The head of a group, and how many direct members it has.
    Head { name: &'n str, members: u32 },
    /// A tensor, by its position among the names.
    Tensor(usize),
}

/// A group that is being collected: its members in the order in which they appeared.
#[derive(Debug, Default)]
struct Group<'n> {
    name: &'n str,
    members: Vec<Member>,
}

#[derive(Debug, Clone, Copy)]
enum Member {
    Tensor(usize),
    Group(usize),
}

/// Gives every path in front of a dot a head of its own, at most `depth` on top of each other, and brings the
/// members of each behind it; what appears first comes first. A path that is a tensor itself, and one with an
/// empty segment, get no head: what lies under them joins the nearest head above.
pub(super) fn with_heads<'n>(names: &[&'n str], depth: usize) -> Vec<Placed<'n>> {
    let tensors: HashSet<&str> = names.iter().copied().collect();
    let mut groups = vec![Group::default()];
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (position, name) in names.iter().enumerate() {
        let mut at = 0;
        for (dot, _) in name.match_indices('.').take(depth) {
            let path = name.get(..dot).unwrap_or_default();
            let segment = path.rsplit('.').next().unwrap_or_default();
            if segment.is_empty() || tensors.contains(path) {
                break;
            }
            at = *by_name.entry(path).or_insert_with(|| {
                let new = groups.len();
                groups.push(Group { name: path, members: Vec::new() });
                push(&mut groups, at, Member::Group(new));
                new
            });
        }
        push(&mut groups, at, Member::Tensor(position));
    }
    let mut placed = Vec::with_capacity(names.len().saturating_add(groups.len()));
    place(&groups, 0, &mut placed);
    placed
}

fn push(groups: &mut [Group<'_>], at: usize, member: Member) {
    if let Some(group) = groups.get_mut(at) {
        group.members.push(member);
    }
}

/// As deep as heads lie on top of each other.
fn place<'n>(groups: &[Group<'n>], at: usize, placed: &mut Vec<Placed<'n>>) {
    let Some(group) = groups.get(at) else { return };
    if at > 0 {
        let members = u32::try_from(group.members.len()).unwrap_or(u32::MAX);
        placed.push(Placed::Head { name: group.name, members });
    }
    for member in &group.members {
        match member {
            Member::Tensor(position) => placed.push(Placed::Tensor(*position)),
            Member::Group(group) => place(groups, *group, placed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Placed::{Head, Tensor};
    use super::*;

    #[test]
    fn members_follow_their_head_in_order_of_appearance() {
        let names = ["b.x", "a", "c.0.w", "b.y", "c.1.w", "c.0.v"];
        let expected = [
            Head { name: "b", members: 2 },
            Tensor(0),
            Tensor(3),
            Tensor(1),
            Head { name: "c", members: 2 },
            Head { name: "c.0", members: 2 },
            Tensor(2),
            Tensor(5),
            Head { name: "c.1", members: 1 },
            Tensor(4),
        ];
        assert_eq!(with_heads(&names, 8), expected);
    }

    #[test]
    fn a_path_that_is_a_tensor_has_no_head() {
        let names = ["a.b", "a.b.c.d", "a.b.e"];
        assert_eq!(with_heads(&names, 8), [Head { name: "a", members: 3 }, Tensor(0), Tensor(1), Tensor(2)]);
    }

    #[test]
    fn empty_segments_and_deep_paths_have_no_head() {
        assert_eq!(with_heads(&["..a", ".b"], 8), [Tensor(0), Tensor(1)]);
        assert_eq!(with_heads(&["a..b"], 8), [Head { name: "a", members: 1 }, Tensor(0)]);
        assert_eq!(
            with_heads(&["a.b.c.d"], 2),
            [Head { name: "a", members: 1 }, Head { name: "a.b", members: 1 }, Tensor(0)]
        );
    }
}
