//! The optional sections of a descriptor as JSON.

use serde_json::{Map, Value, json};

use super::number::hex_float;
use crate::descriptor::{
    ExtensionKind, ExtensionType, MemberRole, Quantization, ScaleType, Shard, Statistics,
};
use crate::policy::is_private;

/// What stands for no buffer in the file.
const NO_BUFFER: u32 = u32::MAX;

/// The scheme and its fields.
pub(super) fn quantization(quantization: &Quantization) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| _ = object.insert(key.to_owned(), value);
    let version = match quantization {
        Quantization::Unknown { bytes, .. } => bytes.get(1).copied().unwrap_or_default(),
        _ => 1,
    };
    put("scheme", scheme(quantization).into());
    put("scheme_tag", json!(quantization.tag()));
    put("scheme_version", json!(version));
    if let Some(axis) = quantization.axis() {
        put("axis", json!(axis));
    }
    if let Some((_, block_size)) = quantization.block() {
        put("block_size", json!(block_size));
    }
    let mut affine = |scales: u32, zero_points: Option<u32>, scale_type: &str| {
        put("scale_buffer_index", json!(scales));
        put("symmetric", json!(zero_points.is_none()));
        put("zero_point_buffer_index", json!(zero_points.unwrap_or(NO_BUFFER)));
        put("scale_type", json!(scale_type));
    };
    match quantization {
        Quantization::PerTensor { scale, zero_point } => {
            put("scale", hex_float(f64::from(*scale)).into());
            put("zero_point", json!(zero_point));
        }
        Quantization::PerChannel { scales, zero_points, .. } => affine(*scales, *zero_points, "float32"),
        Quantization::PerBlock { scales, zero_points, scale_type, .. } => {
            let scale_type = match scale_type {
                ScaleType::Float16 => "float16",
                ScaleType::BFloat16 => "bfloat16",
                ScaleType::Float32 => "float32",
            };
            affine(*scales, *zero_points, scale_type);
        }
        Quantization::Nf4 { scales, .. } | Quantization::Mxfp { scales, .. } => {
            put("scale_buffer_index", json!(scales));
        }
        // All that a scheme has in any case: tag, version and flags.
        Quantization::Unknown { bytes, .. } => put("trailing_bytes", json!(bytes.len().saturating_sub(4))),
    }
    Value::Object(object)
}

fn scheme(quantization: &Quantization) -> &'static str {
    match quantization {
        Quantization::PerTensor { .. } => "per_tensor_affine",
        Quantization::PerChannel { .. } => "per_channel_affine",
        Quantization::PerBlock { .. } => "per_block_affine",
        Quantization::Unknown { tag, .. } if is_private(*tag) => "extension",
        other => other.name(),
    }
}

pub(super) fn shard(shard: &Shard) -> Value {
    json!({ "parent_shape": shard.parent_shape.as_slice(), "shard_offset": shard.offset.as_slice() })
}

/// Only what is known.
pub(super) fn statistics(statistics: &Statistics) -> Value {
    let known = [
        statistics.nnz.is_some(),
        statistics.sparsity_ratio.is_some(),
        statistics.range.is_some(),
        statistics.moments.is_some(),
        statistics.n_of_m.is_some(),
        statistics.nan_inf.is_some(),
    ];
    let mask = known.iter().rev().fold(0_u32, |mask, known| mask << 1 | u32::from(*known));
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| _ = object.insert(key.to_owned(), value);
    put("computed_mask", json!(mask));
    if let Some(nnz) = statistics.nnz {
        put("nnz", json!(nnz));
    }
    if let Some(ratio) = statistics.sparsity_ratio {
        put("sparsity_ratio", hex_float(ratio).into());
    }
    if let Some((min, max, abs_max)) = statistics.range {
        put("value_min", hex_float(min).into());
        put("value_max", hex_float(max).into());
        put("value_abs_max", hex_float(abs_max).into());
    }
    if let Some((mean, deviation)) = statistics.moments {
        put("value_mean", hex_float(mean).into());
        put("value_stddev", hex_float(deviation).into());
    }
    if let Some((n, m)) = statistics.n_of_m {
        put("nm_n", json!(n));
        put("nm_m", json!(m));
    }
    if let Some((has_nan, has_inf)) = statistics.nan_inf {
        put("has_nan", json!(u8::from(has_nan)));
        put("has_inf", json!(u8::from(has_inf)));
    }
    Value::Object(object)
}

/// All fields as the file has them.
pub(super) fn extension_type(extension_type: &ExtensionType) -> Value {
    let (is_float, is_signed) = match extension_type.kind {
        ExtensionKind::Integer { is_signed } => (false, is_signed),
        ExtensionKind::Float { .. } => (true, false),
    };
    let (sign_bits, exponent_bits, mantissa_bits, exponent_bias, has_nan, has_inf) = match extension_type.kind
    {
        ExtensionKind::Integer { .. } => (0, 0, 0, 0, false, false),
        ExtensionKind::Float { sign_bits, exponent_bits, mantissa_bits, exponent_bias, has_nan, has_inf } => {
            (sign_bits, exponent_bits, mantissa_bits, exponent_bias, has_nan, has_inf)
        }
    };
    json!({
        "bit_width": extension_type.bit_width,
        "packing_factor": extension_type.packing_factor(),
        "is_float": u8::from(is_float),
        "is_signed": u8::from(is_signed),
        "sign_bits": sign_bits,
        "exponent_bits": exponent_bits,
        "mantissa_bits": mantissa_bits,
        "exponent_bias": exponent_bias,
        "has_nan": u8::from(has_nan),
        "has_inf": u8::from(has_inf),
    })
}

pub(super) fn member_role(role: MemberRole) -> &'static str {
    match role {
        MemberRole::Base => "base",
        MemberRole::Correction => "correction",
    }
}
