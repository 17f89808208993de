//! What meets other crates, each behind a feature of its own.

#[cfg(feature = "candle")]
pub mod candle;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "safetensors")]
pub mod safetensors;
