//! Two variants with one name in the file.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
enum Layer {
    Conv,
    #[hurray(rename = "Conv")]
    Convolution,
    #[hurray(alias = "Conv")]
    Other,
}

fn main() {}
