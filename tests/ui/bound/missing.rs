//! A bound that does not hold points at the field that needs it.

use hurray::{HurrayLoad, HurraySave, Tensor};

struct Opaque;

#[derive(HurraySave, HurrayLoad)]
struct Model<T> {
    weight: Tensor<f32>,
    inner: T,
}

fn saves<T: HurraySave>() {}

#[allow(dead_code)]
fn uses() {
    saves::<Model<Opaque>>();
}

fn main() {}
