//! What needs the operating system beyond std: the only unsafe code of the crate.

#[cfg(feature = "candle")]
mod blocks;
pub(crate) mod durable;
mod gather;
mod map;

#[cfg(feature = "candle")]
pub(crate) use blocks::{Block, cast_blocks};
pub(crate) use gather::gather;
pub(crate) use map::{Mapping, map_file, read_at};
