//! Real numbers to the patterns of stored elements, and those to bytes.

use super::elements::nf4;
use super::parameters::Parameter;
use crate::descriptor::{Quantization, TensorDescriptor, storage_range};
use crate::element::{ElementType, MiniFloat, bits};

/// How a real number becomes the pattern of a stored element.
pub(super) enum Encoder {
    Affine(i64, i64),
    Nf4,
    Micro(MiniFloat),
    MicroInteger(i64, i64),
}

impl Encoder {
    pub(super) fn of(descriptor: &TensorDescriptor) -> Self {
        let storage = descriptor.element_type();
        let (least, most) = storage_range(storage);
        match descriptor.quantization() {
            Some(Quantization::Nf4 { .. }) => Self::Nf4,
            Some(Quantization::Mxfp { .. }) => match storage {
                ElementType::Float8E4M3 => Self::Micro(MiniFloat::E4M3),
                ElementType::Float8E5M2 => Self::Micro(MiniFloat::E5M2),
                ElementType::Float4E2M1 => Self::Micro(MiniFloat::E2M1),
                ElementType::Float6E2M3 => Self::Micro(MiniFloat::E2M3),
                ElementType::Float6E3M2 => Self::Micro(MiniFloat::E3M2),
                _ => Self::MicroInteger(least, most),
            },
            _ => Self::Affine(least, most),
        }
    }

    /// What padding holds: the pattern 0.
    pub(super) fn zero(&self) -> i64 {
        0
    }

    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "float arithmetic; conversions of rounded floats saturate, and the zero point is added to at most i64::MAX / 2"
    )]
    pub(super) fn code(&self, value: f32, parameter: Parameter) -> i64 {
        let scaled = f64::from(value) / f64::from(parameter.scale);
        match self {
            Self::Affine(least, most) => {
                let zero_point = i64::from(parameter.zero_point);
                let steps = scaled.round_ties_even().clamp(-1e15, 1e15) as i64;
                let code = (steps + zero_point).clamp(*least, *most);
                if parameter.affine(code).is_finite() {
                    return code;
                }
                // Half a step more than the largest f32: as many steps as stay below it, however they are rounded.
                let reach = f64::from(f32::MAX) * (1.0 - 2_f64.powi(-22)) / f64::from(parameter.scale.abs());
                let most_steps = reach as i64;
                ((code - zero_point).clamp(-most_steps, most_steps) + zero_point).clamp(*least, *most)
            }
            Self::MicroInteger(least, most) => {
                let code = (scaled.round_ties_even() as i64).clamp(*least, *most);
                // -128 times the largest power of two is no f32, -127 times it is.
                if (parameter.scale * code as f32).is_finite() { code } else { code - code.signum() }
            }
            Self::Micro(float) => float.encode(scaled, true).into(),
            // An empty scale means a block of zeros.
            Self::Nf4 if parameter.scale == 0.0 => 7,
            Self::Nf4 => nearest(nf4(), scaled),
        }
    }
}

/// The index of the nearest entry of an ascending table, ties to the even index.
fn nearest(table: &[f32], value: f64) -> i64 {
    let above = table.partition_point(|entry| f64::from(*entry) < value).min(table.len().saturating_sub(1));
    let below = above.saturating_sub(1);
    let distance = |at: usize| table.get(at).map_or(f64::INFINITY, |entry| (f64::from(*entry) - value).abs());
    let chosen = match distance(below).total_cmp(&distance(above)) {
        std::cmp::Ordering::Less => below,
        std::cmp::Ordering::Greater => above,
        std::cmp::Ordering::Equal if below & 1 == 0 => below,
        std::cmp::Ordering::Equal => above,
    };
    i64::try_from(chosen).unwrap_or(0)
}

/// The bytes of stored patterns, two's complement.
pub(super) fn to_bytes(storage: ElementType, codes: &[i64]) -> Vec<u8> {
    let low = |code: &i64| code.to_le_bytes();
    match storage.bits() {
        Some(bits @ (1 | 2 | 4 | 6)) => bits::pack(bits, codes.iter().map(|code| low(code)[0])),
        Some(bits) => {
            let width = usize::try_from(bits >> 3).unwrap_or(0);
            codes.iter().flat_map(|code| low(code).into_iter().take(width)).collect()
        }
        None => Vec::new(),
    }
}
