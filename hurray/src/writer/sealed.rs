//! A checked plan, and the one pass that writes it.

use std::io::Write;

use super::composites;
use super::emit_source::emit_source;
use super::emitter::Emitter;
use super::error::SaveError;
use super::form::FileForm;
use super::plan::{Items, Plan, PlanOptions};
use super::progress::{Progress, Reporting};
use super::source::{TensorSource, len};
use super::tail::{Tail, index_entry};
use crate::bytes::{Sink, align_up};
use crate::container::{DESCRIPTORS, Header, KvValue, encode_table};
use crate::descriptor::TensorDescriptor;
use crate::error::Rule;

/// The key under which the checksums of the tensors are kept, as bytes: for each tensor in file order the CRC-32C,
/// u32, of the `data_length` bytes at its `data_offset`; 0 for a head.
pub(crate) const CHECKSUMS: &str = "hurray.crc32c";

/// In bytes: a CRC-32C.
const CHECKSUM_SIZE: usize = 4;

/// A plan that can be written: nothing but a source of bytes or the sink can fail any more.
pub(crate) struct SealedPlan<'s> {
    form: FileForm,
    items: Items,
    sources: Vec<TensorSource<'s>>,
    header: Vec<u8>,
    tail: Tail,
    checksums: bool,
}

impl<'s> SealedPlan<'s> {
    pub(super) fn new(plan: Plan<'s>) -> Result<Self, SaveError> {
        let Plan { options, items, sources, mut metadata, .. } = plan;
        let PlanOptions { form, checksums, descriptor_table } = options;
        let policy = composites::own_policy();
        let descriptors = items.iter().map(|item| TensorDescriptor::decode(item.descriptor, &policy));
        composites::check(items.iter().map(|item| item.name), descriptors)?;
        if descriptor_table
            && items.len() > 0
            && let Some(table) = encode_table(items.iter().map(|item| item.descriptor))
        {
            metadata
                .insert(DESCRIPTORS, KvValue::Bytes(table))
                .map_err(|error| Rule::Kv06.broken().but_found(error))?;
        }
        if checksums {
            // The values are not known yet, their place and size are: the end of the section.
            let values = vec![0; items.len().saturating_mul(CHECKSUM_SIZE)];
            metadata
                .insert(CHECKSUMS, KvValue::Bytes(values))
                .map_err(|error| Rule::Kv06.broken().but_found(error))?;
        }
        let kv = if metadata.is_empty() { None } else { Some(metadata.encode()?) };
        drop(metadata);

        let mut offset = Header::END;
        let mut entries = Vec::with_capacity(items.len());
        let mut lengths = sources.iter().map(TensorSource::len);
        for item in items.iter() {
            let placed = form
                .place(offset, len(item.descriptor), lengths.by_ref().take(item.sources))
                .ok_or_else(SaveError::too_large)?;
            entries.push(index_entry(item.name, item.descriptor.len(), &placed)?);
            offset = placed.next;
        }
        let mut header = Sink::with_capacity(Header::SIZE);
        form.header(kv.is_some(), u64::try_from(items.len()).ok()).encode(&mut header);
        let tail = Tail::encode(&form, offset, kv, entries)?;
        Ok(Self { form, items, sources, header: header.into_vec(), tail, checksums })
    }

    /// The size of the file in bytes.
    pub(crate) fn file_size_bytes(&self) -> u64 {
        self.tail.file_size()
    }

    /// How many tensors there are, heads included.
    pub(crate) fn tensor_count(&self) -> u64 {
        u64::try_from(self.items.len()).unwrap_or(u64::MAX)
    }

    /// Writes the file front to back. Any sink will do; it gets writes of 2 MiB that end at multiples of 2 MiB.
    ///
    /// # Errors
    /// [`SaveError::Io`] without a path if the sink fails, [`SaveError::Source`] if a source does.
    pub(crate) fn write_to(self, sink: impl Write, progress: Option<&Progress>) -> Result<(), SaveError> {
        let Self { form, items, sources, header, mut tail, checksums } = self;
        let mut sums = if checksums { Vec::with_capacity(items.len()) } else { Vec::new() };
        let mut emitter = Emitter::new(Reporting::new(sink, tail.file_size(), progress));
        emitter.copy(&header)?;
        let mut offset = Header::END;
        let mut sources = sources.into_iter();
        for item in items.iter() {
            let lengths = sources.as_slice().iter().take(item.sources).map(TensorSource::len);
            let placed =
                form.place(offset, len(item.descriptor), lengths).ok_or_else(SaveError::too_large)?;
            emitter.pad_to(placed.descriptor_offset)?;
            emitter.copy(item.descriptor)?;
            emitter.pad_to(placed.data_offset)?;
            if checksums {
                emitter.start_checksum();
            }
            for source in sources.by_ref().take(item.sources) {
                let start =
                    align_up(emitter.position(), form.alignment()).ok_or_else(SaveError::too_large)?;
                emitter.pad_to(start)?;
                emit_source(&mut emitter, item.name, source)?;
            }
            sums.extend(emitter.end_checksum());
            offset = placed.next;
        }
        if checksums {
            tail.end_kv_with(&sums);
        }
        tail.emit(&mut emitter)?;
        emitter.finish()?;
        Ok(())
    }
}
