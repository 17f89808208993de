//! Names that come in the order of a tree: proof that none is there twice, without a table of all.

use smallvec::SmallVec;

use super::Record;
use crate::bytes::is_same;

/// Follows names for as long as they walk through a tree from branch to branch, as those of a saved model do: whatever
/// is under `layers.0` comes together, behind `layers.0` itself if that has an entry. Then no name is there twice if no
/// branch parts twice in the same way.
///
/// That is seen without looking far: at a branch, segments that start with a digit have to ascend, and others are
/// compared with the few that were there before. Where what is under a number goes on as what is under the number
/// before, which has been followed, a name is compared with one other. All that is followed is ASCII.
#[derive(Debug)]
pub(super) struct TreeOrder<'f> {
    pace: Pace<'f>,
    /// The name that came last, or the number in whose pace names are.
    last: &'f [u8],
    /// The branches on the way to it; behind the `open` ones, branches that were left.
    branches: SmallVec<[Branch<'f>; 6]>,
    open: usize,
}

/// What is under a number, which so far is the same as what is under the number before.
#[derive(Debug, Default)]
struct Pace<'f> {
    /// All names have that in common: up to the number, and with it.
    prefix: &'f [u8],
    /// The entries from the first one under the number on.
    entries: &'f [u8],
    /// The entries under the number before that are still to come.
    ahead: &'f [u8],
    /// How long the prefix of these is.
    ahead_prefix: usize,
}

/// A place in the tree where names part.
#[derive(Debug, Default)]
struct Branch<'f> {
    /// How long that is which all names here have in common, up to behind a dot.
    stem: usize,
    /// The last segment that started with a digit; empty if there was none.
    number: &'f [u8],
    /// The entries from the first one under that number on, and how long a name is up to the number and with it; no
    /// entries if something else came behind it. Kept of a number in pace, too: the next one follows its names.
    under_number: (&'f [u8], usize),
    /// Other segments, each once: those that were here, and behind them those of the branch that was in this place
    /// before.
    words: SmallVec<[&'f [u8]; 16]>,
    /// How many of these were here.
    seen: usize,
}

impl<'f> TreeOrder<'f> {
    /// Names of more branches are left alone: to leave some compares the way to each from its start.
    const MAX_BRANCHES: usize = 16;

    pub(super) fn new() -> Self {
        let mut branches = SmallVec::new();
        branches.push(Branch::default());
        Self { pace: Pace::default(), last: &[], branches, open: 1 }
    }

    /// Whether the next name, that of the entry that `entries` start with, goes on in the order of a tree. If not, it may
    /// still be unlike all others, but no more names can be followed.
    #[inline(always)]
    #[must_use]
    pub(super) fn follows(&mut self, name: &'f [u8], entries: &'f [u8]) -> bool {
        self.pace.keeps(name).is_some() || self.leaves_pace(name, entries)
    }

    /// The same where names under a number do not go on as those under the number before, or are over.
    fn leaves_pace(&mut self, name: &'f [u8], entries: &'f [u8]) -> bool {
        let Pace { prefix, entries: mut behind, .. } = std::mem::take(&mut self.pace);
        if !behind.is_empty() && is_under(name, prefix) {
            // So far, branches do not know what is under the number.
            while behind.len() > entries.len()
                && let Some((record, after)) = Record::split_off(behind)
            {
                if record.name_bytes() != prefix && !self.walks(record.name_bytes(), behind, false) {
                    return false;
                }
                behind = after;
            }
        }
        self.walks(name, entries, true)
    }

    /// Walks on to a name.
    fn walks(&mut self, name: &'f [u8], entries: &'f [u8], may_keep_pace: bool) -> bool {
        let last = std::mem::replace(&mut self.last, name);
        if !last.is_empty() && is_under(name, last) {
            if !self.enter(last.len().saturating_add(1)) {
                return false;
            }
        } else {
            self.leave(last, name);
        }
        loop {
            let Some(branch) = self.open.checked_sub(1).and_then(|at| self.branches.get_mut(at)) else {
                return false;
            };
            let rest = name.get(branch.stem..).unwrap_or_default();
            if branch.repeats(rest) {
                return true;
            }
            let end = rest.iter().position(|byte| *byte == b'.').unwrap_or(rest.len());
            let (segment, behind) = rest.split_at_checked(end).unwrap_or_default();
            if !segment.is_ascii() {
                return false;
            }
            if segment.first().is_some_and(u8::is_ascii_digit) {
                let prefix = branch.stem.saturating_add(end);
                match branch.takes_number(segment, entries, prefix) {
                    None => return false,
                    Some(before) if may_keep_pace => {
                        if let Some(pace) = Pace::new(name, entries, prefix, before) {
                            (self.last, self.pace) = (pace.prefix, pace);
                            return true;
                        }
                    }
                    Some(_) => (),
                }
            } else if !branch.takes_word(segment) {
                return false;
            }
            if behind.is_empty() {
                return true;
            }
            if !self.enter(name.len().saturating_sub(behind.len()).saturating_add(1)) {
                return false;
            }
        }
    }

    /// Leaves the branches on the way to the last name that another name is not in.
    fn leave(&mut self, last: &[u8], name: &[u8]) {
        let branches = self.branches.get(..self.open).unwrap_or_default();
        let is_in = |branch: &Branch<'_>| match (last.get(..branch.stem), name.get(..branch.stem)) {
            (Some(last), Some(name)) => is_same(last, name),
            _ => false,
        };
        self.open = branches.iter().rposition(is_in).map_or(0, |at| at.saturating_add(1));
    }

    /// Opens a branch that no name has been in, unless there are too many.
    fn enter(&mut self, stem: usize) -> bool {
        if self.open >= Self::MAX_BRANCHES {
            return false;
        }
        match self.branches.get_mut(self.open) {
            Some(branch) => {
                (branch.stem, branch.seen) = (stem, 0);
                (branch.number, branch.under_number) = Default::default();
            }
            None => self.branches.push(Branch { stem, ..Branch::default() }),
        }
        self.open = self.open.saturating_add(1);
        true
    }
}

