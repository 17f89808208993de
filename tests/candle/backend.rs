//! The `VarBuilder`.

use candle_core::{DType, Device, Error, Tensor};
use candle_nn::{Linear, Module, VarBuilder, linear};
use hurray::candle::{HurrayBackend, var_builder};
use hurray::{File, HurraySave};

use super::{Result, floats};

#[derive(HurraySave)]
struct Layer {
    weight: Tensor,
    bias: Tensor,
}

#[derive(HurraySave)]
struct Model {
    layers: Vec<Layer>,
    ids: Tensor,
}

fn file() -> File {
    let layer = |from: f32| Layer {
        weight: Tensor::arange(from, from + 6., &Device::Cpu).unwrap().reshape((2, 3)).unwrap(),
        bias: Tensor::new(&[from, 0.5], &Device::Cpu).unwrap(),
    };
    let model =
        Model { layers: vec![layer(0.), layer(6.)], ids: Tensor::new(&[1i64], &Device::Cpu).unwrap() };
    File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap()
}

fn layer(vb: &VarBuilder<'_>, index: usize) -> candle_core::Result<Linear> {
    linear(3, 2, vb.pp("layers").pp(index))
}

/// The error without the backtrace that candle puts around it where the environment asks for one.
fn bare(error: Error) -> Error {
    match error {
        Error::WithBacktrace { inner, .. } => bare(*inner),
        other => other,
    }
}

#[test]
fn a_derived_model_feeds_candle_nn() -> Result {
    let vb = var_builder(file(), DType::F32, &Device::Cpu);
    let ones = Tensor::ones((1, 3), DType::F32, &Device::Cpu)?;
    assert_eq!(floats(&layer(&vb, 0)?.forward(&ones)?), [3., 12.5]);
    assert_eq!(floats(&layer(&vb, 1)?.forward(&ones)?), [27., 30.5]);
    Ok(())
}

#[test]
fn tensors_come_in_the_dtype_asked_for() -> Result {
    let file = file();
    let vb = var_builder(&file, DType::F64, &Device::Cpu);
    assert_eq!(layer(&vb, 0)?.weight().dtype(), DType::F64);
    assert_eq!(vb.get_unchecked_dtype("ids", DType::I64)?.dtype(), DType::I64);
    Ok(())
}

#[test]
fn only_tensors_are_contained() {
    let vb = var_builder(file(), DType::F32, &Device::Cpu);
    assert!(vb.contains_tensor("ids"));
    assert!(vb.pp("layers.0").contains_tensor("bias"));
    assert!(!vb.contains_tensor("layers"), "a composite head");
    assert!(!vb.contains_tensor("layers.0"), "a composite head");
    assert!(!vb.contains_tensor("layers.2.weight"));
}

#[test]
fn a_missing_tensor_is_candles_own_error_with_path_and_near_names() {
    let vb = var_builder(file(), DType::F32, &Device::Cpu);
    let error = vb.pp("layers").pp(0).get((2, 3), "wieght").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cannot find tensor layers.0.wieght"), "{text}");
    assert!(text.contains("near: `layers.0.weight`"), "{text}");
    let text = vb.get_unchecked("layers").unwrap_err().to_string();
    assert!(text.contains("cannot find tensor layers"), "a composite head is no tensor: {text}");
    let far = bare(vb.get_unchecked("something else").unwrap_err());
    assert!(matches!(far, Error::CannotFindTensor { path } if path == "something else"));
}

#[test]
fn errors_name_the_file() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.hrry");
    hurray::candle::save(&path, &[("w", Tensor::zeros(1, DType::F32, &Device::Cpu)?)].into())?;
    let vb = var_builder(File::read(&path)?, DType::F32, &Device::Cpu);
    assert!(vb.get(1, "v").unwrap_err().to_string().contains("model.hrry"));
    Ok(())
}

#[test]
fn another_shape_is_candles_own_error() {
    let vb = var_builder(file(), DType::F32, &Device::Cpu);
    match bare(vb.get((3, 2), "layers.0.weight").unwrap_err()) {
        Error::UnexpectedShape { expected, got, .. } => {
            assert_eq!((expected.dims(), got.dims()), (&[3, 2][..], &[2, 3][..]));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn what_the_model_never_asked_for_is_unused() -> Result {
    let backend = HurrayBackend::new(file());
    let vb = backend.var_builder(DType::F32, &Device::Cpu);
    assert_eq!(backend.unused().len(), 5, "heads are no tensors");
    assert!(vb.contains_tensor("ids"), "looking is not asking");
    layer(&vb, 1)?;
    assert_eq!(backend.unused(), ["layers.0.weight", "layers.0.bias", "ids"]);
    layer(&vb, 0)?;
    assert_eq!(backend.unused(), ["ids"]);
    Ok(())
}

#[test]
fn one_builder_serves_several_threads() -> Result {
    let backend = HurrayBackend::new(file());
    let vb = backend.var_builder(DType::F32, &Device::Cpu);
    std::thread::scope(|scope| {
        for index in [0, 1, 0, 1] {
            let vb = vb.clone();
            scope.spawn(move || layer(&vb, index).unwrap());
        }
    });
    assert_eq!(backend.unused(), ["ids"]);
    Ok(())
}

#[test]
fn a_tied_name_gives_the_tensor_that_is_stored() -> Result {
    use std::sync::Arc;

    #[derive(HurraySave)]
    struct Part {
        weight: Arc<hurray::Tensor<f32>>,
    }
    #[derive(HurraySave)]
    struct Tied {
        embedding: Arc<Part>,
        head: Part,
        decoder: Arc<Part>,
    }
    let weight = Arc::new(hurray::Tensor::from_vec(vec![1f32, 2.], &[2])?);
    let embedding = Arc::new(Part { weight: weight.clone() });
    let tied = Tied { embedding: embedding.clone(), head: Part { weight }, decoder: embedding };
    let file = File::from_vec(hurray::to_bytes(&tied)?)?;
    assert_eq!(file.tensors().filter(|entry| entry.data_length() == 8).count(), 1, "stored once");
    let backend = HurrayBackend::new(file);
    let vb = backend.var_builder(DType::F32, &Device::Cpu);
    for name in ["embedding.weight", "head.weight", "decoder.weight"] {
        assert!(vb.contains_tensor(name), "{name}");
        assert_eq!(floats(&vb.get(2, name)?), [1., 2.], "{name}");
    }
    assert!(!vb.contains_tensor("decoder.bias") && !vb.contains_tensor("decoder"));
    assert!(backend.unused().is_empty());
    Ok(())
}
