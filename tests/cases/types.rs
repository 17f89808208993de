//! C17, C18: nothing is skipped in silence; generics need no bounds by hand.

use std::fmt::Debug;
use std::marker::PhantomData;

use hurray::{HurrayLoad, HurraySave};
use hurray_tests::{listing_of, reloaded};

#[derive(Debug, PartialEq, Default)]
struct Cache(u32);

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct L {
    w: [f32; 1],
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct P([f32; 1], [f32; 1]);

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct M {
    w: [f32; 2],
    t: (L, L),
    pair: P,
    n: usize,
    s: String,
    opt: Option<f64>,
    #[hurray(skip)]
    skip_me: Cache,
}

#[test]
fn c17_every_field_but_a_skipped_one_is_saved() {
    let model = M {
        w: [1.0, 2.0],
        t: (L { w: [3.0] }, L { w: [4.0] }),
        pair: P([5.0], [6.0]),
        n: 7,
        s: "eight".into(),
        opt: Some(9.0),
        skip_me: Cache(10),
    };
    assert_eq!(
        listing_of(&model),
        [
            "w: float32[2]",
            "t: Group of 2",
            "  t.0: Group of 1",
            "    t.0.w: float32[1]",
            "  t.1: Group of 1",
            "    t.1.w: float32[1]",
            "pair: Group of 2",
            "  pair.0: float32[1]",
            "  pair.1: float32[1]",
            "n = uint64 7",
            "s = utf8 \"eight\"",
            "opt = float64 9.0",
        ]
    );
    assert_eq!(reloaded(&model), M { skip_me: Cache(0), ..model });
    // A field that can't be placed does not compile: `ui/field/opaque.rs`.
}

/// Without any impl.
#[derive(Debug, PartialEq)]
struct NoImpls;

#[derive(Debug, PartialEq)]
struct C<B>(PhantomData<B>);

impl<B> Default for C<B> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[derive(HurraySave, HurrayLoad)]
struct Generic<B, T: ?Sized, const N: usize> {
    w: [f32; N],
    l: [L; N],
    _b: PhantomData<B>,
    _t: PhantomData<fn() -> T>,
    #[hurray(skip)]
    c: C<B>,
}

#[test]
fn c18_markers_and_skipped_generics_need_no_bounds() {
    fn comes_back<B: PartialEq + Debug, T: ?Sized, const N: usize>() {
        let model = Generic::<B, T, N> {
            w: [0.5; N],
            l: std::array::from_fn(|index| L { w: [index as f32] }),
            _b: PhantomData,
            _t: PhantomData,
            c: C::default(),
        };
        let loaded = reloaded(&model);
        assert_eq!((loaded.w, loaded.l, loaded.c), (model.w, model.l, model.c));
    }
    comes_back::<NoImpls, str, 64>();
    comes_back::<NoImpls, dyn Send, 0>();
    comes_back::<fn(NoImpls) -> NoImpls, [NoImpls], 1>();
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Tree {
    v: [f32; 1],
    kids: Vec<Tree>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct GenericTree<T> {
    v: T,
    kids: Vec<GenericTree<T>>,
    next: Option<Box<Self>>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Where<T>
where
    T: hurray::Element,
{
    weight: hurray::Tensor<T>,
    rows: Vec<Vec<T>>,
}

trait Backend {
    type Float: hurray::Element;
    type Layer;
}

struct Cpu;

impl Backend for Cpu {
    type Float = f64;
    type Layer = L;
}

#[derive(HurraySave, HurrayLoad)]
struct Associated<B: Backend> {
    weight: hurray::Tensor<B::Float>,
    layer: Vec<<B as Backend>::Layer>,
}

#[test]
fn c18_recursive_where_clause_and_associated_types() {
    let leaf = || Tree { v: [1.0], kids: vec![] };
    let tree = Tree { v: [0.0], kids: vec![leaf(), Tree { v: [2.0], kids: vec![leaf()] }] };
    assert_eq!(reloaded(&tree), tree);

    let leaf = |v: f32| GenericTree { v: vec![v], kids: vec![], next: None };
    let tree = GenericTree { v: vec![], kids: vec![leaf(1.0)], next: Some(Box::new(leaf(2.0))) };
    assert_eq!(reloaded(&tree), tree);

    let tensor = hurray::Tensor::from_vec(vec![1i16, 2], &[2]).unwrap();
    let model = Where { weight: tensor, rows: vec![vec![], vec![3]] };
    assert_eq!(reloaded(&model), model);

    let tensor = hurray::Tensor::from_vec(vec![1.0], &[1, 1]).unwrap();
    let model = Associated::<Cpu> { weight: tensor, layer: vec![L { w: [1.0] }] };
    let loaded = reloaded(&model);
    assert_eq!((loaded.weight, loaded.layer), (model.weight, model.layer));
}
