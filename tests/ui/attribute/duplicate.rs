//! The same attribute twice: the second one is underlined.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray(rename_all = "camelCase")]
#[hurray(rename_all = "kebab-case")]
struct Model {
    #[hurray(kv, rename = "w", rename = "v")]
    weight: u32,
    #[hurray(alias = "b", alias = "b")]
    bias: Tensor<f32>,
}

fn main() {}
