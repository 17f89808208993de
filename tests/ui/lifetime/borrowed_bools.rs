//! Bools are packed in a file, structs are no bytes: neither can be borrowed as a slice.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
struct Layer {
    weight: Vec<f32>,
}

#[derive(HurraySave, HurrayLoad)]
struct Model<'a> {
    mask: &'a [bool],
    layers: &'a [Layer],
}

fn main() {}
