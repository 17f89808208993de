//! Frameworks, each behind a feature of its name.

#[cfg(feature = "candle")]
pub mod candle;
