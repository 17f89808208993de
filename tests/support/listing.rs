//! What a file holds, one line per tensor, head and entry: what a mapping test compares.

use hurray::descriptor::TensorDescriptor;
use hurray::{Composite, ElementType, File, HurraySave, KvArray, KvValue, Member};

/// Heads and tensors in the order of the file, members indented under their head; then the KV entries.
///
/// `hurray.descriptors` is left out: it repeats what the tensors say.
///
/// # Panics
///
/// When the file breaks a rule of the format.
#[must_use]
pub fn listing(file: &File) -> Vec<String> {
    let mut lines = Vec::new();
    let composites = file.composites().expect("composites that keep the rules");
    let mut member_depths = vec![0; file.tensors().len()];
    for composite in composites {
        note_depths(composite, &mut member_depths);
    }
    for entry in file.tensors() {
        let descriptor = entry.descriptor().expect("a descriptor that keeps the rules");
        let indent = "  ".repeat(member_depths[entry.position()]);
        lines.push(format!("{indent}{}: {}", entry.name(), describe(&descriptor)));
    }
    for (key, value) in file.metadata().iter().filter(|(key, _)| *key != "hurray.descriptors") {
        lines.push(format!("{key} = {}", describe_value(value)));
    }
    lines
}

/// The [`listing`] of what a model is saved as.
#[must_use]
pub fn listing_of<M: HurraySave + ?Sized>(model: &M) -> Vec<String> {
    listing(&crate::file_of(model))
}

/// The deepest composite of a file; 0 without one.
///
/// # Panics
///
/// When the file breaks a rule of the format.
#[must_use]
pub fn composite_depth(file: &File) -> usize {
    fn deepest(composite: &Composite) -> usize {
        let members = composite.members().iter().map(|member| match member {
            Member::Tensor(_) => composite.depth(),
            Member::Composite(composite) => deepest(composite),
        });
        members.max().unwrap_or(0).max(composite.depth())
    }
    file.composites().expect("composites that keep the rules").iter().map(deepest).max().unwrap_or(0)
}

fn note_depths(composite: &Composite, depths: &mut [usize]) {
    for member in composite.members() {
        depths[member.position()] = composite.depth();
        if let Member::Composite(inner) = member {
            note_depths(inner, depths);
        }
    }
}

fn describe(descriptor: &TensorDescriptor) -> String {
    let (kind, shape) = (descriptor.element_type(), descriptor.shape());
    match descriptor.composite() {
        Some(head) if (kind, shape) == (ElementType::UInt8, &[u64::from(head.member_count)]) => {
            format!("{:?} of {}", head.rule, head.member_count)
        }
        Some(head) => format!("{:?} of {} as {kind}{shape:?}", head.rule, head.member_count),
        None if descriptor.layout().name() == "row_major" => format!("{kind}{shape:?}"),
        None => format!("{kind}{shape:?} {}", descriptor.layout().name()),
    }
}

fn describe_value(value: &KvValue) -> String {
    let name = value.type_name();
    match value {
        KvValue::String(value) => format!("{name} {value:?}"),
        KvValue::Int64(value) => format!("{name} {value}"),
        KvValue::UInt64(value) => format!("{name} {value}"),
        KvValue::Float64(value) => format!("{name} {value:?}"),
        KvValue::Bool(value) => format!("{name} {value}"),
        KvValue::Bytes(value) => format!("{name} {value:?}"),
        KvValue::Array(array) => describe_array(array),
        other => format!("{other:?}"),
    }
}

fn describe_array(array: &KvArray) -> String {
    let name = array.element_type_name();
    match array {
        KvArray::Strings(values) => format!("{name} {values:?}"),
        KvArray::Int64s(values) => format!("{name} {values:?}"),
        KvArray::UInt64s(values) => format!("{name} {values:?}"),
        KvArray::Float64s(values) => format!("{name} {values:?}"),
        KvArray::Bools(values) => format!("{name} {values:?}"),
        KvArray::ByteStrings(values) => format!("{name} {values:?}"),
        other => format!("{other:?}"),
    }
}
