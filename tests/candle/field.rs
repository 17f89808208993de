//! Tensors and variables as fields.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Tensor, Var};
use hurray::candle::Target;
use hurray::descriptor::{Layout, TensorDescriptor};
use hurray::{
    ElementType, File, HurrayLoad, HurraySave, LoadError, LoadOptions, ProblemKind, SaveError, TensorView,
};

use super::{Result, file_of, floats};

#[derive(Debug, HurraySave, HurrayLoad)]
struct One {
    w: Tensor,
}

#[derive(Debug, HurraySave, HurrayLoad)]
struct Linear {
    #[hurray(shape = [out, _])]
    weight: Tensor,
    #[hurray(shape = [out])]
    bias: Option<Tensor>,
}

fn saved<M: HurraySave>(model: &M) -> File {
    File::from_vec(hurray::to_bytes(model).unwrap()).unwrap()
}

fn loaded(file: &File) -> Tensor {
    file.load::<One>().unwrap().w
}

fn loaded_as(file: &File, dtype: DType) -> Tensor {
    let options = LoadOptions::new().context(Target::default().with_dtype(dtype));
    file.load_with::<One>(&options).unwrap().0.w
}

fn problem(file: &File) -> hurray::Problem {
    match file.load::<One>().unwrap_err() {
        LoadError::Report(report) => report.problems()[0].clone(),
        other => panic!("{other}"),
    }
}

#[test]
fn every_real_dtype_comes_back_bit_for_bit() -> Result {
    let values = Tensor::new(&[[0f32, 1., -2.], [0.5, 100., 3.]], &Device::Cpu)?;
    let dtypes = [
        (DType::F16, ElementType::Float16),
        (DType::BF16, ElementType::BFloat16),
        (DType::F32, ElementType::Float32),
        (DType::F64, ElementType::Float64),
        (DType::F8E4M3, ElementType::Float8E4M3),
        (DType::U8, ElementType::UInt8),
        (DType::U32, ElementType::UInt32),
        (DType::I16, ElementType::Int16),
        (DType::I32, ElementType::Int32),
        (DType::I64, ElementType::Int64),
    ];
    for (dtype, element_type) in dtypes {
        let file = saved(&One { w: values.to_dtype(dtype)? });
        assert_eq!(file.tensor("w")?.descriptor()?.element_type(), element_type);
        let back = loaded(&file);
        assert_eq!((back.dtype(), back.dims()), (dtype, &[2, 3][..]));
        assert_eq!(floats(&back), floats(&values.to_dtype(dtype)?), "{dtype:?}");
    }
    Ok(())
}

#[test]
fn dtypes_that_candle_keeps_raw_come_back_byte_for_byte() -> Result {
    let raw = [(DType::F4, 2), (DType::F6E2M3, 3), (DType::F6E3M2, 3), (DType::F8E8M0, 4)];
    for (dtype, len) in raw {
        let bytes = vec![0x21u8; len];
        let tensor = Tensor::from_raw_buffer(&bytes, dtype, &[2, 2], &Device::Cpu)?;
        let file = saved(&One { w: tensor });
        assert_eq!(file.tensor("w")?.buffer(0)?, bytes);
        let back = loaded(&file);
        assert_eq!((back.dtype(), back.dims()), (dtype, &[2, 2][..]));
        assert_eq!(saved(&One { w: back }).tensor("w")?.buffer(0)?, bytes);
    }
    Ok(())
}

#[test]
fn raw_dtypes_are_decoded_where_another_dtype_is_asked_for() -> Result {
    let tensor = Tensor::from_raw_buffer(&[0x21, 0xF7], DType::F4, &[4], &Device::Cpu)?;
    assert_eq!(floats(&loaded_as(&saved(&One { w: tensor }), DType::F16)), [0.5, 1., 6., -6.]);
    let tensor = Tensor::from_raw_buffer(&[127, 130], DType::F8E8M0, &[2], &Device::Cpu)?;
    assert_eq!(floats(&loaded_as(&saved(&One { w: tensor }), DType::F32)), [1., 8.]);
    Ok(())
}

#[test]
fn raw_bytes_of_a_wrong_number_are_not_saved() -> Result {
    // candle takes any number of bytes for these.
    let ragged = Tensor::from_raw_buffer(&[1], DType::F4, &[100], &Device::Cpu)?;
    let error = hurray::to_bytes(&One { w: ragged }).unwrap_err();
    assert!(matches!(error, SaveError::Source { .. }), "{error:?}");
    let zero = Tensor::from_raw_buffer(&[127, 0], DType::F8E8M0, &[2], &Device::Cpu)?;
    let SaveError::Source { source, .. } = hurray::to_bytes(&One { w: zero }).unwrap_err() else { panic!() };
    assert!(source.to_string().contains("TYP-05"), "{source}");
    Ok(())
}

