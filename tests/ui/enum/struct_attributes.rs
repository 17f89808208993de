//! Attributes that are for structs.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
#[hurray(metadata, version = 2, default)]
enum Layer {
    Act,
    Norm(u32),
}

fn main() {}
