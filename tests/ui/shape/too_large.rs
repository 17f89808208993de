//! A dimension has 64 bits.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(shape = [18446744073709551616])]
    weight: Tensor<f32>,
}

fn main() {}
