//! C1, C2, C5: names and shapes that differ, and names that are long.

use hurray::{HurrayLoad, HurraySave, ProblemKind, SaveError, Tensor};
use hurray_tests::{composite_depth, file_of, reloaded, report_of};

fn tensor(shape: &[usize]) -> Tensor<f32> {
    Tensor::from_vec(vec![0.5; shape.iter().product()], shape).unwrap()
}

#[derive(HurraySave)]
struct A {
    w: Tensor<f32>,
    bias: Tensor<f32>,
    extra: Tensor<f32>,
}

#[derive(HurrayLoad, Debug)]
#[expect(dead_code, reason = "never loads")]
struct B {
    #[hurray(shape = [2, 2])]
    w: Tensor<f32>,
    #[hurray(shape = [2])]
    b: Tensor<f32>,
    #[hurray(shape = [3])]
    g: Tensor<f32>,
}

#[test]
fn c01_other_key_names_are_one_error_that_names_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint.hrry");
    hurray::save(&path, &A { w: tensor(&[2, 2]), bias: tensor(&[2]), extra: tensor(&[1]) }).unwrap();
    let error = hurray::load::<B>(&path).unwrap_err();
    let report = error.report().unwrap();
    let paths = |kind| -> Vec<&str> {
        report
            .problems()
            .iter()
            .filter(|problem| problem.kind == kind)
            .map(|problem| &*problem.path)
            .collect()
    };
    assert_eq!(paths(ProblemKind::Missing), ["b", "g"]);
    assert_eq!(paths(ProblemKind::Unexpected), ["bias", "extra"]);
    assert_eq!(report.problem_count(), 4);
    let b = report.problems().iter().find(|problem| problem.path == "b").unwrap();
    assert_eq!(b.near, ["bias"]);
    assert!(error.to_string().contains("checkpoint.hrry"), "{error}");
}

#[derive(HurraySave)]
struct W {
    w: Tensor<f32>,
}

macro_rules! wants {
    ($name:ident, $type:ty, [$($dim:expr),*]) => {
        #[derive(HurrayLoad)]
        #[expect(dead_code, reason = "never loads")]
        struct $name {
            #[hurray(shape = [$($dim),*])]
            w: $type,
        }
    };
}

wants!(OneOne, Tensor<f32>, [1, 1]);
wants!(ThirtyTwo, Tensor<f32>, [32, 64]);
wants!(Column, Tensor<f32>, [64, 1]);
wants!(Swapped, Tensor<f32>, [3, 2]);

/// The same by types whose rank and sizes are constants.
#[derive(HurrayLoad)]
#[expect(dead_code, reason = "never loads")]
struct Fixed<const ROWS: usize, const COLUMNS: usize> {
    w: [[f32; COLUMNS]; ROWS],
}

#[derive(HurrayLoad)]
#[expect(dead_code, reason = "never loads")]
struct Ruled<const ROWS: usize, const COLUMNS: usize> {
    #[hurray(shape = [ROWS, COLUMNS])]
    w: Vec<[f32; COLUMNS]>,
}

fn refusal<M: hurray::HurrayLoadOwned>(found: &[usize]) -> (ProblemKind, String, String) {
    let report = report_of::<M>(&file_of(&W { w: tensor(found) }));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!(problem.path, "w");
    (problem.kind, problem.expected.clone(), problem.found.clone())
}

#[test]
fn c02_no_shape_is_broadcast_squeezed_or_reshaped() {
    let (kind, expected, found) = refusal::<OneOne>(&[1]);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Rank, "[1, 1]", "[1]"));
    let (kind, expected, found) = refusal::<ThirtyTwo>(&[1, 64]);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Shape, "[32, 64]", "[1, 64]"));
    let (kind, expected, found) = refusal::<Column>(&[64]);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Rank, "[64, 1]", "[64]"));
    let (kind, expected, found) = refusal::<Swapped>(&[2, 3]);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Shape, "[3, 2]", "[2, 3]"));
}

#[test]
fn c02_const_generic_ranks_and_sizes_are_held_too() {
    let (kind, expected, found) = refusal::<Fixed<1, 1>>(&[1]);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Rank, "rank 2", "rank 1"));
    let (kind, expected, found) = refusal::<Fixed<32, 64>>(&[1, 64]);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Shape, "[32, 64]", "[1, 64]"));
    assert_eq!(refusal::<Fixed<64, 1>>(&[64]).0, ProblemKind::Rank);
    let (kind, expected, found) = refusal::<Fixed<3, 2>>(&[2, 3]);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Shape, "[3, 2]", "[2, 3]"));
    // The sizes of a file are never taken for those of the type, however small they are.
    assert_eq!(refusal::<Fixed<1, 1>>(&[]).0, ProblemKind::Rank);
    assert_eq!(refusal::<Fixed<0, 3>>(&[3, 0]).0, ProblemKind::Shape);
    assert_eq!(refusal::<Ruled<1, 1>>(&[1]).0, ProblemKind::Rank);
    assert_eq!(refusal::<Ruled<32, 64>>(&[1, 64]).0, ProblemKind::Shape);
    assert_eq!(refusal::<Ruled<3, 2>>(&[2, 3]).0, ProblemKind::Shape);
}

/// One level of a nest, its only field under a name that the model gives.
macro_rules! levels {
    ($($name:ident { $field:ident: $inner:ty })*) => {$(
        #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
        struct $name {
            $field: $inner,
        }
    )*};
}

levels! {
    Root { model: Diffusion }
    Diffusion { diffusion_model: Blocks }
    Blocks { input_blocks: Vec<Vec<Block>> }
    Block { transformer_blocks: Vec<Transformer> }
    Transformer { attn2: Attention }
    Attention { to_q: Query }
    Query { weight: [[f32; 2]; 1] }
}

#[test]
fn c05_a_name_of_ten_segments_comes_back_whole() {
    let query = || Query { weight: [[1.0, 2.0]] };
    let block = || Block { transformer_blocks: vec![Transformer { attn2: Attention { to_q: query() } }] };
    let input_blocks = vec![vec![], vec![block()], vec![block(), block()]];
    let root = Root { model: Diffusion { diffusion_model: Blocks { input_blocks } } };
    let file = file_of(&root);
    let name = "model.diffusion_model.input_blocks.2.1.transformer_blocks.0.attn2.to_q.weight";
    assert_eq!(file.tensor(name).unwrap().view::<f32>().unwrap().to_vec(), [1.0, 2.0]);
    assert_eq!(composite_depth(&file), 8);
    assert_eq!(file.load::<Root>().unwrap(), root);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Long {
    a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes:
        [f32; 1],
}

#[test]
fn c05_a_field_name_of_300_bytes_comes_back_whole() {
    let long = Long {
        a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes_a_field_whose_name_has_three_hundred_bytes: [1.0],
    };
    let file = file_of(&long);
    assert_eq!(file.tensors().next().unwrap().name().len(), 300);
    assert_eq!(reloaded(&long), long);
}

#[test]
fn c05_a_name_longer_than_the_format_can_say_is_refused_and_never_cut() {
    let map = |length: usize| std::collections::BTreeMap::from([("k".repeat(length), [1.0f32])]);
    assert_eq!(reloaded(&map(65_535)), map(65_535));
    let error = hurray::to_bytes(&map(65_536)).unwrap_err();
    assert!(matches!(error, SaveError::Name { .. }), "{error}");
}
