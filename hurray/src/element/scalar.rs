//! One element of any type, as a value.

use half::{bf16, f16};

use super::{ElementType, F8E4M3, F8E5M2, F8E8M0, F128, I2, I4, PackedElement};
use super::{F4E2M1, F6E2M3, F6E3M2};

/// One element of any element type.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// bool
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A real float of at most 64 bits.
    Float {
        /// Exact.
        value: f64,
        /// The pattern in the file, in the low bits.
        bits: u64,
    },
    /// A complex number.
    Complex {
        /// The real part, exact.
        re: f64,
        /// The imaginary part, exact.
        im: f64,
    },
    /// The bits of a float128.
    Float128(F128),
    /// The bytes of an element of a private type, in file order. Below 8 bits: one byte, pattern in its low bits.
    Raw(Box<[u8]>),
}

impl Scalar {
    /// Decodes one element from its bytes in file order; an element below 8 bits comes as one byte with the
    /// pattern in its low bits. Types that are not built in, and bytes of another length, stay raw.
    #[must_use]
    pub(crate) fn decode(element_type: ElementType, bytes: &[u8]) -> Self {
        Self::built_in(element_type, bytes).unwrap_or_else(|| Self::Raw(bytes.into()))
    }

    fn built_in(element_type: ElementType, bytes: &[u8]) -> Option<Self> {
        use ElementType as Type;
        fn of<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.try_into().ok()
        }
        let float = |value: f64, bits: u64| Self::Float { value, bits };
        let small = |value: f32, bits: u8| Self::Float { value: f64::from(value), bits: u64::from(bits) };
        Some(match element_type {
            Type::Float16 => {
                let bits = u16::from_le_bytes(of(bytes)?);
                float(f16::from_bits(bits).to_f64(), bits.into())
            }
            Type::BFloat16 => {
                let bits = u16::from_le_bytes(of(bytes)?);
                float(bf16::from_bits(bits).to_f64(), bits.into())
            }
            Type::Float32 => {
                let bits = u32::from_le_bytes(of(bytes)?);
                float(f32::from_bits(bits).into(), bits.into())
            }
            Type::Float64 => {
                let bits = u64::from_le_bytes(of(bytes)?);
                float(f64::from_bits(bits), bits)
            }
            Type::Int8 => Self::Int(i8::from_le_bytes(of(bytes)?).into()),
            Type::Int16 => Self::Int(i16::from_le_bytes(of(bytes)?).into()),
            Type::Int32 => Self::Int(i32::from_le_bytes(of(bytes)?).into()),
            Type::Int64 => Self::Int(i64::from_le_bytes(of(bytes)?)),
            Type::UInt8 => Self::UInt(u8::from_le_bytes(of(bytes)?).into()),
            Type::UInt16 => Self::UInt(u16::from_le_bytes(of(bytes)?).into()),
            Type::UInt32 => Self::UInt(u32::from_le_bytes(of(bytes)?).into()),
            Type::UInt64 => Self::UInt(u64::from_le_bytes(of(bytes)?)),
            Type::Float128 => Self::Float128(F128::from_bits(u128::from_le_bytes(of(bytes)?))),
            Type::Complex64 => {
                let (re, im) = halves::<4>(bytes)?;
                Self::Complex { re: f32::from_le_bytes(re).into(), im: f32::from_le_bytes(im).into() }
            }
            Type::Complex128 => {
                let (re, im) = halves::<8>(bytes)?;
                Self::Complex { re: f64::from_le_bytes(re), im: f64::from_le_bytes(im) }
            }
            byte_or_less => {
                let [code] = of(bytes)?;
                match byte_or_less {
                    Type::Bool => Self::Bool(code & 1 == 1),
                    Type::Int2 => Self::Int(I2::unpack(code).into()),
                    Type::UInt2 => Self::UInt((code & 3).into()),
                    Type::Int4 => Self::Int(I4::unpack(code).into()),
                    Type::UInt4 => Self::UInt((code & 15).into()),
                    Type::Float4E2M1 => small(F4E2M1::unpack(code), code),
                    Type::Float6E2M3 => small(F6E2M3::unpack(code), code),
                    Type::Float6E3M2 => small(F6E3M2::unpack(code), code),
                    Type::Float8E4M3 => small(F8E4M3::from_bits(code).to_f32(), code),
                    Type::Float8E5M2 => small(F8E5M2::from_bits(code).to_f32(), code),
                    Type::Float8E8M0 => small(F8E8M0::from_bits(code).to_f32(), code),
                    _ => return None,
                }
            }
        })
    }

    /// The value as an f64: rounded where an integer of more than 53 bits or a float128 needs it, 0 and 1 for
    /// bools. `None` for complex and raw elements.
    #[must_use]
    #[expect(clippy::as_conversions, reason = "rounding to nearest is what is promised")]
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Int(value) => Some(*value as f64),
            Self::UInt(value) => Some(*value as f64),
            Self::Float { value, .. } => Some(*value),
            Self::Float128(value) => Some(value.to_f64()),
            Self::Complex { .. } | Self::Raw(_) => None,
        }
    }

    /// The value as an f32, rounded once from what [`to_f64`](Self::to_f64) gives.
    #[must_use]
    #[expect(clippy::as_conversions, reason = "rounding to nearest is what is promised")]
    pub fn to_f32(&self) -> Option<f32> {
        match self {
            // Not through f64, which would round twice.
            Self::Int(value) => Some(*value as f32),
            Self::UInt(value) => Some(*value as f32),
            other => other.to_f64().map(|value| value as f32),
        }
    }

    /// Whether the element is zero, of either sign; a raw one, whether all its bits are.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Complex { re, im } => *re == 0.0 && *im == 0.0,
            Self::Raw(bytes) => bytes.iter().all(|byte| *byte == 0),
            Self::Float128(value) => value.to_bits() << 1 == 0,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::UInt(value) => *value == 0,
            Self::Float { value, .. } => *value == 0.0,
        }
    }
}

