//! Every view as a field of the derive, with its twin.

use hurray::descriptor::KvRole;
use hurray::{
    BlockPaged, BlockPagedView, Complex128, Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView,
    DynTensor, DynTensorView, ElementType, F4E2M1, F8E4M3, F8E8M0, F128, File, Hilbert, HilbertView,
    HurrayLoad, HurraySave, I2, Morton, MortonView, Packed, PackedView, QuantizedTensor, QuantizedView,
    Symmetry, Tensor, TensorView, Tiled, TiledView, U4,
};

#[derive(HurraySave, HurrayLoad)]
struct Views<'a> {
    plain: TensorView<'a, F128>,
    complex: TensorView<'a, Complex128>,
    small: TensorView<'a, F8E8M0>,
    packed: PackedView<'a, U4>,
    tiled: TiledView<'a, f32>,
    morton: MortonView<'a, I2>,
    hilbert: HilbertView<'a, F8E4M3>,
    coo: CooView<'a, f64>,
    #[hurray(shape = [rows, 3])]
    csr: CsrView<'a, f32>,
    csc: CscView<'a, u16>,
    csf: CsfView<'a, F4E2M1>,
    paged: BlockPagedView<'a, i8>,
    quantized: QuantizedView<'a>,
    any: DynTensorView<'a>,
    list: Vec<CsrView<'a, f32>>,
    maybe: Option<PackedView<'a, F4E2M1>>,
}

#[derive(HurraySave, HurrayLoad, Clone)]
struct Twins {
    plain: Tensor<F128>,
    complex: Tensor<Complex128>,
    small: Tensor<F8E8M0>,
    packed: Packed<U4>,
    tiled: Tiled<f32>,
    morton: Morton<I2>,
    hilbert: Hilbert<F8E4M3>,
    coo: Coo<f64>,
    #[hurray(shape = [rows, 3])]
    csr: Csr<f32>,
    csc: Csc<u16>,
    csf: Csf<F4E2M1>,
    paged: BlockPaged<i8>,
    quantized: QuantizedTensor,
    any: DynTensor,
    list: Vec<Csr<f32>>,
    maybe: Option<Packed<F4E2M1>>,
}

fn twins() -> Twins {
    let matrix: [f32; 6] = [0.0, 1.5, 0.0, -2.0, 0.0, 0.25];
    let quarter: Vec<f32> = matrix.iter().map(|x| x * 2.0).collect();
    let csr = || Csr::from_dense(&matrix, &[2, 3]).unwrap();
    Twins {
        plain: Tensor::from_vec(vec![F128::from_f64(0.1), F128::from_bits(u128::MAX)], &[2]).unwrap(),
        complex: Tensor::from_vec(vec![Complex128 { re: 1.0, im: -0.0 }], &[]).unwrap(),
        small: Tensor::from_vec(vec![F8E8M0::from_bits(1), F8E8M0::from_bits(254)], &[1, 2]).unwrap(),
        packed: Packed::from_values(&[1, 15, 0], &[3, 1]).unwrap(),
        tiled: Tiled::from_dense(&matrix, &[2, 3], &[2, 2]).unwrap(),
        morton: Morton::from_dense(&[1, -2, 0, -1, 1, 1], &[2, 3]).unwrap(),
        hilbert: Hilbert::from_dense(&[0, 1, 127, 255].map(F8E4M3::from_bits), &[2, 2]).unwrap(),
        coo: Coo::from_parts(&[4, 4], &[[3, 3], [0, 1]], &[f64::NAN, 2.0]).unwrap(),
        csr: csr(),
        csc: Csc::from_dense(&[0, 9, 0, 0, 8, 7], &[2, 3]).unwrap(),
        csf: Csf::from_dense(&quarter, &[1, 2, 3]).unwrap(),
        paged: BlockPaged::from_sequences(&[&[1, 2, 3], &[4]], 1, 1, 2, KvRole::Fused).unwrap(),
        quantized: QuantizedTensor::quantize_nf4(&matrix.repeat(4), &[24], 0, 8).unwrap(),
        any: QuantizedTensor::quantize_per_tensor(&matrix, &[6], ElementType::Int2, Symmetry::Symmetric)
            .unwrap()
            .into(),
        list: vec![csr(), Csr::from_dense(&[], &[0, 3]).unwrap()],
        maybe: Some(Packed::from_values(&[6.0, -0.5], &[2]).unwrap()),
    }
}

