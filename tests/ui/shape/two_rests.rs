//! `..` can appear only once.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(shape = [.., 3, ..])]
    weight: Tensor<f32>,
}

fn main() {}