fn halves<const N: usize>(bytes: &[u8]) -> Option<([u8; N], [u8; N])> {
    let (first, second) = bytes.split_first_chunk::<N>()?;
    Some((*first, second.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_type_decodes_from_its_own_width_only() {
        for &built_in in ElementType::BUILT_IN {
            let bits = usize::try_from(built_in.bits().unwrap()).unwrap();
            let width = bits.div_ceil(8);
            for given in 0..20 {
                let scalar = Scalar::decode(built_in, &vec![1; given]);
                assert_eq!(matches!(scalar, Scalar::Raw(_)), given != width, "{built_in} {given}");
            }
            assert!(
                Scalar::decode(built_in, &vec![0; width]).is_zero() != (built_in == ElementType::Float8E8M0)
            );
        }
    }

    #[test]
    fn values_are_those_of_the_tables() {
        let decode = Scalar::decode;
        assert_eq!(decode(ElementType::Int4, &[0xF]), Scalar::Int(-1));
        assert_eq!(decode(ElementType::Float16, &[0, 0x3C]), Scalar::Float { value: 1.0, bits: 0x3C00 });
        assert_eq!(decode(ElementType::BFloat16, &[0x80, 0x3F]), Scalar::Float { value: 1.0, bits: 0x3F80 });
        assert_eq!(decode(ElementType::UInt64, &[0xFF; 8]), Scalar::UInt(u64::MAX));
        assert_eq!(decode(ElementType::UInt64, &[0xFF; 8]).to_f64(), Some(18_446_744_073_709_551_616.0));
        let complex = [1.0_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat();
        assert_eq!(decode(ElementType::Complex64, &complex), Scalar::Complex { re: 1.0, im: -2.0 });
        assert_eq!(decode(ElementType::Float6E3M2, &[31]).to_f32(), Some(28.0));
        assert_eq!(decode(ElementType::Private(0xF0), &[1, 2, 3]), Scalar::Raw([1, 2, 3].into()));
    }
}
