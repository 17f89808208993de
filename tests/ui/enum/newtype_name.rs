//! The value of a newtype variant has no name of its own.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
enum Layer {
    Dense(#[hurray(rename = "weight")] Tensor<f32>),
    Scale(#[hurray(kv)] u32),
}

fn main() {}
