//! Data rules of paged tensors (FORMAT §5.10).

use super::Findings;
use crate::error::Rule;
use crate::view::paged::Pages;

/// Rules LAY-BP-06 to 09.
pub(super) fn paged(pages: &Pages<'_>, findings: &mut Findings<'_, '_>) {
    let width = if pages.fields.wide_indices { 8 } else { 4 };
    let at = |number: usize| number.saturating_mul(width);
    let first = pages.seq_ptr.get(0);
    if first != Some(0) {
        findings.byte(Rule::LayBp06, 2, 0, "0 first", first.unwrap_or(u64::MAX));
    }
    let last = pages.seq_ptr.len().saturating_sub(1);
    let used = pages.seq_ptr.get(last).unwrap_or(u64::MAX);
    let available = pages.block_table.len();
    if !usize::try_from(used).is_ok_and(|used| used <= available) {
        findings.byte(Rule::LayBp06, 2, at(last), format!("at most {available} pages"), used);
    }
    for (number, (before, next)) in (1..).zip(pages.seq_ptr.iter().zip(pages.seq_ptr.iter().skip(1))) {
        if next < before {
            findings.byte(Rule::LayBp07, 2, at(number), format!("at least {before}"), next);
        }
    }
    let used = usize::try_from(used).unwrap_or(available);
    for (number, page) in pages.block_table.iter().take(used).enumerate() {
        if page >= pages.fields.num_pages {
            findings.byte(Rule::LayBp08, 1, at(number), format!("below {}", pages.fields.num_pages), page);
        }
    }
    if findings.has(Rule::LayBp06) || findings.has(Rule::LayBp07) {
        return;
    }
    let (least, most, _) = pages.token_range();
    let total = pages.shape.first().copied().unwrap_or(0);
    if !u128::try_from(total).is_ok_and(|total| (least..=most).contains(&total)) {
        findings.byte(
            Rule::LayBp09,
            2,
            0,
            format!("pages for {total} tokens"),
            format_args!("{least} to {most}"),
        );
    }
}
