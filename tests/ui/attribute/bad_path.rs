//! A path that does not parse is underlined in its string.

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
#[hurray(crate = "not a path")]
struct Model {
    #[hurray(default = "one plus two")]
    weight: Tensor<f32>,
}

fn main() {}
