//! A case that there isn't.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray(rename_all = "camel_case")]
struct Model {
    weight: Tensor<f32>,
}

fn main() {}
