//! The elements of a tensor as JSON.

use serde_json::{Value, json};

use super::number::hex_float;
use crate::descriptor::{DYNAMIC, Layout, Quantization, TensorDescriptor};
use crate::element::{ElementType, F128, Scalar};
use crate::error::TensorError;
use crate::limits::Limits;
use crate::policy::is_private;
use crate::reader::TensorEntry;

/// No list of values is longer: nobody reads it, and the text takes many times the memory of the elements.
const MAX_ELEMENTS: u128 = 1 << 24;

/// As many elements may be repeated from fewer bytes, or be zeros that no byte stands for.
const MAX_UNBACKED: u128 = 1 << 16;

/// The values of a tensor, or why there are none.
pub(super) fn of_tensor(
    entry: &TensorEntry<'_>,
    descriptor: &TensorDescriptor,
    put: &mut dyn FnMut(&str, Value),
) {
    match values(entry, descriptor) {
        Ok((stored, real)) => {
            put("storage_values", stored.iter().map(|value| scalar(value, descriptor)).collect());
            if descriptor.element_type() == ElementType::Float128 {
                put("storage_values_f64", stored.iter().map(exact_f64).collect());
            }
            if let Some(real) = real {
                put("value_type", "float32".into());
                put("values", real.iter().map(|value| hex_float(f64::from(*value))).collect());
            }
        }
        Err(reason) => put("values_omitted", reason.into()),
    }
}

type Values = (Vec<Scalar>, Option<Vec<f32>>);

fn values(entry: &TensorEntry<'_>, descriptor: &TensorDescriptor) -> Result<Values, String> {
    if let Some(reason) = reason_without_values(descriptor, entry.data_length()) {
        return Err(reason);
    }
    let limits = Limits::default();
    let shown = |error: TensorError| error.unnamed().to_string();
    let stored = entry.values(&limits).map_err(shown)?.iter().collect();
    let real = match descriptor.quantization() {
        Some(_) => Some(entry.dequantize(&limits).map_err(shown)?),
        None => None,
    };
    Ok((stored, real))
}

/// What can be told without looking at the data, which are `size_bytes`.
pub(super) fn reason_without_values(descriptor: &TensorDescriptor, size_bytes: u64) -> Option<String> {
    // No element takes less than a bit.
    let most = u128::from(size_bytes).saturating_mul(8).clamp(MAX_UNBACKED, MAX_ELEMENTS);
    let reason = match (descriptor.layout(), descriptor.quantization()) {
        (Layout::Extension { .. }, _) => "extension layout",
        (Layout::Unknown { .. }, _) => "unknown layout",
        (_, Some(Quantization::Unknown { tag, .. })) if is_private(*tag) => "extension quantization scheme",
        (_, Some(Quantization::Unknown { .. })) => "unknown quantization scheme",
        _ if matches!(descriptor.element_type(), ElementType::Unknown(_)) => "unknown element type",
        _ if descriptor.shape().contains(&DYNAMIC) => "dynamic dimension",
        _ => match descriptor.element_count() {
            Some(count) if count > most => return Some(format!("{count} elements")),
            _ => return None,
        },
    };
    Some(reason.to_owned())
}

/// One element as stored.
pub(super) fn scalar(value: &Scalar, descriptor: &TensorDescriptor) -> Value {
    match value {
        Scalar::Bool(value) => json!(value),
        Scalar::Int(value) => json!(value),
        Scalar::UInt(value) => json!(value),
        Scalar::Float { value, .. } => hex_float(*value).into(),
        Scalar::Complex { re, im } => json!([hex_float(*re), hex_float(*im)]),
        Scalar::Float128(value) => format!("{:#034x}", value.to_bits()).into(),
        Scalar::Raw(bytes) => raw(bytes, descriptor).into(),
    }
}

/// The bit pattern of an element of a private type, most significant digit first.
fn raw(bytes: &[u8], descriptor: &TensorDescriptor) -> String {
    let width = descriptor.extension_type().map_or(8, |extension_type| extension_type.bit_width);
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    // Elements below 8 bits come in a byte, and have one digit.
    let digits = if width < 8 { digits.get(1..).unwrap_or_default() } else { &digits };
    format!("0x{digits}")
}

/// The value of a float128 as a float64, if that is the same number.
fn exact_f64(value: &Scalar) -> Value {
    let Scalar::Float128(value) = value else { return Value::Null };
    let near = value.to_f64();
    if near.is_nan() || F128::from_f64(near) == *value { hex_float(near).into() } else { Value::Null }
}
