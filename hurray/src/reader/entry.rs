//! One tensor of an open file.

use std::fmt;

use smallvec::SmallVec;

use super::File;
use crate::container::{FileBytes, Record, Section};
use crate::descriptor::placement::{Extent, IndexedPlace};
use crate::descriptor::{PlainDescriptor, RowMajor, TensorDescriptor};
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

/// One tensor of an open file, or a composite head. Cheap to copy; nothing of it is decoded yet.
#[derive(Clone, Copy)]
pub struct TensorEntry<'f> {
    pub(super) home: Home<'f>,
    pub(super) record: Record<'f>,
    pub(super) position: usize,
}

/// What the index says of it, not the bytes of the file.
impl fmt::Debug for TensorEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorEntry")
            .field("name", &self.name())
            .field("position", &self.position)
            .field("descriptor_offset", &self.descriptor_offset())
            .field("descriptor_length", &self.descriptor_length())
            .field("data_offset", &self.data_offset())
            .field("data_length", &self.data_length())
            .finish_non_exhaustive()
    }
}

/// Whose bytes an entry is of.
#[derive(Clone, Copy)]
pub(super) enum Home<'f> {
    /// Those of an open file, which is asked for whatever else is needed.
    File(&'f File),
    /// Those that a caller lends. What was parsed of them, or the policy, does not live as long.
    Lent(Lent<'f>),
}

/// What an entry of lent bytes needs of what was parsed.
#[derive(Clone, Copy)]
pub(super) struct Lent<'f> {
    pub(super) bytes: &'f [u8],
    pub(super) policy: &'f Policy,
    pub(super) alignment: u32,
    pub(super) region_end: u64,
    pub(super) index_position: u64,
    /// The copy of the descriptor; nothing without one.
    pub(super) copy: Option<&'f [u8]>,
}

/// The shape of a plain tensor, and the bytes of its elements.
type Plain<'f> = (RowMajor, &'f [u8]);

impl<'f> Home<'f> {
    #[inline(always)]
    fn bytes(&self) -> &'f [u8] {
        match self {
            Self::File(file) => file.bytes(),
            Self::Lent(lent) => lent.bytes,
        }
    }

    #[inline(always)]
    fn alignment(&self) -> u32 {
        match self {
            Self::File(file) => file.parsed().header.alignment,
            Self::Lent(lent) => lent.alignment,
        }
    }

    fn region_end(&self) -> u64 {
        match self {
            Self::File(file) => file.parsed().trailer.region_end(),
            Self::Lent(lent) => lent.region_end,
        }
    }

    /// The copy of an entry's descriptor.
    fn copy_of(&self, record: &Record<'f>) -> Option<&'f [u8]> {
        match self {
            Self::File(file) => file.contents().copy_of(record),
            Self::Lent(lent) => lent.copy,
        }
    }
}

