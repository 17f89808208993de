//! Two fields with one name, where flattening hides that from the derive.

use hurray::{HurrayLoad, HurraySave, LoadReport, ProblemKind, SaveError, Tensor};
use hurray_tests::{file_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Inner {
    #[hurray(alias = "x")]
    a: u32,
    w: Tensor<f32>,
}

fn inner() -> Inner {
    Inner { a: 1, w: Tensor::from_vec(vec![1.0], &[1]).unwrap() }
}

fn why(error: SaveError) -> String {
    match error {
        SaveError::Refused { source, .. } => source.to_string(),
        error => error.to_string(),
    }
}

fn refused(report: &LoadReport) -> &str {
    let problem = report.problems().iter().find(|problem| problem.kind == ProblemKind::Refused);
    &problem.unwrap_or_else(|| panic!("{report}")).found
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Clash<T> {
    #[hurray(flatten)]
    inner: Inner,
    #[hurray(flatten)]
    other: T,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Named {
    #[hurray(flatten)]
    inner: Inner,
    a: u32,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Aliased {
    x: u32,
    #[hurray(flatten)]
    inner: Inner,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Plain {
    w: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct WithEntries {
    #[hurray(flatten)]
    entries: Entries,
    y: u32,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
#[hurray(metadata)]
struct Entries {
    #[hurray(alias = "y")]
    e: u32,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Deep {
    #[hurray(flatten)]
    one: Flat<Plain>,
    w: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Flat<T> {
    #[hurray(flatten)]
    flat: T,
}

#[test]
fn names_of_flattened_fields_are_refused_by_the_save() {
    let w = || inner().w;
    let named = hurray::to_bytes(&Named { inner: inner(), a: 2 }).map_err(why).unwrap_err();
    assert!(
        named.contains("the fields `a` and `a`, one of them flattened, have the name `a` both"),
        "{named}"
    );
    let aliased = hurray::to_bytes(&Aliased { x: 2, inner: inner() }).map_err(why).unwrap_err();
    assert!(
        aliased.contains("the fields `x` and `a`, one of them flattened, have the name `x` both"),
        "{aliased}"
    );
    let plain =
        hurray::to_bytes(&Clash { inner: inner(), other: Plain { w: w() } }).map_err(why).unwrap_err();
    assert!(plain.contains("have the name `w` both"), "{plain}");
    let twice = hurray::to_bytes(&Clash { inner: inner(), other: inner() }).map_err(why).unwrap_err();
    assert!(twice.contains("have the name `a` both"), "{twice}");
    let entries = WithEntries { entries: Entries { e: 1 }, y: 2 };
    let entries = hurray::to_bytes(&entries).map_err(why).unwrap_err();
    assert!(entries.contains("have the name `y` both"), "{entries}");
    let deep =
        hurray::to_bytes(&Deep { one: Flat { flat: Plain { w: w() } }, w: w() }).map_err(why).unwrap_err();
    assert!(deep.contains("have the name `w` both"), "{deep}");
}

#[test]
fn names_of_flattened_fields_are_refused_by_the_load() {
    let file = file_of(&inner());
    assert_eq!(refused(&report_of::<Named>(&file)), "`a` and `a` with the name `a`, one of them flattened");
    assert_eq!(refused(&report_of::<Aliased>(&file)), "`x` and `a` with the name `x`, one of them flattened");
    assert!(refused(&report_of::<Clash<Plain>>(&file)).contains("the name `w`"));
    assert!(refused(&report_of::<Clash<Inner>>(&file)).contains("the name `a`"));
    assert!(refused(&report_of::<Deep>(&file_of(&Plain { w: inner().w }))).contains("the name `w`"));
}

/// Variants have names of their own, and so have groups.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Kind {
    One {
        #[hurray(flatten)]
        plain: Plain,
        k: u32,
    },
    Two {
        w: Tensor<f32>,
        #[hurray(flatten)]
        other: Box<Other>,
    },
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Other {
    k: u32,
    group: Plain,
    list: Vec<Flat<Plain>>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Kinds {
    #[hurray(flatten)]
    plain: Flat<Plain>,
    kinds: Vec<Kind>,
    after: Flat<Plain>,
}

#[test]
fn the_same_name_in_other_groups_and_variants_is_none() {
    let plain = || Plain { w: inner().w };
    let other = || {
        Box::new(Other { k: 2, group: plain(), list: vec![Flat { flat: plain() }, Flat { flat: plain() }] })
    };
    let kinds = vec![Kind::One { plain: plain(), k: 1 }, Kind::Two { w: inner().w, other: other() }];
    let model = Kinds { plain: Flat { flat: plain() }, kinds, after: Flat { flat: plain() } };
    assert_eq!(reloaded(&model), model);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Exported {
    w: Tensor<f32>,
    #[hurray(skip_loading)]
    table: Vec<f32>,
    #[hurray(skip_loading, default = "three")]
    group: Vec<Plain>,
}

fn three() -> Vec<Plain> {
    vec![Plain { w: inner().w }; 3]
}

impl Clone for Plain {
    fn clone(&self) -> Self {
        Self { w: self.w.clone() }
    }
}

#[test]
fn what_is_saved_only_is_not_unexpected() {
    let model = Exported { w: inner().w, table: vec![1.0], group: vec![Plain { w: inner().w }] };
    assert_eq!(reloaded(&model), Exported { w: inner().w, table: Vec::new(), group: three() });
}
