//! The extension type section (FORMAT §3.11).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::decode_reserved;
use crate::error::{FormatError, Rule};

use super::{ExtensionKind, ExtensionType};

impl ExtensionType {
    /// In bytes.
    pub(in crate::descriptor) const ENCODED_LEN: usize = 20;

    /// Elements and bytes of the smallest whole unit: `(4, 1)` for 2 bits, `(1, 3)` for 24.
    #[must_use]
    pub fn group(&self) -> (u64, u64) {
        match self.bit_width {
            1 | 2 | 4 => (u64::from(self.packing_factor()), 1),
            wide => (1, u64::from(wide.div_ceil(8))),
        }
    }

    /// Elements per byte below 8 bits, else 1.
    pub(crate) fn packing_factor(&self) -> u8 {
        match self.bit_width {
            1 => 8,
            2 => 4,
            4 => 2,
            _ => 1,
        }
    }

    /// EXT-01..07.
    pub(in crate::descriptor) fn decode(fields: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let at = fields.offset();
        let bit_width = fields.u32()?;
        let packing_factor = fields.u8()?;
        let is_float = decode_bool(fields)?;
        let is_signed = decode_bool(fields)?;
        let [sign_bits, exponent_bits, mantissa_bits] = fields.array::<3>()?;
        decode_reserved::<2>(fields, Rule::Ext04)?;
        let exponent_bias = fields.u32()?;
        let has_nan = decode_bool(fields)?;
        let has_inf = decode_bool(fields)?;
        decode_reserved::<2>(fields, Rule::Ext04)?;

        let kind = if is_float {
            Rule::Ext06.check(!is_signed, |e| {
                e.at(at.saturating_add(6)).expected_to_be("`is_signed` 0 for a float").but_found(1)
            })?;
            ExtensionKind::Float { sign_bits, exponent_bits, mantissa_bits, exponent_bias, has_nan, has_inf }
        } else {
            let has_float_fields = (sign_bits, exponent_bits, mantissa_bits) != (0, 0, 0)
                || exponent_bias != 0
                || has_nan
                || has_inf;
            Rule::Ext07.check(!has_float_fields, |e| {
                e.at(at).expected_to_be("the fields of floats zero for an integer")
            })?;
            ExtensionKind::Integer { is_signed }
        };
        let extension_type = Self { bit_width, kind };
        extension_type.check(at)?;
        let rule = if bit_width < 8 { Rule::Ext02 } else { Rule::Ext03 };
        rule.check(packing_factor == extension_type.packing_factor(), |e| {
            e.at(at.saturating_add(4))
                .expected_to_be(format!("packing factor {}", extension_type.packing_factor()))
                .but_found(packing_factor)
        })?;
        Ok(extension_type)
    }

    /// EXT-01..03, EXT-06. `at`: where the section starts.
    pub(in crate::descriptor) fn check(&self, at: u64) -> Result<(), FormatError> {
        let width = self.bit_width;
        Rule::Ext01.check(width > 0, |e| e.at(at).expected_to_be("a width above 0 bits").but_found(width))?;
        Rule::Ext02.check(width >= 8 || matches!(width, 1 | 2 | 4), |e| {
            e.at(at).expected_to_be("a width of 1, 2 or 4 bits below 8").but_found(width)
        })?;
        Rule::Ext03.check(width < 8 || width.is_multiple_of(8), |e| {
            e.at(at).expected_to_be("a width of whole bytes from 8 bits").but_found(width)
        })?;
        let sign_bits = match self.kind {
            ExtensionKind::Float { sign_bits, .. } => sign_bits,
            ExtensionKind::Integer { .. } => 0,
        };
        Rule::Ext06.check(sign_bits <= 1, |e| {
            e.at(at.saturating_add(7)).expected_to_be("at most 1 sign bit").but_found(sign_bits)
        })
    }

    pub(in crate::descriptor) fn encode(&self, sink: &mut Sink) {
        sink.u32(self.bit_width).u8(self.packing_factor());
        match self.kind {
            ExtensionKind::Integer { is_signed } => {
                sink.u8(0).u8(u8::from(is_signed)).zeros(13);
            }
            ExtensionKind::Float {
                sign_bits,
                exponent_bits,
                mantissa_bits,
                exponent_bias,
                has_nan,
                has_inf,
            } => {
                sink.u8(1)
                    .u8(0)
                    .u8(sign_bits)
                    .u8(exponent_bits)
                    .u8(mantissa_bits)
                    .zeros(2)
                    .u32(exponent_bias)
                    .u8(u8::from(has_nan))
                    .u8(u8::from(has_inf))
                    .zeros(2);
            }
        }
    }
}

/// EXT-05.
fn decode_bool(fields: &mut Cursor<'_>) -> Result<bool, FormatError> {
    let at = fields.offset();
    match fields.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Rule::Ext05.broken().at(at).expected_to_be("0 or 1").but_found(other)),
    }
}
