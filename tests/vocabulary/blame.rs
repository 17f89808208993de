//! What is wrong in the data is found when it is used, and the error says what, in which tensor, and where.

use half::f16;
use hurray::descriptor::{Layout, TensorDescriptor};
use hurray::{
    Csr, CsrView, DynTensor, ElementType, File, FormatError, HurrayLoad, HurraySave, I4, Limits, Packed,
    QuantizedTensor, Rule, Symmetry, Tensor, TensorError,
};
use hurray_tests::manifest::vectors;

fn broken<T>(result: Result<T, TensorError>) -> FormatError {
    match result.map(drop).unwrap_err() {
        TensorError::Format(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn every_broken_index_is_found_by_whoever_reads_elements() {
    let mut seen = 0;
    for vector in vectors("invalid") {
        let rule = vector.text("rule").unwrap();
        if vector.text("stage") != Some("data") || !rule.starts_with("LAY-") {
            continue;
        }
        let file = File::read(&vector.path).unwrap();
        let name = vector.text("tensor").unwrap();
        let entry = file.tensor(name).unwrap();
        let view = entry.dyn_view().unwrap();
        let errors = [
            broken(view.get(&vec![0; view.rank()])),
            broken(view.values(&Limits::default())),
            broken(entry.values(&Limits::default())),
            entry.validate_data().swap_remove(0),
        ];
        for error in errors {
            assert_eq!((error.rule().id(), error.tensor()), (rule, Some(name)), "{}", vector.name);
            let place = error.offset().unwrap();
            assert!(entry.data_offset() <= place && place < entry.data_offset() + entry.data_length());
            let text = error.to_string();
            assert!(text.contains("expected") && text.contains("found"), "{text}");
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn views_of_fields_name_their_tensor() {
    #[derive(HurraySave)]
    struct Written {
        layers: Vec<Csr<f32>>,
    }

    #[derive(HurrayLoad)]
    struct Read<'a> {
        layers: Vec<CsrView<'a, f32>>,
    }

    let csr = || Csr::<f32>::from_dense(&[0.0, 1.0, 2.0, 0.0], &[2, 2]).unwrap();
    let mut bytes = hurray::to_bytes(&Written { layers: vec![csr(), csr()] }).unwrap();
    let file = File::from_vec(bytes.clone()).unwrap();
    let columns = file.tensor("layers.1").unwrap().buffer(1).unwrap();
    let place = columns.as_ptr().addr() - file.tensor("layers.1").unwrap().raw_data().as_ptr().addr()
        + file.tensor("layers.1").unwrap().data_offset() as usize;
    bytes[place] = 7;
    let file = File::from_vec(bytes).unwrap();
    let Read { layers } = file.load().unwrap();
    assert_eq!(layers[0].to_dense().unwrap(), [0.0, 1.0, 2.0, 0.0]);
    let view = &layers[1];
    let errors =
        [broken(view.get(&[1, 1])), broken(view.to_dense()), broken(view.check()), broken(view.entries())];
    for error in errors {
        assert_eq!(
            (error.rule(), error.tensor(), error.offset()),
            (Rule::LayCsr07, Some("layers.1"), Some(place as u64))
        );
        assert_eq!(
            error.to_string(),
            format!("LAY-CSR-07 in tensor `layers.1` at byte {place}: expected below 2, found 7")
        );
    }
    // What is borrowed as it lies is not checked, and says so.
    assert_eq!(view.col_indices().unwrap(), [7, 0]);
}

#[test]
fn what_a_view_can_not_show_names_the_tensor_and_says_what_to_write() {
    #[derive(HurraySave)]
    struct Kinds {
        half: Tensor<f16>,
        nibbles: Packed<I4>,
        sparse: Csr<f32>,
        quantized: QuantizedTensor,
        deep: DynTensor,
        repeated: DynTensor,
    }

    let float32 = |shape: &[u64]| TensorDescriptor::builder(ElementType::Float32, shape.iter().copied());
    let repeated =
        float32(&[1 << 40]).layout(Layout::Strided { strides: [0].into_iter().collect() }).buffer_sizes([4]);
    let made = |descriptor: TensorDescriptor| DynTensor::from_parts(descriptor, &[[0; 4]]).unwrap();
    let kinds = Kinds {
        half: Tensor::from_vec(vec![f16::ONE], &[1]).unwrap(),
        nibbles: Packed::from_values(&[1, 2], &[2]).unwrap(),
        sparse: Csr::from_dense(&[0.0, 1.0], &[1, 2]).unwrap(),
        quantized: QuantizedTensor::quantize_per_tensor(
            &[1.0, 2.0],
            &[2],
            ElementType::Int8,
            Symmetry::Symmetric,
        )
        .unwrap(),
        deep: made(float32(&[1; 9]).build().unwrap()),
        repeated: made(repeated.build().unwrap()),
    };
    let file = File::from_vec(hurray::to_bytes(&kinds).unwrap()).unwrap();

    let advised = [
        ("half", "element type float16, expected float32; ask for `f16`, as in `view::<f16>()`"),
        ("nibbles", "element type int4, expected float32; ask for `I4`, as in `PackedView<I4>`"),
        ("sparse", "layout csr, expected row_major, column_major or strided"),
        ("quantized", "quantized (per_tensor): use `QuantizedView`"),
        ("deep", "rank 9 is above 8: use `DynTensorView`"),
        ("repeated", "the result exceeds the limit `dense_bytes`: 4398046511104 of at most 17179869184"),
    ];
    for (name, advice) in advised {
        let entry = file.tensor(name).unwrap();
        let view = entry.dyn_view().unwrap();
        for error in [entry.view::<f32>().unwrap_err(), view.typed::<f32>().unwrap_err()] {
            assert_eq!(error.to_string(), format!("tensor `{name}`: {advice}"));
            assert_eq!(error.tensor(), Some(name));
        }
    }
    let error = file.tensor("half").unwrap().dyn_view().unwrap().quantized().unwrap_err();
    assert_eq!(error.tensor(), Some("half"), "{error}");
    let error = file.tensor("repeated").unwrap().values(&Limits::default()).unwrap_err();
    assert_eq!(error.tensor(), Some("repeated"), "{error}");
    let error = file.partition::<f32>("half").unwrap_err();
    assert_eq!(error.to_string(), "tensor `half`: layout row_major, expected a partition or an overlay");

    // A tensor in memory has no name, and nothing to be asked again.
    let error = kinds.repeated.view().typed::<f64>().unwrap_err();
    assert_eq!(error.to_string(), "element type float32, expected float64");
}

#[test]
fn a_name_in_an_error_makes_no_result_larger() {
    type View = hurray::TensorView<'static, f32>;
    assert_eq!(size_of::<Result<View, TensorError>>(), size_of::<View>());
}
