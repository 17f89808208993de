//! A union does not say which of its fields holds.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
union Bits {
    float: f32,
    integer: u32,
}

fn main() {}
