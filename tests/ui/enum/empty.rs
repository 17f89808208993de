//! An enum without variants has no value.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
enum Never {}

fn main() {}
