//! An attribute that there isn't, with and without one that is near.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(renmae = "w")]
    weight: Tensor<f32>,
    #[hurray(colour = "red")]
    bias: Tensor<f32>,
}

fn main() {}
