//! A shape is a list of numbers, names, `_` and `..`.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(shape = "2, 3")]
    weight: Tensor<f32>,
    #[hurray(shape = [2, -1])]
    bias: Tensor<f32>,
    #[hurray(shape = [2 * 3])]
    scale: Tensor<f32>,
    #[hurray(shape)]
    table: Tensor<f32>,
}

fn main() {}
