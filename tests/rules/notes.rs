//! What our own entries say of a sequence or a map is held against what is there.

use std::collections::BTreeMap;

use hurray::{HurrayLoad, HurraySave, KvArray, KvValue, LoadReport, ProblemKind};
use hurray_tests::{file_of, flat, reloaded, report_of};

#[derive(HurrayLoad, Debug, PartialEq)]
struct Model {
    layers: Vec<Option<Vec<f32>>>,
}

#[derive(HurrayLoad, Debug, PartialEq)]
struct Rates {
    rates: Vec<Option<f64>>,
}

fn seq(present: &[bool]) -> KvValue {
    KvValue::Array(KvArray::Bools(present.to_vec()))
}

fn layers(names: &[&str], present: &[bool]) -> Result<Model, Box<LoadReport>> {
    let file = flat(names, &[("hurray.seq.layers", seq(present))]);
    file.load::<Model>().map_err(|error| Box::new(error.report().unwrap().clone()))
}

fn one(report: &LoadReport) -> (ProblemKind, &str, &str, &str) {
    let [problem] = report.problems() else { panic!("{report}") };
    (problem.kind, &problem.path, &problem.expected, &problem.found)
}

#[test]
fn a_sequence_has_what_its_entry_says() {
    let model = layers(&["layers.0", "layers.2"], &[true, false, true]).unwrap();
    assert_eq!(model.layers, [Some(vec![0.0]), None, Some(vec![1.0])]);
}

#[test]
fn an_entry_that_denies_an_element_is_an_error() {
    let report = layers(&["layers.0", "layers.1"], &[true, false]).unwrap_err();
    let problem = &report.problems()[0];
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Metadata, "layers.1"));
    assert_eq!(problem.expected, "nothing there, as its `hurray.seq` says");
    assert_eq!(problem.field, "layers[1]");
}

#[test]
fn an_entry_that_claims_an_element_is_an_error() {
    let report = layers(&["layers.0"], &[true, true]).unwrap_err();
    let expected =
        (ProblemKind::Metadata, "layers.1", "something there, as its `hurray.seq` says", "nothing");
    assert_eq!(one(&report), expected);
}

#[test]
fn an_entry_that_is_too_short_is_an_error() {
    let report = layers(&["layers.0", "layers.1"], &[true]).unwrap_err();
    let problem = &report.problems()[0];
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Metadata, "layers"));
    assert_eq!(problem.expected, "1 elements, as `hurray.seq.layers` says");
    assert_eq!(problem.found, "something of element 1");
}

#[test]
fn elements_without_tensors_are_not_cut_off_either() {
    let rate = |index| (["rates.0", "rates.1", "rates.2"][index], KvValue::Float64(0.5));
    let whole = flat(&[], &[("hurray.seq.rates", seq(&[true, false, true])), rate(0), rate(2)]);
    assert_eq!(whole.load::<Rates>().unwrap().rates, [Some(0.5), None, Some(0.5)]);
    let cut = flat(&[], &[("hurray.seq.rates", seq(&[true])), rate(0), rate(2)]);
    let report = report_of::<Rates>(&cut);
    let expected = "1 elements, as `hurray.seq.rates` says";
    assert_eq!(one(&report), (ProblemKind::Metadata, "rates", expected, "something of element 2"));
    // A note about an element counts, too.
    let some = [("hurray.seq.units", seq(&[])), ("hurray.some.units.0", KvValue::Bool(true))];
    #[derive(HurrayLoad, Debug)]
    struct Units {
        #[expect(dead_code, reason = "it does not load")]
        units: Vec<Option<()>>,
    }
    assert_eq!(one(&report_of::<Units>(&flat(&[], &some))).1, "units");
}

#[test]
fn a_key_that_is_listed_twice_is_an_error() {
    #[derive(HurrayLoad, Debug)]
    struct Map {
        #[expect(dead_code, reason = "it does not load")]
        map: BTreeMap<String, Option<f64>>,
    }
    let keys = KvValue::Array(KvArray::Strings(vec!["a".into(), "b".into(), "a".into()]));
    let report = report_of::<Map>(&flat(&[], &[("hurray.keys.map", keys)]));
    let expected = "each key once in `hurray.keys.map`";
    assert_eq!(one(&report), (ProblemKind::Metadata, "map", expected, "the key `a` twice"));
}

#[test]
fn an_entry_of_another_type_is_an_error() {
    let text = || KvValue::String("3".into());
    let report = report_of::<Model>(&flat(&[], &[("hurray.seq.layers", text())]));
    assert_eq!(one(&report), (ProblemKind::Metadata, "layers", "an array of bool (hurray.seq)", "utf8"));
    #[derive(HurrayLoad, Debug)]
    struct Unit {
        #[expect(dead_code, reason = "it does not load")]
        unit: Option<()>,
    }
    let report = report_of::<Unit>(&flat(&[], &[("hurray.some.unit", text())]));
    assert_eq!(
        one(&report),
        (ProblemKind::Metadata, "unit", "true or a number of levels (hurray.some)", "utf8")
    );
    #[derive(HurrayLoad, Debug)]
    #[hurray(version = 1)]
    struct Versioned {}
    let report = report_of::<Versioned>(&flat(&[], &[("hurray.version", text())]));
    assert_eq!(one(&report), (ProblemKind::Version, "", "a number (hurray.version)", "utf8"));
}

/// A struct that writes nothing but its version is there all the same.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
#[hurray(version = 3, metadata)]
struct OnlyVersion {
    rate: Option<f64>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Holder {
    some: Option<OnlyVersion>,
    none: Option<OnlyVersion>,
    all: Vec<Option<OnlyVersion>>,
}

#[test]
fn a_version_alone_makes_a_struct_present() {
    let only = || Some(OnlyVersion { rate: None });
    let model = Holder { some: only(), none: None, all: vec![None, only(), None] };
    assert_eq!(reloaded(&model), model);
    assert_eq!(file_of(&model).metadata().get("hurray.seq.all"), Some(&seq(&[false, true, false])));
}
