//! Extension layouts, 0xF0 to 0xFE (FORMAT §3.6, §5.11).

use crate::bytes::{Cursor, Sink, to_usize};
use crate::error::{FormatError, Rule};
use crate::policy::{Policy, is_private};

use super::Layout;

/// LAY-04.
pub(super) fn decode(tag: u8, fields: &mut Cursor<'_>, policy: &Policy) -> Result<Layout, FormatError> {
    let id = fields.u64()?;
    let at = fields.offset();
    let length = fields.u32()?;
    let remaining = fields.remaining();
    let length = to_usize(u64::from(length)).filter(|length| *length <= remaining).ok_or_else(|| {
        Rule::Lay04
            .broken()
            .at(at)
            .expected_to_be(format!("extension data within the {remaining} bytes left"))
            .but_found(length)
    })?;
    let data = fields.take(length)?;
    let data = if policy.omits_private_fields { Box::default() } else { data.into() };
    Ok(Layout::Extension { tag, id, data })
}

pub(super) fn encode(id: u64, data: &[u8], sink: &mut Sink) {
    sink.u64(id).u32(u32::try_from(data.len()).unwrap_or(u32::MAX)).bytes(data);
}

/// LAY-03.
pub(super) fn check(tag: u8, id: u64, at: u64, policy: &Policy) -> Result<(), FormatError> {
    let opted_in = policy.private_tags.layouts.contains(&(tag, id));
    Rule::Lay02.check(is_private(tag), |e| {
        e.at(at).expected_to_be("a tag of 0xf0 to 0xfe").but_found(format_args!("{tag:#04x}"))
    })?;
    Rule::Lay03.check(opted_in || policy.is_permissive(), |e| {
        e.at(at)
            .expected_to_be("an extension layout that the application has opted in to")
            .but_found(format_args!("{tag:#04x} with id {id:#x}"))
    })
}
