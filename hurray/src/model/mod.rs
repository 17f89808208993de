//! Models: what `#[derive(HurraySave, HurrayLoad)]` implements, the walks that call it, and the impls for std types.

pub(crate) mod field;
mod flat;
mod impls;
mod kv;
mod load;
mod names;
mod report;
mod report_json;
mod save;
mod shape_rule;

use std::sync::Arc;

use crate::descriptor::Dims;
use crate::writer::SaveError;

pub use field::{Dim, Field, Variant};
pub use impls::{LoadUnitEnum, LoadWhole, SaveParts, SaveUnitEnum, SliceElement};
#[cfg(feature = "ndarray")]
pub(crate) use impls::{pack_bools, unpack_bools};
pub use kv::{KvEntry, KvLoad, KvSave};
pub use load::{
    GroupLoader, KeyMap, LoadError, LoadOptions, Loader, Migration, Next, Reported, Strictness, from_slice,
    load, map,
};
pub use report::{LoadReport, Problem, ProblemKind};
pub use save::{GroupSaver, Saver, save, to_bytes, to_writer};
pub use shape_rule::AsDimension;

#[cfg(any(feature = "burn", feature = "candle"))]
pub(crate) use load::problem_of;
#[cfg(feature = "candle")]
pub(crate) use names::GGML;
#[cfg(feature = "burn")]
pub(crate) use names::PARAM_ID;
#[cfg(feature = "safetensors")]
pub(crate) use names::SAFETENSORS;
#[cfg(any(feature = "burn", feature = "candle"))]
pub(crate) use names::TIED;
#[cfg(any(feature = "burn", feature = "candle", feature = "safetensors"))]
pub(crate) use names::own_key;

pub(crate) mod derived;

/// A model, or a part of one, that can be saved.
///
/// Derived for structs and enums; implemented for tensors, slices, scalars, strings and the containers of std.
/// An impl by hand hands one thing to the [`Saver`]: a tensor, a key-value entry, or a group of fields.
///
/// ```
/// use hurray::{HurraySave, SaveError, Saver};
///
/// struct Celsius(f32);
///
/// impl HurraySave for Celsius {
///     fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
///         self.0.save(saver)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be saved in a Hurray file",
    label = "not a tensor, not a group of fields, not a key-value entry",
    note = "add `#[derive(HurraySave)]` to `{Self}`, or `#[hurray(skip)]` to the field",
    note = "for a value that belongs into the key-value metadata, use `#[hurray(kv)]`"
)]
pub trait HurraySave {
    /// Hands the value to `saver`.
    ///
    /// # Errors
    ///
    /// Whatever the saver refuses: see [`SaveError`].
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError>;

    /// Whether slices of `Self` are one tensor.
    #[doc(hidden)]
    const IS_ELEMENT: bool = false;

    /// Saves a slice: one tensor for elements, one KV array for strings and the like, else a group. `dims` is
    /// the shape that a tensor of these elements has.
    #[doc(hidden)]
    fn save_slice<'s>(slice: &'s [Self], saver: Saver<'_, 's>, dims: Dims) -> Result<(), SaveError>
    where
        Self: Sized,
    {
        let _ = dims;
        saver.sequence(slice)
    }
}

/// A model, or a part of one, that can be loaded from bytes that live for `'f`.
///
/// Derived for structs and enums; implemented for views and tensors, slices, scalars, strings and the
/// containers of std. A problem is reported to the [`Loader`] and the walk goes on, so that one error lists
/// everything that is wrong.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be loaded from a Hurray file",
    label = "not a tensor, not a group of fields, not a key-value entry",
    note = "add `#[derive(HurrayLoad)]` to `{Self}`, or `#[hurray(skip)]` to the field",
    note = "for a value that belongs into the key-value metadata, use `#[hurray(kv)]`"
)]
pub trait HurrayLoad<'f>: Sized {
    /// Takes the value from `loader`.
    ///
    /// # Errors
    ///
    /// [`Reported`]: the problem is in the report already.
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported>;

    /// Whether slices of `Self` are one tensor.
    #[doc(hidden)]
    const IS_ELEMENT: bool = false;

    /// The value of a field, if that is the tensor that comes next in the file and nothing about it is special; else
    /// nothing was done, and [`load`](Self::load) is asked.
    #[doc(hidden)]
    #[inline]
    fn load_next(next: Next<'_, 'f>) -> Option<Self> {
        let _ = next;
        None
    }

    /// Whether the value is a tensor at the path itself, so that a map's key may be the whole rest of a name.
    #[doc(hidden)]
    const IS_LEAF: bool = false;

    #[doc(hidden)]
    fn load_vec(loader: Loader<'_, 'f>) -> Result<Vec<Self>, Reported> {
        loader.sequence()
    }

    /// The elements of one tensor whose shape is `dims`, in row-major order. Only called where `IS_ELEMENT`.
    #[doc(hidden)]
    fn load_elements(loader: Loader<'_, 'f>, dims: &[Dim]) -> Result<Vec<Self>, Reported> {
        let _ = dims;
        Self::load_vec(loader)
    }

    #[doc(hidden)]
    fn load_boxed(loader: Loader<'_, 'f>) -> Result<Box<Self>, Reported> {
        Self::load(loader).map(Box::new)
    }

    #[doc(hidden)]
    fn load_shared(loader: Loader<'_, 'f>) -> Result<Arc<Self>, Reported> {
        Self::load(loader).map(Arc::new)
    }
}

/// A model that borrows nothing from the file, so that it can outlive it: what [`load()`](crate::load()) returns.
///
/// Implemented by itself, as serde's `DeserializeOwned` is. Of a type that borrows, the compiler says that its
/// "implementation of `HurrayLoad` is not general enough": open the file first and let it live
/// (`let file = hurray::File::read(path)?; let model: Mlp<'_> = file.load()?;`), or give the model owned fields
/// (`Tensor<T>` in place of `TensorView<'a, T>`). See [`docs::borrowing`](crate::docs::borrowing).
pub trait HurrayLoadOwned: for<'f> HurrayLoad<'f> {}

impl<T> HurrayLoadOwned for T where T: for<'f> HurrayLoad<'f> {}
