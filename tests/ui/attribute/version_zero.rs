//! Versions count from 1.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray(version = 0)]
struct Model {
    weight: Tensor<f32>,
}

fn main() {}
