//! Odd models and files that were once taken wrongly: each test is named for what has to hold.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hurray::descriptor::{Layout, TensorDescriptor};
use hurray::{
    DynTensor, ElementType, File, HurrayLoad, HurraySave, KeyMap, Limits, LoadOptions, Metadata, OpenOptions,
    ProblemKind, SaveError, Tensor, Writer, WriterOptions,
};
use hurray_tests::{file_of, reloaded, report_of};

/// A file with one strided tensor `w` of stride 0: huge, and four bytes long.
fn broadcast(length: u64) -> Vec<u8> {
    let descriptor = TensorDescriptor::builder(ElementType::Float32, [length])
        .layout(Layout::Strided { strides: [0].into_iter().collect() })
        .buffer_sizes([4])
        .build()
        .unwrap();
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    writer.tensor("w", &descriptor, &[&[0; 4]]).unwrap();
    writer.finish().unwrap().0
}

#[test]
fn strides_of_zero_never_allocate_what_they_pretend() {
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    struct Owned {
        w: Vec<f32>,
    }
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    struct Cast {
        #[hurray(cast)]
        w: Tensor<f64>,
    }
    #[derive(HurrayLoad, Debug)]
    struct Shared {
        w: Tensor<f32>,
    }
    #[derive(HurrayLoad)]
    struct Untyped {
        w: DynTensor,
    }
    for length in [1 << 40, 1 << 61] {
        let bytes = broadcast(length);
        let file = File::copy_from_slice(&bytes).unwrap();
        assert_eq!(report_of::<Owned>(&file).count(ProblemKind::Limit), 1);
        assert_eq!(report_of::<Cast>(&file).count(ProblemKind::Limit), 1);
        // Shared it would cost nothing, but for the copy that a tensor hands out to whoever asks: who knows better
        // says so.
        assert_eq!(report_of::<Shared>(&file).count(ProblemKind::Limit), 1);
        let mut limits = Limits::default();
        limits.dense_bytes = u64::MAX;
        let shared: Shared =
            OpenOptions::new().limits(limits).copy_from_slice(&bytes).unwrap().load().unwrap();
        assert_eq!(shared.w.get(&[1 << 39]), Some(0.0));
        // Without a type nothing is ever copied unasked.
        let untyped: Untyped = file.load().unwrap();
        assert_eq!(untyped.w.view().get(&[1 << 39]).unwrap().and_then(|w| w.to_f64()), Some(0.0));
    }
}

#[test]
fn what_is_no_entry_is_refused_and_never_left_out() {
    #[derive(HurraySave)]
    struct Nested {
        #[hurray(kv)]
        rows: Vec<Vec<u32>>,
    }
    #[derive(HurraySave)]
    struct Optional {
        #[hurray(kv)]
        rows: Option<Vec<Option<u32>>>,
    }
    let error = hurray::to_bytes(&Nested { rows: vec![vec![1]] }).unwrap_err();
    assert!(matches!(error, SaveError::Refused { .. }), "{error}");
    assert!(hurray::to_bytes(&Optional { rows: Some(vec![Some(1)]) }).is_err());
    assert!(hurray::to_bytes(&Optional { rows: None }).is_ok());
}

#[derive(HurraySave, HurrayLoad, Debug)]
enum Chain {
    Leaf(u32),
    Next(Box<Chain>),
}

#[derive(HurraySave, HurrayLoad, Debug)]
struct Chained {
    x: Chain,
}

fn chain(length: usize) -> Chained {
    Chained { x: (0..length).fold(Chain::Leaf(1), |chain, _| Chain::Next(Box::new(chain))) }
}

