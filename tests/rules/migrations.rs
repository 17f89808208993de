//! Steps of a migration: what they lead to, and what they refuse.

use std::sync::Arc;

use hurray::{HurrayLoad, HurraySave, Migration, ProblemKind, Tensor};
use hurray_tests::{file_of, report_of};

fn tensor(values: &[f32]) -> Tensor<f32> {
    Tensor::from_vec(values.to_vec(), &[values.len()]).unwrap()
}

/// `b` is another name of `a`, and `second` of `first`.
#[derive(HurraySave)]
struct Then {
    a: Arc<Tensor<f32>>,
    b: Arc<Tensor<f32>>,
    first: Arc<Norm>,
    second: Arc<Norm>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Norm {
    scale: Tensor<f32>,
}

fn then() -> Then {
    let (a, first) = (Arc::new(tensor(&[1.0, 2.0])), Arc::new(Norm { scale: tensor(&[3.0]) }));
    Then { a: Arc::clone(&a), b: a, first: Arc::clone(&first), second: first }
}

#[derive(HurrayLoad, Debug)]
#[hurray(version = 1, migrate = "forward")]
struct Now {
    a: Tensor<f32>,
    renamed: Tensor<f32>,
    low: Tensor<f32>,
    high: Tensor<f32>,
    twice: Tensor<f32>,
    first: Norm,
    norm: Norm,
    scale: Tensor<f32>,
}

fn forward(_: u32, old: &mut Migration<'_, '_>) {
    assert!(old.has("a") && old.has("b") && old.has("second") && old.has("second.scale"));
    assert!(!old.has("c") && !old.has("second.shift"));
    old.rename("b", "renamed");
    old.split("b", 0, &["low", "high"]);
    old.concatenate(&["b", "a", "second.scale"], 0, "twice");
    old.rename("second", "norm");
    old.rename("second.scale", "scale");
}

#[test]
fn steps_follow_the_ties_of_old_names() {
    let now: Now = file_of(&then()).load().unwrap();
    assert_eq!((&now.a, &now.renamed), (&tensor(&[1.0, 2.0]), &tensor(&[1.0, 2.0])));
    assert_eq!((&now.low, &now.high), (&tensor(&[1.0]), &tensor(&[2.0])));
    assert_eq!(now.twice, tensor(&[1.0, 2.0, 1.0, 2.0, 3.0]));
    assert_eq!((&now.first, &now.norm.scale, &now.scale), (&now.norm, &tensor(&[3.0]), &tensor(&[3.0])));
}

#[test]
fn a_tied_old_name_may_take_the_place_of_what_it_is_tied_to() {
    #[derive(HurrayLoad, Debug)]
    #[hurray(version = 1, migrate = "forward")]
    struct Now {
        a: Tensor<f32>,
        first: Norm,
    }
    fn forward(_: u32, old: &mut Migration<'_, '_>) {
        old.rename("b", "a").rename("second", "first");
    }
    let now: Now = file_of(&then()).load().unwrap();
    assert_eq!((now.a, now.first.scale), (tensor(&[1.0, 2.0]), tensor(&[3.0])));
}

#[derive(HurraySave)]
struct Full {
    w: Tensor<f32>,
    rate: f32,
    norms: Vec<Norm>,
    kept: Option<f32>,
}

#[derive(HurrayLoad, Debug)]
#[hurray(version = 1, migrate = "all_by_default")]
#[expect(dead_code, reason = "it does not load")]
struct WithoutDefaults {
    w: Tensor<f32>,
    rate: f32,
    norms: Vec<Norm>,
    kept: Option<f32>,
}

fn all_by_default(_: u32, old: &mut Migration<'_, '_>) {
    old.default("w").default("rate").default("norms").default("kept");
}

#[test]
fn a_field_without_a_default_can_not_take_it() {
    let full = || Full {
        w: tensor(&[1.0]),
        rate: 0.5,
        norms: vec![Norm { scale: tensor(&[1.0]) }],
        kept: Some(1.0),
    };
    let report = report_of::<WithoutDefaults>(&file_of(&full()));
    let missing: Vec<_> = report.problems().iter().map(|problem| (problem.kind, &*problem.path)).collect();
    assert_eq!(
        missing,
        [(ProblemKind::Missing, "norms"), (ProblemKind::Missing, "rate"), (ProblemKind::Missing, "w")]
    );
    assert!(report.to_string().contains("the field no default"), "{report}");

    #[derive(HurrayLoad, Debug, PartialEq)]
    #[hurray(version = 1, migrate = "all_by_default", default)]
    struct WithDefaults {
        w: Vec<f32>,
        rate: f32,
        norms: Vec<Norm>,
        kept: Option<f32>,
    }
    impl Default for WithDefaults {
        fn default() -> Self {
            Self { w: vec![7.0], rate: 7.0, norms: Vec::new(), kept: Some(7.0) }
        }
    }
    assert_eq!(file_of(&full()).load::<WithDefaults>().unwrap(), WithDefaults::default());
}

#[test]
fn steps_without_names_are_refused_in_words() {
    #[derive(HurrayLoad, Debug)]
    #[hurray(version = 1, migrate = "forward")]
    struct Now {
        #[expect(dead_code, reason = "it does not load")]
        w: Option<Tensor<f32>>,
    }
    fn forward(_: u32, old: &mut Migration<'_, '_>) {
        old.concatenate(&[], 0, "w").rename("", "w").split("w", 0, &["a..b"]);
        old.discard("w").discard("rate").discard("norms").discard("kept");
    }
    let full = Full { w: tensor(&[1.0]), rate: 0.5, norms: Vec::new(), kept: None };
    let report = report_of::<Now>(&file_of(&full));
    assert_eq!((report.problem_count(), report.count(ProblemKind::Refused)), (3, 3), "{report}");
    let text = report.to_string();
    assert!(text.contains("the names of the tensors to concatenate"), "{text}");
    assert!(text.contains("`a..b` in a step of the migration"), "{text}");
}

#[test]
fn a_group_is_not_split() {
    #[derive(HurrayLoad, Debug)]
    #[hurray(version = 1, migrate = "forward")]
    #[expect(dead_code, reason = "it does not load")]
    struct Now {
        a: Option<Norm>,
        b: Vec<f32>,
        c: f32,
    }
    fn forward(_: u32, old: &mut Migration<'_, '_>) {
        old.split("first", 0, &["a"]).split("a", 0, &["c", "b"]).discard("a").discard("first");
    }
    let report = report_of::<Now>(&file_of(&then()));
    let refused: Vec<_> = report.problems().iter().map(|problem| (problem.kind, &*problem.field)).collect();
    assert_eq!(refused, [(ProblemKind::Layout, "c"), (ProblemKind::Layout, "a")], "{report}");
}