/// Whether a name is another one with a dot and more behind it.
fn is_under(name: &[u8], other: &[u8]) -> bool {
    name.get(other.len()) == Some(&b'.') && name.get(..other.len()).is_some_and(|start| is_same(start, other))
}

impl<'f> Pace<'f> {
    /// That of the names under a number, `name` the first, with those under the number before, if the first ones are the
    /// same.
    fn new(name: &'f [u8], entries: &'f [u8], prefix: usize, before: (&'f [u8], usize)) -> Option<Self> {
        let (ahead, ahead_prefix) = before;
        let ahead = ahead.get(..ahead.len().saturating_sub(entries.len()))?;
        let mut pace = Self { prefix: name.get(..prefix)?, entries, ahead, ahead_prefix };
        pace.keeps(name)?;
        Some(pace)
    }

    /// Whether the next name is that under the number before, but for the number.
    #[inline(always)]
    fn keeps(&mut self, name: &[u8]) -> Option<()> {
        let (record, after) = Record::split_off(self.ahead)?;
        let ahead = record.name_bytes().get(self.ahead_prefix..)?;
        let (start, rest) = name.split_at_checked(self.prefix.len())?;
        (is_same(rest, ahead) && is_same(start, self.prefix)).then(|| self.ahead = after)
    }
}

impl<'f> Branch<'f> {
    /// Of so many words, looking through them takes longer than a table of names.
    const MAX_WORDS: usize = 64;

    /// Whether a segment is the word that came next in the branch before; then it is taken.
    fn repeats(&mut self, segment: &[u8]) -> bool {
        let is_next = self.words.get(self.seen).is_some_and(|word| is_same(word, segment));
        if is_next {
            (self.seen, self.under_number) = (self.seen.saturating_add(1), Default::default());
        }
        is_next
    }

    /// Takes a word that was not here before.
    fn takes_word(&mut self, word: &'f [u8]) -> bool {
        if self.repeats(word) {
            return true;
        }
        self.words.truncate(self.seen);
        if self.words.len() >= Self::MAX_WORDS || self.words.iter().any(|other| is_same(other, word)) {
            return false;
        }
        self.words.push(word);
        (self.seen, self.under_number) = (self.words.len(), Default::default());
        true
    }