impl<'f> TensorEntry<'f> {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &'f str {
        self.record.name()
    }

    /// Whether this is its name; at the root there is no tensor.
    #[inline]
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.record.name_bytes() == name.as_bytes()
    }

    /// The bytes of the descriptor in the tensor region.
    pub(crate) fn descriptor_bytes(&self) -> Result<&'f [u8], FormatError> {
        self.record
            .descriptor()
            .and_then(|section| section.of(self.bytes()))
            .ok_or_else(|| self.blamed(Rule::Idx10.broken()))
    }

    /// The bytes of the descriptor, off the page of the tensor where the file has a sound copy of it.
    #[inline]
    pub(crate) fn descriptor_at_hand(&self) -> Result<&'f [u8], FormatError> {
        let copy = self.home.copy_of(&self.record);
        // What the index says of the length holds for copies, too.
        copy.filter(|copy| self.record.descriptor_len() == Some(copy.len()))
            .or_else(|| self.record.descriptor()?.of(self.bytes()))
            .ok_or_else(|| self.blamed(Rule::Idx10.broken()))
    }

    /// Shape and elements of a tensor without anything special, if the file is open and knows its kind; `None` as well
    /// if it is not one of that element type.
    #[inline(always)]
    pub(crate) fn known(&self, type_tag: u8) -> Option<(&'f RowMajor, &'f [u8])> {
        match self.home {
            Home::File(file) => file.contents().known(&self.record, type_tag),
            Home::Lent(_) => None,
        }
    }

    /// The same by its descriptor, if the only buffer lies just where it belongs.
    pub(crate) fn plain(&self, type_tag: u8, element_size: usize) -> Option<Plain<'f>> {
        let descriptor = PlainDescriptor::read(self.descriptor_at_hand().ok()?, type_tag, element_size)?;
        if !self.record.has_only_buffer(self.home.alignment(), descriptor.byte_size) {
            return None;
        }
        // The elements end inside of the buffer, as the descriptor was found to say.
        let start = self.record.data_offset.checked_add(descriptor.byte_offset)?;
        let elements = FileBytes::from(self.bytes()).range(start, descriptor.element_bytes)?;
        Some((descriptor.shape, elements))
    }

    /// Decodes the descriptor, or its copy, and checks it alone: what typed access goes by. The buffers are
    /// looked for where the index says, and held against the bounds of the file, whichever it is.
    pub(crate) fn known_descriptor(&self) -> Result<TensorDescriptor, FormatError> {
        self.decode(self.descriptor_at_hand()?)
    }

    /// Decodes the bytes of the descriptor, from wherever they are, and checks it alone.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<TensorDescriptor, FormatError> {
        TensorDescriptor::decode_indexed(bytes, self.record.descriptor_length, self.policy())
            .map_err(|error| self.blamed(error.shifted(self.record.descriptor_offset)))
    }

    /// Decodes the descriptor in the tensor region, and checks it alone.
    ///
    /// # Errors
    /// [`FormatError`] with this tensor's name and the offset in the file.
    pub fn descriptor(&self) -> Result<TensorDescriptor, FormatError> {
        self.decode(self.descriptor_bytes()?)
    }

    /// The bytes of all buffers, in the order of the descriptor's buffer table.
    ///
    /// # Errors
    /// [`FormatError`] for a descriptor that does not decode, and for buffers that are not where they belong
    /// (PLC-01 to PLC-05).
    pub fn buffers(&self) -> Result<SmallVec<[&'f [u8]; 1]>, FormatError> {
        self.buffers_of(&self.descriptor()?)
    }

    /// The bytes of one buffer.
    ///
    /// # Errors
    /// As [`buffers`](Self::buffers), and BUF-02 if the tensor has no buffer of that number.
    pub fn buffer(&self, number: usize) -> Result<&'f [u8], FormatError> {
        let buffers = self.buffers()?;
        buffers.get(number).copied().ok_or_else(|| {
            let error = Rule::Buf02.broken().expected_to_be(format!("a buffer of number {number}"));
            self.blamed(error.but_found(format_args!("{} buffers", buffers.len())))
        })
    }

    /// The bytes of all buffers, for a caller that has decoded the descriptor.
    pub(crate) fn buffers_of(
        &self,
        descriptor: &TensorDescriptor,
    ) -> Result<SmallVec<[&'f [u8]; 1]>, FormatError> {
        let of_file = |extent: Extent| match extent.len {
            0 => Some(Default::default()),
            len => Section::new(extent.offset, len)?.of(self.bytes()),
        };
        let missing = |extent: Extent| self.blamed(Rule::Plc04.broken().at(extent.offset));
        self.extents_of(descriptor)?
            .into_iter()
            .map(|extent| of_file(extent).ok_or_else(|| missing(extent)))
            .collect()
    }

    /// Where in the file the buffers are.
    pub(crate) fn extents_of(
        &self,
        descriptor: &TensorDescriptor,
    ) -> Result<SmallVec<[Extent; 1]>, FormatError> {
        let Record { descriptor_offset, descriptor_length, data_offset, data_length, .. } = self.record;
        let place = IndexedPlace { descriptor_offset, descriptor_length, data_offset, data_length };
        descriptor
            .check_placement(place, self.home.alignment(), self.home.region_end(), self.policy())
            .map_err(|error| self.blamed(error))
    }

    /// The range of data that the index gives, buffers and the padding between them, not interpreted; empty
    /// for composite heads. The way to the data of a tensor whose descriptor is not understood.
    #[must_use]
    pub fn raw_data(&self) -> &'f [u8] {
        match self.record.data_length {
            0 => &[],
            _ => self.record.data().and_then(|data| data.of(self.bytes())).unwrap_or_default(),
        }
    }

    /// Where the descriptor starts, in bytes from the start of the file.
    #[must_use]
    pub fn descriptor_offset(&self) -> u64 {
        self.record.descriptor_offset
    }

    /// The length of the descriptor in bytes.
    #[must_use]
    pub fn descriptor_length(&self) -> u32 {
        self.record.descriptor_length
    }

    /// Where the data starts, in bytes from the start of the file; without meaning for composite heads.
    #[must_use]
    pub fn data_offset(&self) -> u64 {
        self.record.data_offset
    }

    /// From the start of the first buffer to the end of the last one, in bytes.
    #[must_use]
    pub fn data_length(&self) -> u64 {
        self.record.data_length
    }

    /// The place in the index, from 0.
    #[must_use]
    pub fn index_position(&self) -> u64 {
        match self.home {
            Home::File(file) => file.parsed().index.place_in_index(self.position),
            Home::Lent(lent) => lent.index_position,
        }
    }

    /// The place in the order of the file, from 0: what [`Member::Tensor`](crate::Member) refers to.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The open file that the bytes belong to; `None` for bytes that a caller lends.
    pub(crate) fn owner(&self) -> Option<&'f File> {
        match self.home {
            Home::File(file) => Some(file),
            Home::Lent(_) => None,
        }
    }

    /// What the file was opened with.
    pub(crate) fn policy(&self) -> &'f Policy {
        match self.home {
            Home::File(file) => file.policy(),
            Home::Lent(lent) => lent.policy,
        }
    }

    /// All bytes of the file.
    #[inline(always)]
    fn bytes(&self) -> &'f [u8] {
        self.home.bytes()
    }

    /// Adds what this entry knows to an error.
    #[cold]
    pub(crate) fn blamed(&self, error: FormatError) -> FormatError {
        error.at(self.record.descriptor_offset).in_tensor(self.name())
    }
}
