//! The library under another name, by tokens and by a string.
#![deny(warnings)]
#![allow(dead_code)]

mod vendored {
    pub extern crate hurray as weights;
}

// What `::hurray` means here: nothing that the derives may use.
mod hurray {}

#[derive(vendored::weights::HurraySave, vendored::weights::HurrayLoad)]
#[hurray(crate = crate::vendored::weights)]
struct ByTokens {
    weight: vendored::weights::Tensor<f32>,
}

#[derive(vendored::weights::HurraySave, vendored::weights::HurrayLoad)]
#[hurray(crate = "vendored::weights")]
struct ByString {
    weight: vendored::weights::Tensor<f32>,
}

fn main() {}
