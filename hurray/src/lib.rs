//! Model structs to one memory-mapped weights file and back, by derive.
//!
//! ```
//! use hurray::{HurrayLoad, HurraySave, TensorView};
//!
//! #[derive(HurraySave, HurrayLoad)]
//! struct Linear<'a> {
//!     #[hurray(shape = [out_features, in_features])]
//!     weight: TensorView<'a, f32>,
//!     #[hurray(shape = [out_features])]
//!     bias: Option<TensorView<'a, f32>>,
//! }
//!
//! #[derive(HurraySave, HurrayLoad)]
//! struct Mlp<'a> {
//!     name: &'a str,
//!     layers: Vec<Linear<'a>>,
//! }
//!
//! let weight = [0.5; 12];
//! let layer = Linear { weight: TensorView::from_slice(&weight, &[3, 4])?, bias: None };
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("mlp.hrry");
//! hurray::save(&path, &Mlp { name: "one layer", layers: vec![layer] })?;
//!
//! // SAFETY: nobody changes the file as long as it is mapped.
//! let file = unsafe { hurray::File::map(&path)? };
//! let mlp: Mlp<'_> = file.load()?; // borrows from `file`: no element was copied
//! assert_eq!(mlp.layers[0].weight.shape(), [3, 4]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! Written front to back in one pass, read from the back: the trailer leads to the index, and the index to every
//! tensor.
//!
//! ```text
//! 0       header        magic `HRRYFILE`, version, flags, alignment of data
//! 64      descriptor    of `layers`: a head, one member follows
//!         descriptor    of `layers.0`: a head, one member follows
//!         descriptor    of `layers.0.weight`: float32 [3, 4], row-major, 48 bytes
//! 4096    data          of `layers.0.weight`
//! 8192    metadata      `name` = "one layer", and entries of the library's own
//!         index         name, place and length of every descriptor and its data
//!         trailer       places of index and metadata, checksum of the index, magic `HRRY`
//! ```
//!
//! Data starts at multiples of 4096 bytes ([`SaveOptions::alignment`]: up to 2 MiB), so that it lies at the start of a
//! page of the mapping: any element type can borrow from there, a tensor can be handed to the system (`madvise`, huge
//! pages, direct I/O) without its neighbours, and only the pages of tensors in use are ever read.
//!
//! How structs, enums, options, maps and numbers become tensors, heads and entries is in [`docs::mapping`]. What the
//! attributes say is at the [derive macro](macro@HurraySave).
//!
//! # Loading
//!
//! Goes by name, and is strict: a tensor that is missing, that no field wants, or that differs in element type, rank or
//! shape is an error, and one error lists them all ([`LoadReport`]). [`docs::evolution`] says how files of yesterday
//! load into structs of today, [`docs::borrowing`] who owns the bytes.
//!
//! # Safety
//!
//! [`File::map`] is unsafe, since a file that somebody changes or cuts short under a mapping is undefined behaviour or
//! a killed process, and no library can prevent it. [`File::read`], [`load()`] and whatever does not map is safe, and
//! as good where the whole file is read anyhow.
//!
//! # What is refused
//!
//! Nothing in a file is trusted. Every rule of the format is checked when it can be, and has a name ([`Rule`]): header,
//! trailer, index and metadata on opening, a descriptor when its tensor is asked for (a tensor that is not understood
//! does not lock the others), the data of tensors on request ([`OpenOptions::validate_data`]). No count in a file makes
//! the library allocate more than the bytes that are there could hold, no file makes it panic or overflow the stack.
//!
//! | limit | default | bounds |
//! |---|---|---|
//! | [`Limits::nesting`] | 128 | levels of a model, saving and loading |
//! | [`Limits::composite_depth`] | 8 | heads on one path of a file |
//! | [`Limits::problems`] | 1000 | problems that a report keeps in detail; all are counted |
//! | [`Limits::dense_bytes`] | 16 GiB | one result of `to_dense` or `dequantize`, a view that repeats its elements |
//! | [`Limits::sequence`] | 2^24 | elements of a sequence |
//! | [`Limits::ties`] | 2^16 | second names that a load follows |
//! | fixed | 8 | rank of a [`TensorView`]; a [`DynTensorView`] has up to 64 |
//! | fixed | 65 535 bytes | a name, a key |
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `derive` | yes | the derive macros |
//! | `ndarray` | | arrays of ndarray 0.17 as fields, views of tensors as arrays |
//! | `safetensors` | | conversion from and to safetensors files, sharded sets included |
//! | `regex` | | patterns in [`KeyMap`] |
//! | `candle` | | tensors of candle 0.11 as fields, its `VarBuilder` and `VarMap` over files |
//! | `burn` | | a store for the modules of burn 0.22, its tensors as fields |
//! | `cli` | | the command `hurray`: `inspect`, `dump`, `verify` |
//!
//! No feature changes a byte of any file.

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

#[cfg(any(feature = "burn", feature = "candle", feature = "ndarray", feature = "safetensors"))]
mod integrations;

#[cfg(doc)]
pub mod docs;

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
    Shape, Strides, Symmetry, Tensor, TensorView, Tiled, TiledView, Values,
};
pub use writer::{
    BoxError, NameProblem, NameSpace, Profile, SaveError, SaveOptions, SaveReport, TensorSource, TieProblem,
    Writer, WriterItem, WriterOptions,
};

#[cfg(feature = "derive")]
pub use hurray_derive::{HurrayLoad, HurraySave};

#[cfg(feature = "burn")]
pub use integrations::burn;

#[cfg(feature = "candle")]
pub use integrations::candle;

#[cfg(feature = "safetensors")]
pub use integrations::safetensors;
