//! Views: tensors as borrowed memory, and their `'static` twins.

mod axes;
mod bytes;
mod copy;
mod curves;
mod data;
mod dense;
mod dynamic;
mod entry;
mod geometry;
mod hilbert_curve;
mod index;
mod iter;
mod of_composite;
mod of_entry;
mod overlay;
mod packed;
mod paged;
mod partition;
mod parts;
mod quantized;
mod raw;
mod rows;
mod shape;
mod sparse;
mod statistics;
mod strided_shape;
mod strides;
mod tensor;
mod tensor_view;
#[cfg(test)]
mod tests;
mod tiled;
mod twin;
mod values;
mod walk;
mod whole;

pub use curves::{Hilbert, HilbertView, Morton, MortonView};
pub use dynamic::{DynTensor, DynTensorView};
pub use index::Index;
pub use iter::Iter;
pub use overlay::{BaseOf, Overlay, OverlayBase, OverlayView};
pub use packed::{Packed, PackedView};
pub use paged::{BlockPaged, BlockPagedView, PageIndices};
pub use partition::{Part, Partition, PartitionView, Piece};
pub use quantized::{QuantizedTensor, QuantizedView, Symmetry};
pub use shape::Shape;
pub use sparse::{Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView};
pub use strides::Strides;
pub use tensor::Tensor;
pub use tensor_view::TensorView;
pub use tiled::{Tiled, TiledView};

pub use values::Values;

#[cfg(any(feature = "burn", feature = "candle"))]
pub(crate) use bytes::SharedBytes;
pub(crate) use data::validate_data;
#[cfg(feature = "candle")]
pub(crate) use dense::Dense;
#[cfg(feature = "safetensors")]
pub(crate) use geometry::{Geometry, width};
#[cfg(feature = "safetensors")]
pub(crate) use index::advance;
pub(crate) use of_composite::{keep_alive, whole_at};
pub(crate) use partition::{merged, share_of};
pub(crate) use raw::{RawTensor, SharedTensor};
pub(crate) use tensor::SharedMemory;
pub(crate) use twin::View;
pub(crate) use whole::{
    Kind as WholeKind, Plan as WholePlan, Rule as WholeRule, Whole, shard_of, whole_head,
};
