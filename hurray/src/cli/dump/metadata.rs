//! The container and its metadata as JSON.

use serde_json::{Value, json};

use super::number::{hex, hex_float};
use crate::container::{KvArray, KvValue};
use crate::reader::File;

/// Header and trailer.
pub(super) fn container(file: &File) -> Value {
    let facts = file.container();
    let (major, minor) = facts.version;
    json!({
        "version": [major, minor],
        "file_flags": facts.flags.bits(),
        "has_kv_flag": facts.flags.has_kv_metadata,
        "sorted_index": facts.flags.sorted_index,
        "has_index_crc32c": facts.flags.has_index_crc32c,
        "data_buffer_alignment": facts.alignment,
        "first_descriptor_offset": facts.first_descriptor_offset,
        "tensor_count_hint": facts.tensor_count_hint,
        "index_offset": facts.index_offset,
        "index_length": facts.index_length,
        "kv_offset": facts.kv_offset,
        "kv_length": facts.kv_length,
    })
}

/// All entries in the order of the file; null without a KV section.
pub(super) fn kv(file: &File) -> Value {
    if file.container().kv_length == 0 {
        return Value::Null;
    }
    file.metadata().iter().map(|(key, value)| entry(key, value)).collect()
}

fn entry(key: &str, value: &KvValue) -> Value {
    let kind = value.type_name();
    let value = match value {
        KvValue::String(value) => json!(value),
        KvValue::Int64(value) => json!(value),
        KvValue::UInt64(value) => json!(value),
        KvValue::Float64(value) => json!(hex_float(*value)),
        KvValue::Bool(value) => json!(value),
        KvValue::Bytes(value) => json!(hex(value)),
        KvValue::Array(value) => {
            let element_type = value.element_type_name();
            return json!({ "key": key, "type": kind, "element_type": element_type, "value": array(value) });
        }
    };
    json!({ "key": key, "type": kind, "value": value })
}

fn array(values: &KvArray) -> Value {
    match values {
        KvArray::Strings(values) => json!(values),
        KvArray::Int64s(values) => json!(values),
        KvArray::UInt64s(values) => json!(values),
        KvArray::Float64s(values) => values.iter().copied().map(hex_float).collect(),
        KvArray::Bools(values) => json!(values),
        KvArray::ByteStrings(values) => values.iter().map(|value| hex(value)).collect(),
    }
}
