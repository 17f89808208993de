//! `since` needs a version at least as high.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Unversioned {
    #[hurray(since = 2)]
    weight: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(version = 2)]
struct Model {
    #[hurray(since = 3)]
    weight: Tensor<f32>,
}

fn main() {}
