//! `with` is both directions, and decides what the field is.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(with = "module", save_with = "function")]
    weight: Tensor<f32>,
    #[hurray(with = "module", kv)]
    bias: u32,
}

fn main() {}
