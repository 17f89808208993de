//! Data rules of the sparse layouts (FORMAT §5.7–§5.9).

use super::Findings;
use crate::error::{Rule, TensorError};
use crate::view::sparse::{Compressed, Coordinates, Fibres};

/// Rules LAY-COO-04 to 06.
pub(super) fn coo(parts: &Coordinates<'_>, findings: &mut Findings<'_, '_>) {
    let rank = parts.shape.len();
    let at = |entry: usize, dimension: usize| entry.saturating_mul(rank).saturating_add(dimension);
    for (number, entry) in parts.entries().enumerate() {
        for (dimension, (coordinate, extent)) in entry.iter().zip(&parts.shape).enumerate() {
            if !usize::try_from(*coordinate).is_ok_and(|coordinate| coordinate < *extent) {
                findings.index(
                    Rule::LayCoo04,
                    1,
                    at(number, dimension),
                    format!("below {extent}"),
                    coordinate,
                );
            }
        }
    }
    if parts.is_sorted {
        for (number, (before, entry)) in parts.entries().zip(parts.entries().skip(1)).enumerate() {
            let next = at(number.saturating_add(1), 0);
            match before.cmp(entry) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => {
                    findings.index(
                        Rule::LayCoo05,
                        1,
                        next,
                        "an index at most once",
                        format_args!("{entry:?} twice"),
                    );
                }
                std::cmp::Ordering::Greater => {
                    findings.index(
                        Rule::LayCoo06,
                        1,
                        next,
                        format!("an index after {before:?}"),
                        format_args!("{entry:?}"),
                    );
                }
            }
        }
        return;
    }
    let mut order: Vec<(&[u64], usize)> = parts.entries().zip(0..).collect();
    order.sort_unstable();
    for ((before, _), (entry, number)) in order.iter().zip(order.iter().skip(1)) {
        if before == entry {
            findings.index(
                Rule::LayCoo05,
                1,
                at(*number, 0),
                "an index at most once",
                format_args!("{entry:?} twice"),
            );
        }
    }
}

/// Rules LAY-CSR-04 to 07 and LAY-CSC-04 to 07.
pub(super) fn compressed(parts: &Compressed<'_>, findings: &mut Findings<'_, '_>) {
    let [ends, ascending_pointers, ascending, bounds] = if parts.by_rows {
        [Rule::LayCsr04, Rule::LayCsr05, Rule::LayCsr06, Rule::LayCsr07]
    } else {
        [Rule::LayCsc04, Rule::LayCsc05, Rule::LayCsc06, Rule::LayCsc07]
    };
    let last = parts.pointers.len().saturating_sub(1);
    if parts.pointers.first() != Some(&0) {
        findings.index(ends, 2, 0, "0 first", parts.pointers.first().unwrap_or(&u64::MAX));
    }
    if parts.pointers.last() != Some(&parts.nnz) {
        findings.index(
            ends,
            2,
            last,
            format!("{} last", parts.nnz),
            parts.pointers.last().unwrap_or(&u64::MAX),
        );
    }
    not_descending(parts.pointers, ascending_pointers, 2, findings);
    let extent = parts.minor_extent();
    for (number, minor) in parts.minor.iter().enumerate() {
        if !usize::try_from(*minor).is_ok_and(|minor| minor < extent) {
            findings.index(bounds, 1, number, format!("below {extent}"), minor);
        }
    }
    // Without sound pointers there are no slices to look at.
    if findings.has(ends) || findings.has(ascending_pointers) {
        return;
    }
    siblings_ascend(parts.pointers, parts.minor, ascending, 1, findings);
}

/// Rules LAY-CSF-06 to 10.
pub(super) fn csf(parts: &Fibres<'_>, findings: &mut Findings<'_, '_>) {
    let mut parents = 1_usize;
    for (level, buffer) in parts.levels.iter().zip((1_usize..).step_by(2)) {
        let needed = parents.saturating_add(1);
        let Some(positions) = level.positions.get(..needed) else {
            let found = level.positions.len();
            findings.index(Rule::LayCsf08, buffer, 0, format!("{needed} positions"), found);
            return;
        };
        if positions.first() != Some(&0) {
            findings.index(Rule::LayCsf06, buffer, 0, "0 first", positions.first().unwrap_or(&u64::MAX));
        }
        not_descending(positions, Rule::LayCsf07, buffer, findings);
        let count = positions.last().copied().unwrap_or(0);
        let children = buffer.saturating_add(1);
        let coordinates = usize::try_from(count).ok().and_then(|count| level.coordinates.get(..count));
        let Some(coordinates) = coordinates else {
            findings.index(
                Rule::LayCsf08,
                children,
                0,
                format!("{count} coordinates"),
                level.coordinates.len(),
            );
            return;
        };
        if count > 0 && parts.nnz == 0 {
            findings.index(Rule::LayCsf08, buffer, parents, "no nodes without entries", count);
        }
        let extent = parts.shape.get(level.dimension).copied().unwrap_or(0);
        for (number, coordinate) in coordinates.iter().enumerate() {
            if !usize::try_from(*coordinate).is_ok_and(|coordinate| coordinate < extent) {
                findings.index(Rule::LayCsf10, children, number, format!("below {extent}"), coordinate);
            }
        }
        if findings.has(Rule::LayCsf06) || findings.has(Rule::LayCsf07) {
            return;
        }
        siblings_ascend(positions, coordinates, Rule::LayCsf09, children, findings);
        parents = coordinates.len();
    }
    if u64::try_from(parents) != Ok(parts.nnz) {
        let leaves = parts.levels.len().saturating_mul(2).saturating_sub(1);
        findings.index(Rule::LayCsf08, leaves, 0, format!("{} leaves", parts.nnz), parents);
    }
}

pub(super) fn not_descending(positions: &[u64], rule: Rule, buffer: usize, findings: &mut Findings<'_, '_>) {
    for (number, (before, next)) in positions.iter().zip(positions.iter().skip(1)).enumerate() {
        if next < before {
            findings.index(rule, buffer, number.saturating_add(1), format!("at least {before}"), next);
            return;
        }
    }
}

/// Within each slice `positions[j]..positions[j + 1]`, indices ascend strictly.
fn siblings_ascend(
    positions: &[u64],
    indices: &[u64],
    rule: Rule,
    buffer: usize,
    findings: &mut Findings<'_, '_>,
) {
    for (&start, &end) in positions.iter().zip(positions.iter().skip(1)) {
        let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else { continue };
        let slice = indices.get(start..end).unwrap_or_default();
        for (number, (before, next)) in slice.iter().zip(slice.iter().skip(1)).enumerate() {
            if next <= before {
                let number = start.saturating_add(number).saturating_add(1);
                findings.index(rule, buffer, number, format!("above {before}"), next);
                return;
            }
        }
    }
}

/// A tensor that can't be read at all for its sizes has no data to check.
pub(super) fn format_of(error: TensorError, findings: &mut Findings<'_, '_>) {
    if let TensorError::Format(error) = error {
        findings.push(error);
    }
}
