//! Sequences: groups with indices for names, tensors of elements, and entries.

use std::collections::VecDeque;

use hurray::{HurrayLoad, HurraySave, ProblemKind, SaveError, Tensor};
use hurray_tests::{file_of, listing_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Layer {
    weight: [f32; 1],
}

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Layers<T> {
    layers: T,
}

fn layers(count: usize) -> Layers<Vec<Layer>> {
    Layers { layers: (0..count).map(|index| Layer { weight: [index as f32] }).collect() }
}

#[test]
fn vectors_of_0_1_and_1000_layers() {
    assert_eq!(listing_of(&layers(0)), ["layers: Group of 0"]);
    assert_eq!(
        listing_of(&layers(1)),
        ["layers: Group of 1", "  layers.0: Group of 1", "    layers.0.weight: float32[1]"]
    );
    for count in [0, 1, 2, 11, 1000] {
        assert_eq!(reloaded(&layers(count)), layers(count), "{count} layers");
    }
}

#[test]
fn an_empty_vector_is_not_a_missing_one() {
    let report = report_of::<Layers<Vec<Layer>>>(&file_of(&()));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Missing, "layers"));
}

#[test]
fn elements_that_write_nothing_are_counted() {
    let model = Layers { layers: vec![None, Some(Layer { weight: [1.0] }), None] };
    assert_eq!(
        listing_of(&model),
        [
            "layers: Group of 1",
            "  layers.1: Group of 1",
            "    layers.1.weight: float32[1]",
            "hurray.seq.layers = bool [false, true, false]",
        ]
    );
    assert_eq!(reloaded(&model), model);
    let model = Layers { layers: vec![(), (), ()] };
    assert_eq!(listing_of(&model)[1], "hurray.seq.layers = bool [false, false, false]");
    assert_eq!(reloaded(&model), model);
    let model = Layers { layers: vec![Some(()), None] };
    assert_eq!(reloaded(&model), model);
    let model: Layers<Vec<Option<Layer>>> = Layers { layers: vec![None; 300] };
    assert_eq!(reloaded(&model), model);
    let model: Layers<[Option<Layer>; 2]> = Layers { layers: [None, None] };
    assert_eq!(reloaded(&model), model);
}

#[test]
fn elements_that_write_several_members_are_counted() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(metadata)]
    struct Entry {
        rate: f64,
        name: String,
    }
    let entry = |rate| Entry { rate, name: "n".into() };
    let model = Layers { layers: vec![entry(1.0), entry(2.0)] };
    assert_eq!(
        listing_of(&model),
        [
            "layers: Group of 0",
            "layers.0.rate = float64 1.0",
            "layers.0.name = utf8 \"n\"",
            "layers.1.rate = float64 2.0",
            "layers.1.name = utf8 \"n\"",
            "hurray.seq.layers = bool [true, true]",
        ]
    );
    assert_eq!(reloaded(&model), model);
}

#[test]
fn sequences_nest() {
    let model = Layers { layers: vec![vec![], vec![Layer { weight: [1.0] }], vec![]] };
    assert_eq!(reloaded(&model), model);
    let model = Layers { layers: vec![vec![1.0f32], vec![], vec![2.0, 3.0]] };
    assert_eq!(
        listing_of(&model),
        ["layers: Group of 3", "  layers.0: float32[1]", "  layers.1: float32[0]", "  layers.2: float32[2]"]
    );
    assert_eq!(reloaded(&model), model);
    let model = Layers { layers: vec![vec!["a".to_owned()], vec![]] };
    assert_eq!(reloaded(&model), model);
    let model = Layers { layers: [vec![(1u32, [1u8])], vec![]] };
    assert_eq!(reloaded(&model), model);
}

#[test]
fn elements_are_one_tensor_and_strings_one_entry() {
    assert_eq!(listing_of(&Layers { layers: vec![1u16, 2] }), ["layers: uint16[2]"]);
    assert_eq!(listing_of(&Layers { layers: vec![true; 9] }), ["layers: bool[9]"]);
    assert_eq!(listing_of(&Layers { layers: [[[1i8; 4]; 3]; 2] }), ["layers: int8[2, 3, 4]"]);
    assert_eq!(listing_of(&Layers { layers: vec![[[true; 3]; 2]; 5] }), ["layers: bool[5, 2, 3]"]);
    assert_eq!(listing_of(&Layers { layers: vec!["a".to_owned()] }), ["layers = utf8 [\"a\"]"]);
    assert_eq!(listing_of(&Layers { layers: Vec::<String>::new() }), ["layers = utf8 []"]);
    assert_eq!(listing_of(&Layers { layers: vec![1usize] }), ["layers = uint64 [1]"]);

    let bits: Vec<bool> = (0..21).map(|index| index % 3 == 0).collect();
    assert_eq!(reloaded(&Layers { layers: bits.clone() }).layers, bits);
    let nested = [[true, false, true], [false, false, true]];
    assert_eq!(reloaded(&Layers { layers: nested }).layers, nested);
    assert_eq!(reloaded(&Layers { layers: Vec::<bool>::new() }).layers, Vec::<bool>::new());
}

