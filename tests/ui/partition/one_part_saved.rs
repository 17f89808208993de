use hurray::{HurraySave, Tensor};

#[derive(HurraySave)]
struct Layer {
    #[hurray(partition(axis = 0))]
    weight: Tensor<f32>,
}

fn main() {}
