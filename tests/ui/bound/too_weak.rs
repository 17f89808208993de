//! A bound that says too little.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
#[hurray(bound = "T: Clone")]
struct Model<T>(T);

fn main() {}
