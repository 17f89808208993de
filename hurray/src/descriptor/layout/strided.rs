//! The strided layout, 0x03 (FORMAT §3.6, §5.3).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::decode_strides;
use crate::error::{FormatError, Rule};

use super::Layout;

pub(super) fn decode(rank: usize, fields: &mut Cursor<'_>) -> Result<Layout, FormatError> {
    Ok(Layout::Strided { strides: decode_strides(fields, rank)? })
}

pub(super) fn encode(strides: &[i64], sink: &mut Sink) {
    for stride in strides {
        sink.i64(*stride);
    }
}

/// One stride per dimension; any value is legal (LAY-STR-02).
pub(super) fn check(strides: &[i64], shape: &[u64], at: u64) -> Result<(), FormatError> {
    check_count("strides", strides.len(), shape, at)
}

/// Whether a field with one entry per dimension has as many: always so when decoded, not when built.
pub(super) fn check_count(what: &str, count: usize, shape: &[u64], at: u64) -> Result<(), FormatError> {
    Rule::Dsc04.check(count == shape.len(), |e| {
        e.at(at).expected_to_be(format!("{} {what}, one per dimension", shape.len())).but_found(count)
    })
}
