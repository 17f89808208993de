//! One way to load, and nothing about what is not loaded.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
#[hurray(from = "u32", try_from = "u32", default)]
struct Number(u32);

fn main() {}
