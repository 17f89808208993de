//! The values of every tensor of the vectors, and the data rules that the invalid ones break.

use std::path::PathBuf;

use hurray::{ElementType, File, Limits, OpenOptions, Scalar, TensorError};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name)
}

fn manifest(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder(name).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["files"].as_array().unwrap().clone()
}

/// A C99 hex float as Python writes it: `-0x1.8p+3`, `nan`, `inf`.
fn hex_float(text: &str) -> f64 {
    let (sign, rest) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let magnitude = match rest {
        "nan" => return f64::NAN,
        "inf" => f64::INFINITY,
        _ => {
            let (mantissa, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
            let power = exponent.parse::<i32>().unwrap() - 4 * i32::try_from(fraction.len()).unwrap();
            // In two steps: the power alone may lie below what an f64 has.
            digits as f64 * 2_f64.powi(power / 2) * 2_f64.powi(power - power / 2)
        }
    };
    sign * magnitude
}

fn same(found: f64, expected: &Value) -> bool {
    let expected = hex_float(expected.as_str().unwrap());
    found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan())
}

fn agrees(found: &Scalar, expected: &Value) -> bool {
    match found {
        Scalar::Bool(value) => expected.as_bool() == Some(*value),
        Scalar::Int(value) => expected.as_i64() == Some(*value),
        Scalar::UInt(value) => expected.as_u64() == Some(*value),
        Scalar::Float { value, .. } => same(*value, expected),
        Scalar::Complex { re, im } => same(*re, &expected[0]) && same(*im, &expected[1]),
        Scalar::Float128(value) => expected.as_str() == Some(&format!("{:#034x}", value.to_bits())),
        // The pattern as a number: little-endian bytes.
        Scalar::Raw(bytes) => {
            let hex: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            let expected = expected.as_str().unwrap().trim_start_matches("0x");
            hex.trim_start_matches('0') == expected.trim_start_matches('0')
        }
        _ => false,
    }
}

#[test]
fn every_tensor_has_the_values_of_the_manifest() {
    let limits = Limits::default();
    let (mut files, mut tensors, mut omitted) = (0, 0, Vec::new());
    for case in manifest("valid") {
        let name = case["file"].as_str().unwrap();
        let permissive = case["mode"] == "permissive";
        let options = if permissive { OpenOptions::new().permissive() } else { OpenOptions::new() };
        let file = options.read(folder("valid").join(name)).unwrap();
        if !permissive {
            assert_eq!(file.validate_data(), [], "{name}");
        }
        files += 1;
        for tensor in case["tensors"].as_array().unwrap() {
            let place = format!("{name}: {}", tensor["name"]);
            let entry = file.tensor(tensor["name"].as_str().unwrap()).unwrap();
            let Some(expected) = tensor["storage_values"].as_array() else {
                let reason = tensor["values_omitted"].as_str().unwrap_or_default();
                let found = entry.values(&limits);
                omitted.push(format!(
                    "{place}: {reason}: {}",
                    found.map_or_else(|e| e.to_string(), |_| "read".into())
                ));
                continue;
            };
            let values = entry.values(&limits).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(values.len(), expected.len(), "{place}");
            for (at, (found, expected)) in values.iter().zip(expected).enumerate() {
                assert!(agrees(&found, expected), "{place}: element {at} is {found:?}, not {expected}");
                assert_eq!(
                    values.get(at).unwrap().to_f64().map(f64::to_bits),
                    found.to_f64().map(f64::to_bits)
                );
            }
            if values.element_type() == ElementType::Float128 {
                for (found, expected) in values.iter().zip(tensor["storage_values_f64"].as_array().unwrap()) {
                    assert!(expected.is_null() || same(found.to_f64().unwrap(), expected), "{place}");
                }
            }
            if let Some(expected) = tensor["values"].as_array() {
                let real = entry.dequantize(&limits).unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_eq!(real.len(), expected.len(), "{place}");
                for (at, (found, expected)) in real.iter().zip(expected).enumerate() {
                    assert!(
                        same(f64::from(*found), expected),
                        "{place}: real {at} is {found:e}, not {expected}"
                    );
                }
            } else {
                assert!(tensor["quantization"].is_null() || tensor["values_omitted"].is_string(), "{place}");
            }
            tensors += 1;
        }
    }
    assert!(files > 100 && tensors > 300, "{files} files, {tensors} tensors");
    // What has no values in the manifest has none here, and says why.
    for line in &omitted {
        assert!(!line.ends_with(": read"), "{line}");
    }
}

#[test]
fn broken_data_is_found_with_its_rule_tensor_and_offset() {
    let mut checked = 0;
    for case in manifest("invalid") {
        if case["stage"] != "data" {
            continue;
        }
        let name = case["file"].as_str().unwrap();
        let file = File::read(folder("invalid").join(name)).unwrap();
        let errors = file.validate_data();
        let also = case["also"].as_array().into_iter().flatten();
        let accepted: Vec<&str> =
            [&case["rule"], &case["same_as"]].into_iter().chain(also).filter_map(Value::as_str).collect();
        assert!(!errors.is_empty(), "{name}");
        assert!(errors[0].offset().is_some(), "{name}: {}", errors[0]);
        assert!(errors.iter().all(|error| accepted.contains(&error.rule().id())), "{name}: {errors:?}");
        if let Some(tensor) = case["tensor"].as_str().filter(|_| !name.starts_with("PAD")) {
            assert_eq!(errors[0].tensor(), Some(tensor), "{name}");
        }
        checked += 1;
    }
    assert!(checked > 25, "{checked}");
}

#[test]
fn a_claim_of_too_many_elements_is_a_limit() {
    let file = File::read(folder("valid").join("decided-huge-sparse-shape-a.hrry")).unwrap();
    let huge = file.tensors().filter_map(|entry| entry.values(&Limits::default()).err());
    assert!(huge.into_iter().any(|error| matches!(error, TensorError::Limit { limit: "dense_bytes", .. })));
}
