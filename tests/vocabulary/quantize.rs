//! The way in: rounding, extremes, and what is refused.

use hurray::descriptor::ScaleType;
use hurray::{ElementType, File, HurraySave, QuantizedTensor, Rule, Symmetry, TensorError};
use hurray_tests::quantizable::{AFFINE, MICRO};

#[derive(HurraySave)]
struct One {
    tensor: QuantizedTensor,
}

#[test]
fn halves_round_to_even() {
    let values = [127.0f32, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5];
    let rounded = [127.0, 0.0, 2.0, 2.0, 0.0, -2.0, -2.0, 4.0];
    let int8 = ElementType::Int8;
    let made = [
        QuantizedTensor::quantize_per_tensor(&values, &[8], int8, Symmetry::Symmetric),
        QuantizedTensor::quantize_per_channel(&values, &[1, 8], int8, 0, Symmetry::Symmetric),
        QuantizedTensor::quantize_per_block(
            &values,
            &[8],
            int8,
            (0, 8),
            ScaleType::Float16,
            Symmetry::Symmetric,
        ),
    ];
    for tensor in made {
        let tensor = tensor.unwrap();
        assert_eq!(tensor.view().scales().unwrap(), [1.0]);
        assert_eq!(tensor.view().dequantize().unwrap(), rounded);
    }
    // With a scale of 1, float8_e4m3 has steps of 32 from 256 on.
    let mut values = [0.0f32; 16];
    values[..4].copy_from_slice(&[400.0, 272.0, 304.0, -272.0]);
    let micro = QuantizedTensor::quantize_mxfp(&values, &[16], ElementType::Float8E4M3, 0, 16).unwrap();
    assert_eq!(micro.view().scales().unwrap(), [1.0]);
    assert_eq!(micro.view().dequantize().unwrap()[..4], [384.0, 256.0, 320.0, -256.0]);
}

/// All ways to quantize `[2, 16]`, each with its name.
fn all(values: &[f32]) -> Vec<(String, QuantizedTensor)> {
    let shape = [2, 16];
    let mut made = vec![("nf4".to_owned(), QuantizedTensor::quantize_nf4(values, &shape, 1, 8).unwrap())];
    for storage in MICRO {
        let tensor = QuantizedTensor::quantize_mxfp(values, &shape, storage, 1, 16).unwrap();
        made.push((format!("mxfp {storage}"), tensor));
    }
    for symmetry in [Symmetry::Symmetric, Symmetry::Asymmetric] {
        for storage in AFFINE {
            let tensor = QuantizedTensor::quantize_per_tensor(values, &shape, storage, symmetry).unwrap();
            made.push((format!("per tensor {storage} {symmetry:?}"), tensor));
            let tensor = QuantizedTensor::quantize_per_channel(values, &shape, storage, 0, symmetry).unwrap();
            made.push((format!("per channel {storage} {symmetry:?}"), tensor));
        }
        for storage in &AFFINE[..6] {
            for scale_type in [ScaleType::Float16, ScaleType::BFloat16, ScaleType::Float32] {
                let tensor = QuantizedTensor::quantize_per_block(
                    values,
                    &shape,
                    *storage,
                    (1, 4),
                    scale_type,
                    symmetry,
                );
                made.push((format!("per block {storage} {scale_type:?} {symmetry:?}"), tensor.unwrap()));
            }
        }
    }
    made
}

#[test]
fn extremes_stay_finite_and_keep_every_rule() {
    let extremes = [
        [f32::MAX; 32],
        [f32::MIN; 32],
        [f32::MIN_POSITIVE; 32],
        [1e-45; 32],
        [-1e-45; 32],
        [0.0; 32],
        std::array::from_fn(|at| if at % 2 == 0 { f32::MAX } else { f32::MIN }),
        std::array::from_fn(|at| [f32::MAX, 1e-45, -1.0, -0.0][at % 4]),
        std::array::from_fn(|at| 10f32.powi(at as i32 * 2 - 32)),
    ];
    for values in &extremes {
        for (name, tensor) in all(values) {
            let real = tensor.view().dequantize().unwrap();
            let scales = tensor.view().scales().unwrap();
            assert!(real.iter().all(|x| x.is_finite()), "{name} of {values:?}: {real:?}");
            assert!(scales.iter().all(|x| x.is_finite()), "{name}: {scales:?}");
            let file = File::from_vec(hurray::to_bytes(&One { tensor }).unwrap()).unwrap();
            assert_eq!((file.validate_structure(), file.validate_data()), (vec![], vec![]), "{name}");
        }
    }
}

