//! Types of every shape that serde's own tests know, to a file and back.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use hurray::{Element, HurrayLoad, HurrayLoadOwned, HurraySave, Tensor, TensorView};
use hurray_tests::{file_of, reloaded};

fn same<M: HurraySave + HurrayLoadOwned + PartialEq + Debug>(model: M) {
    assert_eq!(reloaded(&model), model);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone)]
enum Every {
    Unit,
    Newtype(f64),
    NewtypeTensor(Vec<f32>),
    NewtypeUnit(()),
    NewtypeOption(Option<Vec<f32>>),
    NewtypeList(Vec<Every>),
    NewtypeMap(BTreeMap<String, Every>),
    NewtypeTuple((u32, Vec<f32>)),
    Tuple(u32, Vec<f32>),
    EmptyTuple(),
    Struct { a: u32, b: Vec<f32>, c: Option<Box<Every>> },
    EmptyStruct {},
    Boxed(Box<Every>),
    Text(String),
    Texts(Vec<String>),
}

fn every() -> Vec<Every> {
    let mut all = vec![
        Every::Unit,
        Every::Newtype(1.5),
        Every::NewtypeTensor(vec![1.0]),
        Every::NewtypeUnit(()),
        Every::NewtypeOption(None),
        Every::NewtypeOption(Some(vec![2.0])),
        Every::NewtypeList(Vec::new()),
        Every::NewtypeMap(BTreeMap::new()),
        Every::NewtypeTuple((1, vec![3.0])),
        Every::Tuple(1, vec![4.0]),
        Every::EmptyTuple(),
        Every::Struct { a: 1, b: vec![5.0], c: None },
        Every::EmptyStruct {},
        Every::Text("x".into()),
        Every::Texts(vec!["y".into()]),
    ];
    let each = all.clone();
    all.extend(each.iter().cloned().map(|one| Every::Boxed(Box::new(one))));
    all.extend(each.iter().cloned().map(|one| Every::Struct { a: 0, b: vec![], c: Some(Box::new(one)) }));
    all.push(Every::NewtypeList(each.clone()));
    all.push(Every::NewtypeMap(
        each.into_iter().enumerate().map(|(at, one)| (at.to_string(), one)).collect(),
    ));
    all
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Holds {
    one: Every,
    some: Option<Every>,
    none: Option<Every>,
    list: Vec<Every>,
    options: Vec<Option<Every>>,
    map: HashMap<String, Every>,
    array: [Every; 2],
    pair: (Every, Every),
    boxed: Box<Every>,
    shared: Arc<Every>,
}

#[test]
fn every_variant_in_every_container() {
    for one in every() {
        let two = || [one.clone(), Every::Unit];
        same(Holds {
            one: one.clone(),
            some: Some(one.clone()),
            none: None,
            list: every(),
            options: vec![None, Some(one.clone()), None],
            map: every().into_iter().enumerate().map(|(at, one)| (format!("k.{at}"), one)).collect(),
            array: two(),
            pair: (one.clone(), Every::Unit),
            boxed: Box::new(one.clone()),
            shared: Arc::new(one.clone()),
        });
    }
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Generic<T, U = f32>
where
    U: Element,
{
    inner: T,
    list: Vec<T>,
    map: BTreeMap<String, Option<T>>,
    tensor: Tensor<U>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Fixed<const N: usize, const M: usize, T> {
    #[hurray(shape = [N, M])]
    matrix: [[f32; M]; N],
    rows: [T; N],
    boxed: Box<[u32; M]>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Marked<T: ?Sized> {
    value: u32,
    marker: PhantomData<T>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Tree {
    value: f32,
    children: Vec<Tree>,
    named: BTreeMap<String, Tree>,
    next: Option<Box<Tree>>,
}

fn tree(depth: u32) -> Tree {
    let below = |count: usize| (0..count).map(|_| tree(depth - 1));
    let is_leaf = depth == 0;
    Tree {
        value: 0.5,
        children: if is_leaf { Vec::new() } else { below(2).collect() },
        named: if is_leaf { BTreeMap::new() } else { below(1).map(|tree| ("k".to_owned(), tree)).collect() },
        next: (!is_leaf).then(|| Box::new(tree(depth - 1))),
    }
}

#[test]
fn generics_constants_markers_and_recursion() {
    let tensor = Tensor::from_vec(vec![1.0f32], &[1]).unwrap();
    same(Generic { inner: 1u32, list: vec![], map: BTreeMap::new(), tensor: tensor.clone() });
    let texts = || vec!["a".to_owned()];
    let map = BTreeMap::from([("k".to_owned(), Some(texts())), ("n".to_owned(), None)]);
    same(Generic { inner: texts(), list: vec![texts(), vec![]], map, tensor });
    same(Fixed { matrix: [[1.0; 3]; 2], rows: [Some(1u32), None], boxed: Box::new([7; 3]) });
    same(Fixed::<0, 0, String> { matrix: [], rows: [], boxed: Box::new([]) });
    same(Marked::<str> { value: 1, marker: PhantomData });
    assert_eq!(reloaded(&Marked::<dyn Send> { value: 1, marker: PhantomData }).value, 1);
    same(tree(3));
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Innermost {
    x: u32,
    w: Vec<f32>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Middle {
    #[hurray(flatten)]
    innermost: Innermost,
    y: u32,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Outermost {
    before: u32,
    #[hurray(flatten)]
    middle: Middle,
    #[hurray(flatten)]
    nothing: Nothing,
    after: Middle,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Nothing {}

#[test]
fn flattened_in_flattened() {
    let middle = || Middle { innermost: Innermost { x: 1, w: vec![2.0] }, y: 3 };
    let model = Outermost { before: 0, middle: middle(), nothing: Nothing {}, after: middle() };
    assert!(file_of(&model).tensor("w").is_ok());
    same(model);
}

#[derive(HurraySave, HurrayLoad, Debug)]
struct Borrowed<'a, 'b, T: Element + 'a> {
    view: TensorView<'a, T>,
    option: Option<TensorView<'b, f32>>,
    slice: &'a [f32],
    arrays: &'b [[u8; 2]],
    text: &'a str,
    cow_text: Cow<'b, str>,
    cow_slice: Cow<'a, [u32]>,
    #[hurray(kv)]
    bytes: &'a [u8],
    list: Vec<TensorView<'b, T>>,
    map: BTreeMap<String, &'a [T]>,
}

#[test]
fn two_lifetimes_and_all_that_borrows() {
    let data = [1.0f32, 2.0];
    let view = TensorView::from_slice(&data, &[2]).unwrap();
    let model = Borrowed {
        view,
        option: Some(view),
        slice: &data,
        arrays: &[[1, 2]],
        text: "text",
        cow_text: Cow::Owned("cow".to_owned()),
        cow_slice: Cow::Borrowed(&[3]),
        bytes: &[4],
        list: vec![view, view],
        map: BTreeMap::from([("k".to_owned(), &data[..])]),
    };
    let file = file_of(&model);
    let loaded: Borrowed<'_, '_, f32> = file.load().unwrap();
    assert_eq!(format!("{loaded:?}"), format!("{model:?}"));
    assert!(matches!(loaded.cow_slice, Cow::Borrowed(_)));
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Pointers {
    #[expect(clippy::rc_buffer, reason = "what is tested")]
    rc: Rc<Vec<f32>>,
    arc_slice: Arc<[f32]>,
    box_slice: Box<[u32]>,
    box_str: Box<str>,
    deque: VecDeque<Innermost>,
    nested: Option<Option<Box<Innermost>>>,
    unit: (),
    tuple: (u32, (Vec<f32>, String)),
    chars: (char, i8, isize, u64, bool),
    bools: Vec<bool>,
    options: (Option<bool>, Option<String>, Option<Vec<String>>),
}

#[test]
fn pointers_tuples_and_scalars() {
    let inner = || Innermost { x: 1, w: vec![] };
    same(Pointers {
        rc: Rc::new(vec![1.0]),
        arc_slice: Arc::from([2.0]),
        box_slice: Box::from([3]),
        box_str: "b".into(),
        deque: VecDeque::from([inner(), inner()]),
        nested: Some(None),
        unit: (),
        tuple: (1, (vec![2.0], "t".into())),
        chars: ('ß', -1, -2, u64::MAX, true),
        bools: vec![true, false, true],
        options: (Some(false), Some(String::new()), Some(vec![])),
    });
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Tuple(u32, Vec<f32>, #[hurray(skip)] u32, #[hurray(default)] Option<u32>);

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Newtype(Vec<f32>);

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Unit;

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Structs {
    tuple: Tuple,
    newtype: Newtype,
    unit: Unit,
    units: Vec<Unit>,
    newtypes: Vec<Newtype>,
    option_unit: Option<Unit>,
}

#[test]
fn structs_of_all_kinds() {
    same(Structs {
        tuple: Tuple(1, vec![2.0], 0, Some(4)),
        newtype: Newtype(vec![1.0]),
        unit: Unit,
        units: vec![Unit, Unit],
        newtypes: vec![Newtype(vec![1.0]), Newtype(vec![])],
        option_unit: Some(Unit),
    });
}

mod paths {
    pub(super) mod deep {
        pub(crate) fn seven() -> u32 {
            7
        }
    }
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Paths<T: Default> {
    #[hurray(default = "paths::deep::seven")]
    quoted: u32,
    #[hurray(default = paths::deep::seven)]
    bare: u32,
    #[hurray(default = Vec::<f32>::new)]
    turbofish: Vec<f32>,
    #[hurray(default = "T::default")]
    of_a_parameter: T,
    #[hurray(default)]
    by_trait: Option<T>,
}

#[test]
fn paths_of_defaults() {
    let loaded: Paths<u32> = file_of(&Nothing {}).load().unwrap();
    let expected = Paths { quoted: 7, bare: 7, turbofish: vec![], of_a_parameter: 0, by_trait: None };
    assert_eq!(loaded, expected);
}

trait Config {
    type Weights: HurraySave;
}

struct Small;

impl Config for Small {
    type Weights = Vec<f32>;
}

#[derive(HurraySave)]
struct Associated<C: Config> {
    weights: C::Weights,
    more: Vec<C::Weights>,
    #[hurray(skip)]
    config: PhantomData<C>,
}

#[test]
fn associated_types() {
    let model = Associated::<Small> { weights: vec![1.0], more: vec![vec![2.0]], config: PhantomData };
    let file = file_of(&model);
    assert!(file.tensor("weights").is_ok() && file.tensor("more.0").is_ok());
}
