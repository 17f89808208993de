//! The Hilbert layout, 0x40 (FORMAT §3.6, §5.6).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::DYNAMIC;
use crate::error::{FormatError, Rule};

use super::Layout;

/// LAY-HIL-01, and LAY-HIL-02 as far as it concerns the rank in the fields.
pub(super) fn decode(rank: usize, fields: &mut Cursor<'_>) -> Result<Layout, FormatError> {
    let at = fields.offset();
    let order = fields.u32()?;
    let hilbert_rank = fields.u32()?;
    check_order(order, u64::from(hilbert_rank), at)?;
    Rule::LayHil02.check(usize::try_from(hilbert_rank) == Ok(rank), |e| {
        e.at(at.saturating_add(4)).expected_to_be(format!("rank {rank}")).but_found(hilbert_rank)
    })?;
    Ok(Layout::Hilbert { order })
}

pub(super) fn encode(order: u32, rank: usize, sink: &mut Sink) {
    sink.u32(order).u32(u32::try_from(rank).unwrap_or(u32::MAX));
}

/// LAY-HIL-01..03.
pub(super) fn check(order: u32, shape: &[u64], at: u64) -> Result<(), FormatError> {
    let rank = shape.len();
    check_order(order, u64::try_from(rank).unwrap_or(u64::MAX), at)?;
    Rule::LayHil02
        .check(rank >= 2, |e| e.at(at.saturating_add(4)).expected_to_be("rank at least 2").but_found(rank))?;
    let side = 1_u64.checked_shl(order);
    let is_cube = shape.iter().all(|dim| *dim == DYNAMIC || Some(*dim) == side);
    Rule::LayHil03.check(is_cube, |e| {
        e.at(at).expected_to_be(format!("every dimension 2^{order}")).but_found(format_args!("{shape:?}"))
    })
}

/// LAY-HIL-01.
fn check_order(order: u32, rank: u64, at: u64) -> Result<(), FormatError> {
    Rule::LayHil01.check(order > 0 && u64::from(order).saturating_mul(rank) <= 63, |e| {
        e.at(at)
            .expected_to_be("an order above 0 whose product with the rank is at most 63")
            .but_found(format_args!("order {order}, rank {rank}"))
    })
}
