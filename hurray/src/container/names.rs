//! A table from names to positions, that stores no name.

use std::hash::{BuildHasher, RandomState};

/// Finds the position of a name in some list, which the caller keeps: open addressing over one allocation
/// of 8 bytes a slot.
///
/// The hash is seeded per table with secret bits, so that nobody can choose names that collide.
#[derive(Debug, Clone)]
pub(crate) struct NameTable {
    /// 0 is free; else 24 bits of the hash over 40 bits of position + 1. A power of two, never full.
    slots: Vec<u64>,
    len: usize,
    seeds: [u64; 2],
}

/// More positions than any index or KV section in memory can have.
const POSITION_BITS: u32 = 40;
const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;

/// What a slot has to say of a probed hash.
enum Probe {
    Free(usize),
    Taken(usize),
}

impl NameTable {
    /// An empty table with room for `names`.
    pub(crate) fn with_capacity(names: usize) -> Self {
        let random = RandomState::new();
        let slots = names.saturating_add(names / 2).saturating_add(1).next_power_of_two().max(8);
        Self { slots: vec![0; slots], len: 0, seeds: [random.hash_one(0), random.hash_one(1)] }
    }

    /// Adds a name at `position`, or tells the position that has it already.
    ///
    /// `name_at` gives the names that were added before.
    #[inline]
    pub(crate) fn insert<'n>(
        &mut self,
        name: &[u8],
        position: usize,
        name_at: impl Fn(usize) -> &'n [u8],
    ) -> Result<(), usize> {
        if self.len.saturating_add(self.len / 4) >= self.slots.len() {
            self.grow(&name_at);
        }
        let hash = self.hash(name);
        match self.probe(hash, name, &name_at) {
            Probe::Taken(position) => Err(position),
            Probe::Free(slot) => {
                self.fill(slot, hash, position);
                Ok(())
            }
        }
    }

    /// The position of a name.
    #[inline]
    pub(crate) fn find<'n>(&self, name: &[u8], name_at: impl Fn(usize) -> &'n [u8]) -> Option<usize> {
        match self.probe(self.hash(name), name, &name_at) {
            Probe::Taken(position) => Some(position),
            Probe::Free(_) => None,
        }
    }

    #[inline]
    fn probe<'n>(&self, hash: u64, name: &[u8], name_at: &impl Fn(usize) -> &'n [u8]) -> Probe {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = to_index(hash) & mask;
        // Ends: at least one slot in five is free.
        loop {
            let held = self.slots.get(slot).copied().unwrap_or(0);
            if held == 0 {
                return Probe::Free(slot);
            }
            if (held ^ hash) >> POSITION_BITS == 0 {
                let position = to_index((held & POSITION_MASK).wrapping_sub(1));
                if name_at(position) == name {
                    return Probe::Taken(position);
                }
            }
            slot = slot.wrapping_add(1) & mask;
        }
    }

    #[inline]
    fn fill(&mut self, slot: usize, hash: u64, position: usize) {
        let position = u64::try_from(position).unwrap_or(u64::MAX).wrapping_add(1) & POSITION_MASK;
        if let Some(free) = self.slots.get_mut(slot) {
            *free = (hash & !POSITION_MASK) | position;
            self.len = self.len.saturating_add(1);
        }
    }

    #[cold]
    fn grow<'n>(&mut self, name_at: &impl Fn(usize) -> &'n [u8]) {
        let doubled = vec![0; self.slots.len().saturating_mul(2)];
        let held = std::mem::replace(&mut self.slots, doubled);
        self.len = 0;
        for held in held.into_iter().filter(|held| *held != 0) {
            let position = to_index((held & POSITION_MASK).wrapping_sub(1));
            let name = name_at(position);
            let hash = self.hash(name);
            if let Probe::Free(slot) = self.probe(hash, name, name_at) {
                self.fill(slot, hash, position);
            }
        }
    }

    /// Multiplies 16 bytes at a time with the seeds into 128 bits, and folds them.
    #[inline]
    fn hash(&self, name: &[u8]) -> u64 {
        let [mut state, seed] = self.seeds;
        let (pairs, rest) = name.as_chunks::<16>();
        for pair in pairs {
            let [low, high] = halves(pair);
            state = fold(low ^ state, high ^ seed);
        }
        // The last 16 bytes, some of them for the second time; the length tells the difference.
        let [low, high] = match name.last_chunk::<16>() {
            Some(_) if rest.is_empty() => [0; 2],
            Some(last) => halves(last),
            None => {
                let mut last = [0; 16];
                last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
                halves(&last)
            }
        };
        let length = u64::try_from(name.len()).unwrap_or(u64::MAX);
        fold(fold(low ^ state, high ^ seed) ^ length, seed)
    }
}

#[inline]
fn halves(bytes: &[u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(*bytes);
    [low_half(both), low_half(both >> 64)]
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    low_half(product) ^ low_half(product >> 64)
}

#[inline]
#[expect(clippy::as_conversions, reason = "the low half is wanted")]
fn low_half(value: u128) -> u64 {
    value as u64
}

#[inline]
#[expect(clippy::as_conversions, reason = "masked by the size of the table, or a position that was a usize")]
fn to_index(value: u64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::NameTable;

    #[test]
    fn finds_every_name_and_refuses_a_second_one() {
        let names: Vec<String> =
            (0..5000).map(|i| format!("layers.{i}.weight of some longer name")).collect();
        let name_at = |position: usize| names[position].as_bytes();
        for capacity in [0, names.len()] {
            let mut table = NameTable::with_capacity(capacity);
            for (position, name) in names.iter().enumerate() {
                assert_eq!(table.insert(name.as_bytes(), position, name_at), Ok(()));
            }
            for (position, name) in names.iter().enumerate() {
                assert_eq!(table.find(name.as_bytes(), name_at), Some(position));
                assert_eq!(table.insert(name.as_bytes(), 0, name_at), Err(position));
            }
            assert_eq!(table.find(b"layers.0", name_at), None);
        }
    }

    #[test]
    fn tells_names_apart_that_differ_in_trailing_zeros() {
        let names: [&[u8]; 3] = [b"a", b"a\0", b"a\0\0"];
        let mut table = NameTable::with_capacity(3);
        for (position, name) in names.iter().enumerate() {
            assert_eq!(table.insert(name, position, |at| names[at]), Ok(()));
        }
    }
}
