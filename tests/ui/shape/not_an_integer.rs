//! A field whose name a shape uses has to be an integer.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(shape = [width, 2])]
    weight: Tensor<f32>,
    width: String,
}

fn main() {}
