//! What other derives call the same thing.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(skip_serializing)]
    weight: Tensor<f32>,
    #[hurray(dtype = "float16")]
    bias: Tensor<f32>,
}

fn main() {}
