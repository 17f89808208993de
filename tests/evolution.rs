//! Old files into new structs: what a struct of today says of the file of then, and what the report says of it.

use hurray::{HurrayLoad, HurraySave, KeyMap, LoadOptions, Migration, ProblemKind, Strictness, Tensor};
use hurray_tests::{file_of, report_of};

fn tensor(values: &[f32], shape: &[usize]) -> Tensor<f32> {
    Tensor::from_vec(values.to_vec(), shape).unwrap()
}

#[derive(HurraySave)]
struct Then {
    weight: Tensor<f32>,
    qkv: Tensor<f32>,
    norm: Norm,
    kind: KindThen,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Norm {
    scale: Tensor<f32>,
}

#[derive(HurraySave)]
#[expect(dead_code, reason = "only one of them is saved")]
enum KindThen {
    Conv,
    Dense(Tensor<f32>),
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum KindNow {
    Pooled { size: u32 },
    Dense(Tensor<f32>),
    Conv,
}

fn then() -> Then {
    Then {
        weight: tensor(&[1.0, 2.0], &[2]),
        qkv: tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[6, 1]),
        norm: Norm { scale: tensor(&[0.5], &[1]) },
        kind: KindThen::Dense(tensor(&[9.0], &[1])),
    }
}

/// All five at once: a field added, one renamed, one split into three, another nesting, variants in another order.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
#[hurray(version = 2, migrate = "forward")]
struct Now {
    #[hurray(alias = "weight")]
    kernel: Tensor<f32>,
    attention: Attention,
    kind: KindNow,
    #[hurray(since = 1)]
    note: Option<String>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Attention {
    query: Tensor<f32>,
    key: Tensor<f32>,
    value: Tensor<f32>,
    inner: Inner,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Inner {
    norm: Norm,
}

fn forward(from: u32, old: &mut Migration<'_, '_>) {
    if from < 2 {
        old.split("qkv", 0, &["attention.query", "attention.key", "attention.value"]);
        old.rename("norm", "attention.inner.norm");
    }
}

#[test]
fn added_renamed_split_nested_and_reordered_fields_load_from_the_old_file() {
    let file = file_of(&then());
    let (now, report) = file.load_with::<Now>(&LoadOptions::new()).unwrap();
    assert_eq!(now.kernel, tensor(&[1.0, 2.0], &[2]));
    assert_eq!(now.attention.query, tensor(&[1.0, 2.0], &[2, 1]));
    assert_eq!(now.attention.key, tensor(&[3.0, 4.0], &[2, 1]));
    assert_eq!(now.attention.value, tensor(&[5.0, 6.0], &[2, 1]));
    assert_eq!(now.attention.inner.norm.scale, tensor(&[0.5], &[1]));
    assert_eq!(now.kind, KindNow::Dense(tensor(&[9.0], &[1])));
    assert_eq!(now.note, None);
    let renamed: Vec<&str> = report.renamed().iter().map(|(_, new)| new.as_str()).collect();
    assert!(renamed.contains(&"attention.key") && renamed.contains(&"kernel"), "{renamed:?}");
}

#[test]
fn a_file_of_today_loads_without_any_step() {
    let now: Now = file_of(&then()).load().unwrap();
    let file = file_of(&now);
    assert_eq!(file.load::<Now>().unwrap(), now);
    assert!(file.tensor("attention.query").is_ok() && file.tensor("qkv").is_err());
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    #[derive(HurraySave)]
    #[hurray(version = 3)]
    struct Newer {
        kernel: Tensor<f32>,
    }
    #[derive(HurrayLoad, Debug)]
    #[hurray(version = 2)]
    #[expect(dead_code, reason = "it does not load")]
    struct Older {
        kernel: Tensor<f32>,
    }
    let report = report_of::<Older>(&file_of(&Newer { kernel: tensor(&[1.0], &[1]) }));
    assert_eq!(report.count(ProblemKind::Version), 1);
}

#[test]
fn a_field_that_the_version_has_may_not_be_missing() {
    #[derive(HurraySave)]
    #[hurray(version = 2)]
    struct Cut {
        a: Tensor<f32>,
    }
    #[derive(HurrayLoad, Debug)]
    #[hurray(version = 2)]
    #[expect(dead_code, reason = "it does not load")]
    struct Whole {
        a: Tensor<f32>,
        #[hurray(since = 1)]
        b: Vec<f32>,
    }
    let report = report_of::<Whole>(&file_of(&Cut { a: tensor(&[1.0], &[1]) }));
    assert_eq!(report.count(ProblemKind::Missing), 1);
}

#[test]
fn tensors_are_put_together_for_fields_that_own_them() {
    #[derive(HurraySave)]
    struct Apart {
        a: Tensor<f32>,
        b: Tensor<f32>,
    }
    #[derive(HurrayLoad)]
    #[hurray(version = 1, migrate = "join")]
    struct Joined {
        ab: Tensor<f32>,
    }
    fn join(_: u32, old: &mut Migration<'_, '_>) {
        old.concatenate(&["a", "b"], 1, "ab");
    }
    let apart = Apart { a: tensor(&[1.0, 2.0], &[2, 1]), b: tensor(&[3.0, 4.0, 5.0, 6.0], &[2, 2]) };
    let joined: Joined = file_of(&apart).load().unwrap();
    assert_eq!(joined.ab, tensor(&[1.0, 3.0, 4.0, 2.0, 5.0, 6.0], &[2, 3]));
}

#[test]
fn a_key_map_brings_other_names_and_reports_each() {
    #[derive(HurraySave)]
    struct Foreign {
        model: Vec<Norm>,
    }
    #[derive(HurrayLoad)]
    struct Ours {
        blocks: Vec<Norm>,
    }
    let foreign =
        Foreign { model: vec![Norm { scale: tensor(&[1.0], &[1]) }, Norm { scale: tensor(&[2.0], &[1]) }] };
    let options = LoadOptions::new().key_map(KeyMap::new().prefix("model", "blocks"));
    let (ours, report) = file_of(&foreign).load_with::<Ours>(&options).unwrap();
    assert_eq!(ours.blocks[1].scale, tensor(&[2.0], &[1]));
    assert!(report.renamed().contains(&("model.1.scale".into(), "blocks.1.scale".into())));
    // Two tensors that end up with one name are an error that names both.
    let clash = KeyMap::new().exact("model.1.scale", "model.0.scale");
    let error = file_of(&foreign).load_with::<Ours>(&LoadOptions::new().key_map(clash)).err().unwrap();
    assert!(error.to_string().contains("`model.0.scale` and `model.1.scale`"), "{error}");
}

#[test]
fn casts_are_explicit_owned_and_reported() {
    #[derive(HurraySave)]
    struct Half {
        #[hurray(element_type = "bfloat16")]
        w: Tensor<f32>,
    }
    #[derive(HurrayLoad)]
    struct Full {
        #[hurray(cast)]
        w: Tensor<f32>,
    }
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    struct Exact {
        w: Tensor<f32>,
    }
    let file = file_of(&Half { w: tensor(&[1.5, -2.0], &[2]) });
    assert_eq!(file.tensor("w").unwrap().descriptor().unwrap().element_type(), hurray::ElementType::BFloat16);
    let (full, report) = file.load_with::<Full>(&LoadOptions::new()).unwrap();
    assert_eq!(full.w, tensor(&[1.5, -2.0], &[2]));
    assert_eq!(report.cast().len(), 1);
    assert_eq!(report_of::<Exact>(&file).count(ProblemKind::ElementType), 1);
}

#[test]
fn relaxed_policies_fall_back_only_where_there_is_something_to_fall_back_on() {
    #[derive(HurraySave)]
    struct Saved {
        a: Vec<f32>,
        b: Vec<f32>,
    }
    #[derive(HurrayLoad, Debug)]
    struct Wanted {
        a: Option<Vec<i32>>,
        #[hurray(default)]
        b: Vec<f64>,
    }
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    struct Strict {
        a: Vec<i32>,
        b: Vec<f32>,
    }
    let file = file_of(&Saved { a: vec![1.0], b: vec![2.0] });
    assert_eq!(report_of::<Wanted>(&file).count(ProblemKind::ElementType), 2);
    let relaxed = LoadOptions::new().mismatched(Strictness::Relaxed);
    let (wanted, report) = file.load_with::<Wanted>(&relaxed).unwrap();
    assert!(wanted.a.is_none() && wanted.b.is_empty());
    assert_eq!(report.problems().iter().filter(|problem| problem.is_tolerated).count(), 2);
    assert!(file.load_with::<Strict>(&relaxed).is_err());
}

#[test]
fn a_failed_load_into_a_model_changes_nothing() {
    #[derive(HurraySave, HurrayLoad, Clone, Debug, PartialEq)]
    struct Model {
        a: Vec<f32>,
        b: Vec<f32>,
    }
    #[derive(HurraySave)]
    struct Other {
        a: Vec<f32>,
    }
    let before = Model { a: vec![1.0], b: vec![2.0] };
    let mut model = before.clone();
    assert!(file_of(&Other { a: vec![7.0] }).load_into(&mut model).is_err());
    assert_eq!(model, before);
}

#[derive(HurraySave)]
struct Count {
    count: u32,
}

#[derive(HurrayLoad)]
struct Counts {
    #[hurray(default = "seven", shape = [2])]
    count: u32,
}

fn seven() -> u32 {
    7
}

#[test]
fn a_value_that_is_not_what_its_attributes_say_gives_way_to_the_default() {
    let file = file_of(&Count { count: 5 });
    assert!(file.load::<Counts>().is_err());
    let options = LoadOptions::new().mismatched(Strictness::Relaxed);
    let (counts, _) = file.load_with::<Counts>(&options).unwrap();
    assert_eq!(counts.count, 7);
}
