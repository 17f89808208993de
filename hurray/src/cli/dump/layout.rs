//! Layouts as JSON.

use serde_json::{Map, Value, json};

use super::number::hex;
use crate::descriptor::{CombineOp, CompositionRule, KvRole, Layout, TensorDescriptor, TileOrder, Tiled};

/// What stands for no layer in the file.
const NO_LAYER: u32 = u32::MAX;

/// Kind, tag, and the layout's own fields.
pub(super) fn layout(descriptor: &TensorDescriptor) -> Value {
    let layout = descriptor.layout();
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| _ = object.insert(key.to_owned(), value);
    put("kind", kind(layout).into());
    put("tag", layout.tag().into());
    match layout {
        Layout::RowMajor | Layout::ColumnMajor | Layout::Unknown { .. } => {}
        Layout::Strided { strides } => put("strides", json!(strides.as_slice())),
        Layout::Tiled(fields) => tiled(fields, &mut put),
        Layout::Morton { bits } => put("morton_bits", json!(bits.as_slice())),
        Layout::Hilbert { order } => {
            put("hilbert_order", json!(order));
            put("hilbert_rank", json!(descriptor.rank()));
        }
        Layout::Coo { nnz, is_sorted } => {
            put("nnz", json!(nnz));
            put("is_sorted", json!(is_sorted));
        }
        Layout::Csr { nnz } | Layout::Csc { nnz } => put("nnz", json!(nnz)),
        Layout::Csf { nnz, mode_order } => {
            put("nnz", json!(nnz));
            put("mode_order", json!(mode_order.as_slice()));
        }
        Layout::BlockPaged(paged) => {
            put("page_size", json!(paged.page_size));
            put("num_pages", json!(paged.num_pages));
            put("paged_axis", json!(paged.paged_axis));
            put("num_seqs", json!(paged.num_seqs));
            put("kv_role", json!(kv_role(paged.kv_role)));
            put("layer_index", json!(paged.layer_index.unwrap_or(NO_LAYER)));
            put("block_table_index_type", json!(u8::from(paged.wide_indices)));
        }
        Layout::Composite(head) => {
            put("composition_rule", rule_name(head.rule).into());
            put("combine_op", combine_op(head.rule));
            put("member_count", json!(head.member_count));
        }
        Layout::Extension { id, data, .. } => {
            put("extension_layout_id", json!(id));
            put("extension_data", hex(data).into());
        }
    }
    Value::Object(object)
}

/// The manifests' name of a layout.
fn kind(layout: &Layout) -> &'static str {
    match layout {
        Layout::ColumnMajor => "col_major",
        Layout::Composite(_) => "composite",
        other => other.name(),
    }
}

fn kv_role(role: KvRole) -> u8 {
    match role {
        KvRole::Key => 0,
        KvRole::Value => 1,
        KvRole::Fused => 2,
    }
}

/// The name of a rule that composes members into a whole.
pub(super) fn rule_name(rule: CompositionRule) -> &'static str {
    match rule {
        CompositionRule::Partition => "partition",
        CompositionRule::Overlay(_) => "overlay",
        CompositionRule::Group => "group",
        CompositionRule::Private { .. } => "private",
    }
}

/// How members combine; a number where only the application knows.
pub(super) fn combine_op(rule: CompositionRule) -> Value {
    match rule {
        CompositionRule::Partition | CompositionRule::Group => "none".into(),
        CompositionRule::Overlay(CombineOp::Replace) => "replace".into(),
        CompositionRule::Overlay(CombineOp::Add) => "add".into(),
        CompositionRule::Private { combine_op, .. } => combine_op.into(),
    }
}

/// One level of tiles, and those in them; the format nests 8 levels at most.
fn tiled(tiled: &Tiled, put: &mut dyn FnMut(&str, Value)) {
    put("tile_shape", json!(tiled.tile_shape.as_slice()));
    put("outer_layout", order(&tiled.outer).into());
    put("inner_layout", order(&tiled.inner).into());
    for (key, tile_order) in [("outer_strides", &tiled.outer), ("inner_strides", &tiled.inner)] {
        if let TileOrder::Strided(strides) = tile_order {
            put(key, json!(strides.as_slice()));
        }
    }
    if let TileOrder::Tiled(inner) = &tiled.inner {
        let mut nested = Map::new();
        self::tiled(inner, &mut |key, value| _ = nested.insert(key.to_owned(), value));
        put("nested", Value::Object(nested));
    }
}

fn order(order: &TileOrder) -> &'static str {
    match order {
        TileOrder::RowMajor => "row_major",
        TileOrder::ColumnMajor => "col_major",
        TileOrder::Strided(_) => "strided",
        TileOrder::Tiled(_) => "tiled",
    }
}
