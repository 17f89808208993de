//! What a load keeps of the file: what was asked for, and which entries are composite heads.

use std::ops::Range;

use smallvec::SmallVec;

use crate::descriptor::{CompositeHead, CompositionRule, MAX_COMPARED};
use crate::reader::Contents;

/// One bit for each thing of the file that a field asked for.
#[derive(Debug)]
pub(super) struct Used {
    words: Vec<u64>,
    len: usize,
}

impl Used {
    const BITS: usize = 64;

    pub(super) fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(Self::BITS)], len }
    }

    #[inline]
    pub(super) fn insert(&mut self, position: usize) {
        if let Some(word) = self.words.get_mut(position / Self::BITS) {
            *word |= 1 << (position % Self::BITS);
        }
    }

    pub(super) fn contains(&self, position: usize) -> bool {
        let word = self.words.get(position / Self::BITS);
        word.is_some_and(|word| word & (1 << (position % Self::BITS)) != 0)
    }

    /// The positions that were not inserted.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> {
        let len = self.len;
        let partly = self.words.iter().enumerate().filter(|(_, word)| **word != u64::MAX);
        partly.flat_map(move |(at, word)| {
            let start = at.saturating_mul(Self::BITS);
            let positions = start..start.saturating_add(Self::BITS).min(len);
            positions.filter(move |position| word & (1 << (position % Self::BITS)) == 0)
        })
    }
}

/// A composite head of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) position: usize,
    /// The position after its last member, and after what that holds; that after all entries if members are missing.
    pub(super) end: usize,
    pub(super) rule: CompositionRule,
    pub(super) members: u32,
    /// Whether as many members follow as the head says.
    pub(super) is_complete: bool,
}

/// The composite heads of the file, by position.
#[derive(Debug)]
pub(super) struct Heads {
    heads: Vec<Head>,
    /// From head to end, the partitions and overlays that are in no other one.
    wholes: Vec<Range<usize>>,
    /// The head that comes next if the file is in the model's order.
    next: usize,
}

impl Heads {
    /// Only entries without data can be heads, so only their descriptors are read.
    pub(super) fn new(contents: Contents<'_, '_>) -> Self {
        let policy = contents.policy.for_all_descriptors();
        let contents = Contents { policy: &policy, ..contents };
        // Most heads are like the one before, to the byte.
        let mut last = Last::default();
        let found = contents.positions_without_data().filter_map(|position| {
            composite_at(contents, position, &mut last).map(|composite| (position, composite))
        });
        let heads = Vec::with_capacity(contents.positions_without_data().count());
        Self::of(contents.len(), found, heads)
    }

    /// Puts the heads among `len` entries together in one pass, into `heads`. They come in ascending order of
    /// positions.
    fn of(len: usize, found: impl Iterator<Item = (usize, CompositeHead)>, mut heads: Vec<Head>) -> Self {
        // Heads whose members are still coming, innermost last, each with how many.
        let mut open: OpenHeads = SmallVec::new();
        let mut passed = 0usize;
        for (position, CompositeHead { rule, member_count: members }) in found {
            pass_members(passed..position, &mut open, &mut heads);
            // A head is itself a member of the one around it, which is not whole before this one is.
            if let Some((_, missing)) = open.last_mut() {
                *missing = missing.saturating_sub(1);
            }
            passed = position.saturating_add(1);
            open.push((heads.len(), usize::try_from(members).unwrap_or(usize::MAX)));
            heads.push(Head { position, end: len, rule, members, is_complete: false });
        }
        pass_members(passed..len, &mut open, &mut heads);
        let mut wholes: Vec<Range<usize>> = Vec::new();
        for head in heads.iter().filter(|head| head.rule != CompositionRule::Group) {
            if wholes.last().is_none_or(|last| last.end <= head.position) {
                wholes.push(head.position..head.end);
            }
        }
        Self { heads, wholes, next: 0 }
    }

    /// The head at a position.
    pub(super) fn at(&mut self, position: usize) -> Option<Head> {
        let is_here = |head: &&Head| head.position == position;
        let at = match self.heads.get(self.next).filter(is_here) {
            Some(_) => self.next,
            None => self.place_of(position)?,
        };
        self.next = at.saturating_add(1);
        self.heads.get(at).copied()
    }

    fn place_of(&self, position: usize) -> Option<usize> {
        self.heads.binary_search_by_key(&position, |head| head.position).ok()
    }

    /// Whether what is at a position is a value by itself: a tensor, or the head of a partition or overlay. Heads of
    /// groups are none, and neither are members of partitions and overlays.
    pub(super) fn is_value(&self, position: usize) -> bool {
        let after = self.wholes.partition_point(|whole| whole.start < position);
        let inside = after.checked_sub(1).and_then(|at| self.wholes.get(at));
        if inside.is_some_and(|whole| position < whole.end) {
            return false;
        }
        let head = self.place_of(position).and_then(|at| self.heads.get(at));
        head.is_none_or(|head| head.rule != CompositionRule::Group)
    }
}

