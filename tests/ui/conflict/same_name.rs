//! Two fields with one name in the file.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct ByRename {
    weight: Tensor<f32>,
    #[hurray(rename = "weight")]
    w: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
struct ByAlias {
    #[hurray(alias = "bias", alias = "weight")]
    weight: Tensor<f32>,
    bias: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(rename_all = "camelCase")]
struct ByCase {
    layer_1: u32,
    layer1: u32,
}

fn main() {}