    /// Takes a number that is larger than all before, and tells what is under the one right before.
    fn takes_number(
        &mut self,
        number: &'f [u8],
        entries: &'f [u8],
        prefix: usize,
    ) -> Option<(&'f [u8], usize)> {
        let before = std::mem::replace(&mut self.number, number);
        let ascends = (before.len(), before) < (number.len(), number);
        ascends.then(|| std::mem::replace(&mut self.under_number, (entries, prefix)))
    }
}

#[cfg(test)]
mod tests {
    use super::TreeOrder;
    use crate::bytes::Sink;
    use crate::container::Record;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// How many names are followed.
    fn followed<N: AsRef<str>>(names: &[N]) -> usize {
        let mut sink = Sink::default();
        for name in names.iter().map(AsRef::as_ref) {
            sink.u16(name.len() as u16).bytes(name.as_bytes()).bytes(&[0; 32]);
        }
        let entries = sink.into_vec();
        let (mut order, mut rest, mut count) = (TreeOrder::new(), &entries[..], 0);
        while let Some((record, after)) = Record::split_off(rest)
            && order.follows(record.name_bytes(), rest)
        {
            (rest, count) = (after, count + 1);
        }
        count
    }

    fn name() -> impl Strategy<Value = String> {
        let segment = prop_oneof![6 => "[ab01]{1,2}", 1 => "[a1]{0,3}", 1 => Just("é".to_owned())];
        prop::collection::vec(segment, 1..4).prop_map(|segments| segments.join("."))
    }