/// Heads by their places in a list, each with how many of its members are missing; as many as the format lets nest.
type OpenHeads = SmallVec<[(usize, usize); 8]>;

/// Counts members at some positions to the open heads, innermost first, and closes those that have all of theirs.
#[inline]
fn pass_members(members: Range<usize>, open: &mut OpenHeads, heads: &mut [Head]) {
    let Range { start: mut next, end } = members;
    while let Some((head, missing)) = open.last_mut() {
        let left = end.saturating_sub(next);
        if *missing > left {
            *missing = missing.saturating_sub(left);
            return;
        }
        next = next.saturating_add(*missing);
        if let Some(head) = heads.get_mut(*head) {
            head.is_complete = true;
            head.end = next;
        }
        open.pop();
    }
}

/// The descriptor that was decoded last, by its bytes.
#[derive(Default)]
struct Last<'f> {
    /// The number of its kind, if the bytes are the copy that all of that kind share.
    kind: Option<u32>,
    bytes: &'f [u8],
    composite: Option<CompositeHead>,
}

/// The composite whose head is at a position.
#[inline]
fn composite_at<'f>(
    contents: Contents<'_, 'f>,
    position: usize,
    last: &mut Last<'f>,
) -> Option<CompositeHead> {
    let record = contents.record(position)?;
    let kind = record.kind_number();
    // A copy of another length than the index says is not gone by, here and below.
    if kind.is_some() && kind == last.kind && last.bytes.len() == record.descriptor_len()? {
        return last.composite;
    }
    let entry = contents.entry(position)?;
    let bytes = entry.descriptor_at_hand().ok()?;
    if bytes.len() > MAX_COMPARED || bytes != last.bytes {
        let composite = entry.known_descriptor().ok()?.composite().copied();
        let is_copy = contents.copy_of(&record).is_some_and(|copy| copy.len() == bytes.len());
        *last = Last { kind: kind.filter(|_| is_copy), bytes, composite };
    }
    last.composite
}

#[cfg(test)]
mod tests {
    use super::Heads;
    use crate::descriptor::{CompositeHead, CompositionRule};
    use proptest::prelude::*;

    /// What is at each position: a tensor, or a head.
    type Entries = [Option<CompositeHead>];

    fn heads_of(entries: &Entries) -> Heads {
        let found = entries.iter().enumerate().filter_map(|(position, head)| Some((position, (*head)?)));
        Heads::of(entries.len(), found, Vec::new())
    }

    /// Where what begins at a position ends; `None` if the file ends before.
    fn end_of(entries: &Entries, position: usize) -> Option<usize> {
        let members = entries.get(position)?.map_or(0, |head| head.member_count);
        (0..members).try_fold(position + 1, |next, _| end_of(entries, next))
    }

    fn entries() -> impl Strategy<Value = Vec<Option<CompositeHead>>> {
        let rule = prop_oneof![3 => Just(CompositionRule::Group), 1 => Just(CompositionRule::Partition)];
        let head = (rule, prop_oneof![9 => 0u32..4, 1 => Just(u32::MAX)])
            .prop_map(|(rule, member_count)| CompositeHead { rule, member_count });
        prop::collection::vec(prop::option::weighted(0.4, head), 0..24)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn heads_end_where_counting_one_by_one_ends(entries in entries()) {
            let mut heads = heads_of(&entries);
            // In the order of the file, and against it.
            for position in (0..entries.len()).chain((0..entries.len()).rev()) {
                let found = heads.at(position);
                prop_assert_eq!(found.is_some(), entries[position].is_some());
                let Some((found, head)) = found.zip(entries[position]) else { continue };
                prop_assert_eq!((found.rule, found.members), (head.rule, head.member_count));
                prop_assert_eq!(found.position, position);
                let end = end_of(&entries, position);
                prop_assert_eq!(found.is_complete, end.is_some());
                prop_assert_eq!(found.end, end.unwrap_or(entries.len()));
            }
        }

        #[test]
        fn values_are_tensors_and_wholes_outside_of_other_wholes(entries in entries()) {
            let heads = heads_of(&entries);
            let is_group = |head: &CompositeHead| head.rule == CompositionRule::Group;
            for (position, entry) in entries.iter().enumerate() {
                let mut before = entries.iter().enumerate().take(position);
                let is_inside = before.any(|(at, head)| {
                    head.is_some_and(|head| !is_group(&head))
                        && end_of(&entries, at).is_none_or(|end| position < end)
                });
                let is_value = !is_inside && !entry.as_ref().is_some_and(is_group);
                prop_assert_eq!(heads.is_value(position), is_value, "at {}", position);
            }
        }
    }
}
