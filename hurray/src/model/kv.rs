//! Key-value entries as fields: scalars, strings, byte sequences, and arrays of these.

use half::{bf16, f16};

use crate::container::{KvArray, KvRef, KvValue};

/// A value that a `#[hurray(kv)]` field saves as one key-value entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a key-value entry",
    label = "not a key-value entry",
    note = "entries are scalars, strings, byte sequences, and vectors of these"
)]
pub trait KvSave {
    /// The entry's value; `None` writes no entry.
    fn to_kv(&self) -> Option<KvValue>;

    /// Whether writing no entry is what is meant. A value that has none and does not say so is an error.
    #[doc(hidden)]
    fn is_absent(&self) -> bool {
        false
    }

    /// The value of a slice: an array, or byte sequence for `u8`.
    #[doc(hidden)]
    fn slice_to_kv(slice: &[Self]) -> Option<KvValue>
    where
        Self: Sized,
    {
        let _ = slice;
        None
    }
}

/// A value that a `#[hurray(kv)]` field loads from one key-value entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a key-value entry",
    label = "not a key-value entry",
    note = "entries are scalars, strings, byte sequences, and vectors of these"
)]
pub trait KvLoad<'f>: Sized {
    /// What it wants, for the error that says what was found instead: `uint64`, `array of utf8`.
    fn expects() -> &'static str;

    /// The value; `None` when the entry is of another type, or its number does not fit exactly.
    fn from_kv(entry: KvEntry<'f>) -> Option<Self>;

    /// The value, from one that is in memory; for what borrows nothing from the file.
    #[doc(hidden)]
    fn from_value(value: &KvValue) -> Option<Self> {
        let _ = value;
        None
    }

    /// What a missing entry means; `None` is an error.
    #[doc(hidden)]
    fn absent() -> Option<Self> {
        None
    }

    #[doc(hidden)]
    fn expects_slice() -> &'static str {
        "an array"
    }

    #[doc(hidden)]
    fn vec_from_value(value: &KvValue) -> Option<Vec<Self>> {
        let _ = value;
        None
    }
}

/// A key-value entry of a file that lives for `'f`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KvEntry<'f>(pub(crate) KvRef<'f>);

impl<'f> KvEntry<'f> {
    /// The value, decoded.
    #[must_use]
    pub fn value(self) -> KvValue {
        self.0.to_value()
    }

