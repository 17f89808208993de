//! The derive's own lifetime.

use hurray::{HurrayLoad, HurraySave, TensorView};

#[derive(HurraySave, HurrayLoad)]
struct Model<'hurray> {
    weight: TensorView<'hurray, f32>,
}

fn main() {}
