//! A field that gives a dimension its size can't be skipped.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(shape = [width, 2])]
    weight: Tensor<f32>,
    #[hurray(skip)]
    width: u32,
}

fn main() {}
