//! `migrate` needs a version.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray(migrate = "bring_forward")]
struct Model {
    weight: Tensor<f32>,
}

fn main() {}
