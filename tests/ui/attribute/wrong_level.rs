//! An attribute of a field on a struct, and the other way round.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray(kv)]
struct Model {
    #[hurray(rename_all = "camelCase")]
    weight: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
enum Layer {
    #[hurray(shape = [2])]
    Dense(Tensor<f32>),
}

fn main() {}
