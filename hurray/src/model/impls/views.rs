//! Views of the whole vocabulary, and their `'static` twins: sparse, packed, tiled, quantized, and any other.

use std::borrow::Cow;
use std::sync::Arc;

use crate::element::{PackedElement, Stored};
use crate::error::TensorError;
use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::view::{
    BlockPaged, BlockPagedView, Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView, DynTensor,
    DynTensorView, Hilbert, HilbertView, Morton, MortonView, Packed, PackedView, QuantizedTensor,
    QuantizedView, RawTensor, Tiled, TiledView, View,
};
use crate::writer::{SaveError, TensorSource};

/// Saves the descriptor and buffers of a view, as they are but for what only readers may leave inexact.
pub(super) fn save_raw<'s>(raw: &RawTensor<'s>, saver: Saver<'_, 's>) -> Result<(), SaveError> {
    let (descriptor, buffers) = raw.parts().map_err(|error| refused(&saver, error))?;
    saver.tensor(&descriptor, buffers.into_iter().map(TensorSource::Borrowed))
}

/// Saves what a twin keeps alive: its view lives only for this call, so each buffer is fetched anew in its turn.
pub(super) fn save_shared<'s>(
    raw: &RawTensor<'_>,
    buffers: impl Fn() -> Vec<&'s [u8]>,
    saver: Saver<'_, 's>,
) -> Result<(), SaveError> {
    let (descriptor, exact) = raw.parts().map_err(|error| refused(&saver, error))?;
    let own = buffers();
    let sources: Vec<TensorSource<'s>> = exact
        .iter()
        .map(|bytes| match own.iter().find_map(|own| sub_slice(own, bytes)) {
            Some(bytes) => TensorSource::Borrowed(bytes),
            None => TensorSource::from(Cow::<[u8]>::Owned(bytes.to_vec()).into_owned()),
        })
        .collect();
    saver.tensor(&descriptor, sources)
}

/// The part of `whole` that `part` is, with the longer life of `whole`.
fn sub_slice<'s>(whole: &'s [u8], part: &[u8]) -> Option<&'s [u8]> {
    let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let found = whole.get(start..start.checked_add(part.len())?)?;
    std::ptr::eq(found, part).then_some(found)
}

#[cold]
fn refused(saver: &Saver<'_, '_>, error: TensorError) -> SaveError {
    match error {
        TensorError::Format(error) => SaveError::Format(error.in_tensor(saver.path())),
        other => SaveError::Refused { path: saver.path().into(), source: other.into() },
    }
}

fn load_view<'f, V: View<'f>>(mut loader: Loader<'_, 'f>, wanted: &str) -> Result<V, Reported> {
    let entry = loader.by_ref().tensor()?;
    entry.view_as::<V>().map_err(|error| loader.refuse(&error, wanted))
}

fn load_twin<'f, V: View<'f>>(mut loader: Loader<'_, 'f>, wanted: &str) -> Result<V::Twin, Reported> {
    let entry = loader.by_ref().tensor()?;
    entry.twin_as::<V>().map_err(|error| loader.refuse(&error, wanted))
}

macro_rules! views {
    ($($view:ident $twin:ident [$($bound:ident)?] $wanted:literal;)*) => {
        $(views! { @impl $view $twin [$($bound)?] $wanted })*
    };
    (@impl $view:ident $twin:ident [$bound:ident] $wanted:literal) => {
        views! { @traits [T: $bound] [T] $view $twin $wanted }
    };
    (@impl $view:ident $twin:ident [] $wanted:literal) => {
        views! { @traits [] [] $view $twin $wanted }
    };
    (@traits [$($generics:tt)*] [$($arg:tt)*] $view:ident $twin:ident $wanted:literal) => {
        impl<$($generics)*> HurraySave for $view<'_, $($arg)*> {
            fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
                save_raw(self.raw(), saver)
            }
        }

        impl<'f: 'a, 'a, $($generics)*> HurrayLoad<'f> for $view<'a, $($arg)*> {
            fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
                load_view::<$view<'f, $($arg)*>>(loader, $wanted)
            }

            const IS_LEAF: bool = true;
        }

        impl<$($generics)*> HurraySave for $twin<$($arg)*> {
            fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
                save_shared(self.view().raw(), || self.buffers().collect(), saver)
            }
        }

        impl<'f, $($generics)*> HurrayLoad<'f> for $twin<$($arg)*> {
            fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
                load_twin::<$view<'f, $($arg)*>>(loader, $wanted)
            }

            const IS_LEAF: bool = true;

            fn load_shared(loader: Loader<'_, 'f>) -> Result<Arc<Self>, Reported> {
                loader.shared()
            }
        }
    };
}

views! {
    PackedView Packed [PackedElement] "packed elements";
    TiledView Tiled [Stored] "a tiled tensor";
    MortonView Morton [Stored] "a tensor in Morton order";
    HilbertView Hilbert [Stored] "a tensor in Hilbert order";
    CooView Coo [Stored] "a COO tensor";
    CsrView Csr [Stored] "a CSR matrix";
    CscView Csc [Stored] "a CSC matrix";
    CsfView Csf [Stored] "a CSF tensor";
    BlockPagedView BlockPaged [Stored] "a block-paged tensor";
    QuantizedView QuantizedTensor [] "a quantized tensor";
    DynTensorView DynTensor [] "any tensor";
}
