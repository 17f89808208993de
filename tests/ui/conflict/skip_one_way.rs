//! Attributes for a direction that the field does not take.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(skip_saving, layout = "keep")]
    weight: Tensor<f32>,
    #[hurray(skip_loading, alias = "b")]
    bias: Tensor<f32>,
}

fn main() {}
