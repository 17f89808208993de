//! A bound is parsed in its string.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
#[hurray(bound = "T HurraySave")]
struct Model<T>(T);

#[derive(HurraySave, HurrayLoad)]
#[hurray(bound(save = "", store = ""))]
struct Other<T>(T);

fn main() {}
