//! A flag takes no value.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(skip = true)]
    weight: Tensor<f32>,
    #[hurray(kv(false))]
    bias: u32,
}

fn main() {}
