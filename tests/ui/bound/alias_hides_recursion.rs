//! A type alias hides that a type mentions itself: `bound` says what is needed.

use hurray::{HurrayLoad, HurraySave};

type Kids<T> = Vec<Tree<T>>;

#[derive(HurraySave, HurrayLoad)]
struct Tree<T> {
    value: T,
    kids: Kids<T>,
}

fn saves<T: HurraySave>() {}

#[allow(dead_code)]
fn uses() {
    saves::<Tree<u32>>();
}

fn main() {}
