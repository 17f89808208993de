//! A file of a few bytes may claim 2^60 elements: what makes all of them is an error with the limit's name, and what
//! makes one of them still works.

use hurray::descriptor::{Layout, Quantization, TensorDescriptor, TileOrder, Tiled};
use hurray::{
    Bool, CooView, CsfView, CsrView, DynTensor, DynTensorView, ElementType, File, HurrayLoad, HurraySave,
    Limits, OpenOptions, PackedView, QuantizedView, Rule, Scalar, Tensor, TensorError, TensorView, TiledView,
};

#[derive(HurraySave, HurrayLoad, Debug)]
struct One<V> {
    tensor: V,
}

const HUGE: u64 = 1 << 60;

/// A file of one tensor, with just what the descriptor says of its buffers.
fn file(descriptor: TensorDescriptor, buffers: &[&[u8]]) -> File {
    let bytes =
        hurray::to_bytes(&One { tensor: DynTensor::from_parts(descriptor, buffers).unwrap() }).unwrap();
    File::from_vec(bytes).unwrap()
}

fn strided(element_type: ElementType, shape: &[u64], quantization: Option<Quantization>) -> TensorDescriptor {
    let layout = Layout::Strided { strides: shape.iter().map(|_| 0).collect() };
    let builder = TensorDescriptor::builder(element_type, shape.iter().copied()).layout(layout);
    match quantization {
        Some(quantization) => builder.quantization(quantization).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

#[track_caller]
fn is_limit<T>(result: Result<T, TensorError>) {
    match result.map(drop).unwrap_err() {
        TensorError::Limit { limit: "dense_bytes", found, .. } => assert!(found >= u128::from(HUGE)),
        other => panic!("{other}"),
    }
}

/// What works without a type.
fn untyped(file: &File, at: &[usize]) -> Option<Scalar> {
    let entry = file.tensor("tensor").unwrap();
    is_limit(entry.values(&Limits::default()));
    let One::<DynTensorView<'_>> { tensor } = file.load().unwrap();
    is_limit(tensor.values(&Limits::default()));
    assert_eq!(file.validate_data(), []);
    tensor.get(at).unwrap()
}

#[test]
fn sparse_tensors_of_any_shape_are_read_by_index() {
    let coo = Layout::Coo { nnz: 1, is_sorted: true };
    let coo =
        TensorDescriptor::builder(ElementType::Float32, [1 << 30, 1 << 30]).layout(coo).build().unwrap();
    let at = [5u64, 7].map(u64::to_le_bytes).concat();
    let coo = file(coo, &[&1.5f32.to_le_bytes(), &at]);
    let One::<CooView<'_, f32>> { tensor } = coo.load().unwrap();
    is_limit(tensor.to_dense());
    assert_eq!((tensor.get(&[5, 7]).unwrap(), tensor.get(&[1 << 29, 0]).unwrap()), (1.5, 0.0));
    assert!(untyped(&coo, &[5, 7]).is_some());

    let csr = TensorDescriptor::builder(ElementType::Bool, [1, HUGE]).layout(Layout::Csr { nnz: 1 }).build();
    let pointers = [0u64, 1].map(u64::to_le_bytes).concat();
    let csr = file(csr.unwrap(), &[&[1], &(HUGE - 1).to_le_bytes(), &pointers]);
    let One::<CsrView<'_, Bool>> { tensor } = csr.load().unwrap();
    is_limit(tensor.to_dense());
    assert!(tensor.get(&[0, HUGE as usize - 1]).unwrap());
    assert!(untyped(&csr, &[0, 0]).is_none());

    let csf = Layout::Csf { nnz: 0, mode_order: [0u32, 1, 2].as_slice().into() };
    let csf = TensorDescriptor::builder(ElementType::UInt8, [1 << 20; 3]).layout(csf);
    let csf = csf.buffer_sizes([0, 16, 0, 8, 0, 8, 0]).build().unwrap();
    let csf = file(csf, &[&[], &[0; 16], &[], &[0; 8], &[], &[0; 8], &[]]);
    let One::<CsfView<'_, u8>> { tensor } = csf.load().unwrap();
    is_limit(tensor.to_dense());
    assert_eq!(tensor.get(&[1 << 19, 3, 9]).unwrap(), 0);
    assert!(untyped(&csf, &[0, 0, 0]).is_none());
}

#[test]
fn strides_of_zero_make_no_view_that_cannot_be_copied() {
    for shape in [&[HUGE][..], &[1 << 30, 1 << 30], &[1 << 40, 1 << 40]] {
        let at = vec![1 << 20; shape.len()];
        let floats = file(strided(ElementType::Float32, shape, None), &[&2.5f32.to_le_bytes()]);
        is_limit(floats.tensor("tensor").unwrap().view::<f32>());
        let refused = [
            floats.load::<One<TensorView<'_, f32>>>().unwrap_err(),
            floats.load::<One<Tensor<f32>>>().unwrap_err(),
            floats.load::<One<Vec<f32>>>().unwrap_err(),
        ];
        for error in &refused[..2] {
            assert!(error.to_string().contains("dense_bytes"), "{error}");
        }
        assert_eq!(untyped(&floats, &at).unwrap().to_f64(), Some(2.5));

        let bits = file(strided(ElementType::Bool, shape, None), &[&[1]]);
        let error = bits.load::<One<PackedView<'_, Bool>>>().unwrap_err();
        assert!(error.to_string().contains("dense_bytes"), "{error}");
        assert!(bits.load::<One<Vec<bool>>>().is_err());
        assert_eq!(untyped(&bits, &at), Some(Scalar::Bool(true)));

        let scheme = Quantization::PerTensor { scale: 0.5, zero_point: 1 };
        let quantized = file(strided(ElementType::Int8, shape, Some(scheme)), &[&[7]]);
        let One::<QuantizedView<'_>> { tensor } = quantized.load().unwrap();
        is_limit(tensor.dequantize());
        is_limit(quantized.tensor("tensor").unwrap().dequantize(&Limits::default()));
        assert_eq!(tensor.get(&at).unwrap(), 3.0);
    }
}

#[test]
fn a_caller_may_raise_the_limit_and_lower_it() {
    // 2^23 floats from one: 32 MiB.
    let descriptor = strided(ElementType::Float32, &[1 << 23], None);
    let bytes = hurray::to_bytes(&One {
        tensor: DynTensor::from_parts(descriptor, &[2.5f32.to_le_bytes()]).unwrap(),
    });
    let open = |dense_bytes: u64| {
        let mut limits = Limits::default();
        limits.dense_bytes = dense_bytes;
        OpenOptions::new().limits(limits).from_vec(bytes.as_ref().unwrap().clone()).unwrap()
    };
    assert!(open((32 << 20) - 1).tensor("tensor").unwrap().view::<f32>().is_err());
    let file = open(32 << 20);
    let view = file.tensor("tensor").unwrap().view::<f32>().unwrap();
    assert_eq!((view.len(), view.get(&[1 << 22])), (1 << 23, Some(2.5)));
}

#[test]
fn tiles_that_share_their_place_are_read_by_index() {
    let tile = Tiled {
        tile_shape: [2u64].as_slice().into(),
        outer: TileOrder::Strided([0i64].as_slice().into()),
        inner: TileOrder::RowMajor,
    };
    let layout = Layout::Tiled(Box::new(tile));
    let descriptor = TensorDescriptor::builder(ElementType::UInt8, [HUGE]).layout(layout).build().unwrap();
    let file = file(descriptor, &[&[3, 4]]);
    let One::<TiledView<'_, u8>> { tensor } = file.load().unwrap();
    is_limit(tensor.to_dense());
    assert_eq!(tensor.get(&[HUGE as usize - 1]), Some(4));
    untyped(&file, &[0]);
}

#[test]
fn a_check_of_the_data_takes_no_longer_than_the_file_is() {
    let broken = |descriptor: TensorDescriptor, bytes: &[u8]| -> Vec<(Rule, u64)> {
        let file = file(descriptor, &[bytes]);
        let data_at = file.tensor("tensor").unwrap().data_offset();
        file.validate_data().iter().map(|error| (error.rule(), error.offset().unwrap() - data_at)).collect()
    };
    // Strides of 0 repeat one good element, or a bad one.
    let exponents = |shape: &[u64]| strided(ElementType::Float8E8M0, shape, None);
    assert_eq!(broken(exponents(&[HUGE]), &[127]), []);
    assert_eq!(broken(exponents(&[1 << 40, 1 << 40]), &[0xFF]), [(Rule::Typ05, 0)]);
    // A gap between elements may hold anything, an element may not.
    let gaps = |shape: &[u64], strides: &[i64]| {
        let layout = Layout::Strided { strides: strides.into() };
        TensorDescriptor::builder(ElementType::Float8E8M0, shape.iter().copied())
            .layout(layout)
            .build()
            .unwrap()
    };
    assert_eq!(broken(gaps(&[HUGE, 2], &[0, 2]), &[1, 0xFF, 1]), []);
    assert_eq!(broken(gaps(&[HUGE, 2], &[0, 2]), &[1, 0xFF, 0]), [(Rule::Typ05, 2)]);
    // Overlaps without end: what can't be told in time is let pass.
    let overlapping = gaps(&[1 << 12; 5], &[2; 5]);
    let mut bytes = vec![1; overlapping.buffers()[0].byte_size as usize];
    bytes[1] = 0;
    assert_eq!(broken(overlapping, &bytes), []);
}

#[test]
fn a_view_of_any_type_keeps_to_the_limits_of_its_file() {
    let repeated = strided(ElementType::Float32, &[1000], None);
    let tensor = DynTensor::from_parts(repeated, &[1.5f32.to_le_bytes()]).unwrap();
    let bytes = hurray::to_bytes(&One { tensor }).unwrap();
    let opened = |dense_bytes| {
        let mut limits = Limits::default();
        limits.dense_bytes = dense_bytes;
        OpenOptions::new().limits(limits).from_vec(bytes.clone()).unwrap()
    };
    for (limit, fits) in [(4000, true), (3999, false)] {
        let file = opened(limit);
        let entry = file.tensor("tensor").unwrap();
        assert_eq!(entry.view::<f32>().is_ok(), fits);
        assert_eq!(entry.dyn_view().unwrap().typed::<f32>().is_ok(), fits);
        let One::<DynTensor> { tensor } = file.load().unwrap();
        match tensor.view().typed::<f32>() {
            Ok(view) => assert_eq!(view.to_vec(), [1.5; 1000]),
            Err(TensorError::Limit { limit: "dense_bytes", allowed: 3999, found: 4000, .. }) if !fits => {}
            Err(error) => panic!("{error}"),
        }
    }
}
