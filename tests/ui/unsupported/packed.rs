//! The fields of a packed struct can't be borrowed.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
#[repr(C, packed(2))]
struct Model {
    weight: [f32; 2],
}

fn main() {}
