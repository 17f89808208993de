//! Every error is reported, also those after the first in one list.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(rename = 3, colour, layout = "tiled")]
    weight: Tensor<f32>,
    #[hurray(align = 48)]
    bias: Tensor<f32>,
    #[hurray(element_type = "float31")]
    scale: Tensor<f32>,
}

fn main() {}
