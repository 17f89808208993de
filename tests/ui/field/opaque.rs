//! A field that can't be placed is underlined, each one by itself, also inside a `Vec`.

use hurray::{HurrayLoad, HurraySave};

struct Opaque;

#[derive(HurraySave, HurrayLoad)]
struct Model {
    first: Opaque,
    second: Vec<Opaque>,
    #[hurray(kv)]
    third: Opaque,
}

fn main() {}
