use hurray::{HurrayLoad, TensorView};

#[derive(HurrayLoad)]
struct Layer<'a> {
    #[hurray(partition(axis = 0, parts = 4))]
    weight: TensorView<'a, f32>,
}

fn main() {}
