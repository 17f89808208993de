//! A descriptor in a few words.

use crate::descriptor::{
    CombineOp, CompositionRule, DYNAMIC, DeviceTag, Layout, MemberRole, TensorDescriptor,
};

/// Element type, shape, and whatever is not the most usual.
pub(super) fn tensor(descriptor: &TensorDescriptor) -> String {
    let mut text = format!("{} {}", descriptor.element_type(), shape(descriptor.shape()));
    match descriptor.layout() {
        Layout::RowMajor => {}
        Layout::Unknown { tag } => text.push_str(&format!(" layout {tag:#04x}")),
        layout => text.push_str(&format!(" {}", layout.name())),
    }
    if let Some(nnz) = descriptor.layout().nnz() {
        text.push_str(&format!(" ({nnz} stored)"));
    }
    if let Some(quantization) = descriptor.quantization() {
        text.push_str(&format!(" {}", quantization.name()));
    }
    match descriptor.member_role() {
        Some(MemberRole::Base) => text.push_str(" base"),
        Some(MemberRole::Correction) => text.push_str(" correction"),
        None => {}
    }
    if let Some(shard) = descriptor.shard() {
        text.push_str(&format!(" at {} of {}", shape(&shard.offset), shape(&shard.parent_shape)));
    }
    if let Some(device) =
        descriptor.buffers().iter().map(|handle| handle.device).find(|d| *d != DeviceTag::CPU)
    {
        let name = device.name().map_or_else(|| format!("device {:#04x}", device.0), str::to_owned);
        text.push_str(&format!(" for {name}"));
    }
    text
}

/// The rule of a composite, and the whole that it makes up.
pub(super) fn composite(head: &TensorDescriptor, rule: CompositionRule, members: usize) -> String {
    let whole = || format!("{} {}", head.element_type(), shape(head.shape()));
    match rule {
        CompositionRule::Group => format!("group of {members}"),
        CompositionRule::Partition => format!("partition {}", whole()),
        CompositionRule::Overlay(CombineOp::Replace) => format!("overlay {}", whole()),
        CompositionRule::Overlay(CombineOp::Add) => format!("overlay (add) {}", whole()),
        CompositionRule::Private { tag, .. } => format!("private rule {tag:#04x} {}", whole()),
    }
}

fn shape(dims: &[u64]) -> String {
    let dims: Vec<String> =
        dims.iter().map(|dim| if *dim == DYNAMIC { "?".to_owned() } else { dim.to_string() }).collect();
    format!("[{}]", dims.join(", "))
}