#[test]
fn chains_of_variants_are_bounded_in_both_directions() {
    assert!(hurray::to_bytes(&chain(100)).is_ok());
    assert!(matches!(hurray::to_bytes(&chain(1000)), Err(SaveError::Nesting { .. })));
    let mut metadata = Metadata::new();
    let mut key = "x".to_owned();
    for _ in 0..3000 {
        metadata.insert(key.clone(), "Next".to_owned()).unwrap();
        key.push_str(".%0");
    }
    let options = WriterOptions { metadata: Some(metadata), ..WriterOptions::default() };
    let file = File::from_vec(Writer::new(Vec::new(), options).unwrap().finish().unwrap().0).unwrap();
    assert_eq!(report_of::<Chained>(&file).count(ProblemKind::Limit), 1);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Part {
    w: Vec<f32>,
    dropout: Option<f64>,
    #[hurray(default)]
    more: Vec<Option<Part>>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Coupled {
    enc: Part,
    #[hurray(tied = "enc")]
    e: Part,
}

#[test]
fn tied_groups_have_the_same_things_in_them() {
    let part = |dropout| Part {
        w: vec![1.0],
        dropout,
        more: vec![None, Some(Part { w: vec![2.0], dropout: None, more: Vec::new() })],
    };
    let model = Coupled { enc: part(Some(0.5)), e: part(Some(0.5)) };
    assert_eq!(reloaded(&model), model);
    let error = hurray::to_bytes(&Coupled { enc: part(Some(0.5)), e: part(None) }).unwrap_err();
    assert!(matches!(error, SaveError::Tie { .. }), "{error}");
}

#[test]
fn one_arc_in_two_fields_with_attributes() {
    #[derive(HurraySave, HurrayLoad)]
    struct Shaped {
        #[hurray(shape = [n])]
        a: Arc<Tensor<f32>>,
        #[hurray(shape = [n])]
        b: Arc<Tensor<f32>>,
    }
    #[derive(HurraySave, HurrayLoad)]
    struct Narrowed {
        #[hurray(element_type = "bfloat16")]
        a: Arc<Tensor<f32>>,
        b: Arc<Tensor<f32>>,
    }
    let tensor = Arc::new(Tensor::from_vec(vec![0.1f32], &[1]).unwrap());
    let shaped: Shaped = reloaded(&Shaped { a: Arc::clone(&tensor), b: Arc::clone(&tensor) });
    assert!(Arc::ptr_eq(&shaped.a, &shaped.b));
    let narrowed: Narrowed = reloaded(&Narrowed { a: Arc::clone(&tensor), b: Arc::clone(&tensor) });
    assert_ne!(narrowed.a.to_vec(), [0.1]);
    assert_eq!(narrowed.b.to_vec(), [0.1]);
}

#[test]
fn a_wrapped_deque_of_strings_is_refused_and_not_another_file() {
    #[derive(HurraySave, HurrayLoad)]
    struct Names {
        names: VecDeque<String>,
    }
    let mut names = VecDeque::with_capacity(3);
    names.extend(["b".to_owned(), "c".to_owned()]);
    names.push_front("a".to_owned());
    let mut model = Names { names };
    if !model.names.as_slices().1.is_empty() {
        assert!(matches!(hurray::to_bytes(&model), Err(SaveError::InPieces { .. })));
    }
    model.names.make_contiguous();
    assert_eq!(reloaded(&model).names, ["a", "b", "c"]);
}

#[test]
fn arrays_of_no_elements_keep_their_number() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Empty {
        a: Vec<[f32; 0]>,
        b: [[f32; 0]; 3],
        c: Option<[[i8; 0]; 2]>,
    }
    let model = Empty { a: vec![[]; 3], b: [[]; 3], c: Some([[]; 2]) };
    assert_eq!(reloaded(&model), model);
}

#[test]
fn a_key_map_does_not_lose_what_our_own_entries_say() {
    #[derive(HurraySave, HurrayLoad)]
    struct Model {
        layers: Vec<Option<Vec<f32>>>,
    }
    let nested = BTreeMap::from([("model".to_owned(), Model { layers: vec![Some(vec![1.0]), None] })]);
    let options = LoadOptions::new().key_map(KeyMap::new().strip_prefix("model"));
    let (model, _report) = file_of(&nested).load_with::<Model>(&options).unwrap();
    assert_eq!(model.layers, [Some(vec![1.0]), None]);
}

#[test]
fn two_names_for_one_key_are_an_error() {
    let descriptor = TensorDescriptor::builder(ElementType::UInt8, [1]).build().unwrap();
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    for name in ["a.b", "a%2Eb"] {
        writer.tensor(name, &descriptor, &[&[0]]).unwrap();
    }
    let file = File::from_vec(writer.finish().unwrap().0).unwrap();
    assert_eq!(report_of::<BTreeMap<String, Tensor<u8>>>(&file).count(ProblemKind::Refused), 1);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone)]
