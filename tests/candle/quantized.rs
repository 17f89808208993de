//! Quantized tensors: those of the format, and ggml's.

use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Module, Tensor};
use hurray::candle::{Target, var_builder};
use hurray::descriptor::{Quantization, TensorDescriptor};
use hurray::{ElementType, File, HurrayLoad, HurraySave, KvValue, LoadOptions, ProblemKind};

use super::{Result, file_of, floats};

#[derive(Debug, HurraySave, HurrayLoad)]
struct Quantized {
    w: QTensor,
}

fn values(rows: usize, columns: usize) -> Tensor {
    let values: Vec<f32> = (0..rows * columns).map(|at| ((at * 37 % 101) as f32 - 50.) / 25.).collect();
    Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap()
}

const BLOCKS: [GgmlDType; 11] = [
    GgmlDType::Q4_0,
    GgmlDType::Q4_1,
    GgmlDType::Q5_0,
    GgmlDType::Q5_1,
    GgmlDType::Q8_0,
    GgmlDType::Q2K,
    GgmlDType::Q3K,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
    GgmlDType::Q8K,
];

#[test]
fn schemes_of_the_format_come_as_floats() -> Result {
    let scheme = Quantization::PerTensor { scale: 0.5, zero_point: 1 };
    let descriptor = TensorDescriptor::builder(ElementType::Int8, [2, 2]).quantization(scheme).build()?;
    let file = file_of("w", &descriptor, &[&[1, 3, 0xFF, 0]]);
    let expected = [0., 1., -1., -0.5];

    #[derive(HurrayLoad)]
    struct One {
        w: Tensor,
    }
    let one: One = file.load()?;
    assert_eq!((one.w.dtype(), floats(&one.w)), (DType::F32, expected.to_vec()));
    let options = LoadOptions::new().context(Target::default().with_dtype(DType::F16));
    assert_eq!(file.load_with::<One>(&options)?.0.w.dtype(), DType::F16);
    let vb = var_builder(&file, DType::BF16, &Device::Cpu);
    assert_eq!(floats(&vb.get((2, 2), "w")?), expected);
    Ok(())
}

#[test]
fn every_block_type_comes_back_bit_for_bit_and_multiplies_the_same() -> Result {
    let lhs = values(3, 512);
    for dtype in BLOCKS {
        let original = QTensor::quantize(&values(8, 512), dtype)?;
        let file = File::from_vec(hurray::to_bytes(&Quantized { w: original })?)?;
        let original = QTensor::quantize(&values(8, 512), dtype)?;
        let back = file.load::<Quantized>()?.w;
        assert_eq!((back.dtype(), back.shape().dims()), (dtype, &[8, 512][..]));
        assert_eq!(back.data()?, original.data()?, "{dtype:?}");
        assert_eq!(floats(&back.dequantize(&Device::Cpu)?), floats(&original.dequantize(&Device::Cpu)?));
        let multiply = |tensor| QMatMul::from_qtensor(tensor).and_then(|weight| weight.forward(&lhs));
        assert_eq!(floats(&multiply(back)?), floats(&multiply(original)?), "{dtype:?}");
    }
    Ok(())
}

#[test]
fn blocks_stay_in_the_mapping_and_keep_it() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("q8.hrry");
    hurray::save(&path, &Quantized { w: QTensor::quantize(&values(8, 512), GgmlDType::Q8_0)? })?;
    // SAFETY: nobody changes the file, which lies in a folder of this test.
    let file = unsafe { File::map(&path)? };
    let model: Quantized = file.load()?;
    let stored = file.tensor("w")?.buffer(0)?;
    assert_eq!(model.w.data()?.as_ptr(), stored.as_ptr(), "not a copy");
    assert_eq!(model.w.data()?.len(), 8 * 512 / 32 * 34);
    drop(file);
    assert_eq!(floats(&model.w.dequantize(&Device::Cpu)?).len(), 8 * 512);
    Ok(())
}

#[test]
fn the_file_says_what_the_blocks_are() -> Result {
    let tensor = QTensor::quantize(&values(8, 512), GgmlDType::Q4K)?;
    let file = File::from_vec(hurray::to_bytes(&Quantized { w: tensor })?)?;
    assert_eq!(file.metadata().get("hurray.ggml.w"), Some(&KvValue::String("q4_K".into())));
    let descriptor = file.tensor("w")?.descriptor()?;
    assert_eq!((descriptor.element_type(), descriptor.shape()), (ElementType::UInt8, &[8, 288][..]));
    Ok(())
}

