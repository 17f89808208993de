//! Integers: of either type in the file, when they fit; floats when they are whole numbers.

use super::{KvEntry, KvLoad, KvSave, array_of};
use crate::container::{KvArray, KvValue};

/// The integer that a value is: int64 or uint64 as they are, float64 when it is a whole number.
fn integer(value: &KvValue) -> Option<i128> {
    match *value {
        KvValue::Int64(value) => Some(value.into()),
        KvValue::UInt64(value) => Some(value.into()),
        KvValue::Float64(value) => whole(value),
        _ => None,
    }
}

/// A float as an integer, when that loses nothing and an int64 or uint64 could hold it.
pub(super) fn whole(value: f64) -> Option<i128> {
    /// 2^64: above it no integer field can take the value.
    const BOUND: f64 = 18_446_744_073_709_551_616.0;
    if !(value.abs() <= BOUND && value.fract() == 0.0) {
        return None;
    }
    #[expect(clippy::as_conversions, reason = "whole and within bounds, so exact; std has no checked form")]
    let integer = value as i128;
    Some(integer)
}

macro_rules! integers {
    ($($rust:ty => $variant:ident $array:ident $wide:ty, $expects:literal;)*) => {
        $(
            impl KvSave for $rust {
                fn to_kv(&self) -> Option<KvValue> {
                    <$wide>::try_from(*self).ok().map(KvValue::$variant)
                }

                fn slice_to_kv(slice: &[Self]) -> Option<KvValue> {
                    let values = slice.iter().map(|&value| <$wide>::try_from(value).ok());
                    Some(KvValue::Array(KvArray::$array(values.collect::<Option<_>>()?)))
                }
            }

            impl<'f> KvLoad<'f> for $rust {
                fn expects() -> &'static str {
                    concat!($expects, " that fits ", stringify!($rust))
                }

                fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
                    Self::from_value(&entry.value())
                }

                fn from_value(value: &KvValue) -> Option<Self> {
                    integer(value).and_then(|value| value.try_into().ok())
                }

                fn expects_slice() -> &'static str {
                    concat!("array of ", $expects, " that fit ", stringify!($rust))
                }

                fn vec_from_value(value: &KvValue) -> Option<Vec<Self>> {
                    array_of(value, |value| integer(value).and_then(|value| value.try_into().ok()))
                }
            }
        )*
    };
}

integers! {
    u16 => UInt64 UInt64s u64, "uint64";
    u32 => UInt64 UInt64s u64, "uint64";
    u64 => UInt64 UInt64s u64, "uint64";
    usize => UInt64 UInt64s u64, "uint64";
    i8 => Int64 Int64s i64, "int64";
    i16 => Int64 Int64s i64, "int64";
    i32 => Int64 Int64s i64, "int64";
    i64 => Int64 Int64s i64, "int64";
    isize => Int64 Int64s i64, "int64";
}

impl KvSave for u8 {
    fn to_kv(&self) -> Option<KvValue> {
        Some(KvValue::UInt64((*self).into()))
    }

    /// Bytes, not an array of numbers.
    fn slice_to_kv(slice: &[Self]) -> Option<KvValue> {
        Some(KvValue::Bytes(slice.to_vec()))
    }
}

impl<'f> KvLoad<'f> for u8 {
    fn expects() -> &'static str {
        "uint64 that fits u8"
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        Self::from_value(&entry.value())
    }

    fn from_value(value: &KvValue) -> Option<Self> {
        integer(value).and_then(|value| value.try_into().ok())
    }

    fn expects_slice() -> &'static str {
        "bytes"
    }

    fn vec_from_value(value: &KvValue) -> Option<Vec<Self>> {
        match value {
            KvValue::Bytes(bytes) => Some(bytes.clone()),
            value => array_of(value, |value| integer(value).and_then(|value| value.try_into().ok())),
        }
    }
}
