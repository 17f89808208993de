//! All of a file but its tensors.

use std::sync::OnceLock;

use super::table::decode_table;
use super::{Header, Index, Known, KvSection, MIN_FILE_SIZE, Section, Trailer, wrong};
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
    table: Table,
    /// What look-ups need of each tensor, by position; made for the first one.
    known: OnceLock<Vec<Known>>,
}

/// The copies of all descriptors, back to back in the order of their offsets.
#[derive(Debug)]
enum Table {
    None,
    /// As the file has them, and they are sound.
    InFile(Section),
    /// Read from where each descriptor lies.
    Gathered(Vec<u8>),
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
        let index = Index::decode(file.into(), &header, &trailer, policy.mode)?;
        let kv = KvSection::decode(file.into(), &header, &trailer)?;
        let table = decode_table(file.into(), &index, &kv).map_or(Table::None, Table::InFile);
        Ok(Self { header, trailer, index, kv, table, known: OnceLock::new() })
    }

    /// Whether the copies of the descriptors are those that the file has.
    pub(crate) fn has_table_in_file(&self) -> bool {
        matches!(self.table, Table::InFile(_))
    }

    /// Whether the copies of the descriptors were read from where each lies.
    pub(crate) fn has_gathered_table(&self) -> bool {
        matches!(self.table, Table::Gathered(_))
    }

    /// The copies of all descriptors that the file has; empty if it has no sound ones.
    #[inline]
    pub(crate) fn table_in<'f>(&self, file: &'f [u8]) -> &'f [u8] {
        match self.table {
            Table::InFile(section) => section.of(file).unwrap_or_default(),
            Table::None | Table::Gathered(_) => &[],
        }
    }

    /// The same, or those that were gathered.
    #[inline]
    pub(crate) fn table<'f>(&'f self, file: &'f [u8]) -> &'f [u8] {
        match &self.table {
            Table::Gathered(table) => table,
            Table::None | Table::InFile(_) => self.table_in(file),
        }
    }

    /// Takes the descriptors, back to back in the order of their offsets, as they were read from where they lie.
    pub(crate) fn keep_gathered(&mut self, table: Vec<u8>) {
        self.table = Table::Gathered(table);
    }

    /// What is known of each tensor, by position, so that a look-up touches no descriptor. Nothing without copies of
    /// the descriptors.
    #[inline]
    pub(crate) fn known(&self, file: &[u8]) -> &[Known] {
        self.known.get_or_init(|| match self.table(file) {
            [] => Vec::new(),
            table => self.index.known(file, table, self.header.alignment),
        })
    }
}
