//! What a load keeps of the file: what was asked for, and which entries are composite heads.

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
    position: usize,
    pub(super) rule: CompositionRule,
    pub(super) members: u32,
    /// Whether as many members follow as the head says.
    pub(super) is_complete: bool,
}

/// The composite heads of the file, by position.
#[derive(Debug)]
pub(super) struct Heads {
    heads: Vec<Head>,
    /// The head that comes next if the file is in the model's order.
    next: usize,
}

impl Heads {
    /// Finds the heads in one pass. Only entries without data can be heads, so only their descriptors are read.
    pub(super) fn new(contents: Contents<'_, '_>) -> Self {
        let mut heads: Vec<Head> =
            Vec::with_capacity(contents.without_data().filter(|without| *without).count());
        // Heads whose members are still coming, innermost last, each with how many.
        let mut open: Vec<(usize, u32)> = Vec::new();
        // Most heads are like the one before, to the byte.
        let mut last: (&[u8], Option<CompositeHead>) = (&[], None);
        for (position, may_be_head) in contents.without_data().enumerate() {
            // This is one more member of the innermost head; one that has all its members is done, and was
            // itself a member that is now whole.
            if let Some((_, missing)) = open.last_mut() {
                *missing = missing.saturating_sub(1);
            }
            if may_be_head && let Some(head) = composite_at(contents, position, &mut last) {
                let (rule, members) = (head.rule, head.member_count);
                open.push((heads.len(), members));
                heads.push(Head { position, rule, members, is_complete: false });
            }
            while let Some(&(head, 0)) = open.last() {
                open.pop();
                if let Some(head) = heads.get_mut(head) {
                    head.is_complete = true;
                }
            }
        }
        Self { heads, next: 0 }
    }

    /// The head at a position.
    pub(super) fn at(&mut self, position: usize) -> Option<Head> {
        let is_here = |head: &&Head| head.position == position;
        let at = match self.heads.get(self.next).filter(is_here) {
            Some(_) => self.next,
            None => self.heads.binary_search_by_key(&position, |head| head.position).ok()?,
        };
        self.next = at.saturating_add(1);
        self.heads.get(at).copied()
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
