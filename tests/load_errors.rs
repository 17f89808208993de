//! One error lists all that is wrong with a file, in words that can be acted on.

use std::collections::BTreeMap;

use hurray::{File, HurrayLoad, HurraySave, LoadOptions, ProblemKind, Strictness, Tensor};
use hurray_tests::{file_of, report_of};

#[derive(HurraySave)]
struct SavedLayer {
    weight: Tensor<f32>,
    bias: Tensor<f64>,
    running_mean: Vec<f32>,
}

#[derive(HurraySave)]
struct Saved {
    layers: Vec<SavedLayer>,
    epochs: String,
    extra: Vec<u8>,
    table: BTreeMap<String, Vec<i64>>,
    kind: String,
    note: String,
}

fn saved() -> Saved {
    let layer = |rows: usize| SavedLayer {
        weight: Tensor::from_vec(vec![0.5; rows * 4], &[rows, 4]).unwrap(),
        bias: Tensor::from_vec(vec![0.5; rows], &[rows]).unwrap(),
        running_mean: vec![1.0],
    };
    Saved {
        layers: vec![layer(3), layer(2)],
        epochs: "40".into(),
        extra: vec![1],
        table: BTreeMap::from([("a.b".into(), vec![1])]),
        kind: "Gelu".into(),
        note: "unknown entries never fail a load".into(),
    }
}

#[derive(HurraySave, HurrayLoad)]
enum Kind {
    Relu,
    Silu,
}

#[derive(HurrayLoad)]
#[expect(dead_code, reason = "never loads")]
struct Layer {
    #[hurray(shape = [3, inputs])]
    weight: Tensor<f32>,
    #[hurray(shape = [3])]
    bias: Tensor<f32>,
    #[hurray(rename = "running_means")]
    mean: Vec<f32>,
}

#[derive(HurrayLoad)]
#[expect(dead_code, reason = "never loads")]
struct Model {
    layers: Vec<Layer>,
    epochs: u32,
    table: BTreeMap<String, [[i64; 1]; 1]>,
    kind: Kind,
    gain: Option<Vec<f32>>,
}

const REPORT: &str = "\
`/models/mlp.hrry` does not fit the model: 2 missing, 3 unexpected, 2 element type, 1 rank, 1 shape, 2 metadata
  `layers.0.running_means` is missing: the struct wants a tensor (field `layers[0].mean`); near: `layers.0.running_mean`, `layers.1.running_mean`
  `layers.1.running_means` is missing: the struct wants a tensor (field `layers[1].mean`); near: `layers.1.running_mean`, `layers.0.running_mean`
  `extra` is not wanted by any field
  `layers.0.running_mean` is not wanted by any field
  `layers.1.running_mean` is not wanted by any field
  `layers.0.bias`: element type: the file has float64, the struct wants float32 (field `layers[0].bias`)
  `layers.1.bias`: element type: the file has float64, the struct wants float32 (field `layers[1].bias`)
  `table.a%2Eb`: rank: the file has rank 1, the struct wants rank 2 (field `table[\"a%2Eb\"]`)
  `layers.1.weight`: shape: the file has [2, 4], the struct wants [3, inputs] (field `layers[1].weight`)
  `epochs`: metadata: the file has utf8 \"40\", the struct wants uint64 that fits u32
  `kind`: metadata: the file has the variant `Gelu`, the struct wants one of `Relu`, `Silu`; near: `Relu`";

#[test]
fn one_error_lists_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mlp.hrry");
    hurray::save(&path, &saved()).unwrap();
    let error = hurray::load::<Model>(&path).err().expect("nothing fits");
    let text = error.to_string().replace(folder.path().to_str().unwrap(), "/models");
    assert_eq!(text, REPORT, "\n{text}\n");
    assert_eq!(error.report().unwrap().file(), Some(&*path));
    assert_eq!(error.report().unwrap().unknown_metadata(), ["note"]);
}

/// What a model of today finds in the file of another one: three tensors are missing, two are left over, and two are
/// there and differ.
const DIFFERENCES: &str = "\
`/models/tagger.hrry` does not fit the model: 3 missing, 2 unexpected, 1 element type, 1 shape
  `decoder.layers.0.bias` is missing: the struct wants a tensor (field `decoder.layers[0].bias`); near: `decoder.layers.0.biases`, `decoder.layers.1.biases`
  `decoder.layers.1.bias` is missing: the struct wants a tensor (field `decoder.layers[1].bias`); near: `decoder.layers.1.biases`, `decoder.layers.0.biases`
  `head.weight` is missing: the struct wants a tensor
  `decoder.layers.0.biases` is not wanted by any field
  `decoder.layers.1.biases` is not wanted by any field
  `embedding`: element type: the file has float64, the struct wants float32
  `decoder.layers.1.weight`: shape: the file has [2, 3], the struct wants [4, 3] (field `decoder.layers[1].weight`)";