#[test]
fn strided_tensors_are_saved_in_row_major_order() -> Result {
    let base = Tensor::arange(0f32, 240., &Device::Cpu)?.reshape((4, 5, 12))?;
    let strided = [
        base.t()?,
        base.transpose(0, 2)?,
        base.permute((1, 0, 2))?,
        base.narrow(1, 1, 3)?,
        base.narrow(2, 5, 1)?,
        base.narrow(0, 2, 2)?,
        base.narrow(2, 3, 4)?.t()?,
        base.narrow(0, 1, 1)?.broadcast_as((3, 5, 12))?,
        Tensor::new(7f32, &Device::Cpu)?.broadcast_as((2, 3))?,
    ];
    for tensor in strided {
        let back = loaded(&saved(&One { w: tensor.clone() }));
        assert_eq!(back.dims(), tensor.dims());
        assert_eq!(floats(&back), floats(&tensor.contiguous()?), "{:?}", tensor.layout());
    }
    Ok(())
}

#[test]
fn large_strided_tensors_are_written_in_pieces() -> Result {
    let base = Tensor::arange(0u32, 300_000, &Device::Cpu)?.reshape((300, 1000))?;
    for tensor in [base.t()?, base.narrow(1, 10, 900)?, base.narrow(0, 3, 200)?] {
        let back = loaded(&saved(&One { w: tensor.clone() }));
        assert_eq!(
            back.flatten_all()?.to_vec1::<u32>()?,
            tensor.contiguous()?.flatten_all()?.to_vec1::<u32>()?
        );
    }
    Ok(())
}

#[test]
fn scalars_and_empty_tensors_round_trip() -> Result {
    for dims in [&[][..], &[0], &[3, 0, 2]] {
        let back = loaded(&saved(&One { w: Tensor::zeros(dims, DType::F64, &Device::Cpu)? }));
        assert_eq!((back.dims(), back.dtype()), (dims, DType::F64));
    }
    Ok(())
}

#[test]
fn types_that_candle_lacks_are_widened() -> Result {
    let load = |element_type, count: u64, bytes: &[u8]| {
        let descriptor = TensorDescriptor::builder(element_type, [count]).build().unwrap();
        let tensor = loaded(&file_of("w", &descriptor, &[bytes]));
        (tensor.dtype(), floats(&tensor))
    };
    assert_eq!(load(ElementType::Int8, 2, &[0xFF, 3]), (DType::I16, vec![-1., 3.]));
    assert_eq!(load(ElementType::UInt16, 1, &[0xFF, 0xFF]), (DType::U32, vec![65535.]));
    assert_eq!(load(ElementType::Bool, 3, &[0b101]), (DType::U8, vec![1., 0., 1.]));
    assert_eq!(load(ElementType::Int4, 2, &[0x7F]), (DType::I16, vec![-1., 7.]));
    assert_eq!(load(ElementType::UInt2, 4, &[0b11_10_01_00]), (DType::U8, vec![0., 1., 2., 3.]));
    assert_eq!(load(ElementType::Float8E5M2, 2, &[0x3C, 0xC0]), (DType::F16, vec![1., -2.]));
    Ok(())
}

#[test]
fn types_that_do_not_fit_are_refused() {
    for element_type in [ElementType::UInt64, ElementType::Complex64, ElementType::Float128] {
        let descriptor = TensorDescriptor::builder(element_type, [1]).build().unwrap();
        let size = usize::try_from(descriptor.buffers()[0].byte_size).unwrap();
        let problem = problem(&file_of("w", &descriptor, &[&vec![0; size]]));
        assert_eq!((problem.kind, problem.found.as_str()), (ProblemKind::ElementType, element_type.name()));
    }
}

#[test]
fn other_layouts_come_in_row_major_order() -> Result {
    let stored: Vec<u8> = [1f32, 2., 3., 4., 5., 6.].iter().flat_map(|value| value.to_le_bytes()).collect();
    let of = |layout, byte_offset| {
        let descriptor = TensorDescriptor::builder(ElementType::Float32, [2, 3]).layout(layout);
        let descriptor = descriptor.byte_offset(byte_offset).buffer_sizes([24]).build().unwrap();
        floats(&loaded(&file_of("w", &descriptor, &[&stored])))
    };
    assert_eq!(of(Layout::RowMajor, 0), [1., 2., 3., 4., 5., 6.]);
    assert_eq!(of(Layout::ColumnMajor, 0), [1., 3., 5., 2., 4., 6.]);
    assert_eq!(of(Layout::Strided { strides: [3, -1].into_iter().collect() }, 8), [3., 2., 1., 6., 5., 4.]);

    let coo = TensorDescriptor::builder(ElementType::Int8, [2, 2]);
    let coo = coo.layout(Layout::Coo { nnz: 1, is_sorted: true }).build()?;
    let indices: Vec<u8> = [1u64, 0].iter().flat_map(|index| index.to_le_bytes()).collect();
    let sizes: Vec<usize> =
        coo.buffers().iter().map(|buffer| usize::try_from(buffer.byte_size).unwrap()).collect();
    let buffers: Vec<&[u8]> =
        sizes.iter().map(|&size| if size == indices.len() { &indices[..] } else { &[7u8][..] }).collect();
    assert_eq!(floats(&loaded(&file_of("w", &coo, &buffers))), [0., 0., 7., 0.]);
    Ok(())
}

