//! A transparent struct is its only field.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray(transparent)]
struct Two(Tensor<f32>, u32);

#[derive(HurraySave, HurrayLoad)]
#[hurray(transparent)]
struct None {}

#[derive(HurraySave, HurrayLoad)]
#[hurray(transparent, version = 2)]
struct Renamed {
    #[hurray(rename = "w")]
    weight: Tensor<f32>,
}

fn main() {}
