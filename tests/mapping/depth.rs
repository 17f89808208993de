//! Models deeper than the format's 8 levels of composites, and bounds on recursion.

use std::collections::BTreeMap;

use hurray::{
    File, HurrayLoad, HurraySave, Limits, LoadOptions, OpenOptions, ProblemKind, SaveError, SaveOptions,
};
use hurray_tests::{composite_depth, file_of, listing, reloaded};

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Level<T> {
    before: [u8; 1],
    inner: T,
    after: [u8; 1],
}

fn level<T>(inner: T) -> Level<T> {
    Level { before: [1], inner, after: [2] }
}

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Leaf {
    list: Vec<Vec<u8>>,
    none: Vec<Vec<u8>>,
    map: BTreeMap<String, Vec<u8>>,
    empty: BTreeMap<String, Vec<u8>>,
    maybe: Option<BTreeMap<String, Empty>>,
    some: Option<Empty>,
    pair: (Vec<u8>, u32),
    array: [Option<Vec<u8>>; 2],
    unit: Empty,
}

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq, Default)]
struct Empty {
    nothing: Option<u32>,
}

fn leaf() -> Leaf {
    Leaf {
        list: vec![vec![1], vec![]],
        none: vec![],
        map: BTreeMap::from([("a.b".into(), vec![1]), ("c".into(), vec![])]),
        empty: BTreeMap::new(),
        maybe: Some(BTreeMap::new()),
        some: Some(Empty::default()),
        pair: (vec![7], 8),
        array: [None, Some(vec![9])],
        unit: Empty::default(),
    }
}

/// The file opens with every structural rule checked, and holds at most 8 levels.
fn strictly<M: HurraySave>(model: &M) -> File {
    let file = file_of(model);
    let bytes = hurray::to_bytes(model).unwrap();
    let checked = OpenOptions::new().strict().validate_descriptors(true).validate_data(true).from_vec(bytes);
    if let Err(error) = checked {
        panic!("{error}: {:?}", error.format());
    }
    assert_eq!(composite_depth(&file), 8);
    file
}

macro_rules! nested {
    ($leaf:expr;) => { $leaf };
    ($leaf:expr; $level:tt $($rest:tt)*) => { level(nested!($leaf; $($rest)*)) };
}

#[test]
fn every_shape_comes_back_from_level_7_to_14() {
    // The leaf is itself the innermost level, and holds groups of its own.
    let at_7 = nested!(leaf(); 1 2 3 4 5 6);
    assert_eq!(strictly(&level(at_7.clone())).load::<Level<_>>().unwrap(), level(at_7.clone()));
    let at_8 = level(at_7);
    assert_eq!(strictly(&level(at_8.clone())).load::<Level<_>>().unwrap(), level(at_8.clone()));
    let at_9 = level(at_8);
    assert_eq!(strictly(&level(at_9.clone())).load::<Level<_>>().unwrap(), level(at_9.clone()));
    let at_10 = level(at_9);
    assert_eq!(strictly(&level(at_10.clone())).load::<Level<_>>().unwrap(), level(at_10.clone()));
    let at_14 = nested!(at_10; 1 2 3 4);
    assert_eq!(strictly(&level(at_14.clone())).load::<Level<_>>().unwrap(), level(at_14));
}

#[test]
fn groups_below_the_eighth_level_have_no_head_and_join_the_nearest_one() {
    // `inner` eight times is the eighth head; the ninth gives way.
    let model = nested!(vec![vec![5u8], vec![]]; 1 2 3 4 5 6 7 8 9);
    let file = strictly(&model);
    let eighth = ["inner"; 8].join(".");
    let lines = listing(&file);
    let from = lines.iter().position(|line| line.trim_start().starts_with(&format!("{eighth}: "))).unwrap();
    let indent = "  ".repeat(8);
    assert_eq!(
        lines[from..from + 6],
        [
            format!("{}{eighth}: Group of 4", "  ".repeat(7)),
            format!("{indent}{eighth}.before: uint8[1]"),
            // Of the ninth level, a `Vec` without a head of its own.
            format!("{indent}{eighth}.inner.0: uint8[1]"),
            format!("{indent}{eighth}.inner.1: uint8[0]"),
            format!("{indent}{eighth}.after: uint8[1]"),
            format!("{}inner.inner.inner.inner.inner.inner.inner.after: uint8[1]", "  ".repeat(7)),
        ],
        "{lines:#?}"
    );
    assert_eq!(lines.last().unwrap(), &format!("hurray.seq.{eighth}.inner = bool [true, true]"));
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Default)]
struct Tree {
    value: [u8; 1],
    kids: Vec<Tree>,
}

fn tree(depth: usize) -> Tree {
    (0..depth).fold(Tree::default(), |tree, _| Tree { value: [1], kids: vec![tree] })
}

#[test]
fn recursive_types_come_back() {
    let model = Tree { value: [0], kids: vec![tree(3), Tree::default(), tree(30)] };
    assert_eq!(reloaded(&model), model);
}

#[test]
fn nesting_is_bounded_when_saving() {
    // Each level of the tree is a struct and a `Vec`.
    assert!(hurray::to_bytes(&tree(63)).is_ok());
    let error = hurray::to_bytes(&tree(64)).unwrap_err();
    assert!(matches!(error, SaveError::Nesting { allowed: 128, .. }), "{error}");
    let mut limits = Limits::default();
    limits.nesting = 4;
    let error = SaveOptions::new().limits(limits).to_bytes(&tree(2)).unwrap_err();
    assert!(matches!(error, SaveError::Nesting { allowed: 4, .. }), "{error}");
}

#[test]
fn nesting_is_bounded_when_loading() {
    let mut limits = Limits::default();
    limits.nesting = 1000;
    let bytes = SaveOptions::new().limits(limits).to_bytes(&tree(200)).unwrap();
    let file = File::from_vec(bytes).unwrap();
    let error = file.load::<Tree>().unwrap_err();
    let report = error.report().unwrap();
    assert_eq!(report.count(ProblemKind::Limit), 1);
    assert_eq!(
        report.problems().iter().find(|problem| problem.kind == ProblemKind::Limit).unwrap().expected,
        "at most 128 levels (`Limits::nesting`)"
    );

    let mut limits = Limits::default();
    limits.nesting = 1000;
    let (loaded, _) = file.load_with::<Tree>(&LoadOptions::new().limits(limits)).unwrap();
    assert_eq!(loaded, tree(200));
}
