//! What a load keeps of the file: what was asked for, and which entries are composite heads.

use crate::descriptor::CompositionRule;
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
        (0..self.len).filter(|position| {
            self.words
                .get(position / Self::BITS)
                .is_none_or(|word| word & (1 << (position % Self::BITS)) == 0)
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
pub(super) struct Heads(Vec<Head>);

impl Heads {
    /// Finds the heads in one pass. Only entries without data can be heads, so only their descriptors are read.
    pub(super) fn new(contents: Contents<'_, '_>) -> Self {
        let mut heads: Vec<Head> = Vec::new();
        // Heads whose members are still coming, innermost last, each with how many.
        let mut open: Vec<(usize, u32)> = Vec::new();
        for position in 0..contents.len() {
            // This is one more member of the innermost head; one that has all its members is done, and was
            // itself a member that is now whole.
            if let Some((_, missing)) = open.last_mut() {
                *missing = missing.saturating_sub(1);
            }
            let entry = contents.entry_without_data(position);
            let head = entry.and_then(|entry| entry.known_descriptor().ok());
            if let Some(&composite) = head.as_ref().and_then(|descriptor| descriptor.composite()) {
                let (rule, members) = (composite.rule, composite.member_count);
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
        Self(heads)
    }

    pub(super) fn at(&self, position: usize) -> Option<Head> {
        let at = self.0.binary_search_by_key(&position, |head| head.position).ok()?;
        self.0.get(at).copied()
    }
}
