//! Generics zoo: each impl gets the bounds that it needs, and no others.
#![deny(warnings)]
#![allow(dead_code)]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;

use hurray::{Element, HurrayLoad, HurrayLoadOwned, HurraySave, Tensor, TensorView};

fn saves<T: HurraySave>() {}
fn loads<'f, T: HurrayLoad<'f>>() {}
fn loads_owned<T: HurrayLoadOwned>() {}

struct NoImpls;

struct Cache<B>(PhantomData<B>);

trait Backend {
    type Float: Element;
    type Layer;
}

struct Cpu;

impl Backend for Cpu {
    type Float = f32;
    type Layer = Tensor<f32>;
}

#[derive(HurraySave, HurrayLoad)]
struct Plain<T>(T);

#[derive(HurraySave, HurrayLoad)]
struct ByElement<'a, T> {
    weight: TensorView<'a, T>,
    bias: Option<TensorView<'a, T>>,
}

#[derive(HurraySave, HurrayLoad)]
struct Defaulted<T: Element = f32, const N: usize = 4> {
    weight: Tensor<T>,
    layers: [Tensor<T>; N],
}

#[derive(HurraySave, HurrayLoad)]
struct Marked<B, T: ?Sized, const N: usize> {
    weight: [f32; N],
    backend: PhantomData<B>,
    marker: PhantomData<fn() -> T>,
    #[hurray(skip)]
    cache: Cache<B>,
}

impl<B> Default for Cache<B> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[derive(HurraySave, HurrayLoad)]
struct Associated<B: Backend> {
    weight: Tensor<B::Float>,
    layer: <B as Backend>::Layer,
}

#[derive(HurraySave, HurrayLoad)]
struct Tree {
    value: Tensor<f32>,
    kids: Vec<Tree>,
}

#[derive(HurraySave, HurrayLoad)]
struct GenericTree<T> {
    value: T,
    kids: Vec<GenericTree<T>>,
    next: Option<Box<Self>>,
}

#[derive(HurraySave, HurrayLoad)]
enum List<T> {
    Cons(Tensor<f32>, T, Box<List<T>>),
    Named { value: T },
    Nil,
}

#[derive(HurraySave, HurrayLoad)]
struct Where<T>
where
    T: Element,
    Tensor<T>: Clone,
{
    weight: Tensor<T>,
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(bound(save = "T: HurraySave", load = "T: HurrayLoad<'hurray>"))]
struct Bound<T> {
    inner: Vec<T>,
}

#[derive(HurraySave, HurrayLoad)]
struct FieldBound<T> {
    #[hurray(bound(save = "T: HurraySave", load = "T: HurrayLoad<'hurray>"))]
    inner: Arc<Vec<T>>,
}

#[derive(HurraySave, HurrayLoad)]
struct Lifetimes<'a, 'b: 'a> {
    name: &'a str,
    tokens: Cow<'b, [u8]>,
}

/// `'x` is no lifetime of the file, so the struct can outlive it.
#[derive(HurraySave, HurrayLoad)]
#[hurray(bound = "")]
struct Borrows<'a, 'x> {
    #[hurray(borrow)]
    name: &'a str,
    context: PhantomData<&'x NoImpls>,
}

#[derive(HurraySave, HurrayLoad)]
struct Containers<T, H: Default + std::hash::BuildHasher> {
    boxed: Box<T>,
    shared: Arc<T>,
    pair: (T, Vec<T>),
    named: HashMap<String, T, H>,
    sorted: BTreeMap<String, T>,
}

type Hasher = std::collections::hash_map::RandomState;

fn main() {
    saves::<Plain<Tensor<f32>>>();
    loads_owned::<Plain<Tensor<f32>>>();
    loads::<ByElement<'_, f32>>();
    saves::<Defaulted>();
    saves::<Marked<NoImpls, str, 64>>();
    loads_owned::<Marked<NoImpls, [u8], 64>>();
    loads_owned::<Associated<Cpu>>();
    loads_owned::<Tree>();
    loads_owned::<GenericTree<Tensor<f32>>>();
    saves::<List<u32>>();
    loads_owned::<List<String>>();
    loads_owned::<Where<f32>>();
    saves::<Bound<u32>>();
    loads_owned::<FieldBound<u32>>();
    loads::<Lifetimes<'_, '_>>();
    loads::<Borrows<'_, 'static>>();
    loads_owned::<Containers<u32, Hasher>>();
    loads_owned::<Plain<Plain<Option<Vec<u32>>>>>();
}
