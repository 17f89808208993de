//! All of a file but its tensors.

use super::table::decode_table;
use super::{Header, Index, KvSection, MIN_FILE_SIZE, Section, Trailer, wrong};
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
    /// Where the copies of all descriptors lie back to back, if the file has sound ones.
    table: Option<Section>,
}

impl Parsed {
    /// Reads all that opening a file needs: its first and last pages, never a tensor.
    ///
    /// # Errors
    /// `NotHurray` and `Truncated` for what is not a whole file of this format; `Format` for a broken rule.
    pub(crate) fn decode(file: &[u8], policy: &Policy) -> Result<Self, OpenError> {
        if !file.starts_with(&Header::MAGIC) {
            return Err(wrong::not_hurray(file));
        }
        if file.len() < MIN_FILE_SIZE {
            return Err(wrong::cut(file, None));
        }
        let header = Header::decode(file)?;
        let (body, trailer_bytes) =
            file.split_last_chunk::<{ Trailer::SIZE }>().ok_or_else(|| Rule::Hdr01.broken())?;
        let base = u64::try_from(body.len()).unwrap_or(u64::MAX);
        let trailer = match Trailer::decode(trailer_bytes, base, &header) {
            Err(error) if error.rule() == Rule::Trl01 => return Err(wrong::no_trailer(file, &header, error)),
            trailer => trailer?,
        };
        let index = Index::decode(file.into(), &header, &trailer, policy.mode)?;
        let kv = KvSection::decode(file.into(), &header, &trailer)?;
        let table = decode_table(file.into(), &index, &kv);
        Ok(Self { header, trailer, index, kv, table })
    }

    /// The copies of all descriptors, back to back in the order of their offsets; empty if the file has no sound
    /// ones.
    #[inline]
    pub(crate) fn table_in<'f>(&self, file: &'f [u8]) -> &'f [u8] {
        self.table.and_then(|table| table.of(file)).unwrap_or_default()
    }
}
