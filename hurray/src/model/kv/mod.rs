//! Key-value entries as fields: scalars, strings, byte sequences, and arrays of these.

mod containers;
mod floats;
mod integers;
mod texts;

use crate::container::{KvArray, KvRef, KvValue};

pub(crate) use floats::Widen;

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
