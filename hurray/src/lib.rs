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
mod composite;
mod container;
pub mod descriptor;
mod element;
mod error;
mod limits;
mod model;
mod policy;
mod reader;
mod sys;
mod view;
mod writer;

#[cfg(any(feature = "candle", feature = "ndarray", feature = "safetensors"))]
mod integrations;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use composite::{Composite, Member};
pub use container::{FileFlags, KvArray, KvValue, Metadata, MetadataError};
pub use element::{
    Bool, Complex64, Complex128, Element, ElementType, F4E2M1, F6E2M3, F6E3M2, F8E4M3, F8E5M2, F8E8M0, F128,
    I2, I4, PackedElement, PackedSlice, Scalar, Stored, U2, U4,
};
pub use error::{FileKind, FormatError, OpenError, Rule, RuleKind, TensorError};
pub use limits::Limits;
pub use model::{
    GroupLoader, GroupSaver, HurrayLoad, HurrayLoadOwned, HurraySave, KeyMap, KvEntry, KvLoad, KvSave,
    LoadError, LoadOptions, LoadReport, Loader, Migration, Problem, ProblemKind, Reported, Saver,
    SliceElement, Strictness, from_slice, load, map, save, to_bytes, to_writer,
};
pub use policy::{Mode, PrivateTags};
pub use reader::{
    ContainerInfo, File, OpenOptions, SequentialEnd, SequentialReader, SequentialTensor, TensorEntry,
};
pub use view::{
    BaseOf, BlockPaged, BlockPagedView, Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView, DynTensor,
    DynTensorView, Hilbert, HilbertView, Index, Iter, Morton, MortonView, Overlay, OverlayBase, OverlayView,
    Packed, PackedView, PageIndices, Part, Partition, PartitionView, Piece, QuantizedTensor, QuantizedView,
    Shape, Symmetry, Tensor, TensorView, Tiled, TiledView, Values,
};
pub use writer::{
    BoxError, NameProblem, NameSpace, Profile, SaveError, SaveOptions, SaveReport, TensorSource, TieProblem,
    Writer, WriterItem, WriterOptions,
};

#[cfg(feature = "derive")]
pub use hurray_derive::{HurrayLoad, HurraySave};

#[cfg(feature = "candle")]
pub use integrations::candle;

#[cfg(feature = "safetensors")]
pub use integrations::safetensors;
