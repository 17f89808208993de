//! Views: tensors as borrowed memory, and their `'static` twins.

mod entry;
mod axes;
mod bytes;
mod curves;
mod data;
mod dense;
mod geometry;
mod hilbert_curve;
mod index;
mod packed;
mod paged;
mod quantized;
mod raw;
mod shape;
mod sparse;
mod strides;
mod tensor;
mod tensor_view;
#[cfg(test)]
mod tests;
mod tiled;
mod twin;
mod walk;

pub use curves::{Hilbert, HilbertView, Morton, MortonView};
pub use index::Index;
pub use packed::{Packed, PackedView};
pub use paged::{BlockPaged, BlockPagedView, PageIndices};
pub use quantized::{QuantizedTensor, QuantizedView, Symmetry};
pub use shape::Shape;
pub use sparse::{Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView};
pub use tensor::Tensor;
pub use tensor_view::{Iter, TensorView};
pub use tiled::{Tiled, TiledView};

#[cfg(feature = "candle")]
pub(crate) use bytes::SharedBytes;
#[cfg(feature = "candle")]
pub(crate) use dense::Dense;
#[cfg(feature = "candle")]
pub(crate) use raw::RawTensor;
pub(crate) use strides::Strides;
pub(crate) use tensor::SharedMemory;
#[cfg(feature = "candle")]
pub(crate) use twin::View;
