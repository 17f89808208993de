//! A key map takes our own entries along: what they say of lengths, keys, presence and ties goes where the tensors go.

use std::collections::BTreeMap;
use std::sync::Arc;

use hurray::{
    HurrayLoad, HurraySave, KeyMap, KvArray, KvValue, LoadOptions, LoadReport, ProblemKind, Tensor,
};
use hurray_tests::{file_of, flat};

fn tensor(values: &[f32]) -> Arc<Tensor<f32>> {
    Arc::new(Tensor::from_vec(values.to_vec(), &[values.len()]).unwrap())
}

/// Has every kind of entry of our own.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
#[hurray(version = 2)]
struct Model {
    layers: Vec<Option<Layer>>,
    table: Arc<Tensor<f32>>,
    head: Arc<Tensor<f32>>,
    rates: BTreeMap<String, f64>,
    nothing: Option<()>,
    act: Act,
    epochs: u32,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Layer {
    weight: Arc<Tensor<f32>>,
    rate: Option<f64>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Act {
    Relu,
    Scaled(f64),
}

fn model() -> Model {
    let table = tensor(&[1.0]);
    let layer = |value| Some(Layer { weight: tensor(&[value]), rate: Some(0.5) });
    Model {
        layers: vec![None, layer(2.0), None, layer(3.0), None],
        table: Arc::clone(&table),
        head: table,
        rates: BTreeMap::from([("a.b".into(), 1.0), ("%0".into(), 2.0)]),
        nothing: Some(()),
        act: Act::Scaled(0.25),
        epochs: 3,
    }
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Wrapped {
    model: Model,
}

fn load<M: for<'f> HurrayLoad<'f>>(file: &hurray::File, map: KeyMap) -> Result<M, Box<LoadReport>> {
    match file.load_with(&LoadOptions::new().key_map(map)) {
        Ok((model, _report)) => Ok(model),
        Err(error) => Err(Box::new(error.report().unwrap().clone())),
    }
}

#[test]
fn prefixes_come_off_and_on_with_all_entries() {
    let wrapped = file_of(&Wrapped { model: model() });
    assert_eq!(load::<Model>(&wrapped, KeyMap::new().strip_prefix("model")), Ok(model()));
    let plain = file_of(&model());
    assert_eq!(load::<Wrapped>(&plain, KeyMap::new().add_prefix("model")), Ok(Wrapped { model: model() }));
    let options = LoadOptions::new().key_map(KeyMap::new().add_prefix("model"));
    let (_, report) = plain.load_with::<Wrapped>(&options).unwrap();
    assert!(report.renamed().iter().all(|(old, _)| !old.starts_with("hurray")), "{:?}", report.renamed());
    // What changes nothing changes nothing.
    assert_eq!(load::<Model>(&plain, KeyMap::new().strip_prefix("other").exact("no", "where")), Ok(model()));
}

#[derive(HurrayLoad, Debug, PartialEq)]
#[hurray(version = 2)]
struct OtherNames {
    blocks: Vec<Option<Layer>>,
    embedding: Arc<Tensor<f32>>,
    output: Arc<Tensor<f32>>,
    rates: BTreeMap<String, f64>,
    nothing: Option<()>,
    act: Act,
    steps: u32,
}

#[test]
fn other_names_of_groups_tensors_ties_and_entries() {
    let map = KeyMap::new()
        .prefix("layers", "blocks")
        .exact("table", "embedding")
        .exact("head", "output")
        .exact("epochs", "steps");
    let loaded = load::<OtherNames>(&file_of(&model()), map).unwrap();
    let expected = model();
    assert_eq!((loaded.blocks, loaded.rates, loaded.act), (expected.layers, expected.rates, expected.act));
    assert_eq!((loaded.embedding, loaded.output, loaded.steps), (expected.table, expected.head, 3));
}

#[test]
fn an_index_that_moves_takes_its_bit_along() {
    #[derive(HurrayLoad, Debug)]
    struct Layers {
        layers: Vec<Option<Layer>>,
    }
    let names = ["layers.1.weight", "layers.3.weight"];
    let seq = KvValue::Array(KvArray::Bools(vec![false, true, false, true]));
    let file = flat(&names, &[("hurray.seq.layers", seq)]);
    let loaded: Layers = load(&file, KeyMap::new().reindex("layers")).unwrap();
    assert!(matches!(loaded.layers.as_slice(), [Some(_), Some(_)]), "{loaded:?}");
    let loaded: Layers = load(&file, KeyMap::new().prefix("layers.1", "layers.0")).unwrap();
    assert!(matches!(loaded.layers.as_slice(), [Some(_), None, None, Some(_)]), "{loaded:?}");
}

#[test]
fn a_key_that_is_renamed_is_renamed_in_the_list_too() {
    #[derive(HurrayLoad, Debug)]
    struct Rates {
        rates: BTreeMap<String, f64>,
    }
    let keys = KvValue::Array(KvArray::Strings(vec!["a".into(), "b.c".into()]));
    let one = || KvValue::Float64(1.0);
    let file = flat(&[], &[("hurray.keys.rates", keys), ("rates.a", one()), ("rates.b%2Ec", one())]);
    let map = KeyMap::new().exact("rates.a", "rates.z").prefix("rates.b%2Ec", "rates.x%2Ey");
    let loaded: Rates = load(&file, map).unwrap();
    assert_eq!(loaded.rates.keys().collect::<Vec<_>>(), ["x.y", "z"]);
    // A value that goes elsewhere leaves a list that says something else.
    let report = load::<Rates>(&file, KeyMap::new().exact("rates.a", "a")).unwrap_err();
    let torn = report.problems().iter().find(|problem| problem.kind == ProblemKind::Refused).unwrap();
    assert_eq!(torn.expected, "what `hurray.keys.rates` holds together under one path after the key map");
}

#[test]
fn a_pattern_that_matches_whole_names_moves_the_groups_around_them() {
    let pattern = regex::Regex::new(r"^layers\.(\d+)\.(.*)$").unwrap();
    let map =
        KeyMap::new().regex(pattern, "blocks.$1.$2").exact("table", "embedding").exact("head", "output");
    let loaded = load::<OtherNames>(&file_of(&model()), map.exact("epochs", "steps")).unwrap();
    assert_eq!(loaded.blocks, model().layers);
}

#[test]
fn two_entries_of_one_key_are_an_error() {
    let file = flat(&[], &[("a", KvValue::UInt64(1)), ("b", KvValue::UInt64(2))]);
    #[derive(HurrayLoad, Debug)]
    struct One {
        #[expect(dead_code, reason = "it does not load")]
        a: u32,
    }
    let report = load::<One>(&file, KeyMap::new().exact("b", "a")).unwrap_err();
    assert_eq!(report.count(ProblemKind::Refused), 1, "{report}");
}