#[test]
fn blocks_that_a_caller_lends_are_copied() -> Result {
    let bytes = hurray::to_bytes(&Quantized { w: QTensor::quantize(&values(2, 64), GgmlDType::Q5_1)? })?;
    let model: Quantized = hurray::from_slice(&bytes)?;
    drop(bytes);
    assert_eq!(model.w.shape().dims(), [2, 64]);
    assert_eq!(floats(&model.w.dequantize(&Device::Cpu)?).len(), 128);
    Ok(())
}

#[test]
fn plain_floats_are_plain_tensors() -> Result {
    for (dtype, element_type) in
        [(GgmlDType::F32, ElementType::Float32), (GgmlDType::F16, ElementType::Float16)]
    {
        let file =
            File::from_vec(hurray::to_bytes(&Quantized { w: QTensor::quantize(&values(2, 8), dtype)? })?)?;
        assert_eq!(file.tensor("w")?.descriptor()?.element_type(), element_type);
        let back: Quantized = file.load()?;
        assert_eq!((back.w.dtype(), back.w.shape().dims()), (dtype, &[2, 8][..]));
    }
    Ok(())
}

#[test]
fn rows_that_are_not_whole_blocks_are_refused() -> Result {
    #[derive(HurraySave)]
    struct Bytes {
        w: Tensor,
    }
    let kind = |dims: &[usize], name: &str| {
        let bytes = Bytes { w: Tensor::zeros(dims, DType::U8, &Device::Cpu).unwrap() };
        let plain = hurray::to_bytes(&bytes).unwrap();
        let file = File::from_vec(plain).unwrap();
        let mut metadata = hurray::Metadata::new();
        metadata.insert("hurray.ggml.w", KvValue::String(name.into())).unwrap();
        let options = hurray::WriterOptions { metadata: Some(metadata), ..Default::default() };
        let mut written = Vec::new();
        let mut writer = hurray::Writer::new(&mut written, options).unwrap();
        let entry = file.tensor("w").unwrap();
        writer.tensor("w", &entry.descriptor().unwrap(), &entry.buffers().unwrap()).unwrap();
        writer.finish().unwrap();
        let file = File::from_vec(written).unwrap();
        file.load::<Quantized>().map(|_| ()).map_err(|error| error.report().unwrap().problems()[0].kind)
    };
    assert_eq!(kind(&[2, 34], "q8_0"), Ok(()));
    assert_eq!(kind(&[2, 35], "q8_0"), Err(ProblemKind::ElementType));
    assert_eq!(kind(&[34, 1], "q8_0"), Err(ProblemKind::ElementType), "blocks do not run over rows");
    assert_eq!(kind(&[], "q8_0"), Err(ProblemKind::ElementType));
    assert_eq!(kind(&[2, 34], "q9"), Err(ProblemKind::ElementType));
    Ok(())
}

#[test]
fn a_tensor_without_the_note_is_no_blocks() -> Result {
    let descriptor = TensorDescriptor::builder(ElementType::UInt8, [34]).build()?;
    let error = file_of("w", &descriptor, &[&[0; 34]]).load::<Quantized>().unwrap_err();
    assert!(error.to_string().contains("hurray.ggml"), "{error}");
    Ok(())
}

#[test]
fn matrices_ready_to_multiply_are_fields_too() -> Result {
    #[derive(HurraySave, HurrayLoad)]
    struct Layer {
        weight: QMatMul,
        shared: Arc<QTensor>,
    }
    let tensor = || QTensor::quantize(&values(4, 32), GgmlDType::Q4_0);
    let layer = Layer { weight: QMatMul::from_qtensor(tensor()?)?, shared: Arc::new(tensor()?) };
    let back: Layer = File::from_vec(hurray::to_bytes(&layer)?)?.load()?;
    let lhs = values(1, 32);
    assert_eq!(floats(&back.weight.forward(&lhs)?), floats(&layer.weight.forward(&lhs)?));
    assert_eq!(back.shared.data()?, layer.shared.data()?);
    Ok(())
}