#[test]
fn three_missing_two_unexpected_and_two_mismatched_tensors_are_one_error() {
    #[derive(HurraySave)]
    struct Then {
        embedding: Tensor<f64>,
        decoder: DecoderThen,
    }
    #[derive(HurraySave)]
    struct DecoderThen {
        layers: Vec<LayerThen>,
    }
    #[derive(HurraySave)]
    struct LayerThen {
        weight: Tensor<f32>,
        biases: Tensor<f32>,
    }
    #[derive(HurrayLoad)]
    #[expect(dead_code, reason = "never loads")]
    struct Tagger {
        embedding: Tensor<f32>,
        decoder: Decoder,
        head: Head,
    }
    #[derive(HurrayLoad)]
    #[expect(dead_code, reason = "never loads")]
    struct Decoder {
        layers: Vec<Linear>,
    }
    #[derive(HurrayLoad)]
    #[expect(dead_code, reason = "never loads")]
    struct Linear {
        #[hurray(shape = [4, 3])]
        weight: Tensor<f32>,
        bias: Tensor<f32>,
    }
    #[derive(HurrayLoad)]
    #[expect(dead_code, reason = "never loads")]
    struct Head {
        weight: Tensor<f32>,
    }

    let layer = |rows: usize| LayerThen {
        weight: Tensor::from_vec(vec![0.5; rows * 3], &[rows, 3]).unwrap(),
        biases: Tensor::from_vec(vec![0.5; rows], &[rows]).unwrap(),
    };
    let then = Then {
        embedding: Tensor::from_vec(vec![0.5; 6], &[2, 3]).unwrap(),
        decoder: DecoderThen { layers: vec![layer(4), layer(2)] },
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tagger.hrry");
    hurray::save(&path, &then).unwrap();
    let error = hurray::load::<Tagger>(&path).err().expect("it does not fit");
    let text = error.to_string().replace(folder.path().to_str().unwrap(), "/models");
    assert_eq!(text, DIFFERENCES, "\n{text}\n");
}

#[test]
fn each_problem_is_there_as_data() {
    let report = report_of::<Model>(&file_of(&saved()));
    assert_eq!(report.problem_count(), 11);
    assert_eq!(report.problems().len(), 11);
    let mean = &report.problems()[0];
    assert_eq!(
        (mean.kind, &*mean.path, &*mean.field, &*mean.near[0]),
        (ProblemKind::Missing, "layers.0.running_means", "layers[0].mean", "layers.0.running_mean")
    );
    assert!(report.to_string().starts_with("the bytes do not fit the model: "));
}

#[test]
fn only_the_first_1000_problems_are_kept_and_all_are_counted() {
    #[derive(HurraySave)]
    struct Many {
        w: BTreeMap<String, [u8; 1]>,
    }
    #[derive(HurrayLoad, Debug)]
    struct Few {
        #[expect(dead_code, reason = "never loads")]
        w: BTreeMap<String, [f32; 1]>,
    }
    let many = Many { w: (0..1500).map(|index| (index.to_string(), [1])).collect() };
    let report = report_of::<Few>(&file_of(&many));
    assert_eq!(report.problem_count(), 1500);
    assert_eq!(report.problems().len(), 1000);
    let text = report.to_string();
    assert_eq!(text.lines().count(), 22);
    assert!(text.ends_with("and 1480 more"), "{text}");
}

#[test]
fn unexpected_tensors_can_be_allowed_and_are_listed_all_the_same() {
    #[derive(HurrayLoad)]
    struct Part {
        extra: Vec<u8>,
    }
    let file: File = file_of(&saved());
    assert_eq!(report_of::<Part>(&file).count(ProblemKind::Unexpected), 7);
    let (part, report) = file.load_with::<Part>(&LoadOptions::new().unexpected(Strictness::Relaxed)).unwrap();
    assert_eq!(part.extra, [1]);
    assert_eq!(report.count(ProblemKind::Unexpected), 7);
    assert!(report.problems().iter().all(|problem| problem.is_tolerated));
}

#[test]
fn control_characters_of_a_name_do_not_reach_the_terminal() {
    let evil = BTreeMap::from([("\u{1b}[2J\nx".to_owned(), [1u8])]);
    let report = report_of::<BTreeMap<String, [f32; 1]>>(&file_of(&evil));
    let text = report.to_string();
    assert!(text.contains("\\u{1b}[2J\\nx"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");

    #[derive(HurrayLoad, Debug)]
    struct Nothing {}
    let text = report_of::<Nothing>(&file_of(&evil)).to_string();
    assert!(!text.contains('\u{1b}'), "{text:?}");
}
