//! Strings and characters.

use super::{KvEntry, KvLoad, KvSave};
use crate::container::{KvArray, KvValue};

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
