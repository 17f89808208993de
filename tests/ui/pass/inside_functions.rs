//! Types that are local to a function or made by a macro.
#![deny(warnings)]
#![allow(dead_code)]

use hurray::{HurrayLoad, HurraySave, Tensor};

macro_rules! model {
    ($name:ident { $($field:ident: $ty:ty),* }) => {
        #[derive(HurraySave, HurrayLoad)]
        struct $name<T> {
            $(#[hurray(shape = [size, ..])] $field: $ty,)*
            size: u32,
            tail: Vec<T>,
        }
    };
}

model!(Generated { weight: Tensor<f32>, bias: Tensor<f64> });

fn saves<T: HurraySave>() {}

fn main() {
    #[derive(HurraySave, HurrayLoad)]
    struct Local {
        weight: Tensor<f32>,
    }

    saves::<Local>();
    saves::<Generated<u32>>();
}
