//! All of a file but its tensors.

use super::{Header, Index, KvSection, MIN_FILE_SIZE, Table, Trailer, wrong};
use crate::error::{OpenError, Rule};
use crate::policy::Policy;

/// Header, trailer, index and KV section of a file, checked against each other. Names, keys and values stay
/// in the bytes of the file, which whoever holds this has to keep.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) header: Header,
    pub(crate) trailer: Trailer,
    pub(crate) index: Index,
    pub(crate) kv: KvSection,
    pub(crate) table: Table,
}

/// The first and the last bytes of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) header: [u8; Header::SIZE],
    pub(crate) trailer: [u8; Trailer::SIZE],
}

impl Ends {
    /// Where in a file of `length` bytes that starts which opening reads behind the header: KV section, index and
    /// trailer. `None` if these are not the ends of a sound file.
    pub(crate) fn tail_start(&self, length: u64) -> Option<u64> {
        let base = length.checked_sub(u64::try_from(Trailer::SIZE).ok()?)?;
        let header = Header::decode(&self.header).ok()?;
        Trailer::decode(&self.trailer, base, &header).ok().map(|trailer| trailer.region_end())
    }
}

impl Parsed {
    /// Reads all that opening a file needs: its first and last pages, never a tensor.
    ///
    /// # Errors
    /// `NotHurray` and `Truncated` for what is not a whole file of this format; `Format` for a broken rule.
    pub(crate) fn decode(file: &[u8], policy: &Policy) -> Result<Self, OpenError> {
        match (file.first_chunk(), file.last_chunk()) {
            (Some(header), Some(trailer)) => {
                Self::decode_between(&Ends { header: *header, trailer: *trailer }, file, policy)
            }
            _ if file.starts_with(&Header::MAGIC) => Err(wrong::cut(file, None)),
            _ => Err(wrong::not_hurray(file)),
        }
    }

    /// The same for a file whose ends are known: its first page, which a mapping would have to fetch, is not
    /// touched.
    pub(crate) fn decode_between(ends: &Ends, file: &[u8], policy: &Policy) -> Result<Self, OpenError> {
        if !ends.header.starts_with(&Header::MAGIC) {
            return Err(wrong::not_hurray(file));
        }
        if file.len() < MIN_FILE_SIZE {
            return Err(wrong::cut(file, None));
        }
        let header = Header::decode(&ends.header)?;
        let body = file.len().checked_sub(Trailer::SIZE).ok_or_else(|| Rule::Hdr01.broken())?;
        let base = u64::try_from(body).unwrap_or(u64::MAX);
        let trailer = match Trailer::decode(&ends.trailer, base, &header) {
            Err(error) if error.rule() == Rule::Trl01 => return Err(wrong::no_trailer(file, &header, error)),
            trailer => trailer?,
        };
        let mut index = Index::decode(file.into(), &header, &trailer, policy.mode)?;
        let kv = KvSection::decode(file.into(), &header, &trailer)?;
        let mut table = Table::default();
        if index.descriptors_fit(file.len())
            && let Some((found, numbers)) = Table::decode(file.into(), index.len(), &kv)
        {
            index.keep_kinds(numbers.iter().map(|number| u32::from_le_bytes(*number)));
            table = found;
        }
        Ok(Self { header, trailer, index, kv, table })
    }

    /// Takes the descriptors, in the order of their offsets, as they were read from where they lie.
    pub(crate) fn keep_gathered<'d>(&mut self, descriptors: impl Iterator<Item = &'d [u8]>) {
        if let Some((table, numbers)) = Table::gathered(descriptors) {
            self.index.keep_kinds(numbers);
            self.table = table;
        }
    }
}
