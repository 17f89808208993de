//! Names of fields that have none.

use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
enum Layer {
    #[hurray(rename_all = "camelCase")]
    Pair(u32, u32),
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(rename_all_fields = "camelCase")]
struct Model {
    in_features: u32,
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(rename_all = "camelCase")]
struct Pair(u32, u32);

fn main() {}
