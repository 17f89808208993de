//! One tensor as JSON.

use serde_json::{Map, Value, json};

use super::number::sha256;
use super::{descriptor as sections, elements, layout};
use crate::descriptor::TensorDescriptor;
use crate::element::ElementType;
use crate::error::FormatError;
use crate::reader::TensorEntry;

/// All facts about a tensor. If it can't be read: what the index says of it, and the error.
pub(super) fn tensor(entry: &TensorEntry<'_>, values: bool, errors: &mut Vec<FormatError>) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| _ = object.insert(key.to_owned(), value);
    put("name", entry.name().into());
    put("index_position", json!(entry.index_position()));
    put("descriptor_offset", json!(entry.descriptor_offset()));
    put("descriptor_length", json!(entry.descriptor_length()));
    put("data_offset", json!(entry.data_offset()));
    put("data_length", json!(entry.data_length()));
    match read(entry) {
        Ok((descriptor, buffers)) => {
            properties(&descriptor, &mut put);
            put("buffers", buffers);
            optional_sections(&descriptor, &mut put);
            if values && descriptor.composite().is_none() {
                elements::of_tensor(entry, &descriptor, &mut put);
            }
        }
        Err(error) => {
            put("error", error.to_string().into());
            errors.push(error);
        }
    }
    Value::Object(object)
}

/// The name of an element type, one for all private types.
pub(super) fn dtype(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Private(_) => "extension",
        other => other.name(),
    }
}

fn read(entry: &TensorEntry<'_>) -> Result<(TensorDescriptor, Value), FormatError> {
    let descriptor = entry.descriptor()?;
    let bytes = entry.buffers_of(&descriptor)?;
    let extents = entry.extents_of(&descriptor)?;
    let places = bytes.iter().zip(&extents);
    let buffers = descriptor.buffers().iter().zip(places).map(|(handle, (bytes, extent))| {
        json!({
            "byte_size": handle.byte_size,
            "alignment": handle.alignment,
            "device_tag": handle.device.0,
            "sync_mode": handle.sync_mode.tag(),
            "memory_class": handle.memory_class.0,
            "file_offset": extent.offset,
            "sha256": sha256(bytes),
        })
    });
    let buffers = buffers.collect();
    Ok((descriptor, buffers))
}

fn properties(descriptor: &TensorDescriptor, put: &mut dyn FnMut(&str, Value)) {
    put("descriptor_version", json!([1, descriptor.version_minor()]));
    put("dtype", dtype(descriptor.element_type()).into());
    put("type_tag", json!(descriptor.element_type().tag()));
    put("shape", json!(descriptor.shape()));
    put("byte_offset", json!(descriptor.byte_offset()));
    put("layout", layout::layout(descriptor));
}

fn optional_sections(descriptor: &TensorDescriptor, put: &mut dyn FnMut(&str, Value)) {
    if let Some(quantization) = descriptor.quantization() {
        put("quantization", sections::quantization(quantization));
    }
    if let Some(shard) = descriptor.shard() {
        put("shard", sections::shard(shard));
    }
    if let Some(statistics) = descriptor.statistics() {
        put("statistics", sections::statistics(statistics));
    }
    if let Some(extension_type) = descriptor.extension_type() {
        put("extension_type", sections::extension_type(extension_type));
    }
    if let Some(role) = descriptor.member_role() {
        put("member_role", sections::member_role(role).into());
    }
    if descriptor.trailing_bytes() > 0 {
        put("trailing_bytes", json!(descriptor.trailing_bytes()));
    }
}
