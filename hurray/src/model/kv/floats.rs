//! Floats: float64 in the file. Every bit comes back, those of a NaN included.

use half::{bf16, f16};

use super::integers::whole;
use super::{KvEntry, KvLoad, KvSave, array_of};
use crate::container::{KvArray, KvValue};

/// The float that a value is: float64 as it is, integers when a float64 holds them exactly.
fn float(value: &KvValue) -> Option<f64> {
    let integer: i128 = match *value {
        KvValue::Float64(value) => return Some(value),
        KvValue::Int64(value) => value.into(),
        KvValue::UInt64(value) => value.into(),
        _ => return None,
    };
    #[expect(clippy::as_conversions, reason = "rounding is looked for in the next line")]
    let float = integer as f64;
    (whole(float) == Some(integer)).then_some(float)
}

/// A real floating type as a float64 and back, without arithmetic on NaNs: that would set their quiet bit.
pub(crate) trait Widen: Copy {
    /// The same value, a NaN with the same sign and payload.
    fn widened(self) -> f64;

    /// The value that widens to exactly this one.
    fn narrowed(wide: f64) -> Option<Self>;
}

/// The bits of a float64 below its exponent.
const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;

impl Widen for f64 {
    fn widened(self) -> f64 {
        self
    }

    fn narrowed(wide: f64) -> Option<Self> {
        Some(wide)
    }
}

macro_rules! widen {
    ($($rust:ty: $bits:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Widen for $rust {
            fn widened(self) -> f64 {
                if !self.is_nan() {
                    return $widen(self);
                }
                let (bits, shift) = (u64::from(self.to_bits()), MANTISSA - (<$rust>::MANTISSA_DIGITS - 1));
                let sign = (bits >> (<$bits>::BITS - 1)) << (u64::BITS - 1);
                let payload = (bits << shift) & ((1 << MANTISSA) - 1);
                f64::from_bits(sign | f64::INFINITY.to_bits() | payload)
            }

            fn narrowed(wide: f64) -> Option<Self> {
                if !wide.is_nan() {
                    let narrow: $rust = $narrow(wide);
                    return ($widen(narrow) == wide).then_some(narrow);
                }
                let (bits, shift) = (wide.to_bits(), MANTISSA - (<$rust>::MANTISSA_DIGITS - 1));
                let sign = (bits >> (u64::BITS - 1)) << (<$bits>::BITS - 1);
                let payload = (bits & ((1 << MANTISSA) - 1)) >> shift;
                let all = sign | u64::from(<$rust>::INFINITY.to_bits()) | payload;
                let narrow = <$rust>::from_bits(<$bits>::try_from(all).ok()?);
                (narrow.widened().to_bits() == bits).then_some(narrow)
            }
        }
    )*};
}

#[expect(clippy::as_conversions, reason = "a loss is looked for by widening again")]
fn narrow_to_f32(value: f64) -> f32 {
    value as f32
}

widen! {
    f32: u32, f64::from, narrow_to_f32;
    f16: u16, f64::from, f16::from_f64;
    bf16: u16, f64::from, bf16::from_f64;
}

macro_rules! floats {
    ($($rust:ty)*) => {
        $(
            impl KvSave for $rust {
                fn to_kv(&self) -> Option<KvValue> {
                    Some(KvValue::Float64(self.widened()))
                }

                fn slice_to_kv(slice: &[Self]) -> Option<KvValue> {
                    Some(KvValue::Array(KvArray::Float64s(slice.iter().map(|value| value.widened()).collect())))
                }
            }

            impl<'f> KvLoad<'f> for $rust {
                fn expects() -> &'static str {
                    concat!("float64 that ", stringify!($rust), " holds exactly")
                }

                fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
                    Self::from_value(&entry.value())
                }

                fn from_value(value: &KvValue) -> Option<Self> {
                    float(value).and_then(Self::narrowed)
                }

                fn expects_slice() -> &'static str {
                    concat!("array of float64 that ", stringify!($rust), " holds exactly")
                }

                fn vec_from_value(value: &KvValue) -> Option<Vec<Self>> {
                    array_of(value, Self::from_value)
                }
            }
        )*
    };
}

floats! { f64 f32 f16 bf16 }
