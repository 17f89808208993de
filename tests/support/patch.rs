//! Changes to single fields of a valid file, with its checksum made right again.

use std::ops::Range;

/// The bytes of a valid file, to be changed field by field (offsets by FORMAT §2).
#[derive(Debug, Clone)]
pub struct Patch(Vec<u8>);

impl Patch {
    const TRAILER_SIZE: usize = 40;

    /// Starts from a valid file.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// Where the trailer starts.
    #[must_use]
    pub fn trailer(&self) -> usize {
        self.0.len() - Self::TRAILER_SIZE
    }

    /// The bytes of the index section.
    #[must_use]
    pub fn index(&self) -> Range<usize> {
        let at = self.trailer();
        let (start, length) = (self.u64_at(at), self.u64_at(at + 8));
        start..start + length
    }

    /// Where the KV section starts.
    #[must_use]
    pub fn kv(&self) -> usize {
        self.u64_at(self.trailer() + 16)
    }

    /// Where the index entry of a tensor starts, and where its fields after the name start.
    ///
    /// # Panics
    ///
    /// When there is no such tensor.
    #[must_use]
    pub fn entry(&self, name: &str) -> (usize, usize) {
        let mut at = self.index().start + 8;
        while at < self.index().end {
            let length = usize::from(u16::from_le_bytes(self.array(at)));
            let fields = at + 2 + length;
            if &self.0[at + 2..fields] == name.as_bytes() {
                return (at, fields);
            }
            at = fields + 32;
        }
        panic!("no tensor `{name}`");
    }

    /// Where the descriptor of a tensor starts.
    #[must_use]
    pub fn descriptor(&self, name: &str) -> usize {
        self.u64_at(self.entry(name).1)
    }

    /// The table of descriptors (`hurray.descriptors`), without version and checksum: how many copies there are, the
    /// numbers of the tensors, and the copies.
    ///
    /// # Panics
    ///
    /// When the file has none.
    #[must_use]
    pub fn table(&self) -> Range<usize> {
        const KEY: &[u8] = b"hurray.descriptors";
        let section = &self.0[self.kv()..];
        let key = section.windows(KEY.len()).position(|window| window == KEY).expect("a table");
        // A tag, the length of the value, and the table's version and checksum.
        let value = self.kv() + key + KEY.len() + 1 + 4;
        let length = u32::from_le_bytes(self.array(value - 4));
        value + 8..value + usize::try_from(length).expect("a length in memory")
    }

    /// Where the number of the kind of the tensor at a position is.
    ///
    /// # Panics
    ///
    /// When the file has no copies, or no such tensor.
    #[must_use]
    pub fn number_at(&self, position: usize) -> usize {
        let tensors = self.u64_at(self.index().start);
        assert!(position < tensors, "no tensor at {position}");
        self.table().start + 4 + position * 4
    }

    /// The number of the kind of the tensor at a position.
    ///
    /// # Panics
    ///
    /// As for [`number_at`](Self::number_at).
    #[must_use]
    pub fn number(&self, position: usize) -> u32 {
        u32::from_le_bytes(self.array(self.number_at(position)))
    }

    /// Where the copy of the descriptor of the tensor at a position is; tensors whose descriptors are alike share one.
    ///
    /// # Panics
    ///
    /// As for [`number_at`](Self::number_at).
    #[must_use]
    pub fn copy(&self, position: usize) -> usize {
        let tensors = self.u64_at(self.index().start);
        let copies = self.table().start + 4 + tensors * 4;
        // Each copy has its length behind magic and version.
        (0..self.number(position)).fold(copies, |at, _| {
            at + usize::try_from(u32::from_le_bytes(self.array(at + 6))).expect("a length in memory")
        })
    }

    /// Makes the checksum of the copies of the descriptors right.
    #[must_use]
    pub fn with_sound_table(self) -> Self {
        let table = self.table();
        let checksum = crc32c::crc32c(&self.0[table.clone()]);
        self.put(table.start - 4, &checksum.to_le_bytes())
    }

    /// Writes bytes over those at an offset.
    #[must_use]
    pub fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Makes the index's checksum right, unless the index lies outside the file.
    #[must_use]
    pub fn sealed(mut self) -> Vec<u8> {
        let at = self.trailer();
        let start = u64::from_le_bytes(self.array(at));
        let length = u64::from_le_bytes(self.array(at + 8));
        let range = usize::try_from(start).ok().zip(usize::try_from(start.wrapping_add(length)).ok());
        if let Some(index) = range.and_then(|(start, end)| self.0.get(start..end)) {
            let checksum = crc32c::crc32c(index);
            self.0[at + 28..at + 32].copy_from_slice(&checksum.to_le_bytes());
        }
        self.0
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().expect("the length is that of the range")
    }

    fn u64_at(&self, at: usize) -> usize {
        usize::try_from(u64::from_le_bytes(self.array(at))).expect("an offset in memory")
    }
}
