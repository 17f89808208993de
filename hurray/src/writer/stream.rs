//! The low-level writer: one tensor after the other, to any sink.

use std::fmt;
use std::io::Write;

use super::composites;
use super::emitter::Emitter;
use super::error::{NameSpace, SaveError, check_name};
use super::form::{FileForm, Placed};
use super::names::Names;
use super::options::SaveReport;
use super::plan::check_lengths;
use super::source;
use super::tail::{Tail, index_entry};
use crate::bytes::{Sink, align_up};
use crate::container::{Header, Metadata};
use crate::descriptor::TensorDescriptor;
use crate::descriptor::placement::Profile;

/// What a [`Writer`] has to know before its first byte.
#[derive(Debug, Clone, Default)]
pub struct WriterOptions {
    /// The KV entries. `None` leaves the section out; an empty one is written as such.
    pub metadata: Option<Metadata>,
    /// How many tensors there will be, heads included, for readers that cannot seek. Another number is an
    /// error at the end.
    pub tensor_count: Option<u64>,
    /// Where the data of tensors may start: at multiples of so many bytes, a power of two from 4096 (the
    /// default) to 2 MiB.
    pub alignment: Option<u32>,
    /// Whether the index is in the order of names instead of that of writing.
    pub sorted_index: bool,
    /// How tensors are padded.
    pub profile: Profile,
}

/// Writes a file from front to back, each tensor as it is given, to a sink that need not seek.
///
/// Keeps names and places in memory, nothing else. The file is complete only after [`finish`](Self::finish).
/// A model is better written by [`SaveOptions`](super::SaveOptions).
pub struct Writer<W: Write> {
    emitter: Emitter<'static, W>,
    form: FileForm,
    declared: Option<u64>,
    kv: Option<Vec<u8>>,
    names: Names,
    written: Vec<Written>,
    /// Where the next tensor may start.
    offset: u64,
    /// Whether a write failed, so that nothing can follow.
    is_broken: bool,
}

impl<W: Write> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("form", &self.form)
            .field("tensors", &self.written.len())
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

struct Written {
    descriptor_length: usize,
    placed: Placed,
}

/// One tensor or composite head to be written.
#[derive(Debug, Clone, Copy)]
pub struct WriterItem<'a> {
    /// Unique in the file.
    pub name: &'a str,
    /// What the file says of it.
    pub descriptor: &'a TensorDescriptor,
    /// The bytes of each buffer of the descriptor, in order; none for a head.
    pub buffers: &'a [&'a [u8]],
}

impl<W: Write> Writer<W> {
    /// Starts a file at the start of `sink`. Writes are large; the sink needs no buffer of its own.
    ///
    /// # Errors
    /// [`SaveError::Format`] for an alignment that no file has (HDR-05, HDR-06) and for metadata that are too
    /// long (KV-13).
    pub fn new(sink: W, options: WriterOptions) -> Result<Self, SaveError> {
        let WriterOptions { metadata, tensor_count, alignment, sorted_index, profile } = options;
        let alignment = alignment.unwrap_or(FileForm::default().alignment);
        let form = FileForm { alignment, sorted_index, profile };
        form.check()?;
        let kv = metadata.as_ref().map(Metadata::encode).transpose()?;
        let mut header = Sink::with_capacity(Header::SIZE);
        form.header(kv.is_some(), tensor_count).encode(&mut header);
        let mut emitter = Emitter::new(sink);
        emitter.copy(header.as_slice())?;
        Ok(Self {
            emitter,
            form,
            declared: tensor_count,
            kv,
            names: Names::new(),
            written: Vec::new(),
            offset: Header::END,
            is_broken: false,
        })
    }

    /// Writes one tensor, the bytes of each of its buffers in order.
    ///
    /// # Errors
    /// [`SaveError::Name`], [`SaveError::Collision`] and [`SaveError::Format`] before any byte of it, the
    /// last also for the head of a composite with members ([`composite`](Self::composite) writes those).
    /// [`SaveError::Io`] when the sink fails; nothing can be written after that.
    pub fn tensor(
        &mut self,
        name: &str,
        descriptor: &TensorDescriptor,
        buffers: &[&[u8]],
    ) -> Result<(), SaveError> {
        self.composite(&[WriterItem { name, descriptor, buffers }])
    }

