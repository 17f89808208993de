//! Values of metadata entries (FORMAT §2.6).

use crate::bytes::Sink;
use crate::error::{FormatError, Rule};

/// Tags of values, and of the elements of arrays.
pub(super) mod tag {
    pub(crate) const STRING: u8 = 0x01;
    pub(crate) const INT64: u8 = 0x02;
    pub(crate) const UINT64: u8 = 0x03;
    pub(crate) const FLOAT64: u8 = 0x04;
    pub(crate) const BOOL: u8 = 0x05;
    pub(crate) const BYTES: u8 = 0x06;
    pub(crate) const ARRAY: u8 = 0x07;
    /// Framed in a way that only applications know.
    pub(crate) const PRIVATE: std::ops::RangeInclusive<u8> = 0xF0..=0xFE;
}

/// The value of a metadata entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum KvValue {
    /// Text.
    String(String),
    /// A signed integer.
    Int64(i64),
    /// An unsigned integer.
    UInt64(u64),
    /// A floating-point number, any bit pattern.
    Float64(f64),
    /// A truth value.
    Bool(bool),
    /// Bytes without further meaning.
    Bytes(Vec<u8>),
    /// Any number of values of one type.
    Array(KvArray),
}

/// An array of metadata values. Arrays do not nest.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum KvArray {
    /// Texts.
    Strings(Vec<String>),
    /// Signed integers.
    Int64s(Vec<i64>),
    /// Unsigned integers.
    UInt64s(Vec<u64>),
    /// Floating-point numbers, any bit pattern.
    Float64s(Vec<f64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// Byte sequences without further meaning.
    ByteStrings(Vec<Vec<u8>>),
}

impl KvValue {
    /// The format's name of the type: `utf8`, `int64`, `uint64`, `float64`, `bool`, `bytes` or `array`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::String(_) => "utf8",
            Self::Int64(_) => "int64",
            Self::UInt64(_) => "uint64",
            Self::Float64(_) => "float64",
            Self::Bool(_) => "bool",
            Self::Bytes(_) => "bytes",
            Self::Array(_) => "array",
        }
    }

    /// Writes tag and payload.
    ///
    /// # Errors
    /// KV-13 for what is too long for a 32-bit count.
    pub(super) fn encode(&self, sink: &mut Sink) -> Result<(), FormatError> {
        match self {
            Self::String(value) => encode_bytes(sink.u8(tag::STRING), value.as_bytes())?,
            Self::Int64(value) => {
                sink.u8(tag::INT64).i64(*value);
            }
            Self::UInt64(value) => {
                sink.u8(tag::UINT64).u64(*value);
            }
            Self::Float64(value) => {
                sink.u8(tag::FLOAT64).f64(*value);
            }
            Self::Bool(value) => {
                sink.u8(tag::BOOL).u8(u8::from(*value));
            }
            Self::Bytes(value) => encode_bytes(sink.u8(tag::BYTES), value)?,
            Self::Array(array) => array.encode(sink.u8(tag::ARRAY))?,
        }
        Ok(())
    }
}

impl KvArray {
    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Strings(values) => values.len(),
            Self::Int64s(values) => values.len(),
            Self::UInt64s(values) => values.len(),
            Self::Float64s(values) => values.len(),
            Self::Bools(values) => values.len(),
            Self::ByteStrings(values) => values.len(),
        }
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The format's name of the type of the elements.
    #[must_use]
    pub fn element_type_name(&self) -> &'static str {
        match self {
            Self::Strings(_) => "utf8",
            Self::Int64s(_) => "int64",
            Self::UInt64s(_) => "uint64",
            Self::Float64s(_) => "float64",
            Self::Bools(_) => "bool",
            Self::ByteStrings(_) => "bytes",
        }
    }

    fn tag(&self) -> u8 {
        match self {
            Self::Strings(_) => tag::STRING,
            Self::Int64s(_) => tag::INT64,
            Self::UInt64s(_) => tag::UINT64,
            Self::Float64s(_) => tag::FLOAT64,
            Self::Bools(_) => tag::BOOL,
            Self::ByteStrings(_) => tag::BYTES,
        }
    }

    fn encode(&self, sink: &mut Sink) -> Result<(), FormatError> {
        sink.u8(self.tag()).u32(checked_length(self.len(), "elements")?);
        match self {
            Self::Strings(values) => {
                values.iter().try_for_each(|value| encode_bytes(sink, value.as_bytes()))?
            }
            Self::ByteStrings(values) => values.iter().try_for_each(|value| encode_bytes(sink, value))?,
            Self::Int64s(values) => values.iter().for_each(|value| _ = sink.i64(*value)),
            Self::UInt64s(values) => values.iter().for_each(|value| _ = sink.u64(*value)),
            Self::Float64s(values) => values.iter().for_each(|value| _ = sink.f64(*value)),
            Self::Bools(values) => values.iter().for_each(|value| _ = sink.u8(u8::from(*value))),
        }
        Ok(())
    }
}

fn encode_bytes(sink: &mut Sink, bytes: &[u8]) -> Result<(), FormatError> {
    sink.u32(checked_length(bytes.len(), "bytes")?).bytes(bytes);
    Ok(())
}

fn checked_length(length: usize, unit: &str) -> Result<u32, FormatError> {
    u32::try_from(length).map_err(|_| Rule::Kv13.broken().but_found(format_args!("{length} {unit}")))
}

macro_rules! from {
    ($($variant:ident($target:ty): $($source:ty),+;)*) => {$($(
        impl From<$source> for KvValue {
            fn from(value: $source) -> Self {
                Self::$variant(<$target>::from(value))
            }
        }
    )+)*};
}

from! {
    String(String): String, &str, char, Box<str>;
    Int64(i64): i8, i16, i32, i64;
    UInt64(u64): u8, u16, u32, u64;
    Float64(f64): f32, f64;
    Bool(bool): bool;
    Bytes(Vec<u8>): Vec<u8>, &[u8];
    Array(KvArray): KvArray, Vec<String>, Vec<i64>, Vec<u64>, Vec<f64>, Vec<bool>, Vec<Vec<u8>>;
}

macro_rules! from_vec {
    ($($variant:ident: $element:ty;)*) => {$(
        impl From<Vec<$element>> for KvArray {
            fn from(values: Vec<$element>) -> Self {
                Self::$variant(values)
            }
        }
    )*};
}

from_vec! {
    Strings: String;
    Int64s: i64;
    UInt64s: u64;
    Float64s: f64;
    Bools: bool;
    ByteStrings: Vec<u8>;
}
