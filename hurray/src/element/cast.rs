//! Conversions between the real floating types that Rust has a type for: float16, bfloat16, float32, float64.

use half::{bf16, f16};

use crate::element::{Element, ElementType};

/// A conversion from one real floating type to another, by way of float64, which holds all of them exactly:
/// one rounding, to nearest, ties to even.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FloatCast {
    pub(crate) from: ElementType,
    to: ElementType,
}

impl FloatCast {
    /// `None` unless both are such types.
    pub(crate) fn new(from: ElementType, to: ElementType) -> Option<Self> {
        let is_castable = |float| {
            matches!(
                float,
                ElementType::Float16 | ElementType::BFloat16 | ElementType::Float32 | ElementType::Float64
            )
        };
        (is_castable(from) && is_castable(to)).then_some(Self { from, to })
    }

    /// Appends one element of the target type, in the file's form.
    fn push(self, value: f64, bytes: &mut Vec<u8>) {
        match self.to {
            ElementType::Float16 => bytes.extend(f16::from_f64(value).to_le_bytes()),
            ElementType::BFloat16 => bytes.extend(bf16::from_f64(value).to_le_bytes()),
            ElementType::Float32 => bytes.extend(to_f32(value).to_le_bytes()),
            _ => bytes.extend(value.to_le_bytes()),
        }
    }

    /// Appends elements converted, in the file's form. `elements` are the bytes of the type that it converts from, which
    /// is not known where this is called: the conversions are there once, not for each type.
    pub(crate) fn convert(self, elements: &[u8], bytes: &mut Vec<u8>) {
        match self.from {
            ElementType::Float16 => self.all(elements, f16::to_f64, bytes),
            ElementType::BFloat16 => self.all(elements, bf16::to_f64, bytes),
            ElementType::Float32 => self.all(elements, |value: f32| f64::from(value), bytes),
            _ => self.all(elements, |value: f64| value, bytes),
        }
    }

    fn all<F: Element>(self, elements: &[u8], widen: impl Fn(F) -> f64, bytes: &mut Vec<u8>) {
        for element in elements.chunks_exact(size_of::<F>()) {
            self.push(widen(bytemuck::pod_read_unaligned(element)), bytes);
        }
    }

    /// The elements converted, in the file's form.
    pub(crate) fn to_bytes<F: Element>(self, elements: &[F]) -> Vec<u8> {
        let width = self.to.bits().map_or(8, |bits| usize::try_from(bits / 8).unwrap_or(8));
        let mut bytes = Vec::with_capacity(width.saturating_mul(elements.len()));
        self.convert(bytemuck::cast_slice(elements), &mut bytes);
        bytes
    }
}

#[expect(clippy::as_conversions, reason = "rounds to nearest, ties to even: what a cast between floats is")]
fn to_f32(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::FloatCast;
    use crate::element::ElementType;
    use half::bf16;

    #[test]
    fn narrowing_rounds_once_to_nearest_even() {
        let cast = FloatCast::new(ElementType::Float32, ElementType::BFloat16).unwrap();
        // Halfway between two bfloat16 (1.00390625, 1.01171875): the even one.
        let values = [1.0f32 + f32::EPSILON, 1.003_906_3, 1.011_718_8, f32::NAN, -0.0];
        let narrow: Vec<bf16> = bytemuck::pod_collect_to_vec(&cast.to_bytes(&values));
        assert_eq!(narrow[..3], [1.0, 1.0, 1.015_625].map(bf16::from_f64));
        assert!(narrow[3].is_nan());
        assert_eq!(narrow[4].to_bits(), 0x8000);
    }

    #[test]
    fn only_real_floats_convert() {
        assert!(FloatCast::new(ElementType::Int32, ElementType::Float32).is_none());
        assert!(FloatCast::new(ElementType::Float32, ElementType::Complex64).is_none());
    }
}
