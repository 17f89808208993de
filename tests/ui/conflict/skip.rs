//! Attributes that mean nothing on a skipped field or variant.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(skip, rename = "w", shape = [2])]
    weight: Option<Tensor<f32>>,
    #[hurray(skip, skip_saving)]
    bias: u32,
    #[hurray(skip_saving, skip_loading)]
    scale: u32,
}

#[derive(HurraySave, HurrayLoad)]
enum Layer {
    #[hurray(skip, rename = "x")]
    Custom,
    Act,
}

fn main() {}