#[test]
fn zeros_stay_zeros_with_any_scheme() {
    for (name, tensor) in all(&[0.0; 32]) {
        assert!(tensor.view().dequantize().unwrap().iter().all(|x| *x == 0.0), "{name}");
    }
    let one = std::array::from_fn::<f32, 32, _>(|at| if at == 5 { 3.0 } else { 0.0 });
    for (name, tensor) in all(&one) {
        let real = tensor.view().dequantize().unwrap();
        assert!(real.iter().enumerate().all(|(at, x)| at == 5 || *x == 0.0), "{name}: {real:?}");
        assert!((real[5] - 3.0).abs() < 0.01 * 3.0, "{name}: {real:?}");
    }
}

#[test]
fn what_cannot_be_quantized_is_refused() {
    let values = [0.0f32; 32];
    let rule = |result: Result<QuantizedTensor, TensorError>| match result.map(drop).unwrap_err() {
        TensorError::Format(error) => error.rule(),
        other => panic!("{other}"),
    };
    let block = |storage, axis, size| {
        let (scale, symmetry) = (ScaleType::Float16, Symmetry::Symmetric);
        QuantizedTensor::quantize_per_block(&values, &[2, 16], storage, (axis, size), scale, symmetry)
    };
    let nf4 = |axis, size| QuantizedTensor::quantize_nf4(&values, &[2, 16], axis, size);
    let mxfp = |storage, axis, size| QuantizedTensor::quantize_mxfp(&values, &[2, 16], storage, axis, size);
    let symmetric = Symmetry::Symmetric;
    let float = ElementType::Float32;
    assert_eq!(rule(QuantizedTensor::quantize_per_tensor(&values, &[32], float, symmetric)), Rule::Qnt13);
    assert_eq!(rule(block(ElementType::Int16, 1, 4)), Rule::Qnt13);
    assert_eq!(rule(mxfp(ElementType::UInt8, 1, 16)), Rule::Qnt13);
    assert_eq!(rule(block(ElementType::Int8, 2, 4)), Rule::Qnt11);
    assert_eq!(rule(nf4(2, 8)), Rule::Qnt11);
    let channel = QuantizedTensor::quantize_per_channel(&values, &[32], ElementType::Int8, 1, symmetric);
    assert_eq!(rule(channel), Rule::Qnt11);
    for size in [0, 1, 3, u32::MAX] {
        assert_eq!(rule(block(ElementType::Int8, 1, size)), Rule::QntPb01);
        assert_eq!(rule(nf4(1, size)), Rule::QntNf01);
        assert_eq!(rule(mxfp(ElementType::Int8, 1, size)), Rule::QntMx01);
    }
    assert_eq!(rule(nf4(1, 4)), Rule::QntNf01);
    assert_eq!(rule(block(ElementType::Int8, 1, 32)), Rule::QntPb02);
    assert_eq!(rule(nf4(1, 32)), Rule::QntNf02);
    assert_eq!(rule(mxfp(ElementType::Int8, 1, 8)), Rule::QntMx01);
    assert_eq!(rule(mxfp(ElementType::Int8, 0, 16)), Rule::QntMx02);
    assert_eq!(rule(QuantizedTensor::quantize_mxfp(&[], &[0], ElementType::Int8, 0, 16)), Rule::QntMx02);
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut values = values;
        values[7] = wrong;
        let error = QuantizedTensor::quantize_nf4(&values, &[32], 0, 8).unwrap_err();
        assert!(matches!(error, TensorError::Value { position: 7, .. }), "{error}");
    }
    let short = QuantizedTensor::quantize_nf4(&values, &[33], 0, 8);
    assert!(matches!(short, Err(TensorError::Parts { .. })));
    // No element is no reason to refuse.
    let none = QuantizedTensor::quantize_nf4(&[], &[3, 0], 1, 8).unwrap();
    assert!(none.view().dequantize().unwrap().is_empty());
}
