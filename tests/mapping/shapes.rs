//! `shape = [..]`: numbers, names bound across a struct, fields and const parameters that name sizes.

use hurray::{HurrayLoad, HurraySave, ProblemKind, SaveError, Tensor};
use hurray_tests::{file_of, reloaded, report_of};

fn tensor(shape: &[usize]) -> Tensor<f32> {
    Tensor::from_vec(vec![0.5; shape.iter().product()], shape).unwrap()
}

/// The same fields without rules, so that any shape can be saved.
#[derive(HurraySave)]
struct Free {
    weight: Tensor<f32>,
    bias: Option<Tensor<f32>>,
    width: u32,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Named {
    #[hurray(shape = [out_features, in_features, 2])]
    weight: Tensor<f32>,
    #[hurray(shape = [out_features])]
    bias: Option<Tensor<f32>>,
    #[hurray(default)]
    width: u32,
}

fn free(weight: &[usize], bias: Option<&[usize]>) -> Free {
    Free { weight: tensor(weight), bias: bias.map(tensor), width: 3 }
}

#[test]
fn names_stand_for_one_size_in_a_struct() {
    let model = Named { weight: tensor(&[3, 4, 2]), bias: Some(tensor(&[3])), width: 3 };
    assert_eq!(reloaded(&model), model);
    let model = Named { weight: tensor(&[3, 0, 2]), bias: None, width: 3 };
    assert_eq!(reloaded(&model), model);
}

#[test]
fn another_size_or_rank_is_an_error_of_the_load() {
    let report = report_of::<Named>(&file_of(&free(&[3, 4, 2], Some(&[4]))));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path, &*problem.found), (ProblemKind::Shape, "bias", "[4]"));
    assert!(
        problem.expected.contains("out_features = 3") && problem.expected.contains("weight"),
        "{problem}"
    );

    let report = report_of::<Named>(&file_of(&free(&[3, 4, 5], None)));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path, &*problem.found), (ProblemKind::Shape, "weight", "[3, 4, 5]"));

    let report = report_of::<Named>(&file_of(&free(&[3, 4], Some(&[3, 1]))));
    assert_eq!(report.count(ProblemKind::Rank), 2, "{report}");
}

#[test]
fn another_size_is_an_error_of_the_save_too() {
    let model = Named { weight: tensor(&[3, 4, 2]), bias: Some(tensor(&[2])), width: 3 };
    let error = hurray::to_bytes(&model).unwrap_err();
    assert!(matches!(&error, SaveError::Shape { path, .. } if &**path == "bias"), "{error}");
}

#[test]
fn each_struct_has_names_of_its_own() {
    let layer =
        |size: usize| Named { weight: tensor(&[size, size + 1, 2]), bias: Some(tensor(&[size])), width: 0 };
    let layers = vec![layer(1), layer(2), layer(3)];
    assert_eq!(reloaded(&layers), layers);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct ByField<const HEADS: usize> {
    #[hurray(shape = [HEADS, width, _])]
    query: Tensor<f32>,
    width: u32,
    #[hurray(shape = [width, ..])]
    rest: Tensor<f32>,
}

#[test]
fn fields_and_const_parameters_name_sizes() {
    let model = ByField::<2> { query: tensor(&[2, 3, 9]), width: 3, rest: tensor(&[3, 1, 1, 1]) };
    assert_eq!(reloaded(&model), model);
    let bare = ByField::<2> { rest: tensor(&[3]), ..reloaded(&model) };
    assert_eq!(reloaded(&bare), bare);

    let report = report_of::<ByField<4>>(&file_of(&model));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Shape, "query"));

    let error = hurray::to_bytes(&ByField::<2> { width: 5, ..reloaded(&model) }).unwrap_err();
    assert!(matches!(&error, SaveError::Shape { .. }), "{error}");
}

#[test]
fn a_field_that_disagrees_with_the_tensors_is_an_error_of_the_load() {
    #[derive(HurraySave)]
    struct Saved {
        query: Tensor<f32>,
        width: u32,
        rest: Tensor<f32>,
    }
    let saved = Saved { query: tensor(&[2, 3, 1]), width: 4, rest: tensor(&[3]) };
    let report = report_of::<ByField<2>>(&file_of(&saved));
    assert!(report.problem_count() >= 1);
    assert!(report.problems().iter().all(|problem| problem.kind == ProblemKind::Shape), "{report}");
    assert!(report.to_string().contains("width"), "{report}");
}

#[test]
fn rules_hold_for_every_type_that_is_one_tensor() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Types<'a> {
        #[hurray(shape = [n])]
        vector: Vec<f32>,
        #[hurray(shape = [n])]
        bits: Vec<bool>,
        #[hurray(shape = [n, 2])]
        rows: &'a [[u8; 2]],
        #[hurray(shape = [n])]
        boxed: Box<[i16]>,
        #[hurray(shape = [n])]
        maybe: Option<Box<Tensor<f32>>>,
    }
    let model = Types {
        vector: vec![1.0; 3],
        bits: vec![true; 3],
        rows: &[[1, 2]; 3],
        boxed: Box::new([1, 2, 3]),
        maybe: Some(Box::new(tensor(&[3]))),
    };
    let file = file_of(&model);
    assert_eq!(file.load::<Types<'_>>().unwrap(), model);
    for broken in [
        Types { vector: vec![1.0; 2], ..file.load().unwrap() },
        Types { bits: vec![true; 2], ..file.load().unwrap() },
        Types { rows: &[[1, 2]; 2], ..file.load().unwrap() },
        Types { boxed: Box::new([1]), ..file.load().unwrap() },
        Types { maybe: Some(Box::new(tensor(&[3, 1]))), ..file.load().unwrap() },
    ] {
        let error = hurray::to_bytes(&broken).unwrap_err();
        assert!(matches!(error, SaveError::Shape { .. }), "{error}");
    }
}

#[test]
fn a_rule_on_a_group_is_an_error() {
    #[derive(HurraySave)]
    struct Wrong {
        #[hurray(shape = [2])]
        pair: (Vec<f32>, Vec<f32>),
    }
    let error = hurray::to_bytes(&Wrong { pair: (vec![1.0], vec![]) }).unwrap_err();
    assert!(matches!(error, SaveError::NoTensor { .. }), "{error}");
}
