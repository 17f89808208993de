//! The Morton layout, 0x05 (FORMAT §3.6, §5.5).

use std::iter::zip;

use crate::bytes::{Cursor, Sink};
use crate::descriptor::DYNAMIC;
use crate::descriptor::decode::decode_u32s;
use crate::error::{FormatError, Rule};

use super::Layout;
use super::strided::check_count;

pub(super) fn decode(rank: usize, fields: &mut Cursor<'_>) -> Result<Layout, FormatError> {
    Ok(Layout::Morton { bits: decode_u32s(fields, rank)? })
}

pub(super) fn encode(bits: &[u32], sink: &mut Sink) {
    for bits in bits {
        sink.u32(*bits);
    }
}

/// LAY-MOR-01..03.
pub(super) fn check(bits: &[u32], shape: &[u64], at: u64) -> Result<(), FormatError> {
    check_count("bit counts", bits.len(), shape, at)?;
    Rule::LayMor01.check(!bits.contains(&0), |e| {
        e.at(at).expected_to_be("at least 1 bit per dimension").but_found(format_args!("{bits:?}"))
    })?;
    for (bits, dim) in zip(bits, shape) {
        // 2^64 and more hold any dimension.
        let holds = *dim == DYNAMIC || 1_u64.checked_shl(*bits).is_none_or(|slots| *dim <= slots);
        Rule::LayMor02.check(holds, |e| {
            e.at(at).expected_to_be(format!("a dimension that fits {bits} bits")).but_found(dim)
        })?;
    }
    let rank = u64::try_from(shape.len()).unwrap_or(u64::MAX);
    for (dimension, bits) in zip(0_u64.., bits) {
        let highest = u64::from(*bits).saturating_sub(1).saturating_mul(rank).saturating_add(dimension);
        Rule::LayMor03.check(highest <= 63, |e| {
            e.at(at)
                .expected_to_be("interleaved bits within 64")
                .but_found(format_args!("bit {highest} for dimension {dimension}"))
        })?;
    }
    Ok(())
}