    /// A string, borrowed from the file.
    #[must_use]
    pub fn as_str(self) -> Option<&'f str> {
        match self.0 {
            KvRef::String(text) => Some(text),
            _ => None,
        }
    }

    /// A byte sequence, borrowed from the file.
    #[must_use]
    pub fn as_bytes(self) -> Option<&'f [u8]> {
        match self.0 {
            KvRef::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

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
fn whole(value: f64) -> Option<i128> {
    /// 2^64: above it no integer field can take the value.
    const BOUND: f64 = 18_446_744_073_709_551_616.0;
    if !(value.abs() <= BOUND && value.fract() == 0.0) {
        return None;
    }
    #[expect(clippy::as_conversions, reason = "whole and within bounds, so exact; std has no checked form")]
    let integer = value as i128;
    Some(integer)
}

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

/// The elements of a numeric array, through `one`, which takes one value.
fn array_of<T>(value: &KvValue, one: impl Fn(&KvValue) -> Option<T>) -> Option<Vec<T>> {
    let KvValue::Array(array) = value else { return None };
    match array {
        KvArray::Int64s(values) => values.iter().map(|&value| one(&KvValue::Int64(value))).collect(),
        KvArray::UInt64s(values) => values.iter().map(|&value| one(&KvValue::UInt64(value))).collect(),
        KvArray::Float64s(values) => values.iter().map(|&value| one(&KvValue::Float64(value))).collect(),
        KvArray::Bools(values) => values.iter().map(|&value| one(&KvValue::Bool(value))).collect(),
        // Of numbers, an empty array of any kind is as good as one of the right kind.
        KvArray::Strings(values) => values.is_empty().then(Vec::new),
        KvArray::ByteStrings(values) => values.is_empty().then(Vec::new),
    }
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

macro_rules! floats {
    ($($rust:ty, $widen:expr, $narrow:expr;)*) => {
        $(
            impl KvSave for $rust {
                fn to_kv(&self) -> Option<KvValue> {
                    Some(KvValue::Float64($widen(*self)))
                }

                fn slice_to_kv(slice: &[Self]) -> Option<KvValue> {
                    Some(KvValue::Array(KvArray::Float64s(slice.iter().map(|&value| $widen(value)).collect())))
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
                    let value = float(value)?;
                    let narrow: $rust = $narrow(value);
                    (value.is_nan() || $widen(narrow) == value).then_some(narrow)
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

#[expect(clippy::as_conversions, reason = "a loss is looked for by widening again")]
fn narrow_to_f32(value: f64) -> f32 {
    value as f32
}

floats! {
    f64, f64::from, |value| value;
    f32, f64::from, narrow_to_f32;
    f16, f64::from, f16::from_f64;
    bf16, f64::from, bf16::from_f64;
}

impl KvSave for bool {
    fn to_kv(&self) -> Option<KvValue> {
        Some(KvValue::Bool(*self))
    }

    fn slice_to_kv(slice: &[Self]) -> Option<KvValue> {
        Some(KvValue::Array(KvArray::Bools(slice.to_vec())))
    }
}

impl<'f> KvLoad<'f> for bool {
    fn expects() -> &'static str {
        "bool"
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        Self::from_value(&entry.value())
    }

    fn from_value(value: &KvValue) -> Option<Self> {
        match *value {
            KvValue::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn expects_slice() -> &'static str {
        "array of bool"
    }

    fn vec_from_value(value: &KvValue) -> Option<Vec<Self>> {
        array_of(value, Self::from_value)
    }
}

/// A value that is a string in the file.
macro_rules! strings {
    ($($rust:ty, $expects:literal, $to:expr, $from:expr;)*) => {
        $(
            impl KvSave for $rust {
                fn to_kv(&self) -> Option<KvValue> {
                    Some(KvValue::String($to(self)))
                }

                fn slice_to_kv(slice: &[Self]) -> Option<KvValue> {
                    Some(KvValue::Array(KvArray::Strings(slice.iter().map($to).collect())))
                }
            }

            impl<'f> KvLoad<'f> for $rust {
                fn expects() -> &'static str {
                    $expects
                }

                fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
                    Self::from_value(&entry.value())
                }

                fn from_value(value: &KvValue) -> Option<Self> {
                    match value {
                        KvValue::String(value) => $from(value),
                        _ => None,
                    }
                }

                fn expects_slice() -> &'static str {
                    concat!("array of ", $expects)
                }

                fn vec_from_value(value: &KvValue) -> Option<Vec<Self>> {
                    match value {
                        KvValue::Array(KvArray::Strings(values)) => {
                            values.iter().map(|value| $from(value)).collect()
                        }
                        KvValue::Array(array) if array.is_empty() => Some(Vec::new()),
                        _ => None,
                    }
                }
            }
        )*
    };
}

/// The only character of a string.
fn single_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

strings! {
    String, "utf8", |text: &String| text.clone(), |text: &String| Some(text.clone());
    char, "utf8 of one character", |value: &char| value.to_string(), |value: &String| single_char(value);
}

impl KvSave for str {
    fn to_kv(&self) -> Option<KvValue> {
        Some(KvValue::String(self.to_owned()))
    }
}

impl<'f: 'a, 'a> KvLoad<'f> for &'a str {
    fn expects() -> &'static str {
        "utf8"
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        entry.as_str()
    }
}

impl<T: KvSave> KvSave for [T] {
    fn to_kv(&self) -> Option<KvValue> {
        T::slice_to_kv(self)
    }
}

impl<'f: 'a, 'a> KvLoad<'f> for &'a [u8] {
    fn expects() -> &'static str {
        "bytes"
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        entry.as_bytes()
    }
}

