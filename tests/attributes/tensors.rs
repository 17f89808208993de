//! Attributes that say something of a tensor: `cast`, `element_type`, `layout`, `align`, `partition`, `tied`.

use hurray::{
    ElementType, HurrayLoad, HurraySave, LoadOptions, ProblemKind, SaveError, SaveOptions, Tensor, TensorView,
};
use hurray_tests::{file_of, listing_of, reloaded, report_of};

fn tensor<T: hurray::Element>(values: &[T]) -> Tensor<T> {
    Tensor::from_vec(values.to_vec(), &[values.len()]).unwrap()
}

#[derive(HurraySave, HurrayLoad)]
struct Plain<T> {
    w: T,
}

#[test]
fn cast_takes_any_real_float_into_fields_that_own_them() {
    #[derive(HurrayLoad, Debug, PartialEq)]
    struct Cast {
        #[hurray(cast)]
        w: Vec<f32>,
    }
    let half = |value: f32| half::f16::from_f32(value);
    for file in [
        file_of(&Plain { w: tensor(&[0.5f64, 2.0]) }),
        file_of(&Plain { w: tensor(&[0.5f32, 2.0]) }),
        file_of(&Plain { w: tensor(&[half(0.5), half(2.0)]) }),
    ] {
        let (loaded, report) = file.load_with::<Cast>(&LoadOptions::new()).unwrap();
        assert_eq!(loaded.w, [0.5, 2.0]);
        let is_same = file.tensor("w").unwrap().descriptor().unwrap().element_type() == ElementType::Float32;
        assert_eq!(report.cast().len(), usize::from(!is_same));
    }
    // Integers never.
    let report = report_of::<Cast>(&file_of(&Plain { w: tensor(&[1i32]) }));
    assert_eq!((report.problem_count(), report.count(ProblemKind::ElementType)), (1, 1));
    // Without the attribute nothing is converted.
    let report = report_of::<Plain<Vec<f32>>>(&file_of(&Plain { w: tensor(&[0.5f64]) }));
    assert_eq!(report.count(ProblemKind::ElementType), 1);

    #[derive(HurrayLoad)]
    struct Borrowed<'a> {
        #[hurray(cast)]
        w: TensorView<'a, f32>,
    }
    let file = file_of(&Plain { w: tensor(&[0.5f64]) });
    let error = file.load::<Borrowed<'_>>().err().unwrap();
    assert!(error.to_string().contains("since the field borrows them"), "{error}");
    let file = file_of(&Plain { w: tensor(&[0.5f32]) });
    assert_eq!(file.load::<Borrowed<'_>>().unwrap().w.as_slice(), Some(&[0.5][..]));
}

#[test]
fn element_type_is_the_type_in_the_file() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Narrow {
        #[hurray(element_type = "bfloat16")]
        w: Tensor<f32>,
        #[hurray(element_type = "float64")]
        bias: Vec<f32>,
    }
    let model = Narrow { w: tensor(&[1.0, 2.5]), bias: vec![0.1] };
    assert_eq!(listing_of(&model), ["w: bfloat16[2]", "bias: float64[1]"]);
    assert_eq!(reloaded(&model), model);
    // Rounded to nearest even.
    let rounded = reloaded(&Narrow { w: tensor(&[1.0 + 1.0 / 256.0, 1.0 + 3.0 / 256.0]), bias: Vec::new() });
    assert_eq!(rounded.w.to_vec(), [1.0, 1.015_625]);
    // Another type in the file is another type.
    #[derive(HurraySave)]
    struct Wide {
        w: Tensor<f32>,
        bias: Tensor<f64>,
    }
    let report = report_of::<Narrow>(&file_of(&Wide { w: tensor(&[1.0]), bias: tensor(&[1.0]) }));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!(
        (problem.kind, &*problem.expected, &*problem.found),
        (ProblemKind::ElementType, "bfloat16", "float32")
    );
    // A type that it can't be converted to is refused by the save.
    #[derive(HurraySave)]
    struct Integers {
        #[hurray(element_type = "float32")]
        w: Tensor<i32>,
    }
    assert!(matches!(hurray::to_bytes(&Integers { w: tensor(&[1]) }), Err(SaveError::Refused { .. })));
}