    /// Writes a whole composite: the head, then its members; behind a head among the members, its own.
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor); all items are checked before the first byte of the first (CMP-27).
    pub fn composite(&mut self, items: &[WriterItem<'_>]) -> Result<(), SaveError> {
        if self.is_broken {
            return Err(SaveError::Incomplete);
        }
        let mut descriptors = Vec::with_capacity(items.len());
        for item in items {
            descriptors.push(self.encode(item)?);
        }
        let names = items.iter().map(|item| item.name);
        composites::check(names, items.iter().map(|item| Ok(item.descriptor)))?;
        let placed = self.place(items, &descriptors)?;
        self.take_names(items)?;

        self.is_broken = true;
        for ((item, descriptor), placed) in items.iter().zip(&descriptors).zip(placed) {
            self.emit(item, descriptor, &placed)?;
            self.written.push(Written { descriptor_length: descriptor.len(), placed });
            self.offset = placed.next;
        }
        self.is_broken = false;
        Ok(())
    }

    /// Writes what follows the tensors and hands back the sink, flushed.
    ///
    /// # Errors
    /// [`SaveError::Count`] if another number of tensors was declared, [`SaveError::Incomplete`] after an
    /// earlier failure of the sink, [`SaveError::Io`] when it fails now.
    pub fn finish(mut self) -> Result<(W, SaveReport), SaveError> {
        if self.is_broken {
            return Err(SaveError::Incomplete);
        }
        let tensors = u64::try_from(self.written.len()).unwrap_or(u64::MAX);
        match self.declared {
            Some(declared) if declared != tensors => {
                return Err(SaveError::Count { declared, written: tensors });
            }
            _ => {}
        }
        let mut entries = Vec::with_capacity(self.written.len());
        for (name, Written { descriptor_length, placed }) in self.names.iter().zip(&self.written) {
            entries.push(index_entry(name, *descriptor_length, placed)?);
        }
        let tail = Tail::encode(&self.form, self.offset, self.kv.take(), entries)?;
        tail.emit(&mut self.emitter)?;
        let sink = self.emitter.finish()?;
        Ok((sink, SaveReport { path: None, bytes: tail.file_size(), tensors }))
    }

    fn encode(&self, item: &WriterItem<'_>) -> Result<Vec<u8>, SaveError> {
        check_name(item.name)?;
        item.descriptor
            .validate_for_writing(self.form.alignment)
            .and_then(|()| {
                check_lengths(item.descriptor, item.buffers.iter().map(|bytes| source::len(bytes)))
            })
            .map_err(|error| error.in_tensor(item.name))?;
        let mut sink = Sink::default();
        item.descriptor.encode(&mut sink);
        Ok(sink.into_vec())
    }

    fn place(&self, items: &[WriterItem<'_>], descriptors: &[Vec<u8>]) -> Result<Vec<Placed>, SaveError> {
        let mut offset = self.offset;
        let mut all = Vec::with_capacity(items.len());
        for (item, descriptor) in items.iter().zip(descriptors) {
            let lengths = item.buffers.iter().map(|bytes| source::len(bytes));
            let placed = self.form.place(offset, source::len(descriptor), lengths);
            let placed = placed.ok_or_else(SaveError::too_large)?;
            offset = placed.next;
            all.push(placed);
        }
        Ok(all)
    }

    /// Enters the names of `items`, or none of them.
    fn take_names(&mut self, items: &[WriterItem<'_>]) -> Result<(), SaveError> {
        let kept = self.names.len();
        for item in items {
            if let Err(first) = self.names.push(item.name) {
                let second = self.names.len();
                self.names.truncate(kept);
                return Err(SaveError::Collision {
                    entries: NameSpace::Tensors,
                    name: item.name.into(),
                    first: format!("tensor {first}").into(),
                    second: format!("tensor {second}").into(),
                });
            }
        }
        Ok(())
    }

    fn emit(&mut self, item: &WriterItem<'_>, descriptor: &[u8], placed: &Placed) -> Result<(), SaveError> {
        self.emitter.pad_to(placed.descriptor_offset)?;
        self.emitter.copy(descriptor)?;
        self.emitter.pad_to(placed.data_offset)?;
        for bytes in item.buffers {
            let start = align_up(self.emitter.position(), self.form.alignment());
            self.emitter.pad_to(start.ok_or_else(SaveError::too_large)?)?;
            self.emitter.copy(bytes)?;
        }
        Ok(())
    }
}
