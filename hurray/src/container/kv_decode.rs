//! Reading values of metadata entries, without copying (FORMAT §2.6).

use super::kv::{KvArray, KvValue, tag};
use crate::bytes::{Cursor, to_usize};
use crate::error::{FormatError, Rule};

/// A value that borrows text and bytes from the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum KvRef<'f> {
    String(&'f str),
    Int64(i64),
    UInt64(u64),
    Float64(f64),
    Bool(bool),
    Bytes(&'f [u8]),
    Array(KvArrayRef<'f>),
}

/// An array whose elements are still encoded; all of them were checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KvArrayRef<'f> {
    element_tag: u8,
    count: u32,
    payload: &'f [u8],
}

impl<'f> KvRef<'f> {
    /// Reads tag and payload; what does not fit breaks the rule of `cursor`, KV-02.
    pub(super) fn decode(cursor: &mut Cursor<'f>) -> Result<Self, FormatError> {
        let offset = cursor.offset();
        let found = cursor.u8()?;
        if found == tag::ARRAY {
            return KvArrayRef::decode(cursor).map(Self::Array);
        }
        Self::decode_payload(found, cursor)?.ok_or_else(|| {
            let rule = if tag::PRIVATE.contains(&found) { Rule::Kv08 } else { Rule::Kv07 };
            rule.broken().at(offset).but_found(format_args!("value tag {found:#04x}"))
        })
    }

    /// Reads the payload of any value but an array; `None` for a tag that has none.
    #[inline]
    fn decode_payload(found: u8, cursor: &mut Cursor<'f>) -> Result<Option<Self>, FormatError> {
        Ok(Some(match found {
            tag::STRING => Self::String(string(cursor)?),
            tag::INT64 => Self::Int64(cursor.i64()?),
            tag::UINT64 => Self::UInt64(cursor.u64()?),
            tag::FLOAT64 => Self::Float64(cursor.f64()?),
            tag::BOOL => Self::Bool(boolean(cursor)?),
            tag::BYTES => Self::Bytes(bytes(cursor)?),
            _ => return Ok(None),
        }))
    }

    /// The value, owned.
    pub(crate) fn to_value(self) -> KvValue {
        match self {
            Self::String(value) => KvValue::String(value.to_owned()),
            Self::Int64(value) => KvValue::Int64(value),
            Self::UInt64(value) => KvValue::UInt64(value),
            Self::Float64(value) => KvValue::Float64(value),
            Self::Bool(value) => KvValue::Bool(value),
            Self::Bytes(value) => KvValue::Bytes(value.to_owned()),
            Self::Array(array) => KvValue::Array(array.to_array()),
        }
    }
}

impl<'f> KvArrayRef<'f> {
    fn decode(cursor: &mut Cursor<'f>) -> Result<Self, FormatError> {
        let start = cursor.offset();
        let element_tag = cursor.u8()?;
        let element_size: u64 = match element_tag {
            tag::STRING | tag::BYTES => 4,
            tag::BOOL => 1,
            tag::INT64 | tag::UINT64 | tag::FLOAT64 => 8,
            _ => {
                let found = format_args!("element tag {element_tag:#04x}");
                return Err(Rule::Kv10.broken().at(start).but_found(found));
            }
        };
        let count = cursor.u32()?;
        let least = u64::from(count).saturating_mul(element_size);
        let room = u64::try_from(cursor.remaining()).unwrap_or(u64::MAX);
        Rule::Kv11.check(least <= room, |e| {
            e.at(start)
                .expected_to_be(format!("elements of {element_size} bytes at least in {room} bytes"))
                .but_found(format_args!("{count} elements"))
        })?;
        // Fixed sizes need no walk: the room was checked, and every bit pattern is a value.
        let payload = match element_tag {
            tag::INT64 | tag::UINT64 | tag::FLOAT64 => cursor.take(to_usize(least).unwrap_or(usize::MAX))?,
            _ => {
                let mut walked = cursor.clone();
                for _ in 0..count {
                    Self::decode_element(element_tag, &mut walked)?;
                }
                cursor.take(walked.position().saturating_sub(cursor.position()))?
            }
        };
        Ok(Self { element_tag, count, payload })
    }

    fn decode_element(element_tag: u8, cursor: &mut Cursor<'f>) -> Result<KvRef<'f>, FormatError> {
        let offset = cursor.offset();
        KvRef::decode_payload(element_tag, cursor)?.ok_or_else(|| Rule::Kv10.broken().at(offset))
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.count).unwrap_or(usize::MAX)
    }

    pub(crate) fn is_of_bools(&self) -> bool {
        self.element_tag == tag::BOOL
    }

    /// The elements, in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = KvRef<'f>> {
        let mut cursor = Cursor::new(self.payload, 0, Rule::Kv02);
        // The elements were walked when the array was decoded: none of them fails.
        (0..self.count).map_while(move |_| Self::decode_element(self.element_tag, &mut cursor).ok())
    }

    pub(crate) fn to_array(self) -> KvArray {
        macro_rules! collect {
            ($array:ident, $value:ident, $to:expr) => {{
                let mut values = Vec::with_capacity(self.len());
                values.extend(self.iter().filter_map(|value| match value {
                    KvRef::$value(value) => Some($to(value)),
                    _ => None,
                }));
                KvArray::$array(values)
            }};
        }
        match self.element_tag {
            tag::STRING => collect!(Strings, String, str::to_owned),
            tag::INT64 => collect!(Int64s, Int64, std::convert::identity),
            tag::UINT64 => collect!(UInt64s, UInt64, std::convert::identity),
            tag::FLOAT64 => collect!(Float64s, Float64, std::convert::identity),
            tag::BOOL => collect!(Bools, Bool, std::convert::identity),
            _ => collect!(ByteStrings, Bytes, <[u8]>::to_owned),
        }
    }
}

#[inline]
fn bytes<'f>(cursor: &mut Cursor<'f>) -> Result<&'f [u8], FormatError> {
    let length = cursor.u32()?;
    cursor.take(usize::try_from(length).unwrap_or(usize::MAX))
}

#[inline]
fn string<'f>(cursor: &mut Cursor<'f>) -> Result<&'f str, FormatError> {
    let offset = cursor.offset();
    let bytes = bytes(cursor)?;
    std::str::from_utf8(bytes)
        .map_err(|_| Rule::Kv12.broken().at(offset).but_found(format_args!("`{}`", bytes.escape_ascii())))
}

#[inline]
fn boolean(cursor: &mut Cursor<'_>) -> Result<bool, FormatError> {
    let offset = cursor.offset();
    match cursor.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        found => Err(Rule::Kv09.broken().at(offset).expected_to_be("0 or 1").but_found(found)),
    }
}
