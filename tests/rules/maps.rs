//! The keys of a map are its own values: no heads of groups, no parts of a partition, no neighbours.

use std::collections::{BTreeMap, HashMap};

use hurray::{
    DynTensor, HurrayLoad, HurraySave, LoadOptions, Partition, PartitionView, ProblemKind, SaveError,
    Strictness, Tensor, TensorView,
};
use hurray_tests::{file_of, flat, reloaded, report_of};

fn tensor(values: &[f32]) -> Tensor<f32> {
    Tensor::from_vec(values.to_vec(), &[values.len()]).unwrap()
}

fn keys<T>(map: &BTreeMap<String, T>) -> Vec<&str> {
    map.keys().map(String::as_str).collect()
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Weights {
    #[hurray(rename = "w.before")]
    before: Tensor<f32>,
    w: BTreeMap<String, Tensor<f32>>,
    #[hurray(rename = "w.after.all")]
    after: Tensor<f32>,
    #[hurray(rename = "w.rate")]
    rate: f64,
}

fn weights(keys: &[&str]) -> Weights {
    let w = keys.iter().map(|key| ((*key).to_owned(), tensor(&[3.0]))).collect();
    Weights { before: tensor(&[1.0]), w, after: tensor(&[2.0]), rate: 0.5 }
}

#[test]
fn neighbours_with_names_under_a_map_are_no_keys() {
    for keys in [&["a", "b.c"][..], &[]] {
        assert_eq!(reloaded(&weights(keys)), weights(keys));
    }
    // Without heads, the struct knows its own names.
    let names = ["w.before", "w.a", "w.x.y", "w.after.all"];
    let file = flat(&names, &[("w.rate", hurray::KvValue::Float64(0.5))]);
    assert_eq!(keys(&file.load::<Weights>().unwrap().w), ["a", "x.y"]);
    let alone = flat(&["w.before", "w.after.all"], &[("w.rate", hurray::KvValue::Float64(0.5))]);
    let report = report_of::<Weights>(&alone);
    assert_eq!((report.problem_count(), &*report.problems()[0].path), (1, "w"), "{report}");
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Scaled {
    weight: Option<Tensor<f32>>,
    #[hurray(rename = "weight.scale")]
    scale: Tensor<f32>,
    #[hurray(default)]
    layers: Vec<Layer>,
    #[hurray(rename = "layers.norm", alias = "norm")]
    norm: f32,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Layer {
    w: Tensor<f32>,
}

#[test]
fn neighbours_with_names_under_an_option_do_not_make_it_present() {
    let scaled = |weight| Scaled { weight, scale: tensor(&[2.0]), layers: Vec::new(), norm: 1.0 };
    assert_eq!(reloaded(&scaled(None)), scaled(None));
    assert_eq!(reloaded(&scaled(Some(tensor(&[1.0])))), scaled(Some(tensor(&[1.0]))));
    let file = flat(&["weight.scale"], &[("layers.norm", hurray::KvValue::Float64(1.0))]);
    let (loaded, report) = file.load_with::<Scaled>(&LoadOptions::new()).unwrap();
    assert_eq!((loaded.weight, loaded.layers.len()), (None, 0));
    assert_eq!(report.defaulted(), ["layers"]);
}

#[derive(HurraySave)]
struct Net {
    table: Tensor<f32>,
    layers: Vec<Layer>,
    #[hurray(partition(axis = 0, parts = 2))]
    split: Tensor<f32>,
    deep: Deep,
}

#[derive(HurraySave)]
struct Deep {
    #[hurray(partition(axis = 0, parts = 2))]
    w: Tensor<f32>,
}

fn net() -> Net {
    let layer = |value| Layer { w: tensor(&[value]) };
    Net {
        table: tensor(&[1.0]),
        layers: vec![layer(2.0), layer(3.0)],
        split: tensor(&[4.0, 5.0]),
        deep: Deep { w: tensor(&[6.0, 7.0]) },
    }
}

#[test]
fn a_state_dict_of_any_file_has_tensors_only_and_partitions_as_one() {
    let file = file_of(&net());
    let dict: BTreeMap<String, Tensor<f32>> = file.load().unwrap();
    assert_eq!(keys(&dict), ["deep.w", "layers.0.w", "layers.1.w", "split", "table"]);
    assert_eq!((&dict["split"], &dict["deep.w"]), (&tensor(&[4.0, 5.0]), &tensor(&[6.0, 7.0])));
    let layers: BTreeMap<String, Tensor<f32>> = file.load_at("layers").unwrap();
    assert_eq!(keys(&layers), ["0.w", "1.w"]);
    // A type that can't hold a partition says so of that one.
    let error = file.load::<HashMap<String, TensorView<'_, f32>>>().unwrap_err();
    let report = error.report().unwrap();
    assert_eq!((report.problem_count(), &*report.problems()[0].path), (2, "deep.w"), "{report}");
}

#[derive(HurraySave, HurrayLoad)]
struct Parts<'a> {
    parts: BTreeMap<String, PartitionView<'a, f32>>,
    plain: BTreeMap<String, DynTensor>,
}

#[derive(HurraySave, HurrayLoad)]
struct OwnParts {
    parts: BTreeMap<String, Partition<f32>>,
    plain: BTreeMap<String, DynTensor>,
}

#[test]
fn a_map_of_partitions_has_their_heads_as_keys() {
    #[derive(HurraySave)]
    struct Split {
        parts: Halves,
        plain: BTreeMap<String, Tensor<f32>>,
    }
    #[derive(HurraySave)]
    struct Halves {
        #[hurray(partition(axis = 0, parts = 2))]
        a: Tensor<f32>,
        #[hurray(partition(axis = 0, parts = 2))]
        b: Tensor<f32>,
    }
    let split = Split {
        parts: Halves { a: tensor(&[1.0, 2.0]), b: tensor(&[3.0, 4.0]) },
        plain: BTreeMap::from([("d".into(), tensor(&[5.0]))]),
    };
    let file = file_of(&split);
    let loaded: Parts<'_> = file.load().unwrap();
    assert_eq!((keys(&loaded.parts), keys(&loaded.plain)), (vec!["a", "b"], vec!["d"]));
    let own: OwnParts = file_of(&loaded).load().unwrap();
    assert_eq!((keys(&own.parts), keys(&own.plain)), (vec!["a", "b"], vec!["d"]));
}

/// Maps below the eighth level have no head that could say which members are theirs.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Nest {
    inner: Option<Box<Nest>>,
    weights: Option<Weights>,
}

#[test]
fn keys_below_the_eighth_level_are_listed() {
    for depth in 0..12 {
        let mut nest = Nest { inner: None, weights: Some(weights(&["a", "b.c"])) };
        for _ in 0..depth {
            nest = Nest { inner: Some(Box::new(nest)), weights: None };
        }
        assert_eq!(reloaded(&nest), nest, "{depth}");
    }
}

#[test]
fn maps_and_sequences_can_not_be_flattened() {
    #[derive(HurraySave, HurrayLoad, Debug)]
    struct Map {
        w: Tensor<f32>,
        #[hurray(flatten)]
        more: BTreeMap<String, Tensor<f32>>,
    }
    #[derive(HurraySave, HurrayLoad, Debug)]
    struct List {
        w: Tensor<f32>,
        #[hurray(flatten)]
        more: Vec<Layer>,
    }
    let error = hurray::to_bytes(&Map { w: tensor(&[1.0]), more: BTreeMap::new() }).unwrap_err();
    assert!(matches!(error, SaveError::Refused { .. }), "{error}");
    let error = hurray::to_bytes(&List { w: tensor(&[1.0]), more: Vec::new() }).unwrap_err();
    assert!(matches!(error, SaveError::Refused { .. }), "{error}");
    let report = report_of::<Map>(&flat(&["w"], &[]));
    assert_eq!((report.problem_count(), report.problems()[0].kind), (1, ProblemKind::Refused), "{report}");
    assert_eq!(report_of::<List>(&flat(&["w"], &[])).count(ProblemKind::Refused), 1);
}

#[test]
fn a_flattened_value_that_is_no_struct_is_called_that_at_the_root() {
    #[derive(HurraySave, HurrayLoad, Debug)]
    struct Flattened<V> {
        w: Tensor<f32>,
        #[hurray(flatten)]
        value: V,
    }
    #[track_caller]
    fn refused<V: HurraySave + for<'f> HurrayLoad<'f>>(value: V) {
        let error = hurray::to_bytes(&Flattened { w: tensor(&[1.0]), value }).unwrap_err();
        let what = "a flattened value that is no struct";
        assert_eq!(
            error.to_string(),
            format!("the root of a model has no name, and {what} needs one: wrap it in a struct")
        );
        let report = report_of::<Flattened<V>>(&flat(&["w"], &[]));
        let [problem] = report.problems() else { panic!("{report}") };
        assert_eq!(
            (problem.kind, problem.expected.as_str()),
            (ProblemKind::Refused, "a struct where it has `flatten`: a single value there has no name")
        );
    }
    refused(1u32);
    refused(0.5f32);
    refused(String::from("text"));
    refused(tensor(&[1.0]));
    refused([1i64]);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
#[hurray(transparent)]
struct Weight(Tensor<f32>);

#[test]
fn a_transparent_struct_is_a_value_of_a_state_dict() {
    let dict: BTreeMap<String, Weight> = flat(&["a.b.w", "c"], &[]).load().unwrap();
    assert_eq!(keys(&dict), ["a.b.w", "c"]);
}

#[test]
fn a_relaxed_load_takes_what_it_wants_from_a_larger_file() {
    #[derive(HurrayLoad)]
    struct Some {
        layers: BTreeMap<String, Layer>,
    }
    let options = LoadOptions::new().unexpected(Strictness::Relaxed);
    let (some, _report) = file_of(&net()).load_with::<Some>(&options).unwrap();
    assert_eq!(keys(&some.layers), ["0", "1"]);
}
