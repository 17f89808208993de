//! A key-value entry has nothing that a tensor has.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(kv, shape = [3], align = 4096)]
    mean: Vec<f32>,
}

fn main() {}