#[derive(HurraySave, HurrayLoad)]
struct Layouts<'a> {
    plain: TensorView<'a, f32>,
    #[hurray(layout = "row_major")]
    gathered: TensorView<'a, f32>,
    #[hurray(layout = "keep")]
    kept: TensorView<'a, f32>,
}

#[test]
fn layout_says_whether_strides_are_kept() {
    let data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let transposed = TensorView::from_strided(&data, 0, &[3, 2], &[1, 3]).unwrap();
    let file = file_of(&Layouts { plain: transposed, gathered: transposed, kept: transposed });
    let loaded: Layouts<'_> = file.load().unwrap();
    assert_eq!(loaded.plain.strides(), [2, 1]);
    assert_eq!(loaded.gathered.strides(), [2, 1]);
    assert_eq!(loaded.kept.strides(), [1, 3]);
    let rows = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
    for view in [loaded.plain, loaded.gathered, loaded.kept] {
        assert_eq!(view.to_vec(), rows);
    }
    // What lies in row-major order already is row-major either way.
    let dense = TensorView::from_slice(&data, &[3, 2]).unwrap();
    let file = file_of(&Layouts { plain: dense, gathered: dense, kept: dense });
    assert_eq!(file.load::<Layouts<'_>>().unwrap().kept.as_slice(), Some(&data[..]));
}

#[test]
fn align_is_declared_and_true() {
    #[derive(HurraySave)]
    struct Aligned {
        plain: Tensor<f32>,
        #[hurray(align = 65536)]
        device: Tensor<f32>,
    }
    let model = Aligned { plain: tensor(&[1.0]), device: tensor(&[2.0]) };
    // The file's own alignment is what places the data, so it has to be as large.
    let error = hurray::to_bytes(&model).unwrap_err();
    assert!(matches!(&error, SaveError::Format(error) if error.to_string().contains("PLC-12")), "{error}");
    let bytes = SaveOptions::new().alignment(65_536).to_bytes(&model).unwrap();
    let file = hurray::File::from_vec(bytes).unwrap();
    let declared = |name: &str| {
        let entry = file.tensor(name).unwrap();
        assert_eq!(entry.data_offset() % 65_536, 0, "{name}");
        entry.descriptor().unwrap().buffers()[0].alignment
    };
    assert_eq!((declared("plain"), declared("device")), (64, 65_536));
}

#[test]
fn partition_splits_on_saving() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Split {
        #[hurray(partition(axis = 0, parts = 2))]
        w: Tensor<f32>,
    }
    let model = Split { w: tensor(&[1.0, 2.0, 3.0]) };
    assert_eq!(
        listing_of(&model),
        ["w: Partition of 2 as float32[3]", "  w.0: float32[2]", "  w.1: float32[1]"]
    );
    assert_eq!(reloaded(&model), model);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Tied {
    embed: Plain2,
    #[hurray(tied = "embed.weight")]
    head: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Plain2 {
    weight: Tensor<f32>,
}

#[test]
fn tied_is_another_name_of_what_is_stored_once() {
    let tied =
        |weight: &[f32], head: &[f32]| Tied { embed: Plain2 { weight: tensor(weight) }, head: tensor(head) };
    let model = tied(&[1.0, 2.0], &[1.0, 2.0]);
    assert_eq!(
        listing_of(&model),
        ["embed: Group of 1", "  embed.weight: float32[2]", "hurray.tied.head = utf8 \"embed.weight\""]
    );
    assert_eq!(reloaded(&model), model);
    for other in [&[1.0, 3.0][..], &[1.0]] {
        assert!(matches!(hurray::to_bytes(&tied(&[1.0, 2.0], other)), Err(SaveError::Tie { .. })));
    }
}
