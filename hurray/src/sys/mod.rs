//! What needs the operating system beyond std: the only unsafe code of the crate.

pub(crate) mod durable;
mod map;

pub(crate) use map::{Mapping, map_file};
