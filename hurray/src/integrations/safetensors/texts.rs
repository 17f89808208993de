//! Metadata that are no texts, as JSON texts with their types beside them.

use std::collections::{HashMap, HashSet};

use serde_json::{Number, Value};

use super::error::Unsupported;
use crate::container::{KvArray, KvValue};

/// What a key is put behind for the entry that has the type of its value.
pub(super) const TYPE: &str = "hurray.type.";

/// The type and the JSON of a value that has one; `None` for bytes, and for floats that are no numbers.
pub(super) fn encode(value: &KvValue) -> Option<(String, String)> {
    let float = |value: &f64| value.is_finite().then(|| Value::from(*value));
    let (name, json) = match value {
        KvValue::Int64(value) => ("int64", Value::from(*value)),
        KvValue::UInt64(value) => ("uint64", Value::from(*value)),
        KvValue::Float64(value) => ("float64", float(value)?),
        KvValue::Bool(value) => ("bool", Value::from(*value)),
        KvValue::Array(KvArray::Strings(values)) => ("array of utf8", Value::from(values.as_slice())),
        KvValue::Array(KvArray::Int64s(values)) => ("array of int64", Value::from(values.as_slice())),
        KvValue::Array(KvArray::UInt64s(values)) => ("array of uint64", Value::from(values.as_slice())),
        KvValue::Array(KvArray::Float64s(values)) => {
            ("array of float64", Value::Array(values.iter().map(float).collect::<Option<_>>()?))
        }
        KvValue::Array(KvArray::Bools(values)) => ("array of bool", Value::from(values.as_slice())),
        _ => return None,
    };
    Some((name.to_owned(), json.to_string()))
}

/// The opposite of [`encode`].
fn decode(name: &str, text: &str) -> Option<KvValue> {
    let json: Value = serde_json::from_str(text).ok()?;
    Some(match name {
        "int64" => KvValue::Int64(json.as_i64()?),
        "uint64" => KvValue::UInt64(json.as_u64()?),
        "float64" => KvValue::Float64(float(&json)?),
        "bool" => KvValue::Bool(json.as_bool()?),
        "array of utf8" => {
            KvValue::Array(KvArray::Strings(each(&json, |value| value.as_str().map(str::to_owned))?))
        }
        "array of int64" => KvValue::Array(KvArray::Int64s(each(&json, Value::as_i64)?)),
        "array of uint64" => KvValue::Array(KvArray::UInt64s(each(&json, Value::as_u64)?)),
        "array of float64" => KvValue::Array(KvArray::Float64s(each(&json, float)?)),
        "array of bool" => KvValue::Array(KvArray::Bools(each(&json, Value::as_bool)?)),
        _ => return None,
    })
}

/// Exact: numbers keep their text until they are asked for.
fn float(json: &Value) -> Option<f64> {
    json.as_number().and_then(Number::as_f64).filter(|value| value.is_finite())
}

fn each<T>(json: &Value, of: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    json.as_array()?.iter().map(of).collect()
}

/// Gives values their types back; the list gets those that do not have the type that they claim.
pub(super) fn with_types(
    metadata: Vec<(String, KvValue)>,
    list: &mut Vec<Unsupported>,
) -> Vec<(String, KvValue)> {
    let types: HashMap<String, String> = metadata
        .iter()
        .filter_map(|(key, value)| match value {
            KvValue::String(name) => Some((key.strip_prefix(TYPE)?.to_owned(), name.clone())),
            _ => None,
        })
        .collect();
    let known: HashSet<String> = metadata.iter().map(|(key, _)| key.clone()).collect();
    let mut typed = Vec::with_capacity(metadata.len());
    for (key, value) in metadata {
        if key.strip_prefix(TYPE).is_some_and(|of| known.contains(of)) {
            continue;
        }
        match (types.get(&key), &value) {
            (Some(name), KvValue::String(text)) => match decode(name, text) {
                Some(value) => typed.push((key, value)),
                None => list.push(Unsupported::metadata(&key, format!("no {name}, which it claims to be"))),
            },
            _ => typed.push((key, value)),
        }
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_were() {
        let floats = vec![0.1, -0.0, 5e-324, f64::MAX, 1.0 / 3.0, 1e23];
        for value in [
            KvValue::Int64(i64::MIN),
            KvValue::UInt64(u64::MAX),
            KvValue::Float64(2.0),
            KvValue::Bool(true),
            KvValue::Array(KvArray::Strings(vec!["a\"b".to_owned(), String::new()])),
            KvValue::Array(KvArray::Int64s(vec![-1, 1])),
            KvValue::Array(KvArray::UInt64s(Vec::new())),
            KvValue::Array(KvArray::Float64s(floats)),
            KvValue::Array(KvArray::Bools(vec![false, true])),
        ] {
            let (name, text) = encode(&value).unwrap();
            let back = decode(&name, &text).unwrap();
            assert_eq!(format!("{back:?}"), format!("{value:?}"), "{text}");
        }
        assert_eq!(encode(&KvValue::Float64(f64::NAN)), None);
        assert_eq!(encode(&KvValue::Bytes(vec![1])), None);
        assert_eq!(decode("uint64", "-1"), None);
        assert_eq!(decode("int64", "1.5"), None);
        assert_eq!(decode("float64", "1e999"), None);
    }
}
