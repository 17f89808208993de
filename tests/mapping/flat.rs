//! Files without heads, converted from elsewhere, load into the same structs.

use std::collections::BTreeMap;

use hurray::{File, HurrayLoad, HurraySave, KvValue, ProblemKind};
use hurray_tests::{flat, report_of};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Linear {
    weight: Vec<f32>,
    bias: Option<Vec<f32>>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Net {
    layers: Vec<Linear>,
    heads: BTreeMap<String, Linear>,
    last: (Vec<f32>, Linear),
    step: u32,
}

const STEP: (&str, KvValue) = ("step", KvValue::UInt64(3));

#[test]
fn lengths_and_keys_are_taken_from_the_names() {
    let names =
        ["last.1.weight", "layers.1.weight", "heads.b.weight", "layers.0.bias", "layers.0.weight", "last.0"];
    let net: Net = flat(&names, &[STEP]).load_at_root();
    assert_eq!(
        net,
        Net {
            layers: vec![
                Linear { weight: vec![4.0], bias: Some(vec![3.0]) },
                Linear { weight: vec![1.0], bias: None },
            ],
            heads: BTreeMap::from([("b".into(), Linear { weight: vec![2.0], bias: None })]),
            last: (vec![5.0], Linear { weight: vec![0.0], bias: None }),
            step: 3,
        }
    );
}

/// A load that has to succeed.
trait LoadAtRoot {
    fn load_at_root<M: hurray::HurrayLoadOwned>(&self) -> M;
}

impl LoadAtRoot for File {
    fn load_at_root<M: hurray::HurrayLoadOwned>(&self) -> M {
        self.load().unwrap_or_else(|error| panic!("{error}"))
    }
}

#[test]
fn eleven_layers_are_in_the_order_of_numbers() {
    let names: Vec<String> = (0..11).rev().map(|index| format!("{index}.weight")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let layers: Vec<Linear> = flat(&names, &[]).load_at_root();
    let weights: Vec<f32> = layers.iter().map(|layer| layer.weight[0]).collect();
    assert_eq!(weights, [10., 9., 8., 7., 6., 5., 4., 3., 2., 1., 0.]);
}

#[test]
fn a_gap_is_an_error() {
    #[derive(HurrayLoad, Debug)]
    struct Model {
        #[expect(dead_code, reason = "never loads")]
        layers: Vec<Linear>,
    }
    let report = report_of::<Model>(&flat(&["layers.0.weight", "layers.2.weight"], &[]));
    let missing: Vec<&str> = report
        .problems()
        .iter()
        .filter(|problem| problem.kind == ProblemKind::Missing)
        .map(|problem| &*problem.path)
        .collect();
    assert_eq!(missing, ["layers.1"], "{report}");
    let report = report_of::<Model>(&flat(&["layers.1.weight"], &[]));
    assert!(report.problems().iter().any(|problem| problem.path == "layers.0"), "{report}");
    // Only plain decimals are indices.
    let report = report_of::<Model>(&flat(&["layers.00.weight"], &[]));
    assert_eq!(report.count(ProblemKind::Missing), 1, "{report}");
    assert_eq!(report.count(ProblemKind::Unexpected), 1, "{report}");
}

#[test]
fn without_head_and_names_sequences_and_maps_are_missing() {
    let report = report_of::<Net>(&flat(&["last.0", "last.1.weight"], &[STEP]));
    let paths: Vec<&str> = report.problems().iter().map(|problem| &*problem.path).collect();
    assert_eq!(paths, ["heads", "layers"], "{report}");
}

#[test]
fn types_without_tensors_need_no_head() {
    #[derive(HurrayLoad, Debug, PartialEq)]
    struct Config {
        rate: f64,
    }
    #[derive(HurrayLoad, Debug, PartialEq)]
    struct Unit;
    #[derive(HurrayLoad, Debug, PartialEq)]
    struct Model {
        config: Config,
        unit: Unit,
        pair: ((), Option<u32>),
    }
    let model: Model = flat(&[], &[("config.rate", KvValue::Float64(0.5))]).load_at_root();
    assert_eq!(model, Model { config: Config { rate: 0.5 }, unit: Unit, pair: ((), None) });
}

#[test]
fn a_state_dict_is_a_map_of_whole_names() {
    let dict: BTreeMap<String, Vec<f32>> =
        flat(&["layers.0.weight", "layers.0.bias", "x"], &[]).load_at_root();
    assert_eq!(dict.keys().collect::<Vec<_>>(), ["layers.0.bias", "layers.0.weight", "x"]);
    assert_eq!(dict["layers.0.bias"], [1.0]);
}

#[test]
fn a_part_of_a_file_is_loaded_by_its_path() {
    let file = flat(&["a.layers.0.weight", "a.layers.1.weight", "b.other"], &[]);
    let layers: Vec<Linear> = file.load_at("a.layers").unwrap();
    assert_eq!(layers.len(), 2);
    let second: Linear = file.load_at("a.layers.1").unwrap();
    assert_eq!(second.weight, [1.0]);
    // What the path holds is still held against the model.
    let error = file.load_at::<Linear>("a").unwrap_err();
    let report = error.report().unwrap();
    assert_eq!(report.count(ProblemKind::Missing), 1);
    assert_eq!(report.count(ProblemKind::Unexpected), 2);
}

#[test]
fn a_head_of_another_number_of_members_does_not_matter_to_a_struct() {
    #[derive(HurraySave)]
    struct Wide {
        weight: Vec<f32>,
        bias: Vec<f32>,
    }
    #[derive(HurraySave)]
    struct Saved {
        inner: Wide,
    }
    #[derive(HurrayLoad)]
    struct Narrow {
        weight: Vec<f32>,
        #[hurray(default)]
        gain: Option<Vec<f32>>,
    }
    #[derive(HurrayLoad)]
    struct Loaded {
        inner: Narrow,
    }
    let file = hurray_tests::file_of(&Saved { inner: Wide { weight: vec![1.0], bias: vec![2.0] } });
    let options = hurray::LoadOptions::new().unexpected(hurray::Strictness::Relaxed);
    let (loaded, report) = file.load_with::<Loaded>(&options).unwrap();
    assert_eq!((loaded.inner.weight, loaded.inner.gain), (vec![1.0], None));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Unexpected, "inner.bias"));
    assert!(problem.is_tolerated);
}

#[test]
fn a_tensor_in_the_place_of_a_group_is_an_error() {
    #[derive(HurrayLoad, Debug)]
    struct Model {
        #[expect(dead_code, reason = "never loads")]
        inner: Linear,
    }
    let report = report_of::<Model>(&flat(&["inner"], &[]));
    let problem = report.problems().iter().find(|problem| problem.kind == ProblemKind::Layout).unwrap();
    assert_eq!((&*problem.path, &*problem.expected), ("inner", "a group of fields"));

    #[derive(HurrayLoad, Debug)]
    struct Tensors {
        #[expect(dead_code, reason = "never loads")]
        w: Vec<f32>,
    }
    let nested = hurray_tests::file_of(&BTreeMap::from([("w".to_owned(), vec![vec![1.0f32]])]));
    let report = report_of::<Tensors>(&nested);
    assert_eq!(report.count(ProblemKind::Layout), 1, "{report}");
}
