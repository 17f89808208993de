//! Every layout and scheme through a file: made from dense values, saved, mapped, and read back by index and as a
//! whole. What comes back is compared with what went in, and with where a slow reading of the format's own formulas
//! finds each element in the bytes of the file.

mod common;
mod curves;
mod linear;
mod paged;
mod quantized;
mod reference;
mod schemes;
mod sparse;
mod tiled;
