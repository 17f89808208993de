//! The derives name everything by absolute paths.
#![no_implicit_prelude]
#![deny(warnings)]
#![allow(dead_code)]

#[derive(::hurray::HurraySave, ::hurray::HurrayLoad)]
struct Linear<'a> {
    #[hurray(shape = [out_features, _])]
    weight: ::hurray::TensorView<'a, f32>,
    out_features: u32,
    #[hurray(default)]
    note: ::std::string::String,
    #[hurray(skip)]
    seen: u32,
}

#[derive(::hurray::HurraySave, ::hurray::HurrayLoad)]
enum Kind {
    Relu,
    Silu,
}

#[derive(::hurray::HurraySave, ::hurray::HurrayLoad)]
enum Layer<'a> {
    Linear(Linear<'a>),
    Pair(u32, ::std::option::Option<Kind>),
    Act,
}

fn main() {}
