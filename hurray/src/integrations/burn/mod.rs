//! Modules and tensors of [burn] 0.22: through a store, and as fields of models. Feature `burn`.
//!
//! [burn]: https://docs.rs/burn/0.22
//!
//! - [`HurrayStore`] saves and loads any `Module`, with the builder methods of burn's own stores:
//!   `model.save_into(&mut store)`, `model.load_from(&mut store)`.
//! - [`Tensor`](burn_core::tensor::Tensor) and [`Param`](burn_core::module::Param) are fields that
//!   [`HurraySave`](crate::HurraySave) and [`HurrayLoad`](crate::HurrayLoad) know. Where they go is a
//!   [`Target`] in [`LoadOptions::context`](crate::LoadOptions::context).
//!
//! Saving reads tensors from their device in pieces, one after another. Loading on the Flex backend copies nothing: the tensors
//! lie in the file's memory, mapped or read, until they are written to; that copies the tensor first, and
//! never changes the file. One such tensor keeps the whole file's memory alive.
//!
//! # Element types
//!
//! | in the file | in burn |
//! |---|---|
//! | float16, bfloat16, float32, float64, int8 to int64, uint8 to uint64 | the same |
//! | bool | `Bool`: 1 bit in the file, unpacked on load |
//! | int2, int4 | `I8` |
//! | uint2, uint4 | `U8` |
//! | floats of 4, 6 and 8 bits; quantized, any scheme | `F32` |
//! | float128, complex64, complex128, private types | refused |
//!
//! burn's `Flex32` is saved as float32. Its quantized tensors are refused.
//!
//! ```no_run
//! # use burn_core as burn;
//! # use burn_store as store;
//! use burn::module::{Module, Param};
//! use burn::tensor::{Device, Tensor};
//! # /*
//! use burn::store::ModuleSnapshot;
//! # */ use store::ModuleSnapshot;
//! use hurray::burn::HurrayStore;
//!
//! #[derive(Module, Debug)]
//! struct Scale {
//!     gamma: Param<Tensor<1>>,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::default();
//! let scale = Scale { gamma: Param::from_data([1.0, 2.0], &device) };
//! scale.save_into(&mut HurrayStore::from_file("scale.hrry"))?;
//!
//! let mut other = Scale { gamma: Param::from_data([0.0, 0.0], &device) };
//! other.load_from(&mut HurrayStore::from_file("scale.hrry"))?;
//! # Ok(())
//! # }
//! ```

mod dtype;
mod error;
mod field;
mod read;
mod store;
mod target;
mod write;

pub use error::HurrayStoreError;
pub use field::with_id;
pub use store::HurrayStore;
pub use target::Target;
