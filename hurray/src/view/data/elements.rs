//! Data rules of elements and of quantization parameters (FORMAT §4, §6).

use super::Findings;
use crate::bytes::to_usize;
use crate::descriptor::{Layout, Quantization, ScaleType, storage_range};
use crate::element::{ElementType, F8E8M0, bits};
use crate::error::Rule;
use crate::view::axes::storage_shape;
use crate::view::paged::Pages;
use crate::view::quantized::{ParameterBytes, Place, parameter_bytes};
use crate::view::walk::Transfer;
use crate::view::{geometry, index};

/// Rule TYP-05: elements of float8_e8m0 are never 0x00 or 0xFF.
pub(super) fn e8m0(findings: &mut Findings<'_, '_>) {
    let raw = findings.raw;
    if raw.descriptor().element_type() != ElementType::Float8E8M0 {
        return;
    }
    // Elements that an index can reach: padding may hold anything.
    let Ok(place) = Place::of(raw).map(once_each) else { return };
    let bytes = place.bytes(raw);
    let mut search = Search { bytes, found: None };
    search.run(0, 0, bytes.len());
    // Mostly there is nothing to find. Where there is, it may be padding; a walk over all elements tells, unless
    // there are far more of them than bytes: a file must not decide how long a check takes.
    if search.found.is_none() || place.is_long(raw) {
        return;
    }
    search.found = None;
    if place.walk(raw, &mut search).is_err() {
        return;
    }
    if let Some((at, byte)) = search.found {
        let start = bytes.as_ptr().addr().wrapping_sub(raw.buffer(0).as_ptr().addr());
        findings.byte(Rule::Typ05, 0, start.saturating_add(at), "0x01 to 0xfe", format_args!("{byte:#04x}"));
    }
}

/// The same place with one index in each dimension whose stride is 0: the others lead to the same elements.
fn once_each(place: Place) -> Place {
    match place {
        Place::Dense(geometry) => Place::Dense(Box::new(geometry.without_repetition())),
        other => other,
    }
}

struct Search<'a> {
    bytes: &'a [u8],
    found: Option<(usize, u8)>,
}

impl Transfer for Search<'_> {
    fn run(&mut self, from: usize, _to: usize, len: usize) {
        let bytes = from.checked_add(len).and_then(|end| self.bytes.get(from..end)).unwrap_or_default();
        if let (None, Some(at)) =
            (self.found, bytes.iter().position(|byte| !F8E8M0::from_bits(*byte).is_valid()))
        {
            self.found = bytes.get(at).map(|byte| (from.saturating_add(at), *byte));
        }
    }
}

/// Rule TYP-06: after the last element of a contiguous buffer, the unused bits of its byte, or of its group of
/// three, are 0.
pub(super) fn unused_bits(findings: &mut Findings<'_, '_>) {
    let raw = findings.raw;
    let descriptor = raw.descriptor();
    let (Ok(Err(bits)), Ok((per_group, group_bytes))) =
        (geometry::width(descriptor), geometry::group(descriptor))
    else {
        return;
    };
    if let Some(Quantization::Unknown { .. }) = descriptor.quantization() {
        return;
    }
    let count = match descriptor.layout() {
        Layout::RowMajor | Layout::ColumnMajor => {
            let shape = raw.extents().ok().and_then(|shape| storage_shape(descriptor, &shape));
            shape.and_then(|shape| u64::try_from(index::element_count(&shape)).ok())
        }
        Layout::Coo { nnz, .. } | Layout::Csr { nnz } | Layout::Csc { nnz } | Layout::Csf { nnz, .. } => {
            Some(*nnz)
        }
        Layout::BlockPaged(_) => Pages::of(raw).ok().and_then(|pages| pages.pool_elements()),
        _ => return,
    };
    let Some(count) = count else { return };
    // The element buffer starts at `byte_offset`; the last group starts at a whole number of groups after it.
    let last_group = || {
        let full = count.checked_div(per_group)?;
        let used = to_usize(count.checked_rem(per_group)?)?;
        let start = to_usize(descriptor.byte_offset().checked_add(full.checked_mul(group_bytes)?)?)?;
        let bytes = raw.buffer(0).get(start..start.checked_add(to_usize(group_bytes)?)?)?;
        (used > 0).then_some((start, used, bytes))
    };
    let Some((start, used, bytes)) = last_group() else { return };
    let per_group = to_usize(per_group).unwrap_or(0);
    let stray = (used..per_group).find_map(|at| bits::code_at(bytes, bits, at).filter(|code| *code != 0));
    if stray.is_some() {
        findings.byte(
            Rule::Typ06,
            0,
            start,
            "zero bits after the last element",
            format_args!("{bytes:02x?}"),
        );
    }
}

