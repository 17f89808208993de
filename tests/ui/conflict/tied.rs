//! The other tensor is the stored one.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    weight: Tensor<f32>,
    #[hurray(tied = "weight", align = 4096)]
    head: Tensor<f32>,
}

fn main() {}
