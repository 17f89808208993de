//! Names of the prelude, of std and of the derive's own locals mean what the user says they mean.
#![deny(warnings)]
#![allow(dead_code)]

use hurray::{HurrayLoad, HurraySave};

mod shadows {
    pub struct Result;
    pub struct Option;
    pub struct Ok;
    pub struct Err;
    pub struct Some;
    pub struct None;
    pub struct Default;
    pub struct Field;
    pub struct Dim;
    pub struct Saver;
    pub struct Loader;
    pub trait From {}
    pub trait Into {}
}

mod model {
    #[allow(unused_imports)]
    use super::shadows::*;

    #[derive(super::HurraySave, super::HurrayLoad)]
    pub struct Model {
        #[hurray(shape = [self_, 2])]
        pub weight: hurray::Tensor<f32>,
        pub self_: u32,
        pub __value: u32,
        pub __group: u32,
        pub __saver: u32,
        pub __loader: u32,
        pub __field0: u32,
        #[hurray(default)]
        pub r#type: u32,
    }
}

fn main() {}
