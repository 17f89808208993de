//! Every attribute once, in a place where it belongs.
#![deny(warnings)]
#![allow(dead_code)]

use std::fmt::Display;
use std::sync::Arc;

use hurray::{HurrayLoad, HurraySave, Loader, Reported, SaveError, Saver, Tensor};

mod as_text {
    use super::{Device, HurrayLoad, Loader, Reported, SaveError, Saver};

    pub fn save<'s>(device: &'s Device, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        hurray::HurraySave::save(&device.0, saver)
    }

    pub fn load(loader: Loader<'_, '_>) -> Result<Device, Reported> {
        String::load(loader).map(Device)
    }
}

#[derive(Default)]
struct Device(String);

fn one() -> f64 {
    1.0
}

fn not_zero(value: &u32) -> Result<(), String> {
    if *value == 0 { Err("is zero".into()) } else { Ok(()) }
}

fn consistent<T>(_: &T) -> Result<(), String> {
    Ok(())
}

#[derive(HurraySave, HurrayLoad)]
struct Inner {
    bias: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(rename_all = "camelCase", version = 3, validate = "consistent", crate = hurray)]
struct Model<const HEADS: usize> {
    #[hurray(rename = "self.query", alias = "q", alias = "q_proj")]
    #[hurray(shape = [HEADS, out_features, 64, _, ..])]
    query: Tensor<f32>,
    #[hurray(kv, validate = "not_zero")]
    out_features: u32,
    #[hurray(default = "one")]
    scale: f64,
    #[hurray(default)]
    steps: u32,
    #[hurray(since = 2, cast, element_type = "bfloat16")]
    gain: Option<Tensor<f32>>,
    #[hurray(layout = "keep", align = 4096)]
    table: Tensor<f32>,
    #[hurray(layout = "row_major")]
    other: Tensor<f32>,
    #[hurray(tied = "table")]
    head: Arc<Tensor<f32>>,
    #[hurray(flatten)]
    inner: Inner,
    #[hurray(with = "as_text")]
    device: Device,
    #[hurray(save_with = "as_text::save", load_with = "as_text::load", default)]
    spare: Device,
    #[hurray(skip)]
    cache: Vec<u8>,
    #[hurray(skip_saving, default)]
    imported: u32,
    #[hurray(skip_loading)]
    exported: u32,
}

#[derive(HurraySave, HurrayLoad, Default)]
#[hurray(metadata, default)]
struct Config {
    rate: f64,
    #[hurray(skip)]
    seen: u32,
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(transparent)]
struct Wrapper(Tensor<f32>, #[hurray(skip)] u32);

#[derive(HurraySave, HurrayLoad, Clone)]
#[hurray(from = "String", into = "String")]
struct Name(String);

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

#[derive(HurraySave, HurrayLoad, Clone)]
#[hurray(try_from = "u32", into = "u32")]
struct Even(u32);

impl TryFrom<u32> for Even {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        if number % 2 == 0 { Ok(Self(number)) } else { Err(format!("{number} is odd")) }
    }
}

impl From<Even> for u32 {
    fn from(even: Even) -> Self {
        even.0
    }
}

#[derive(HurraySave, HurrayLoad)]
#[hurray(rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Layer {
    Inner(Inner),
    Dense(#[hurray(shape = [2, _])] Tensor<f32>),
    #[hurray(rename = "bn", alias = "batch_norm", rename_all = "UPPERCASE")]
    Norm {
        running_mean: Tensor<f32>,
        #[hurray(skip)]
        seen: u32,
    },
    Pair(#[hurray(shape = [2])] Tensor<f32>, u32),
    #[hurray(skip)]
    Custom(Box<dyn Display>),
    Skipped(#[hurray(skip)] Device),
    Act,
}

#[derive(HurraySave, HurrayLoad)]
enum Kind {
    Relu,
    #[hurray(alias = "swish")]
    Silu,
    #[hurray(skip)]
    Custom,
}

#[derive(HurraySave, HurrayLoad)]
struct Kinds {
    one: Kind,
    many: Vec<Kind>,
    #[hurray(kv)]
    entry: Kind,
}

#[derive(HurraySave, HurrayLoad)]
struct Unit;

#[derive(HurraySave, HurrayLoad)]
struct Empty {}

fn main() {}
