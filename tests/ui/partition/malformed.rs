use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Layer {
    #[hurray(partition)]
    bare: Tensor<f32>,
    #[hurray(partition(parts = 4))]
    without_axis: Tensor<f32>,
    #[hurray(partition(axis = 0, parts = 0))]
    no_parts: Tensor<f32>,
    #[hurray(partition(axis = 8, parts = 2))]
    beyond: Tensor<f32>,
    #[hurray(partition(axis = 0, pieces = 2))]
    unknown: Tensor<f32>,
    #[hurray(partition(axis = 0, parts = 2), layout = "keep")]
    conflict: Tensor<f32>,
}

fn main() {}
