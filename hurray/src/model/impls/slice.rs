//! Slices: borrowed from the model when saving, from the file when loading.

use std::borrow::Cow;
use std::sync::Arc;

use crate::descriptor::Dims;
use crate::element::Element;
use crate::model::impls::element::check_dims;
use crate::model::load::{Loader, Reported};
use crate::model::save::{Saver, leading};
use crate::model::{Dim, HurrayLoad, HurraySave};
use crate::writer::SaveError;

mod sealed {
    pub trait Sealed {}
    impl<T: crate::element::Element> Sealed for T {}
    impl<T: Sealed, const N: usize> Sealed for [T; N] {}
}

/// What a slice that is borrowed from a file may hold: elements, and arrays of them.
///
/// `&'a [f32]` is a tensor of rank 1, `&'a [[f32; 4]]` one of shape `[_, 4]`. `bool` is packed eight to a byte
/// in a file, so it can't be borrowed: `Vec<bool>` or `PackedView` take it.
#[diagnostic::on_unimplemented(
    message = "a slice of `{Self}` can't be borrowed from a file",
    label = "not plain elements",
    note = "slices are borrowed of elements (f32, i64, half::f16, ..) and of arrays of elements",
    note = "`Vec<{Self}>` loads a sequence of structs, packed bools, or strings"
)]
pub trait SliceElement: sealed::Sealed + bytemuck::Pod {
    /// The element itself.
    #[doc(hidden)]
    type Scalar: Element;

    /// Appends the dimensions of one item.
    #[doc(hidden)]
    fn push_dims(dims: &mut Vec<Dim>);
}

impl<T: Element> SliceElement for T {
    type Scalar = T;

    fn push_dims(_: &mut Vec<Dim>) {}
}

impl<T: SliceElement, const N: usize> SliceElement for [T; N] {
    type Scalar = T::Scalar;

    fn push_dims(dims: &mut Vec<Dim>) {
        dims.push(Dim::Fixed(u64::try_from(N).unwrap_or(u64::MAX)));
        T::push_dims(dims);
    }
}

/// The tensor at the path as a slice of `T`, borrowed from the file; its first dimension is `first`.
fn borrow<'f, T: SliceElement>(mut loader: Loader<'_, 'f>, first: Dim) -> Result<&'f [T], Reported> {
    let view = loader.by_ref().view::<T::Scalar>()?;
    let mut dims = vec![first];
    T::push_dims(&mut dims);
    if let Err(error) = check_dims(&dims, view.shape()) {
        return Err(loader.refuse(&error, ""));
    }
    match view.as_slice().map(bytemuck::try_cast_slice) {
        Some(Ok(slice)) => Ok(slice),
        _ => {
            Err(loader
                .refuse(&crate::TensorError::layout("row_major (or a `TensorView`)", "another order"), ""))
        }
    }
}

impl<T: HurraySave> HurraySave for [T] {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        T::save_slice(self, saver, leading(self.len()))
    }
}

impl<'f: 'a, 'a, T: SliceElement> HurrayLoad<'f> for &'a [T] {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        borrow(loader, Dim::Any)
    }

    const IS_LEAF: bool = true;
}

impl<'f: 'a, 'a, T: SliceElement, const N: usize> HurrayLoad<'f> for &'a [T; N] {
    fn load(mut loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        let length = u64::try_from(N).unwrap_or(u64::MAX);
        let slice: &'f [T] = borrow(loader.by_ref(), Dim::Fixed(length))?;
        // The length was checked in the line above.
        slice.try_into().map_err(|_| loader.refuse(&crate::TensorError::Rank { expected: 1, found: 0 }, ""))
    }

    const IS_LEAF: bool = true;
}

impl<'f: 'a, 'a, T: SliceElement> HurrayLoad<'f> for Cow<'a, [T]> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        borrow(loader, Dim::Any).map(Cow::Borrowed)
    }

    const IS_LEAF: bool = true;
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for Box<[T]> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_vec(loader).map(Vec::into_boxed_slice)
    }

    const IS_LEAF: bool = T::IS_ELEMENT;
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for Arc<[T]> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_vec(loader).map(Arc::from)
    }

    const IS_LEAF: bool = T::IS_ELEMENT;
}

impl<T: HurraySave> HurraySave for Vec<T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        T::save_slice(self, saver, leading(self.len()))
    }
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for Vec<T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_vec(loader)
    }

    const IS_LEAF: bool = T::IS_ELEMENT;
}

/// Appends the fixed dimension of an array.
pub(super) fn with_fixed(mut dims: Dims, length: usize) -> Dims {
    dims.push(u64::try_from(length).unwrap_or(u64::MAX));
    dims
}