#[test]
fn rows_past_the_shape_are_left_out() -> Result {
    let descriptor =
        TensorDescriptor::builder(ElementType::Float32, [1]).byte_offset(4).buffer_sizes([12]).build()?;
    let bytes: Vec<u8> = [1f32, 2., 3.].iter().flat_map(|value| value.to_le_bytes()).collect();
    let tensor = loaded(&file_of("w", &descriptor, &[&bytes]));
    assert_eq!((tensor.dims(), floats(&tensor)), (&[1][..], vec![2.]));
    Ok(())
}

#[test]
fn shapes_whose_product_overflows_are_an_error() -> Result {
    let huge = 1u64 << 40;
    let descriptor = TensorDescriptor::builder(ElementType::Float32, [huge, huge, 0]).build()?;
    assert_eq!(problem(&file_of("w", &descriptor, &[&[]])).kind, ProblemKind::Limit);
    Ok(())
}

#[test]
fn the_target_casts_floats_and_leaves_integers() -> Result {
    #[derive(HurraySave, HurrayLoad)]
    struct Mixed {
        weight: Tensor,
        ids: Tensor,
    }
    let mixed = Mixed {
        weight: Tensor::new(&[1f32, 2.5], &Device::Cpu)?,
        ids: Tensor::new(&[1i64 << 40], &Device::Cpu)?,
    };
    let target = Target { device: Device::Cpu, dtype: Some(DType::BF16) };
    let (back, _) = saved(&mixed).load_with::<Mixed>(&LoadOptions::new().context(target))?;
    assert_eq!((back.weight.dtype(), floats(&back.weight)), (DType::BF16, vec![1., 2.5]));
    assert_eq!(back.ids.to_vec1::<i64>()?, [1 << 40]);
    Ok(())
}

#[test]
fn shape_rules_hold_for_candle_tensors() -> Result {
    let weight = Tensor::zeros((3, 2), DType::F32, &Device::Cpu)?;
    let bias = Tensor::zeros(4, DType::F32, &Device::Cpu)?;
    let error = hurray::to_bytes(&Linear { weight: weight.clone(), bias: Some(bias.clone()) }).unwrap_err();
    assert!(matches!(error, SaveError::Shape { .. }));
    let tensors: BTreeMap<String, Tensor> = [("weight".into(), weight), ("bias".into(), bias)].into();
    let error = saved(&tensors).load::<Linear>().unwrap_err();
    assert!(error.to_string().contains("[4]"), "{error}");
    Ok(())
}

#[test]
fn what_is_missing_is_named() {
    let file =
        saved(&BTreeMap::from([("weigth".to_owned(), Tensor::zeros(1, DType::F32, &Device::Cpu).unwrap())]));
    let error = file.load::<Linear>().unwrap_err().to_string();
    assert!(error.contains("`weight` is missing") && error.contains("near: `weigth`"), "{error}");
}

#[test]
fn variables_are_loaded_as_variables() -> Result {
    #[derive(HurraySave, HurrayLoad)]
    struct Trained {
        w: Var,
        narrow: Var,
    }
    let var = |values: &[f32]| Var::new(values, &Device::Cpu);
    let file = saved(&Trained { w: var(&[1., 2.])?, narrow: var(&[3.])? });
    let options = LoadOptions::new().context(Target::default().with_dtype(DType::F32));
    let (back, _) = file.load_with::<Trained>(&options)?;
    let loss = (back.w.as_tensor() * 3.)?.sum_all()?;
    assert_eq!(loss.backward()?.get(&back.w).map(floats), Some(vec![3., 3.]));
    back.w.set(&Tensor::new(&[5f32, 6.], &Device::Cpu)?)?;
    assert_eq!(file.tensor("w")?.view::<f32>()?.to_vec(), [1., 2.], "the file is not written to");
    Ok(())
}

#[test]
fn other_programs_read_what_candle_saved() -> Result {
    #[derive(HurrayLoad)]
    struct Plain<'a> {
        w: TensorView<'a, f32>,
    }
    let tensor = Tensor::arange(0f32, 6., &Device::Cpu)?.reshape((2, 3))?.t()?;
    let file = saved(&One { w: tensor });
    let plain: Plain<'_> = file.load()?;
    assert_eq!((plain.w.shape(), plain.w.to_vec()), (&[3, 2][..], vec![0., 3., 1., 4., 2., 5.]));
    Ok(())
}

#[test]
fn maps_of_tensors_are_saved_like_safetensors() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("map.hrry");
    let tensor = |value: f32| Tensor::new(value, &Device::Cpu);
    let tensors = [("b.weight", tensor(1.)?), ("a.weight", tensor(2.)?)].into();
    hurray::candle::save(&path, &tensors)?;
    let file = File::read(&path)?;
    assert_eq!(
        file.tensors().map(|entry| entry.name().to_owned()).collect::<Vec<_>>(),
        ["a.weight", "b.weight"]
    );
    let back = hurray::candle::load(&path, &Device::Cpu)?;
    assert_eq!(back["a.weight"].to_scalar::<f32>()?, 2.);
    assert_eq!(back.len(), 2);
    Ok(())
}