/// Rules QNT-PC-06 and 07, QNT-PB-10, QNT-NF-04, QNT-MX-04.
pub(super) fn parameters(findings: &mut Findings<'_, '_>) {
    let raw = findings.raw;
    let Some(ParameterBytes { scales, zero_points, width }) = parameter_bytes(raw) else { return };
    let Some(quantization) = raw.descriptor().quantization() else { return };
    let (rule, scale_buffer, zero_point_buffer) = match quantization {
        Quantization::PerChannel { scales, zero_points, .. } => (Rule::QntPc06, *scales, *zero_points),
        Quantization::PerBlock { scales, zero_points, .. } => (Rule::QntPb10, *scales, *zero_points),
        Quantization::Nf4 { scales, .. } => (Rule::QntNf04, *scales, None),
        Quantization::Mxfp { scales, .. } => (Rule::QntMx04, *scales, None),
        _ => return,
    };
    let buffer = |index: u32| usize::try_from(index).unwrap_or(usize::MAX);
    for (number, bytes) in scales.chunks_exact(width).enumerate() {
        let at = number.saturating_mul(width);
        let scale = match (quantization, bytes) {
            (Quantization::Mxfp { .. }, &[byte]) => {
                if !F8E8M0::from_bits(byte).is_valid() {
                    findings.byte(
                        rule,
                        buffer(scale_buffer),
                        at,
                        "0x01 to 0xfe",
                        format_args!("{byte:#04x}"),
                    );
                }
                continue;
            }
            (Quantization::PerBlock { scale_type: ScaleType::BFloat16, .. }, &[low, high]) => {
                half::bf16::from_le_bytes([low, high]).to_f32()
            }
            (_, &[low, high]) => half::f16::from_le_bytes([low, high]).to_f32(),
            (_, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            _ => continue,
        };
        let is_nf4 = matches!(quantization, Quantization::Nf4 { .. });
        let (holds, expected) = if is_nf4 {
            (scale.is_finite() && scale >= 0.0, "finite and not negative")
        } else {
            (scale.is_finite() && scale != 0.0, "finite and not zero")
        };
        if !holds {
            findings.byte(rule, buffer(scale_buffer), at, expected, scale);
        }
    }
    let (Quantization::PerChannel { .. }, Some(zero_points), Some(zero_point_buffer)) =
        (quantization, zero_points, zero_point_buffer)
    else {
        return;
    };
    let (least, most) = storage_range(raw.descriptor().element_type());
    let shift = if zero_point_buffer == scale_buffer { scales.len() } else { 0 };
    for (number, bytes) in zero_points.as_chunks::<4>().0.iter().enumerate() {
        let zero_point = i64::from(i32::from_le_bytes(*bytes));
        if !(least..=most).contains(&zero_point) {
            let at = number.saturating_mul(4).saturating_add(shift);
            findings.byte(
                Rule::QntPc07,
                buffer(zero_point_buffer),
                at,
                format!("{least} to {most}"),
                zero_point,
            );
        }
    }
}