fn check(views: &Views<'_>) {
    let matrix: [f32; 6] = [0.0, 1.5, 0.0, -2.0, 0.0, 0.25];
    assert_eq!(views.plain.get(&[1]).unwrap().to_bits(), u128::MAX);
    assert!(views.complex.get(&[]).unwrap().im.is_sign_negative());
    assert_eq!(views.small.as_slice().unwrap()[1].to_f32(), 2f32.powi(127));
    assert_eq!((views.packed.to_vec(), views.packed.get(&[1, 0])), (vec![1, 15, 0], Some(15)));
    assert_eq!(views.tiled.to_dense().unwrap(), matrix);
    assert_eq!(views.tiled.values().unwrap(), [0.0, 1.5, -2.0, 0.0, 0.0, 0.0, 0.25]);
    assert_eq!(views.morton.to_dense().unwrap(), [1, -2, 0, -1, 1, 1]);
    assert_eq!(views.hilbert.get(&[1, 0]).unwrap().to_bits(), 127);
    assert_eq!(views.coo.values().unwrap().len(), 2);
    assert_eq!((views.coo.get(&[0, 1]).unwrap(), views.coo.get(&[1, 1]).unwrap()), (2.0, 0.0));
    assert_eq!(views.coo.indices().unwrap(), [3, 3, 0, 1]);
    assert_eq!(views.csr.values().unwrap(), [1.5, -2.0, 0.25]);
    assert_eq!(
        (views.csr.row_ptr().unwrap(), views.csr.col_indices().unwrap()),
        (&[0, 1, 3][..], &[1, 0, 2][..])
    );
    assert_eq!(
        (views.csc.col_ptr().unwrap(), views.csc.row_indices().unwrap()),
        (&[0, 0, 2, 3][..], &[0, 1, 1][..])
    );
    let entries: Vec<_> = views.csc.entries().unwrap().map(|(at, value)| (at.to_vec(), value)).collect();
    assert_eq!(entries, [(vec![0, 1], 9), (vec![1, 1], 8), (vec![1, 2], 7)]);
    assert_eq!(views.csf.to_dense().unwrap(), [0.0, 3.0, 0.0, -4.0, 0.0, 0.5]);
    assert_eq!((views.csf.pos(0).unwrap(), views.csf.crd(2).unwrap()), (&[0, 1][..], &[1, 0, 2][..]));
    assert_eq!(views.paged.get_token(1, 0, 0, 0).unwrap(), 4);
    assert_eq!(views.quantized.dequantize().unwrap().len(), 24);
    assert_eq!(views.any.quantized().unwrap().get(&[3]).unwrap(), -2.0);
    assert_eq!((views.list.len(), views.list[1].nnz()), (2, 0));
    assert_eq!(views.maybe.as_ref().unwrap().to_vec(), [6.0, -0.5]);
}

#[test]
fn every_view_is_a_field_and_its_twin_outlives_the_file() {
    let bytes = hurray::to_bytes(&twins()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.hrry");
    std::fs::write(&path, &bytes).unwrap();
    let kept: Twins = {
        // SAFETY: nobody changes the file in the test's own folder.
        let file = unsafe { File::map(&path) }.unwrap();
        assert_eq!(file.validate_data(), []);
        let views: Views<'_> = file.load().unwrap();
        check(&views);
        assert_eq!(hurray::to_bytes(&views).unwrap(), bytes, "saved from views");
        // Components point into the mapping.
        let mapping = file.tensor("csr").unwrap().buffers().unwrap();
        assert_eq!(views.csr.col_indices().unwrap().as_ptr().addr(), mapping[1].as_ptr().addr());
        file.load().unwrap()
    };
    let on_another_thread = std::thread::spawn(move || {
        let again = hurray::to_bytes(&kept.clone()).unwrap();
        (kept, again)
    });
    let (kept, again) = on_another_thread.join().unwrap();
    assert_eq!(again, bytes, "saved from twins, after the file was closed");
    assert_eq!(kept.csr.view().to_dense().unwrap()[1], 1.5);
}

#[test]
fn a_field_of_another_kind_says_what_it_found() {
    #[derive(HurraySave)]
    struct Written {
        matrix: Csr<f32>,
        bits: Packed<U4>,
        quantized: QuantizedTensor,
    }

    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "never loaded")]
    struct Wanted<'a> {
        matrix: CscView<'a, f32>,
        bits: PackedView<'a, I2>,
        quantized: TensorView<'a, i8>,
    }

    let Twins { csr, packed, .. } = twins();
    let quantized =
        QuantizedTensor::quantize_per_tensor(&[1.0], &[1], ElementType::Int8, Symmetry::Symmetric).unwrap();
    let file = hurray_tests::file_of(&Written { matrix: csr, bits: packed, quantized });
    let error = file.load::<Wanted<'_>>().unwrap_err().to_string();
    for part in ["matrix", "csc", "csr", "bits", "int2", "uint4", "quantized", "per_tensor"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
