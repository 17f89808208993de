//! `hurray::load` closes the file: a model that borrows from it is told the way out.

use hurray::{HurrayLoad, TensorView};

#[derive(HurrayLoad)]
struct Model<'a> {
    weight: TensorView<'a, f32>,
}

fn main() {
    let model: Model<'_> = hurray::load("model.hrry").unwrap();
    println!("{:?}", model.weight);
}
