//! From bytes to a quantization descriptor (FORMAT §3.8, §6.1, §6.4–§6.8).

use crate::bytes::{Cursor, to_usize};
use crate::descriptor::decode::decode_reserved;
use crate::error::{FormatError, Rule};
use crate::policy::{Policy, is_private};

use super::{Quantization, ScaleType};

/// Tag, version and flags.
const HEADER_LEN: usize = 4;

/// The flag of the schemes that may leave the zero points out.
pub(super) const SYMMETRIC: u16 = 1;

/// The buffer index that stands for "no zero points".
pub(super) const NO_BUFFER: u32 = u32::MAX;

impl Quantization {
    /// QNT-01..06 and what concerns the form of the scheme's own fields.
    pub(in crate::descriptor) fn decode(
        section: &mut Cursor<'_>,
        policy: &Policy,
    ) -> Result<Self, FormatError> {
        let at = section.offset();
        let length = section.u32()?;
        let remaining = section.remaining();
        let length = to_usize(u64::from(length))
            .filter(|length| (HEADER_LEN..=remaining).contains(length))
            .ok_or_else(|| {
            Rule::Qnt01
                .broken()
                .at(at)
                .expected_to_be(format!("a length of 4 to {remaining}"))
                .but_found(length)
        })?;
        let offset = section.offset();
        let bytes = section.take(length)?;
        // What does not fit is too short for the scheme.
        let mut fields = Cursor::new(bytes, offset, Rule::Qnt06);

        let tag = fields.u8()?;
        Rule::Qnt02.check(!matches!(tag, 0x00 | 0xFF), |e| {
            e.at(offset).expected_to_be("a valid scheme").but_found(format_args!("{tag:#04x}"))
        })?;
        if !matches!(tag, 0x01..=0x05) {
            let opted_in = is_private(tag) && policy.private_tags.schemes.contains(&tag);
            Rule::Qnt03.check(opted_in || policy.is_permissive(), |e| {
                e.at(offset).expected_to_be("a known scheme").but_found(format_args!("{tag:#04x}"))
            })?;
            let bytes = if policy.omits_private_fields { Box::default() } else { bytes.into() };
            return Ok(Self::Unknown { tag, bytes });
        }
        let version = fields.u8()?;
        Rule::Qnt04.check(version == 1, |e| {
            e.at(offset.saturating_add(1)).expected_to_be("scheme version 1").but_found(version)
        })?;
        let flags = fields.u16()?;
        let known_flags = if matches!(tag, 0x02 | 0x03) { SYMMETRIC } else { 0 };
        Rule::Qnt05.check(flags & !known_flags == 0, |e| {
            e.at(offset.saturating_add(2))
                .expected_to_be(format!("no flags but {known_flags:#06x}"))
                .but_found(format_args!("{flags:#06x}"))
        })?;
        let is_symmetric = flags & SYMMETRIC != 0;
        match tag {
            0x01 => decode_per_tensor(&mut fields),
            0x02 => decode_per_channel(&mut fields, is_symmetric),
            0x03 => decode_per_block(&mut fields, is_symmetric),
            0x04 => {
                let (axis, block_size, scales) = (fields.u32()?, fields.u32()?, fields.u32()?);
                Ok(Self::Nf4 { axis, block_size, scales })
            }
            _ => {
                let (axis, block_size, scales) = (fields.u32()?, fields.u32()?, fields.u32()?);
                Ok(Self::Mxfp { axis, block_size, scales })
            }
        }
    }
}

/// QNT-PT-03.
fn decode_per_tensor(fields: &mut Cursor<'_>) -> Result<Quantization, FormatError> {
    let scale = fields.f32()?;
    let zero_point = fields.i32()?;
    decode_reserved::<4>(fields, Rule::QntPt03)?;
    Ok(Quantization::PerTensor { scale, zero_point })
}

/// QNT-PC-01..03.
fn decode_per_channel(fields: &mut Cursor<'_>, is_symmetric: bool) -> Result<Quantization, FormatError> {
    let axis = fields.u32()?;
    let scales = fields.u32()?;
    let zero_points_at = fields.offset();
    let zero_points = fields.u32()?;
    let scale_type_at = fields.offset();
    let scale_type = fields.u8()?;
    decode_reserved::<3>(fields, Rule::QntPc02)?;
    Rule::QntPc01.check(scale_type == ScaleType::Float32.tag(), |e| {
        e.at(scale_type_at).expected_to_be("scale type 0x03").but_found(format_args!("{scale_type:#04x}"))
    })?;
    let zero_points = optional_buffer(zero_points, is_symmetric, Rule::QntPc03, zero_points_at)?;
    Ok(Quantization::PerChannel { axis, scales, zero_points })
}

/// QNT-PB-03..05.
fn decode_per_block(fields: &mut Cursor<'_>, is_symmetric: bool) -> Result<Quantization, FormatError> {
    let axis = fields.u32()?;
    let block_size = fields.u32()?;
    let scales = fields.u32()?;
    let zero_points_at = fields.offset();
    let zero_points = fields.u32()?;
    let scale_type_at = fields.offset();
    let scale_type = fields.u8()?;
    decode_reserved::<3>(fields, Rule::QntPb04)?;
    let scale_type = match scale_type {
        0x01 => ScaleType::Float16,
        0x02 => ScaleType::BFloat16,
        0x03 => ScaleType::Float32,
        other => {
            return Err(Rule::QntPb03
                .broken()
                .at(scale_type_at)
                .expected_to_be("scale type 0x01, 0x02 or 0x03")
                .but_found(format_args!("{other:#04x}")));
        }
    };
    let zero_points = optional_buffer(zero_points, is_symmetric, Rule::QntPb05, zero_points_at)?;
    Ok(Quantization::PerBlock { axis, block_size, scales, zero_points, scale_type })
}

/// The flag and the index tell the same.
fn optional_buffer(index: u32, is_symmetric: bool, rule: Rule, at: u64) -> Result<Option<u32>, FormatError> {
    rule.check(is_symmetric == (index == NO_BUFFER), |e| {
        let expected =
            if is_symmetric { "no zero points, as it is symmetric" } else { "the index of the zero points" };
        e.at(at).expected_to_be(expected).but_found(format_args!("{index:#x}"))
    })?;
    Ok(Some(index).filter(|_| !is_symmetric))
}
