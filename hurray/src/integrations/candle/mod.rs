//! Tensors of [candle] 0.11: as fields of models, through a `VarBuilder`, and in a `VarMap`. Feature `candle`.
//!
//! [candle]: https://docs.rs/candle-core/0.11
//!
//! - [`candle_core::Tensor`] and [`candle_core::Var`] are fields that
//!   [`HurraySave`](crate::HurraySave) and [`HurrayLoad`](crate::HurrayLoad) know. Saving writes straight from
//!   candle's memory, strided tensors included. Loading copies each tensor once, which is candle's own minimum:
//!   its CPU storage is a `Vec`. Where tensors go is a [`Target`] in
//!   [`LoadOptions::context`](crate::LoadOptions::context).
//! - [`var_builder`] feeds any model of candle-nn and candle-transformers from an open file;
//!   [`HurrayBackend`] is the same with a handle that knows which tensors were never asked for.
//! - [`save_var_map`], [`load_var_map`] and [`read_var_map`] store a `VarMap`; [`save`] and [`load`] a map of
//!   tensors, as the functions of the same names in `candle_core::safetensors` do.
//! - [`QTensor`](candle_core::quantized::QTensor) and `QMatMul` are fields, too: their blocks stay in the mapping.
//!
//! # Element types
//!
//! | in the file | in candle |
//! |---|---|
//! | float16, bfloat16, float32, float64, uint8, uint32, int16, int32, int64, float8_e4m3 | the same |
//! | float4_e2m1, float6_e2m3, float6_e3m2, float8_e8m0 | the same raw bytes; float32 where a dtype is asked for |
//! | bool, uint2, uint4 | `U8` |
//! | int2, int4, int8 | `I16` |
//! | uint16 | `U32` |
//! | float8_e5m2 | `F16` |
//! | quantized, any scheme | `F32` |
//! | uint64, float128, complex64, complex128, private types | refused |
//!
//! ```
//! use candle_core::{DType, Device, Tensor};
//! use hurray::candle::Target;
//! use hurray::{File, HurrayLoad, HurraySave, LoadOptions};
//!
//! #[derive(HurraySave, HurrayLoad)]
//! struct Linear {
//!     #[hurray(shape = [out_features, _])]
//!     weight: Tensor,
//!     #[hurray(shape = [out_features])]
//!     bias: Option<Tensor>,
//! }
//!
//! let weight = Tensor::arange(0f32, 6., &Device::Cpu)?.reshape((3, 2))?;
//! let file = File::from_vec(hurray::to_bytes(&Linear { weight: weight.t()?, bias: None })?)?;
//! let target = Target { device: Device::Cpu, dtype: Some(DType::F16) };
//! let (linear, _): (Linear, _) = file.load_with(&LoadOptions::new().context(target))?;
//! assert_eq!((linear.weight.dims(), linear.weight.dtype()), (&[2, 3][..], DType::F16));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backend;
mod blocks;
mod dtype;
mod error;
mod field;
mod quantized;
mod read;
mod state_dict;
mod target;
mod var_map;
mod write;

pub use backend::{HurrayBackend, var_builder};
pub use error::CandleError;
pub use state_dict::{load, save};
pub use target::Target;
pub use var_map::{load_var_map, read_var_map, save_var_map, save_var_map_with};
