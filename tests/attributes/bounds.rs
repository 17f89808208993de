//! `borrow`, `bound` and `crate`: what the impls ask for.

use std::marker::PhantomData;

use hurray::{Element, HurrayLoad, HurraySave, Tensor, TensorView};
use hurray_tests::{file_of, reloaded};

/// Only `'a` borrows from the file: `'x` may be any lifetime, a static one too.
#[derive(HurraySave, HurrayLoad)]
#[hurray(borrow = "'a")]
struct OnTheStruct<'a, 'x> {
    name: &'a str,
    #[hurray(skip)]
    owner: PhantomData<&'x u32>,
}

#[derive(HurraySave, HurrayLoad)]
struct OnAField<'a, 'x> {
    #[hurray(borrow)]
    weight: TensorView<'a, f32>,
    #[hurray(skip)]
    owner: PhantomData<&'x u32>,
}

/// Loads from bytes that live shorter than `'x`.
fn lives_longer<'x>(_: &'x u32) -> usize
where
    'x: 'x,
{
    let file = file_of(&Named { name: "short".to_owned() });
    let named: OnTheStruct<'_, 'x> = file.load().unwrap();
    let weights = file_of(&Weights { weight: Tensor::from_vec(vec![1.0f32, 2.0], &[2]).unwrap() });
    let weighted: OnAField<'_, 'x> = weights.load().unwrap();
    named.name.len() + weighted.weight.len()
}

#[derive(HurraySave)]
struct Named {
    name: String,
}

#[derive(HurraySave)]
struct Weights {
    weight: Tensor<f32>,
}

#[test]
fn borrow_says_which_lifetimes_are_those_of_the_file() {
    assert_eq!(lives_longer::<'static>(&0), 7);
}

/// What a parameter has to be can't be told from a type that hides it.
#[derive(HurraySave, HurrayLoad)]
#[hurray(bound(save = "M: Model, M::Layer: HurraySave", load = "M: Model, M::Layer: HurrayLoad<'hurray>"))]
struct Net<M: Model> {
    layers: Vec<M::Layer>,
}

trait Model {
    type Layer;
}

struct Mlp;

impl Model for Mlp {
    type Layer = Linear<f32>;
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(bound = "T: Element")]
struct Linear<T> {
    weight: Tensor<T>,
}

#[derive(HurraySave, HurrayLoad)]
struct OnOneField<T, U> {
    #[hurray(bound(save = "T: Element", load = "T: Element"))]
    weight: Tensor<T>,
    other: U,
}

#[test]
fn bound_stands_in_for_the_inferred_ones() {
    let linear = |value: f32| Linear { weight: Tensor::from_vec(vec![value], &[1]).unwrap() };
    let net: Net<Mlp> = Net { layers: vec![linear(1.0), linear(2.0)] };
    assert_eq!(reloaded(&net).layers[1].weight, net.layers[1].weight);
    let one = OnOneField { weight: linear(1.0).weight, other: linear(2.0) };
    let loaded = reloaded(&one);
    assert_eq!((loaded.weight, loaded.other.weight), (one.weight, one.other.weight));
}

mod weights {
    pub(super) use hurray::*;
}

#[derive(weights::HurraySave, weights::HurrayLoad, Debug, PartialEq)]
#[hurray(crate = weights)]
struct Elsewhere {
    bias: Vec<f32>,
}

#[test]
fn crate_is_where_the_library_is() {
    let model = Elsewhere { bias: vec![1.0] };
    assert_eq!(reloaded(&model), model);
}