impl<T: KvSave> KvSave for Vec<T> {
    fn to_kv(&self) -> Option<KvValue> {
        T::slice_to_kv(self)
    }
}

impl<'f, T: KvLoad<'f>> KvLoad<'f> for Vec<T> {
    fn expects() -> &'static str {
        T::expects_slice()
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        T::vec_from_value(&entry.value())
    }
}

impl<T: KvSave, const N: usize> KvSave for [T; N] {
    fn to_kv(&self) -> Option<KvValue> {
        T::slice_to_kv(self)
    }
}

impl<'f, T: KvLoad<'f>, const N: usize> KvLoad<'f> for [T; N] {
    fn expects() -> &'static str {
        T::expects_slice()
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        T::vec_from_value(&entry.value())?.try_into().ok()
    }
}

impl<T: KvSave + ?Sized> KvSave for &T {
    fn to_kv(&self) -> Option<KvValue> {
        T::to_kv(self)
    }
}

impl<T: KvSave> KvSave for Option<T> {
    fn to_kv(&self) -> Option<KvValue> {
        self.as_ref()?.to_kv()
    }

    fn is_absent(&self) -> bool {
        self.as_ref().is_none_or(T::is_absent)
    }
}

impl<'f, T: KvLoad<'f>> KvLoad<'f> for Option<T> {
    fn expects() -> &'static str {
        T::expects()
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        T::from_kv(entry).map(Some)
    }

    fn from_value(value: &KvValue) -> Option<Self> {
        T::from_value(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// As it is in the file, whatever it is.
impl KvSave for KvValue {
    fn to_kv(&self) -> Option<KvValue> {
        Some(self.clone())
    }
}

impl<'f> KvLoad<'f> for KvValue {
    fn expects() -> &'static str {
        "any value"
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        Some(entry.value())
    }
}

#[cfg(test)]
mod tests {
    use super::{KvLoad, KvValue};

    fn load<T: for<'f> KvLoad<'f>>(value: &KvValue) -> Option<T> {
        T::from_value(value)
    }

    #[test]
    fn integers_load_from_either_integer_type_when_they_fit() {
        assert_eq!(load::<u8>(&KvValue::Int64(255)), Some(255));
        assert_eq!(load::<u8>(&KvValue::Int64(-1)), None);
        assert_eq!(load::<u8>(&KvValue::UInt64(256)), None);
        assert_eq!(load::<i64>(&KvValue::UInt64(u64::MAX)), None);
        assert_eq!(load::<u64>(&KvValue::UInt64(u64::MAX)), Some(u64::MAX));
    }

    #[test]
    fn floats_and_integers_convert_only_when_nothing_is_lost() {
        assert_eq!(load::<u32>(&KvValue::Float64(3.0)), Some(3));
        assert_eq!(load::<u32>(&KvValue::Float64(3.5)), None);
        assert_eq!(load::<u64>(&KvValue::Float64(f64::INFINITY)), None);
        assert_eq!(load::<u64>(&KvValue::Float64(18_446_744_073_709_551_616.0)), None);
        assert_eq!(load::<f64>(&KvValue::Int64(1 << 53)), Some(9_007_199_254_740_992.0));
        assert_eq!(load::<f64>(&KvValue::Int64((1 << 53) + 1)), None);
        assert_eq!(load::<f32>(&KvValue::Float64(0.1)), None);
        assert_eq!(load::<f32>(&KvValue::Float64(0.5)), Some(0.5));
        assert!(load::<f32>(&KvValue::Float64(f64::NAN)).is_some_and(f32::is_nan));
        assert_eq!(load::<bool>(&KvValue::UInt64(1)), None);
    }
}
