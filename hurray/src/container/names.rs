//! A table from names to positions, that stores no name.

use std::hash::{BuildHasher, RandomState};

use crate::bytes::{ends, halves, is_same};

/// Finds the position of a name in some list, which the caller keeps: open addressing over one allocation of 4 bytes
/// a slot.
///
/// Slots are probed four at a time, which is without branches but for whether any fits, and for whether one is free. Both
/// can nearly always be foreseen, so that looking into one bucket need not wait for another that is not in the cache.
///
/// The hash is seeded per table with secret bits, so that nobody can choose names that collide.
#[derive(Debug, Clone)]
pub(crate) struct NameTable {
    /// 0 is free, and nothing else is behind it in its bucket; else a position + 1 in as many low bits as it takes to
    /// count the slots, and bits of the hash above. A power of two, never full.
    buckets: Vec<[u32; Self::BUCKET]>,
    len: usize,
    seeds: [u64; 2],
}

/// What a table goes by instead of a name, and what was seen on the way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digest {
    hash: u64,
    /// All bytes of the name, or-ed together eight at a time.
    seen: u64,
}

impl Digest {
    /// Whether the name is ASCII.
    #[inline]
    pub(super) fn is_ascii(self) -> bool {
        self.seen & 0x8080_8080_8080_8080 == 0
    }
}

/// What the buckets have to say of a probed hash.
enum Probe<T> {
    /// The bucket with a free slot, and which one.
    Free(usize, usize),
    Taken(T),
}

impl NameTable {
    const BUCKET: usize = 4;

    /// An empty table with room for `names`.
    pub(crate) fn with_capacity(names: usize) -> Self {
        let random = RandomState::new();
        let slots = names.saturating_add(names / 2).saturating_add(1).next_power_of_two().max(8);
        let buckets = vec![[0; Self::BUCKET]; slots / Self::BUCKET];
        Self { buckets, len: 0, seeds: [random.hash_one(0), random.hash_one(1)] }
    }

    fn slots(&self) -> usize {
        self.buckets.len().wrapping_mul(Self::BUCKET)
    }

