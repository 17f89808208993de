//! `Option`: what absence writes, and what presence means.

use std::marker::PhantomData;

use hurray::{HurrayLoad, HurraySave, ProblemKind, Tensor};
use hurray_tests::{file_of, listing_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Linear {
    weight: [f32; 2],
    bias: [f32; 1],
}

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq, Default)]
struct AllOptional {
    a: Option<u32>,
    b: Option<Vec<f32>>,
}

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq, Default)]
struct Model {
    tensor: Option<Tensor<f32>>,
    scalar: Option<f64>,
    text: Option<String>,
    group: Option<Linear>,
    list: Option<Vec<Linear>>,
    unit: Option<()>,
    twice: Option<Option<u32>>,
    thrice: Option<Option<Option<()>>>,
    marker: Option<PhantomData<u8>>,
    optional: Option<AllOptional>,
    boxed: Option<Box<Linear>>,
}

fn linear() -> Linear {
    Linear { weight: [1.0, 2.0], bias: [3.0] }
}

#[test]
fn none_writes_nothing() {
    let none = Model::default();
    assert_eq!(listing_of(&none), Vec::<String>::new());
    assert_eq!(reloaded(&none), none);
}

#[test]
fn some_writes_the_value_and_a_note_where_the_value_writes_nothing() {
    let some = Model {
        tensor: Some(Tensor::from_vec(vec![1.0], &[]).unwrap()),
        scalar: Some(0.5),
        text: Some(String::new()),
        group: Some(linear()),
        list: Some(vec![]),
        unit: Some(()),
        twice: Some(Some(3)),
        thrice: Some(Some(Some(()))),
        marker: Some(PhantomData),
        optional: Some(AllOptional::default()),
        boxed: Some(Box::new(linear())),
    };
    assert_eq!(
        listing_of(&some),
        [
            "tensor: float32[]",
            "group: Group of 2",
            "  group.weight: float32[2]",
            "  group.bias: float32[1]",
            "list: Group of 0",
            "optional: Group of 0",
            "boxed: Group of 2",
            "  boxed.weight: float32[2]",
            "  boxed.bias: float32[1]",
            "scalar = float64 0.5",
            "text = utf8 \"\"",
            "hurray.some.unit = bool true",
            "twice = uint64 3",
            "hurray.some.thrice = uint64 3",
            "hurray.some.marker = bool true",
        ]
    );
    assert_eq!(reloaded(&some), some);
}

#[test]
fn each_level_of_nested_options_comes_back() {
    for twice in [None, Some(None), Some(Some(1))] {
        let model = Model { twice, ..Model::default() };
        assert_eq!(reloaded(&model).twice, twice);
    }
    for thrice in [None, Some(None), Some(Some(None)), Some(Some(Some(())))] {
        let model = Model { thrice, ..Model::default() };
        assert_eq!(reloaded(&model).thrice, thrice);
    }
}

#[test]
fn presence_is_anything_at_or_under_the_path() {
    for optional in [
        AllOptional::default(),
        AllOptional { a: Some(1), b: None },
        AllOptional { a: None, b: Some(vec![]) },
        AllOptional { a: Some(1), b: Some(vec![1.0]) },
    ] {
        let model = Model { optional: Some(optional), ..Model::default() };
        assert_eq!(reloaded(&model), model);
    }
}

#[test]
fn a_half_present_struct_is_an_error_and_never_none() {
    #[derive(HurraySave)]
    struct Half {
        weight: [f32; 2],
    }
    #[derive(HurraySave)]
    struct Saved {
        group: Half,
    }
    let report = report_of::<Model>(&file_of(&Saved { group: Half { weight: [1.0, 2.0] } }));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Missing, "group.bias"));
}

#[test]
fn a_present_value_of_another_type_is_an_error_and_never_none() {
    #[derive(HurraySave)]
    struct Saved {
        tensor: [f64; 1],
        scalar: String,
    }
    let report = report_of::<Model>(&file_of(&Saved { tensor: [1.0], scalar: "1".into() }));
    assert_eq!(report.count(ProblemKind::ElementType), 1);
    assert_eq!(report.count(ProblemKind::Metadata), 1);
}

#[test]
fn names_that_only_begin_alike_are_not_presence() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Alike {
        group_: Option<Linear>,
        group: Option<Linear>,
        grou: Option<Linear>,
    }
    let model = Alike { group_: Some(linear()), group: None, grou: None };
    assert_eq!(reloaded(&model), model);
    let model = Alike { group_: None, group: None, grou: Some(linear()) };
    assert_eq!(reloaded(&model), model);
}

#[test]
fn metadata_structs_may_be_absent() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq, Default)]
    #[hurray(metadata)]
    struct Config {
        rate: Option<f64>,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        config: Option<Config>,
    }
    for config in [None, Some(Config { rate: None }), Some(Config { rate: Some(0.5) })] {
        let model = Model { config };
        assert_eq!(reloaded(&model), model);
    }
    assert_eq!(listing_of(&Model { config: Some(Config::default()) }), ["hurray.some.config = bool true"]);
}
