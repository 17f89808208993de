//! Views can't outlive the file that they borrow from.

use hurray::{File, HurrayLoad, TensorView};

#[derive(HurrayLoad)]
struct Model<'a> {
    weight: TensorView<'a, f32>,
}

fn main() {
    let file = File::read("model.hrry").unwrap();
    let model: Model<'_> = file.load().unwrap();
    drop(file);
    println!("{:?}", model.weight);
}
