//! The operating system: all there is of `unsafe` in the library.

pub(crate) mod durable;
