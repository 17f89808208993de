//! The pages of the documentation: their code is compiled and run as it stands.

#[doc = include_str!("../docs/ndarray.md")]
pub mod ndarray {}

#[doc = include_str!("../docs/safetensors.md")]
pub mod safetensors {}
