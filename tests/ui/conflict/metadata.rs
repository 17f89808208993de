//! A `metadata` struct has no tensors.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
#[hurray(metadata)]
struct Config {
    #[hurray(shape = [3])]
    mean: Vec<f32>,
}

fn main() {}
