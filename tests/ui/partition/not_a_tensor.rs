use hurray::{HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
struct Layer {
    #[hurray(partition(axis = 0, parts = 4))]
    names: Vec<String>,
}

fn main() {}