enum Inner {
    Words(Vec<Option<String>>),
    Numbers(Vec<Option<f64>>),
    Unit(Option<Option<()>>),
    Number(Option<f64>),
    List(Option<Vec<f32>>),
    Pair(f64, f64),
    Map(BTreeMap<String, f64>),
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone)]
enum Outer {
    X(Inner),
    V(Option<Option<f64>>),
    Recursive(Box<Outer>),
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Held {
    v: Outer,
    all: Vec<Outer>,
}

#[test]
fn variants_in_variants_keep_what_they_hold() {
    let inners = [
        Inner::Words(vec![None, Some("a".into())]),
        Inner::Numbers(vec![Some(1.0), None]),
        Inner::Unit(None),
        Inner::Unit(Some(None)),
        Inner::Unit(Some(Some(()))),
        Inner::Number(None),
        Inner::Number(Some(2.0)),
        Inner::List(None),
        Inner::List(Some(vec![1.0])),
        Inner::Pair(1.0, 2.0),
        Inner::Map(BTreeMap::from([("0".to_owned(), 1.0), ("%0".to_owned(), 2.0)])),
    ];
    let mut all: Vec<Outer> = inners.into_iter().map(Outer::X).collect();
    all.extend([Outer::V(None), Outer::V(Some(None)), Outer::V(Some(Some(1.5)))]);
    all.extend(all.clone().into_iter().map(|outer| Outer::Recursive(Box::new(outer))));
    for v in all.clone() {
        let model = Held { v, all: all.clone() };
        assert_eq!(reloaded(&model), model);
    }
}

#[test]
fn many_absent_elements_load_in_time() {
    let values: Vec<Option<f64>> = (0..20_000u32).map(|n| (n % 2 == 0).then(|| n.into())).collect();
    let model = BTreeMap::from([("v".to_owned(), values)]);
    let started = std::time::Instant::now();
    assert_eq!(reloaded(&model), model);
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

#[test]
fn ties_obey_the_shape_of_their_field() {
    #[derive(HurraySave)]
    struct Shaped {
        a: Tensor<f32>,
        #[hurray(tied = "a", shape = [7])]
        b: Tensor<f32>,
    }
    let tensor = Tensor::from_vec(vec![0.1f32, 0.2], &[2]).unwrap();
    let error = hurray::to_bytes(&Shaped { a: tensor.clone(), b: tensor }).unwrap_err();
    assert!(matches!(error, SaveError::Shape { .. }), "{error}");
}

#[test]
fn an_option_among_the_fields_around_it_is_refused() {
    #[derive(HurraySave)]
    struct Flat {
        k: Vec<f32>,
        #[hurray(flatten)]
        more: Option<Part>,
    }
    assert!(matches!(hurray::to_bytes(&Flat { k: vec![1.0], more: None }), Err(SaveError::Refused { .. })));
}

#[test]
fn a_step_of_a_migration_is_taken_once() {
    #[derive(HurraySave)]
    struct Then {
        a: Weight,
        c: Weight,
    }
    #[derive(HurraySave, HurrayLoad)]
    struct Weight {
        w: Vec<f32>,
    }
    #[derive(HurrayLoad)]
    #[hurray(version = 1, migrate = "swap")]
    struct Now {
        a: Weight,
        b: Weight,
    }
    fn swap(_: u32, old: &mut hurray::Migration<'_, '_>) {
        old.rename("a", "b").rename("c.w", "a.w");
    }
    let now: Now = file_of(&Then { a: Weight { w: vec![1.0] }, c: Weight { w: vec![3.0] } }).load().unwrap();
    assert_eq!((now.a.w, now.b.w), (vec![3.0], vec![1.0]));
}