    /// Adds a name at `position`, the number of names before it, or tells the position that has it already.
    ///
    /// `name_at` gives the names that were added before.
    #[inline]
    pub(crate) fn insert<'n>(
        &mut self,
        name: &[u8],
        position: usize,
        name_at: impl Fn(usize) -> &'n [u8],
    ) -> Result<(), usize> {
        if self.len.saturating_add(self.len / 4) >= self.slots() {
            self.grow(&name_at);
        }
        self.insert_digested(name, self.digest(name), position, name_at)
    }

    /// The same for a name whose digest is known, in a table that was made with room for all names.
    #[inline(always)]
    pub(super) fn insert_digested<'n>(
        &mut self,
        name: &[u8],
        digest: Digest,
        position: usize,
        name_at: impl Fn(usize) -> &'n [u8],
    ) -> Result<(), usize> {
        debug_assert!(self.len < self.slots(), "a full table would be probed for ever");
        match self.probe(digest.hash, |position| is_same(name_at(position), name).then_some(position)) {
            Probe::Taken(position) => Err(position),
            Probe::Free(bucket, slot) => {
                self.fill(bucket, slot, digest.hash, position);
                Ok(())
            }
        }
    }

    /// The position of a name.
    #[inline]
    pub(crate) fn find<'n>(&self, name: &[u8], name_at: impl Fn(usize) -> &'n [u8]) -> Option<usize> {
        self.find_by(name, |position| is_same(name_at(position), name).then_some(position))
    }

    /// What `at` has at the position of a name; it has nothing where another name is.
    #[inline]
    pub(super) fn find_by<T>(&self, name: &[u8], at: impl Fn(usize) -> Option<T>) -> Option<T> {
        match self.probe(self.digest(name).hash, at) {
            Probe::Taken(found) => Some(found),
            Probe::Free(..) => None,
        }
    }

    #[inline(always)]
    fn probe<T>(&self, hash: u64, at: impl Fn(usize) -> Option<T>) -> Probe<T> {
        let mask = self.buckets.len().wrapping_sub(1);
        let (mut place, tag, position_mask) =
            (widen(low_half(hash >> 32)) & mask, low_half(hash), narrow(self.slots().wrapping_sub(1)));
        // Ends: at least one slot in eight is free.
        loop {
            let bucket = self.buckets.get(place).copied().unwrap_or_default();
            let fits = |held: u32| u32::from((held ^ tag) & !position_mask == 0);
            let [a, b, c, d] = bucket;
            let mut hits = fits(a) | fits(b) << 1 | fits(c) << 2 | fits(d) << 3;
            while hits != 0 {
                // From the table again, so that the bucket need not be in memory of its own.
                let slots = self.buckets.get(place);
                let held = slots.and_then(|slots| slots.get(widen(hits.trailing_zeros())));
                // A tag of zeros fits free slots, too.
                if let Some(position) = held.and_then(|held| (held & position_mask).checked_sub(1))
                    && let Some(found) = at(widen(position))
                {
                    return Probe::Taken(found);
                }
                hits &= hits.wrapping_sub(1);
            }
            let taken = bucket.map(|held| usize::from(held != 0)).into_iter().sum();
            if taken < Self::BUCKET {
                return Probe::Free(place, taken);
            }
            place = place.wrapping_add(1) & mask;
        }
    }

    #[inline(always)]
    fn fill(&mut self, bucket: usize, slot: usize, hash: u64, position: usize) {
        let position_mask = narrow(self.slots().wrapping_sub(1));
        debug_assert!(position < self.slots(), "positions are counted from 0");
        if let Some(free) = self.buckets.get_mut(bucket).and_then(|bucket| bucket.get_mut(slot)) {
            *free = (low_half(hash) & !position_mask) | (narrow(position.wrapping_add(1)) & position_mask);
            self.len = self.len.wrapping_add(1);
        }
    }

    #[cold]
    fn grow<'n>(&mut self, name_at: &impl Fn(usize) -> &'n [u8]) {
        let position_mask = narrow(self.slots().wrapping_sub(1));
        let doubled = vec![[0; Self::BUCKET]; self.buckets.len().saturating_mul(2)];
        let held = std::mem::replace(&mut self.buckets, doubled);
        self.len = 0;
        for held in held.into_iter().flatten().filter(|held| *held != 0) {
            let position = widen((held & position_mask).wrapping_sub(1));
            let name = name_at(position);
            let hash = self.digest(name).hash;
            // None is there twice.
            if let Probe::Free(bucket, slot) = self.probe(hash, |_| None::<usize>) {
                self.fill(bucket, slot, hash, position);
            }
        }
    }

    /// Multiplies 16 bytes at a time with the seeds into 128 bits, and folds them. The last 16 bytes may be there for
    /// the second time; the length tells the difference.
    #[inline(always)]
    pub(super) fn digest(&self, name: &[u8]) -> Digest {
        let [start, seed] = self.seeds;
        let mut state = start ^ u64::try_from(name.len()).unwrap_or(u64::MAX);
        let mut seen = 0;
        let mut take = |[low, high]: [u64; 2]| {
            seen |= low | high;
            state = fold(low ^ state, high ^ seed);
        };
        if let Some(last) = name.last_chunk::<16>() {
            let (chunks, _) = name.as_chunks::<16>();
            chunks.iter().for_each(|chunk| take(halves(chunk)));
            take(halves(last));
        } else {
            take(ends(name));
        }
        Digest { hash: state, seen }
    }
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    low_word(product) ^ low_word(product >> 64)
}

#[inline]
#[expect(clippy::as_conversions, reason = "the low word is wanted")]
fn low_word(value: u128) -> u64 {
    value as u64
}

#[inline]
#[expect(clippy::as_conversions, reason = "the low half is wanted")]
fn low_half(value: u64) -> u32 {
    value as u32
}

/// Positions, and masks of positions, in a table of fewer than 2^32 names: as many as an index, a KV section or the
/// copies of descriptors can have.
#[inline]
#[expect(clippy::as_conversions, reason = "no position is lost, and what is lost of a mask is for none")]
fn narrow(value: usize) -> u32 {
    value as u32
}

#[inline]
#[expect(clippy::as_conversions, reason = "addresses have 32 bits at least")]
fn widen(value: u32) -> usize {
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
                assert_eq!(table.insert(name.as_bytes(), names.len(), name_at), Err(position));
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

    #[test]
    fn tells_names_of_every_length_apart_that_differ_in_one_byte() {
        for length in 1..50usize {
            let names: Vec<Vec<u8>> = (0..length)
                .map(|at| (0..length).map(|other| u8::from(other == at)).collect())
                .chain([vec![0; length]])
                .collect();
            let mut table = NameTable::with_capacity(0);
            for (position, name) in names.iter().enumerate() {
                assert_eq!(table.insert(name, position, |at| &names[at]), Ok(()), "{length}");
            }
            let hashes: std::collections::HashSet<u64> =
                names.iter().map(|name| table.digest(name).hash).collect();
            assert_eq!(hashes.len(), names.len());
        }
    }

    #[test]
    fn sees_any_byte_that_is_not_ascii() {
        let table = NameTable::with_capacity(0);
        for length in 0..50usize {
            let mut name = vec![b'a'; length];
            assert!(table.digest(&name).is_ascii());
            for at in 0..length {
                name[at] = 0x80;
                assert!(!table.digest(&name).is_ascii());
                name[at] = b'a';
            }
        }
    }
}
