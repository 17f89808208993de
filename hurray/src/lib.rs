//! Model structs to one memory-mapped weights file and back, by derive.

#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::indexing_slicing,
        clippy::unwrap_used
    )
)]

extern crate self as hurray;

mod bytes;
pub mod descriptor;
mod element;
mod error;
mod limits;
mod view;

pub use element::{
    Bool, Complex64, Complex128, Element, ElementType, F4E2M1, F6E2M3, F6E3M2, F8E4M3, F8E5M2, F8E8M0, F128,
    I2, I4, PackedElement, PackedSlice, Scalar, Stored, U2, U4,
};
pub use error::{FileKind, FormatError, OpenError, Rule, RuleKind, TensorError};
pub use limits::Limits;
pub use view::{
    BlockPaged, BlockPagedView, Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView, Hilbert, HilbertView,
    Index, Morton, MortonView, Packed, PackedView, PageIndices, QuantizedTensor, QuantizedView, Shape,
    Symmetry, Tensor, TensorView, Tiled, TiledView, Values,
};
