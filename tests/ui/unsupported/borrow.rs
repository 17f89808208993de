//! `borrow` names the struct's lifetimes.

use hurray::{HurrayLoad, HurraySave, TensorView};

#[derive(HurraySave, HurrayLoad)]
#[hurray(borrow = "'b")]
struct Model<'a> {
    weight: TensorView<'a, f32>,
}

fn main() {}
