//! `r#` is Rust's, not the file's.
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types)]

use hurray::{HurrayLoad, HurraySave, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct r#Model {
    #[hurray(shape = [r#fn, 2])]
    r#type: Tensor<f32>,
    r#fn: u32,
}

#[derive(HurraySave, HurrayLoad)]
enum r#enum {
    r#loop,
    r#while { r#match: u32 },
}

fn main() {}
