//! A dimension is not a type.

use hurray::{Element, HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Model<T: Element> {
    #[hurray(shape = [T, 2])]
    weight: Tensor<T>,
}

fn main() {}
