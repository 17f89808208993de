//! Names in the file have no empty segments.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(rename = "")]
    weight: Tensor<f32>,
    #[hurray(rename = "self..query")]
    query: Tensor<f32>,
    #[hurray(alias = ".key")]
    key: Tensor<f32>,
}

fn main() {}
