//! A bound in a string that names what there is not: the string is underlined.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
#[hurray(bound = "T: Savable")]
struct Model<T>(T);

#[derive(HurraySave, HurrayLoad)]
#[hurray(bound(save = "T: HurraySave", load = "T: HurrayLoad<'file>"))]
struct Other<T>(T);

fn main() {}
