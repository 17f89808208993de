//! A failed derive still leaves an impl, so that its uses are no errors.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Inner {
    #[hurray(colour)]
    weight: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
struct Outer {
    inner: Inner,
}

fn saves<T: HurraySave>() {}

#[allow(dead_code)]
fn uses() {
    saves::<Outer>();
}

fn main() {}
