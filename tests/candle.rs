//! The integration with candle: fields, `VarBuilder`, `VarMap`, quantized tensors, and a real model.

#[path = "candle/backend.rs"]
mod backend;
#[path = "candle/docs.rs"]
mod docs;
#[path = "candle/field.rs"]
mod field;
#[path = "candle/minilm.rs"]
mod minilm;
#[path = "candle/quantized.rs"]
mod quantized;
#[path = "candle/var_map.rs"]
mod var_map;

use candle_core::Tensor;
use hurray::descriptor::TensorDescriptor;
use hurray::{File, Writer, WriterOptions};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

/// A file of one tensor, as another program may have written it.
fn file_of(name: &str, descriptor: &TensorDescriptor, buffers: &[&[u8]]) -> File {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, WriterOptions::default()).unwrap();
    writer.tensor(name, descriptor, buffers).unwrap();
    writer.finish().unwrap();
    File::from_vec(bytes).unwrap()
}

/// The elements of a float tensor, in row-major order.
fn floats(tensor: &Tensor) -> Vec<f32> {
    tensor.to_dtype(candle_core::DType::F32).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}
