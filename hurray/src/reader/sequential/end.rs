//! The end of a file that was read without seeking: names and metadata.

use std::io::Read;

use super::{Seen, SequentialReader};
use crate::container::{FileBytes, Header, Index, KvSection, Metadata, Trailer};
use crate::error::{FormatError, OpenError, Rule};

/// What only the end of a file tells.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SequentialEnd {
    /// The names of the tensors, in the order in which they were read.
    pub names: Vec<String>,
    /// The metadata, in the order of the file.
    pub metadata: Metadata,
}

/// Reads the tail, and holds it against what was read before (SEQ-02).
pub(super) fn read<R: Read>(mut reader: SequentialReader<R>) -> Result<SequentialEnd, OpenError> {
    let tensors_end = reader.source.offset();
    let tail = reader.source.read_up_to(u64::MAX)?;
    let size = reader.source.offset();
    let SequentialReader { header, policy, tensors, .. } = reader;
    let Some((body, trailer)) = tail.split_last_chunk::<{ Trailer::SIZE }>() else {
        return Err(OpenError::Truncated { path: None, needed: None, have: size });
    };
    let base = tensors_end.saturating_add(u64::try_from(body.len()).unwrap_or(u64::MAX));
    let trailer = Trailer::decode(trailer, base, &header).map_err(|error| match error.rule() {
        Rule::Trl01 => OpenError::Truncated { path: None, needed: None, have: size },
        _ => error.into(),
    })?;
    check_region_end(body, tensors_end, &header, &trailer)?;

    let file = FileBytes::tail(&tail, tensors_end);
    let index = Index::decode(file, &header, &trailer, policy.mode)?;
    let metadata = KvSection::decode(file, &header, &trailer)?.to_metadata(file);
    check_tensors(&index, file, &tensors)?;
    let names = index.records(file).map(|record| record.name().to_owned()).collect();
    Ok(SequentialEnd { names, metadata })
}

/// From the last tensor to the end of the tensor region there are only zeros.
fn check_region_end(
    tail: &[u8],
    tensors_end: u64,
    header: &Header,
    trailer: &Trailer,
) -> Result<(), FormatError> {
    let region_end = trailer.region_end();
    // Without tensors, the region starts where the first one would.
    let start = tensors_end.max(header.first_descriptor_offset.min(region_end));
    let broken = |at: u64| Rule::Seq02.broken().at(at);
    let length = region_end.checked_sub(start).ok_or_else(|| {
        broken(region_end).expected_to_be(format!("a region that ends at {start} at least"))
    })?;
    let start = start.saturating_sub(tensors_end);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let padding = tail.iter().skip(usize::try_from(start).unwrap_or(usize::MAX)).take(length);
    match padding.zip(start..).find(|(byte, _)| **byte != 0) {
        None => Ok(()),
        Some((byte, distance)) => Err(broken(tensors_end.saturating_add(distance))
            .expected_to_be("zeros behind the last tensor")
            .but_found(format_args!("{byte:#04x}"))),
    }
}

/// The index lists the tensors that were read, and no others.
fn check_tensors(index: &Index, file: FileBytes<'_>, tensors: &[Seen]) -> Result<(), FormatError> {
    Rule::Seq02.check(index.len() == tensors.len(), |e| {
        e.expected_to_be(format!("an index of {} tensors", tensors.len())).but_found(index.len())
    })?;
    for (record, tensor) in index.records(file).zip(tensors) {
        let is_same = record.descriptor_offset == tensor.descriptor_offset;
        Rule::Seq02.check(is_same, |e| {
            e.at(tensor.descriptor_offset)
                .expected_to_be("a descriptor of the index")
                .but_found(format_args!("the next one at {}", record.descriptor_offset))
        })?;
        Rule::Idx15.check(record.descriptor_length == tensor.descriptor_length, |e| {
            e.at(tensor.descriptor_offset)
                .expected_to_be(format!("length {}", record.descriptor_length))
                .but_found(tensor.descriptor_length)
        })?;
    }
    Ok(())
}
