//! How large a file without a trailer should be, told by walking it from its start (FORMAT §2.10).

use crate::bytes::{Cursor, align_up, to_usize};
use crate::container::{Header, ITEM_ALIGNMENT, KvSection, Trailer, index};
use crate::descriptor::{MAGIC, TensorDescriptor, peek_length};
use crate::error::Rule;
use crate::policy::{Mode, Policy};

/// The size that `file` should have, if index and all before it can be walked.
pub(super) fn needed(file: &[u8], header: &Header) -> Option<u64> {
    let alignment = header.alignment();
    let policy = Policy { mode: Mode::Permissive, ..Policy::default() };
    let mut tensors = 0_u64;
    // Where the next item can start: right here, or behind padding to the alignment of buffers.
    let mut places = [header.first_descriptor_offset; 2];
    while let Some(offset) = find_descriptor(file, places) {
        let end = tensor_end(file, offset, alignment, &policy)?;
        places = [align_up(end, ITEM_ALIGNMENT)?, align_up(end, alignment)?];
        tensors = tensors.checked_add(1)?;
    }
    let end = places.into_iter().find_map(|place| index_end(file, place, tensors))?;
    end.checked_add(u64::try_from(Trailer::SIZE).ok()?)
}

fn find_descriptor(file: &[u8], [close, far]: [u64; 2]) -> Option<u64> {
    let is_descriptor = |offset| from(file, offset).is_some_and(|rest| rest.starts_with(&MAGIC));
    if is_descriptor(close) {
        return Some(close);
    }
    let padding = file.get(to_usize(close)?..to_usize(far)?)?;
    (is_descriptor(far) && padding.iter().all(|byte| *byte == 0)).then_some(far)
}

/// Where the last buffer of the tensor ends, or the descriptor of a head.
fn tensor_end(file: &[u8], offset: u64, alignment: u64, policy: &Policy) -> Option<u64> {
    let bytes = from(file, offset)?;
    let descriptor = TensorDescriptor::decode(bytes, policy).ok()?;
    let length = peek_length(bytes).ok()?;
    let end = offset.checked_add(u64::from(length))?;
    if descriptor.buffers().is_empty() {
        // Behind what is not understood nothing can be found.
        return descriptor.composite().map(|_| end);
    }
    descriptor
        .buffers()
        .iter()
        .try_fold(end, |end, handle| align_up(end, alignment)?.checked_add(handle.byte_size))
}

/// Where the index ends that starts at `place`, or behind a KV section that does.
fn index_end(file: &[u8], place: u64, tensors: u64) -> Option<u64> {
    let index_at =
        |offset| offset_by(offset, index::walk(Cursor::new(from(file, offset)?, 0, Rule::Idx02), tensors)?);
    index_at(place).or_else(|| {
        let kv = KvSection::walk(Cursor::new(from(file, place)?, 0, Rule::Kv02))?;
        index_at(align_up(offset_by(place, kv)?, ITEM_ALIGNMENT)?)
    })
}

fn from(file: &[u8], offset: u64) -> Option<&[u8]> {
    file.get(to_usize(offset)?..)
}

fn offset_by(offset: u64, length: usize) -> Option<u64> {
    offset.checked_add(u64::try_from(length).ok()?)
}
