//! A flattened field has no name, and tuple fields have none to merge.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Inner {
    weight: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(flatten, rename = "inner", default)]
    inner: Inner,
}

#[derive(HurraySave, HurrayLoad)]
struct Pair(#[hurray(flatten)] Inner, u32);

fn main() {}
