//! The sparse layouts: COO 0x06, CSR 0x07, CSC 0x08, CSF 0x09 (FORMAT §3.6, §5.7–§5.9).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::{decode_reserved, decode_u32s};
use crate::descriptor::shape;
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::Layout;
use super::strided::check_count;

/// LAY-COO-01, LAY-COO-02.
pub(super) fn decode_coo(fields: &mut Cursor<'_>) -> Result<Layout, FormatError> {
    let nnz = fields.u64()?;
    let at = fields.offset();
    let is_sorted = match fields.u8()? {
        0 => false,
        1 => true,
        other => {
            return Err(Rule::LayCoo02.broken().at(at).expected_to_be("`is_sorted` 0 or 1").but_found(other));
        }
    };
    decode_reserved::<7>(fields, Rule::LayCoo01)?;
    Ok(Layout::Coo { nnz, is_sorted })
}

/// LAY-CSR-02.
pub(super) fn decode_csr(fields: &mut Cursor<'_>) -> Result<Layout, FormatError> {
    let nnz = fields.u64()?;
    decode_reserved::<8>(fields, Rule::LayCsr02)?;
    Ok(Layout::Csr { nnz })
}

/// LAY-CSC-02.
pub(super) fn decode_csc(fields: &mut Cursor<'_>) -> Result<Layout, FormatError> {
    let nnz = fields.u64()?;
    decode_reserved::<8>(fields, Rule::LayCsc02)?;
    Ok(Layout::Csc { nnz })
}

/// LAY-CSF-03.
pub(super) fn decode_csf(rank: usize, fields: &mut Cursor<'_>) -> Result<Layout, FormatError> {
    let nnz = fields.u64()?;
    let mode_order = decode_u32s(fields, rank)?;
    decode_reserved::<8>(fields, Rule::LayCsf03)?;
    Ok(Layout::Csf { nnz, mode_order })
}

pub(super) fn encode_coo(nnz: u64, is_sorted: bool, sink: &mut Sink) {
    sink.u64(nnz).u8(u8::from(is_sorted)).zeros(7);
}

/// CSR and CSC alike.
pub(super) fn encode_compressed(nnz: u64, sink: &mut Sink) {
    sink.u64(nnz).zeros(8);
}

pub(super) fn encode_csf(nnz: u64, mode_order: &[u32], sink: &mut Sink) {
    sink.u64(nnz);
    for mode in mode_order {
        sink.u32(*mode);
    }
    sink.zeros(8);
}

/// `nnz <= element_count`, which may exceed 64 bits [A-70] (LAY-COO-03, LAY-CSR-03, LAY-CSC-03, LAY-CSF-05).
pub(super) fn check_nnz(
    nnz: u64,
    shape: &[u64],
    rule: Rule,
    at: u64,
    policy: &Policy,
) -> Result<(), FormatError> {
    let fits =
        policy.is_permissive() || shape::element_count(shape).is_none_or(|count| u128::from(nnz) <= count);
    rule.check(fits, |e| {
        e.at(at).expected_to_be(format!("at most as many entries as {shape:?} has elements")).but_found(nnz)
    })
}

/// Rank 2 (LAY-CSR-01, LAY-CSC-01), then the number of entries.
pub(super) fn check_compressed(
    nnz: u64,
    shape: &[u64],
    rank_rule: Rule,
    nnz_rule: Rule,
    at: u64,
    policy: &Policy,
) -> Result<(), FormatError> {
    rank_rule.check(shape.len() == 2, |e| e.at(at).expected_to_be("rank 2").but_found(shape.len()))?;
    check_nnz(nnz, shape, nnz_rule, at, policy)
}

/// LAY-CSF-01, LAY-CSF-02, LAY-CSF-05.
pub(super) fn check_csf(
    nnz: u64,
    mode_order: &[u32],
    shape: &[u64],
    at: u64,
    policy: &Policy,
) -> Result<(), FormatError> {
    Rule::LayCsf01
        .check(shape.len() >= 3, |e| e.at(at).expected_to_be("rank at least 3").but_found(shape.len()))?;
    check_count("modes", mode_order.len(), shape, at)?;
    Rule::LayCsf02.check(policy.is_permissive() || is_permutation(mode_order), |e| {
        e.at(at.saturating_add(8))
            .expected_to_be("each dimension once in `mode_order`")
            .but_found(format_args!("{mode_order:?}"))
    })?;
    check_nnz(nnz, shape, Rule::LayCsf05, at, policy)
}

/// Whether the numbers are `0..len` in some order; ranks are at most 64, so that one word holds them.
pub(crate) fn is_permutation(mode_order: &[u32]) -> bool {
    let mut seen = 0_u64;
    for mode in mode_order {
        let in_range = usize::try_from(*mode).is_ok_and(|mode| mode < mode_order.len());
        match 1_u64.checked_shl(*mode) {
            Some(bit) if in_range && seen & bit == 0 => seen |= bit,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_permutation;

    #[test]
    fn only_permutations_of_all_dimensions_pass() {
        assert!(is_permutation(&[2, 0, 1]));
        assert!(is_permutation(&[]));
        assert!(!is_permutation(&[0, 0, 1]));
        assert!(!is_permutation(&[0, 1, 3]));
        assert!(!is_permutation(&[0, u32::MAX]));
        let all: Vec<u32> = (0..64).rev().collect();
        assert!(is_permutation(&all));
    }
}
