//! Reading a file from its start, without seeking (FORMAT §2.10).

mod end;
mod source;

use std::io::Read;

pub use end::SequentialEnd;

use crate::bytes::align_up;
use crate::container::{Header, ITEM_ALIGNMENT, wrong};
use crate::descriptor::{MAGIC, TensorDescriptor, peek_length};
use crate::error::{FormatError, OpenError, Rule};
use crate::limits::Limits;
use crate::policy::{Mode, Policy};
use source::Source;

/// Reads a file from its start, without seeking: from a pipe or a socket.
///
/// Tensors come in the order of the file, one at a time, and without names: those are in the index, at the
/// very end. What is read before [`finish`](Self::finish) has confirmed the end is not known to be whole.
///
/// Takes the memory of one tensor and some bytes for each that was read, and never more than twice the bytes that are
/// really there.
#[derive(Debug)]
pub struct SequentialReader<R> {
    source: Source<R>,
    header: Header,
    policy: Policy,
    tensors: Vec<Seen>,
    /// Where the next item can start: right behind the last one, or behind padding to the alignment.
    next: [u64; 2],
    is_at_end: bool,
}

/// What is remembered of a tensor that was read, to hold against the index.
#[derive(Debug, Clone, Copy)]
struct Seen {
    descriptor_offset: u64,
    descriptor_length: u32,
}

/// One tensor, read without seeking.
#[derive(Debug, Clone)]
pub struct SequentialTensor {
    descriptor_offset: u64,
    descriptor: TensorDescriptor,
    buffers: Vec<Vec<u8>>,
}

impl SequentialTensor {
    /// Where the descriptor starts, in bytes from the start of the file.
    #[must_use]
    pub fn descriptor_offset(&self) -> u64 {
        self.descriptor_offset
    }

    /// The descriptor.
    #[must_use]
    pub fn descriptor(&self) -> &TensorDescriptor {
        &self.descriptor
    }

    /// The bytes of all buffers, in the order of the descriptor's buffer table.
    #[must_use]
    pub fn buffers(&self) -> &[Vec<u8>] {
        &self.buffers
    }

    /// The buffers, for keeping.
    #[must_use]
    pub fn into_buffers(self) -> Vec<Vec<u8>> {
        self.buffers
    }
}

impl<R: Read> SequentialReader<R> {
    /// Reads and checks the header, in strict mode.
    ///
    /// # Errors
    /// [`OpenError`]: `Io` from the reader, `NotHurray`, `Truncated`, and `Format` for a broken rule.
    pub fn new(reader: R) -> Result<Self, OpenError> {
        Self::with(reader, Mode::Strict, Limits::default())
    }

    /// The same in another mode, and with other limits.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(reader: R, mode: Mode, limits: Limits) -> Result<Self, OpenError> {
        let mut source = Source::new(reader);
        let bytes = source.read_up_to(Header::END)?;
        if !bytes.starts_with(&Header::MAGIC) {
            return Err(wrong::not_hurray(&bytes));
        }
        if bytes.len() < Header::SIZE {
            return Err(wrong::cut(&bytes, None));
        }
        let header = Header::decode(&bytes)?;
        let first = header.first_descriptor_offset;
        let policy = Policy { mode, limits, ..Policy::default() };
        Ok(Self { source, header, policy, tensors: Vec::new(), next: [first, first], is_at_end: false })
    }

    /// The next tensor; `None` behind the last one.
    ///
    /// # Errors
    /// [`OpenError`]: `Io` from the reader, `Truncated` if it ends within the tensor, `Format` for a
    /// descriptor that breaks a rule. After an error no further tensor can be found.
    pub fn next_tensor(&mut self) -> Result<Option<SequentialTensor>, OpenError> {
        if self.is_at_end {
            return Ok(None);
        }
        // Until this tensor is read as a whole, there is no going on.
        self.is_at_end = true;
        let Some(descriptor_offset) = self.find_descriptor()? else { return Ok(None) };
        let (descriptor, descriptor_length) = self.read_descriptor(descriptor_offset)?;
        let buffers = self.read_buffers(&descriptor)?;
        self.tensors.push(Seen { descriptor_offset, descriptor_length });
        let end = self.source.offset();
        let aligned = |alignment| align_up(end, alignment).ok_or_else(|| overflow(end));
        self.next = [aligned(ITEM_ALIGNMENT)?, aligned(self.header.alignment())?];
        self.is_at_end = false;
        Ok(Some(SequentialTensor { descriptor_offset, descriptor, buffers }))
    }

    /// Reads what is left, and holds it against the tensors that were read: names and metadata.
    ///
    /// Tensors that were not asked for yet are skipped.
    ///
    /// # Errors
    /// As [`next_tensor`](Self::next_tensor), and `Format` for a broken rule of trailer, index and metadata, or
    /// SEQ-02 if they are not those of the tensors that were read.
    pub fn finish(mut self) -> Result<SequentialEnd, OpenError> {
        while self.next_tensor()?.is_some() {}
        end::read(self)
    }

    /// Where the next descriptor starts, if there is one; else the source stays where the last tensor ended.
    fn find_descriptor(&mut self) -> Result<Option<u64>, OpenError> {
        let count = u64::try_from(self.tensors.len()).unwrap_or(u64::MAX);
        if self.header.tensor_count_hint == Some(count) {
            return Ok(None);
        }
        let is_magic = |bytes: &[u8]| bytes == MAGIC;
        let [close, far] = self.next;
        let magic_size = MAGIC.len();
        if is_magic(self.source.peek(close, magic_size)?) {
            self.source.skip_to(close)?;
            return Ok(Some(close));
        }
        if far > close
            && self.source.is_zero_until(close, far)?
            && is_magic(self.source.peek(far, magic_size)?)
        {
            self.source.skip_to(far)?;
            return Ok(Some(far));
        }
        Ok(None)
    }

    fn read_descriptor(&mut self, offset: u64) -> Result<(TensorDescriptor, u32), OpenError> {
        /// What it takes to know the length.
        const START: usize = 10;
        let blame = |error: FormatError| error.shifted(offset);
        let length = peek_length(self.source.peek(offset, START)?).map_err(blame)?;
        let bytes = self.source.read(u64::from(length))?;
        let descriptor = TensorDescriptor::decode_indexed(&bytes, length, &self.policy).map_err(blame)?;
        if descriptor.buffers().is_empty() && descriptor.composite().is_none() {
            let error = Rule::Lay03.broken().at(offset).expected_to_be("a layout whose buffers can be found");
            return Err(error.into());
        }
        Ok((descriptor, length))
    }

    fn read_buffers(&mut self, descriptor: &TensorDescriptor) -> Result<Vec<Vec<u8>>, OpenError> {
        let mut buffers = Vec::new();
        for handle in descriptor.buffers() {
            let end = self.source.offset();
            let start = align_up(end, self.header.alignment()).ok_or_else(|| overflow(end))?;
            self.source.skip_to(start)?;
            buffers.push(self.source.read(handle.byte_size)?);
        }
        Ok(buffers)
    }
}

#[cold]
fn overflow(offset: u64) -> OpenError {
    Rule::Plc04.broken().at(offset).but_found("an offset above 2^64").into()
}
