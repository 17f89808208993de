//! Derived code is quiet under lints that a crate may deny.
#![deny(
    warnings,
    missing_docs,
    rust_2018_idioms,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unsafe_code,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results
)]
#![allow(dead_code)]

//! A model.

use hurray::{HurrayLoad, HurraySave, Tensor, TensorView};

/// A model.
#[derive(HurraySave, HurrayLoad)]
#[deprecated]
pub struct Old<'a> {
    /// A weight.
    #[hurray(shape = [width, 2])]
    pub weight: TensorView<'a, f32>,
    /// Its width.
    pub width: u32,
    /// Not used any more.
    #[deprecated]
    pub bias: Option<Tensor<f32>>,
}

/// A choice.
#[derive(HurraySave, HurrayLoad)]
#[non_exhaustive]
pub enum Choice {
    /// The first.
    First,
    /// The second.
    #[deprecated]
    Second(u32),
}

fn main() {}