#[test]
fn arrays_have_to_have_their_length() {
    let report = report_of::<Layers<[Layer; 3]>>(&file_of(&layers(2)));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!(
        (problem.kind, &*problem.path, &*problem.expected, &*problem.found),
        (ProblemKind::Shape, "layers", "3 elements", "2")
    );
    let report = report_of::<Layers<[f32; 3]>>(&file_of(&Layers { layers: [1.0f32; 2] }));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.expected, &*problem.found), (ProblemKind::Shape, "[3]", "[2]"));
}

#[test]
fn a_tuple_of_another_length_is_missing_or_unexpected() {
    let three = file_of(&Layers { layers: ([1u8], [2u8], [3u8]) });
    let report = report_of::<Layers<([u8; 1], [u8; 1])>>(&three);
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Unexpected, "layers.2"));
    let report = report_of::<Layers<([u8; 1], [u8; 1], [u8; 1], [u8; 1])>>(&three);
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Missing, "layers.3"));
}

#[test]
fn large_boxed_arrays_never_lie_on_the_stack() {
    const MIB_8: usize = 2 << 20;
    let work = || {
        let ones: Box<[f32; MIB_8]> = vec![1.0f32; MIB_8].try_into().unwrap();
        let model = reloaded(&Layers { layers: ones });
        assert_eq!(model.layers.iter().filter(|one| **one == 1.0).count(), MIB_8);
        let rows: Box<[[f32; 2048]; 1024]> = vec![[2.0f32; 2048]; 1024].try_into().unwrap();
        let model = reloaded(&Layers { layers: rows });
        assert_eq!(model.layers[1023][2047], 2.0);
        let shared: std::sync::Arc<[[u8; 1 << 16]]> = vec![[3u8; 1 << 16]; 128].into();
        assert_eq!(reloaded(&Layers { layers: shared }).layers[127][9], 3);
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn slices_of_arrays_are_borrowed() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Borrowed<'a> {
        rows: &'a [[f32; 3]],
        cube: &'a [[[u8; 2]; 2]],
        fixed: &'a [i64; 2],
    }
    let model = Borrowed { rows: &[[1.0, 2.0, 3.0]; 2], cube: &[], fixed: &[4, 5] };
    assert_eq!(listing_of(&model), ["rows: float32[2, 3]", "cube: uint8[0, 2, 2]", "fixed: int64[2]"]);
    let file = file_of(&model);
    assert_eq!(file.load::<Borrowed<'_>>().unwrap(), model);
}

#[test]
fn a_deque_in_two_pieces_is_refused_where_it_would_be_copied() {
    let mut elements = VecDeque::with_capacity(4);
    elements.extend([1.0f32, 2.0, 3.0]);
    elements.rotate_left(1);
    elements.pop_back();
    elements.push_front(0.0);
    let (_, back) = elements.as_slices();
    if !back.is_empty() {
        let error = hurray::to_bytes(&Layers { layers: elements.clone() }).unwrap_err();
        assert!(matches!(error, SaveError::InPieces { .. }), "{error}");
    }
    elements.make_contiguous();
    assert_eq!(reloaded(&Layers { layers: elements.clone() }).layers, elements);

    let mut groups: VecDeque<Layer> = layers(3).layers.into();
    groups.rotate_left(2);
    groups.push_front(Layer { weight: [9.0] });
    assert_eq!(reloaded(&Layers { layers: groups.clone() }).layers, groups);
    let mut names: VecDeque<String> = VecDeque::with_capacity(3);
    names.extend(["b".to_owned(), "c".to_owned()]);
    names.push_front("a".into());
    assert_eq!(reloaded(&Layers { layers: names.clone() }).layers, names);
}

#[test]
fn tensors_in_sequences_are_members() {
    let tensor = |value| Tensor::from_vec(vec![value; 2], &[1, 2]).unwrap();
    let model = Layers { layers: vec![tensor(1.0f32), tensor(2.0)] };
    assert_eq!(
        listing_of(&model),
        ["layers: Group of 2", "  layers.0: float32[1, 2]", "  layers.1: float32[1, 2]"]
    );
    assert_eq!(reloaded(&model), model);
}
