//! What a load keeps of the file: what was asked for, and which entries are composite heads.

use std::ops::Range;

use crate::descriptor::{CompositeHead, CompositionRule};
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
    /// The position after its last member, and after what that holds.
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
    /// Finds the heads in one pass. Only entries without data can be heads, so only their descriptors are read.
    pub(super) fn new(contents: Contents<'_, '_>) -> Self {
        let mut heads: Vec<Head> = Vec::with_capacity(contents.positions_without_data().count());
        // Heads whose members are still coming, innermost last, each with how many.
        let mut open: Vec<(usize, u32)> = Vec::new();
        // Most heads are like the one before, to the byte.
        let mut last: (&[u8], Option<CompositeHead>) = (&[], None);
        let mut passed = 0usize;
        for position in contents.positions_without_data() {
            let Some(head) = composite_at(contents, position, &mut last) else { continue };
            pass_members(passed..position, &mut open, &mut heads);
            // A head is itself a member of the one around it, which is not whole before this one is.
            if let Some((_, missing)) = open.last_mut() {
                *missing = missing.saturating_sub(1);
            }
            passed = position.saturating_add(1);
            let (rule, members) = (head.rule, head.member_count);
            open.push((heads.len(), members));
            heads.push(Head { position, end: contents.len(), rule, members, is_complete: false });
            pass_members(passed..passed, &mut open, &mut heads);
        }
        pass_members(passed..contents.len(), &mut open, &mut heads);
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

/// Counts members at some positions to the open heads, innermost first, and closes those that have all of theirs.
fn pass_members(members: Range<usize>, open: &mut Vec<(usize, u32)>, heads: &mut [Head]) {
    let mut next = members.start;
    while let Some((head, missing)) = open.last_mut() {
        let left = u32::try_from(members.end.saturating_sub(next)).unwrap_or(u32::MAX);
        let taken = left.min(*missing);
        *missing = missing.saturating_sub(taken);
        next = next.saturating_add(usize::try_from(taken).unwrap_or(usize::MAX));
        if *missing > 0 {
            return;
        }
        if let Some(head) = heads.get_mut(*head) {
            head.is_complete = true;
            head.end = next;
        }
        open.pop();
    }
}

/// The composite whose head is at a position. `last` is the descriptor that was decoded last.
fn composite_at<'f>(
    contents: Contents<'_, 'f>,
    position: usize,
    last: &mut (&'f [u8], Option<CompositeHead>),
) -> Option<CompositeHead> {
    let entry = contents.entry(position)?;
    let bytes = entry.descriptor_at_hand().ok()?;
    if bytes != last.0 {
        *last = (bytes, entry.known_descriptor().ok()?.composite().copied());
    }
    last.1
}
