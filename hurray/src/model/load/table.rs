//! What a load keeps of the file: what was asked for, and which entries are composite heads.

use std::ops::Range;

use crate::container::WithoutData;
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
    /// Among all heads, the first at or behind the end.
    after: usize,
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
        let mut heads = Vec::with_capacity(contents.without_data().count());
        // Most heads are like the one before, to the byte.
        let mut last = Last::default();
        for tensor in contents.without_data() {
            if !last.is_of(&tensor) {
                last.go_to(contents, &tensor);
            }
            if let Some(composite) = last.composite {
                heads.push(Head::of(tensor.position, composite));
            }
        }
        Self::put_together(contents.len(), heads)
    }

    /// Finds out how far each head among `len` entries reaches. The heads are in ascending order of positions.
    fn put_together(len: usize, mut heads: Vec<Head>) -> Self {
        // From the last on, so that a head finds those that are its members done. It passes over what these hold: each
        // head is met by the one that it is a member of, and by no other.
        for at in (0..heads.len()).rev() {
            if let Some((head, behind)) = heads.get_mut(at..).and_then(<[Head]>::split_first_mut) {
                head.reach(behind, at.saturating_add(1), len);
            }
        }
        let mut wholes: Vec<Range<usize>> = Vec::new();
        for head in heads.iter().filter(|head| head.rule != CompositionRule::Group) {
            if wholes.last().is_none_or(|last| last.end <= head.position) {
                wholes.push(head.position..head.end);
            }
        }
        Self { heads, wholes, next: 0 }
    }

    /// The head at a position, with its number among all heads.
    #[inline]
    pub(super) fn find(&mut self, position: usize) -> Option<(usize, &Head)> {
        let is_here = |head: &&Head| head.position == position;
        let number = match self.heads.get(self.next).filter(is_here) {
            Some(_) => self.next,
            None => self.place_of(position)?,
        };
        self.next = number.saturating_add(1);
        Some((number, self.heads.get(number)?))
    }

    /// The head of a number.
    pub(super) fn get(&self, number: usize) -> Option<Head> {
        self.heads.get(number).copied()
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

impl Head {
    /// A head whose members were not looked for yet.
    fn of(position: usize, CompositeHead { rule, member_count: members }: CompositeHead) -> Self {
        Self { position, end: 0, after: 0, rule, members, is_complete: false }
    }

    /// Finds the end, among the heads `behind` it, the first of which is number `number` of all, and `len` entries.
    fn reach(&mut self, behind: &[Head], number: usize, len: usize) {
        let mut missing = usize::try_from(self.members).unwrap_or(usize::MAX);
        let (mut next, mut at) = (self.position.saturating_add(1), 0usize);
        loop {
            // Tensors, up to the head that comes next.
            let head = behind.get(at);
            let tensors = head.map_or(len, |head| head.position).saturating_sub(next);
            if missing <= tensors {
                (self.end, self.is_complete) = (next.saturating_add(missing), true);
                self.after = number.saturating_add(at);
                return;
            }
            let Some(head) = head.filter(|head| head.is_complete) else {
                (self.end, self.after) = (len, number.saturating_add(behind.len()));
                return;
            };
            missing = missing.saturating_sub(tensors).saturating_sub(1);
            (next, at) = (head.end, head.after.saturating_sub(number));
        }
    }
}

/// The descriptor that was looked at last.
#[derive(Default)]
struct Last<'f> {
    /// The number of its kind, if the bytes are the copy that all of that kind share.
    kind: Option<u32>,
    bytes: &'f [u8],
    composite: Option<CompositeHead>,
}

impl<'f> Last<'f> {
    /// Whether that is a tensor's descriptor, by its kind.
    #[inline]
    fn is_of(&self, tensor: &WithoutData) -> bool {
        // A copy of another length than the index says is not gone by, here and below.
        self.kind.is_some() && self.kind == tensor.kind && tensor.descriptor_len == Some(self.bytes.len())
    }

    /// Goes on to a tensor's descriptor, which is no composite if it breaks a rule.
    fn go_to(&mut self, contents: Contents<'_, 'f>, tensor: &WithoutData) {
        let entry = contents.entry(tensor.position);
        let bytes = entry.as_ref().and_then(|entry| entry.descriptor_at_hand().ok()).unwrap_or_default();
        if bytes.len() > MAX_COMPARED || bytes != self.bytes {
            let descriptor = entry.as_ref().and_then(|entry| entry.known_descriptor().ok());
            self.composite = descriptor.and_then(|descriptor| descriptor.composite().copied());
            self.bytes = bytes;
        }
        self.kind = tensor.kind.filter(|_| {
            let record = contents.record(tensor.position);
            let copy = record.and_then(|record| contents.copy_of(&record));
            copy.is_some_and(|copy| copy.len() == bytes.len())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Head, Heads};
    use crate::descriptor::{CompositeHead, CompositionRule};
    use proptest::prelude::*;

    /// What is at each position: a tensor, or a head.
    type Entries = [Option<CompositeHead>];

    fn heads_of(entries: &Entries) -> Heads {
        let heads =
            entries.iter().enumerate().filter_map(|(position, head)| Some(Head::of(position, (*head)?)));
        Heads::put_together(entries.len(), heads.collect())
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
                let found = heads.find(position).map(|(_, head)| *head);
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
