//! `bool` is packed in a file: no view of whole bytes shows it, and the error names what does.

use hurray::{HurrayLoad, HurraySave, Tensor, TensorView};

#[derive(HurraySave, HurrayLoad)]
struct Owned {
    mask: Tensor<bool>,
}

#[derive(HurraySave, HurrayLoad)]
struct Borrowed<'a> {
    mask: TensorView<'a, bool>,
}

fn main() {}
