//! Two generic types that contain each other: `bound` says what is needed.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
struct Branch<T> {
    value: T,
    leaves: Vec<Leaf<T>>,
}

#[derive(HurraySave, HurrayLoad)]
struct Leaf<T> {
    branches: Vec<Branch<T>>,
}

fn saves<T: HurraySave>() {}

#[allow(dead_code)]
fn uses() {
    saves::<Branch<u32>>();
}

fn main() {}
