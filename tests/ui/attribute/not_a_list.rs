//! `#[hurray(..)]` is a list.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray]
struct Model {
    #[hurray = "w"]
    weight: Tensor<f32>,
    #[hurray(rename = "b" kv)]
    bias: Tensor<f32>,
}

fn main() {}
