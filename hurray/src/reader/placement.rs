//! Where the buffers of a tensor are (FORMAT §2.4).

use smallvec::SmallVec;

use crate::bytes::{align_up, is_aligned};
use crate::container::{Record, Section};
use crate::descriptor::TensorDescriptor;
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

/// Where the buffers of a tensor are: in order, each at the next multiple of `alignment`.
///
/// # Errors
/// PLC-01 to PLC-05. PLC-02 and PLC-03 are relaxed in permissive mode, as far as all stays in bounds.
pub(super) fn place_buffers(
    descriptor: &TensorDescriptor,
    record: &Record,
    alignment: u64,
    region_end: u64,
    policy: &Policy,
) -> Result<SmallVec<[Section; 1]>, FormatError> {
    let handles = descriptor.buffers();
    if descriptor.composite().is_some() {
        Rule::Plc05
            .check(record.data_length == 0, |e| e.expected_to_be("0").but_found(record.data_length))?;
        return Ok(SmallVec::new());
    }
    if handles.is_empty() {
        // Only what is not understood has no buffer table.
        return Ok(SmallVec::new());
    }
    check_start(record, alignment, policy)?;

    let mut extents = SmallVec::with_capacity(handles.len());
    let mut start = Some(record.data_offset);
    let mut end = record.data_offset;
    for handle in handles {
        let extent = start.and_then(|start| Section::new(start, handle.byte_size));
        let extent =
            extent.filter(|extent| extent.length() == 0 || extent.end() <= region_end).ok_or_else(|| {
                Rule::Plc04
                    .broken()
                    .expected_to_be(format!("buffers that end at {region_end} at most"))
                    .but_found(format_args!("{} bytes after byte {end}", handle.byte_size))
            })?;
        end = extent.end();
        start = align_up(end, alignment);
        extents.push(extent);
    }
    let length = end.saturating_sub(record.data_offset);
    Rule::Plc03.check(record.data_length == length || policy.is_permissive(), |e| {
        e.expected_to_be(format!("{length} bytes of data")).but_found(record.data_length)
    })?;
    Ok(extents)
}

fn check_start(record: &Record, alignment: u64, policy: &Policy) -> Result<(), FormatError> {
    let found = record.data_offset;
    Rule::Plc01.check(is_aligned(found, alignment), |e| {
        e.expected_to_be(format!("a multiple of {alignment}")).but_found(found)
    })?;
    let descriptor_end = record.descriptor().map_or(u64::MAX, Section::end);
    let expected = align_up(descriptor_end, alignment);
    let holds = match policy.is_permissive() {
        true => found >= descriptor_end,
        false => Some(found) == expected,
    };
    Rule::Plc02.check(holds, |e| {
        e.expected_to_be(format!("data at {}", expected.unwrap_or(u64::MAX))).but_found(found)
    })
}
