//! A tensor can't be the size of its own dimension.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(shape = [weight, 2])]
    weight: Tensor<f32>,
}

fn main() {}