    /// Names in the order of a tree that has much the same under many numbers, with some of them changed or moved.
    fn nearly_in_order() -> impl Strategy<Value = Vec<String>> {
        let tails = prop::collection::vec("(|\\.[ab01]|\\.[ab01]\\.[ab01])", 0..5);
        let number = prop_oneof![4 => 0..4_usize, 1 => Just(10), 1 => Just(11)];
        let blocks = prop::collection::vec(("(x|y|x\\.1)", number, any::<bool>()), 0..6);
        let moves = prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..3);
        (tails, blocks, moves, prop::option::of(name())).prop_map(|(tails, mut blocks, moves, other)| {
            blocks.sort();
            let all = |(stem, number, _): &(String, usize, bool)| {
                tails.iter().map(|tail| format!("{stem}.{number}{tail}")).collect::<Vec<_>>()
            };
            let mut names: Vec<String> = blocks.iter().filter(|block| block.2).flat_map(all).collect();
            for (from, to) in moves {
                let moved = names.get(from.index(names.len().max(1))).cloned();
                let to = to.index(names.len().max(1));
                names.splice(to..to, moved);
            }
            names.extend(other);
            names
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn what_is_followed_is_unique_and_ascii(
            names in prop_oneof![prop::collection::vec(name(), 0..12), nearly_in_order()],
        ) {
            let count = followed(&names);
            let unique: HashSet<&String> = names[..count].iter().collect();
            prop_assert_eq!(unique.len(), count, "{:?}", &names[..count]);
            prop_assert!(names[..count].iter().all(|name| name.is_ascii()));
        }

        #[test]
        fn trees_are_followed(
            paths in prop::collection::btree_set(prop::collection::vec(prop_oneof![
                "[a-d]{1,2}".prop_map(|word| (0, word)),
                (0..12_usize).prop_map(|number| (number + 1, number.to_string())),
            ], 1..4), 0..40),
        ) {
            let name = |path: Vec<(usize, String)>| {
                path.into_iter().map(|(_, segment)| segment).collect::<Vec<_>>().join(".")
            };
            let names: Vec<String> = paths.into_iter().map(name).collect();
            prop_assert_eq!(followed(&names), names.len());
        }
    }

    #[test]
    fn a_model_with_heads_and_without_is_followed() {
        let parts = ["", ".attention", ".attention.q", ".attention.k", ".norm", ".norm.scale", ".scale"];
        for with_heads in [true, false] {
            let mut names = vec!["embedding".to_owned()];
            for layer in 0..120 {
                let heads = ["", ".attention", ".norm"];
                let parts = parts.iter().filter(|part| with_heads || !heads.contains(part));
                // Every seventh layer has more in it, every ninth less.
                let parts = parts.filter(|part| layer % 9 != 0 || !part.starts_with(".norm"));
                names.extend(parts.map(|part| format!("layers.{layer}{part}")));
                names.extend((layer % 7 == 0).then(|| format!("layers.{layer}.shift")));
            }
            names.extend(["head.weight", "head.bias"].map(str::to_owned));
            assert_eq!(followed(&names), names.len());
            for at in 0..names.len() - 1 {
                let mut names = names.clone();
                names[at + 1] = names[at].clone();
                assert_eq!(followed(&names), at + 1);
            }
            for (at, again) in [(0, 5), (5, 7), (40, 200), (41, 90), (3, names.len() - 1)] {
                let mut names = names.clone();
                names[again] = names[at].clone();
                assert_eq!(followed(&names), again, "{} again at {again}", names[at]);
            }
        }
    }

    #[test]
    fn what_came_before_in_another_branch_is_not_followed() {
        let last_is_not_followed: [&[&str]; 17] = [
            &["a", "a"],
            &["a.b", "a"],
            &["a.b", "c", "a.d"],
            &["a.10", "a.9"],
            &["a.b", "a.c", "a.b"],
            &["a.x", "a.y", "b.x", "b.z", "b.x"],
            &["é"],
            &["1.é"],
            &["a.b.c", "a.d", "a.b.e"],
            &["0", "0.a", "1", "1.a", "1"],
            &["0.a", "1.a", "1.a"],
            &["0", "0.a", "0.b", "1", "1.a", "2", "2.a", "2.a"],
            // Cut where the number ends, both words have the same behind it.
            &["a.7", "a.f.x", "a.g.x", "a.8", "a.8.x", "a.8.x"],
            &["a.7", "a.fx", "a.gx", "a.8", "a.8x", "a.8x"],
            &["0", "a", "000", "000"],
            &["1.0.0.0", "1.0.1.0", "1.4.0.1", "1.6", "1.7", "1.7.0", "1.9", "1.7.0"],
            &["x.1.0.1.1", "x.1.8.1.1", "x.1.9.1", "x.1.91", "x.1.11x.0.1", "x.1.11x.0.1"],
        ];
        for names in last_is_not_followed {
            assert_eq!(followed(names), names.len() - 1, "{names:?}");
        }
        let all_are_followed: [&[&str]; 9] = [
            &["a", "a.b", "a.b.c", "ab"],
            &["1", "10", "11.x", "12"],
            &["a.9", "a.10", "a.x", "a.11"],
            &["a.", "a.b", "b"],
            &["a.x", "a.y", "b.y", "b.x"],
            &["0", "0.a", "0.b", "1", "1.a", "1.c", "1.b", "2", "2.a", "2.c", "3.a"],
            &["0.a.0.x", "0.a.1.x", "1.a.0.x", "1.a.1.x", "1.a.1.y", "1.a.2.y", "1.a.2.x"],
            &["0", "0.a", "1", "1.a", "10", "10.a"],
            &["a.7", "a.7.b", "a.f", "a.f.b", "a.8", "a.8.b"],
        ];
        for names in all_are_followed {
            assert_eq!(followed(names), names.len(), "{names:?}");
        }
    }

    #[test]
    fn many_branches_are_left_to_a_table() {
        let deep = |segments: usize| vec!["a"; segments].join(".");
        assert_eq!(followed(&(1..40).map(deep).collect::<Vec<_>>()), 16);
        assert_eq!(followed(&[deep(16), "b".to_owned(), format!("c.{}", deep(15))]), 3);
        assert_eq!(followed(&[deep(17)]), 0);
    }

    #[test]
    fn many_words_at_one_branch_are_left_to_a_table() {
        let names: Vec<String> = (0..100).map(|at| format!("a.w{at}")).collect();
        assert_eq!(followed(&names), 64);
    }
}
