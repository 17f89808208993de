//! Names of variants that a file may have are listed wherever one is wanted.

use hurray::{HurrayLoad, HurraySave, KvArray, KvValue, LoadReport, ProblemKind};
use hurray_tests::{flat, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone, Copy)]
enum Act {
    Relu,
    #[hurray(alias = "Swish")]
    Silu,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Layer {
    Dense(Vec<f32>),
    Pool { size: u32 },
    Flatten,
}

fn one(report: &LoadReport) -> (ProblemKind, String, String, Vec<String>) {
    let [problem] = report.problems() else { panic!("{report}") };
    (problem.kind, problem.expected.clone(), problem.found.clone(), problem.near.clone())
}

fn text(text: &str) -> KvValue {
    KvValue::String(text.into())
}

#[derive(HurrayLoad, Debug)]
#[expect(dead_code, reason = "it does not load")]
struct OneAct {
    act: Act,
}

#[derive(HurrayLoad, Debug)]
#[expect(dead_code, reason = "it does not load")]
struct EntryAct {
    #[hurray(kv)]
    act: Act,
}

#[derive(HurrayLoad, Debug)]
#[expect(dead_code, reason = "it does not load")]
struct Acts {
    act: Vec<Act>,
}

#[derive(HurrayLoad, Debug)]
#[expect(dead_code, reason = "it does not load")]
struct EntryActs {
    #[hurray(kv)]
    act: Vec<Act>,
}

#[derive(HurrayLoad, Debug)]
#[expect(dead_code, reason = "it does not load")]
struct OneLayer {
    act: Layer,
}

#[test]
fn an_unknown_variant_lists_the_known_ones_and_near_names() {
    let file = |found: KvValue| flat(&[], &[("act", found)]);
    let known = "one of `Relu`, `Silu`";
    let expected = |near: &[&str]| {
        let near = near.iter().map(|name| (*name).to_owned()).collect();
        (ProblemKind::Metadata, known.to_owned(), "the variant `Relo`".to_owned(), near)
    };
    assert_eq!(one(&report_of::<OneAct>(&file(text("Relo")))), expected(&["Relu"]));
    let array = KvValue::Array(KvArray::Strings(vec!["Silu".into(), "Relo".into()]));
    assert_eq!(one(&report_of::<Acts>(&file(array.clone()))), expected(&["Relu"]));
    let (_, expected, found, near) = one(&report_of::<OneLayer>(&file(text("Densse"))));
    assert_eq!((&*expected, &*found), ("one of `Dense`, `Pool`, `Flatten`", "the variant `Densse`"));
    assert_eq!(near, ["Dense"]);
    // An alias is a name, too.
    assert_eq!(one(&report_of::<OneAct>(&file(text("Swissh")))).3, ["Swish"]);
    // A `kv` field says the same of what it wants.
    let (_, expected, found, _) = one(&report_of::<EntryAct>(&file(text("Relo"))));
    assert_eq!((&*expected, &*found), (known, "utf8 \"Relo\""));
    let (_, expected, found, _) = one(&report_of::<EntryActs>(&file(array)));
    assert_eq!((&*expected, &*found), ("array of utf8, each one of `Relu`, `Silu`", "array of 2 utf8"));
}

#[test]
fn a_missing_variant_and_one_of_another_type_list_the_known_ones() {
    let wanted = "the name of a variant, one of `Relu`, `Silu`";
    let (kind, expected, ..) = one(&report_of::<OneAct>(&flat(&[], &[])));
    assert_eq!((kind, &*expected), (ProblemKind::Missing, wanted));
    let (kind, expected, found, _) = one(&report_of::<OneAct>(&flat(&[], &[("act", KvValue::UInt64(1))])));
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Metadata, wanted, "uint64 1"));
}

/// A conversion stands before the names of variants.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone, Copy)]
#[hurray(into = "u32", try_from = "u32")]
enum Level {
    Low,
    High,
}

impl From<Level> for u32 {
    fn from(level: Level) -> Self {
        match level {
            Level::Low => 10,
            Level::High => 20,
        }
    }
}

impl TryFrom<u32> for Level {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        match number {
            10 => Ok(Self::Low),
            20 => Ok(Self::High),
            other => Err(format!("no level {other}")),
        }
    }
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Levels {
    level: Level,
    all: Vec<Level>,
}

#[test]
fn an_enum_without_data_may_be_a_number_in_the_file() {
    let model = Levels { level: Level::High, all: vec![Level::Low, Level::High] };
    let file = hurray_tests::file_of(&model);
    assert_eq!(file.metadata().get("level"), Some(&KvValue::UInt64(20)));
    assert_eq!(reloaded(&model), model);
    let report =
        report_of::<Levels>(&flat(&[], &[("level", KvValue::UInt64(7)), ("all.0", KvValue::UInt64(10))]));
    assert!(report.to_string().contains("no level 7"), "{report}");
}
