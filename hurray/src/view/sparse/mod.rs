//! Sparse tensors (FORMAT §5.7–§5.9): stored entries, and zero everywhere else.

mod compressed;
mod coo;
mod csf;

pub use compressed::{Csc, CscView, Csr, CsrView};
pub use coo::{Coo, CooView};
pub use csf::{Csf, CsfView};

pub(crate) use compressed::Compressed;
pub(crate) use coo::Coordinates;
pub(crate) use csf::Fibres;

use super::dense::ToValues;
use super::index::{self, Extents};
use super::raw::RawTensor;
use super::walk::Transfer;
use crate::descriptor::Layout;
use crate::element::Stored;
use crate::error::TensorError;
use crate::limits::Limits;

/// Hands every stored entry to `transfer`, after its indices were checked: entry `from` is element `to` of the
/// row-major result, whose size the caller checked.
pub(crate) fn walk(raw: &RawTensor<'_>, transfer: &mut impl Transfer) -> Result<(), TensorError> {
    raw.check_indices()?;
    match raw.descriptor().layout() {
        Layout::Coo { .. } => Coordinates::of(raw)?.walk(transfer),
        Layout::Csr { .. } | Layout::Csc { .. } => Compressed::of(raw)?.walk(transfer),
        Layout::Csf { .. } => Fibres::of(raw)?.walk(transfer),
        _ => return Err(raw.wrong_layout("a sparse one")),
    }
    Ok(())
}

/// The position of the stored entry at an index inside the shape, after the indices were checked.
pub(crate) fn position(raw: &RawTensor<'_>, index: &[usize]) -> Result<Option<usize>, TensorError> {
    raw.check_indices()?;
    Ok(match raw.descriptor().layout() {
        Layout::Coo { .. } => Coordinates::find(raw, index)?,
        Layout::Csr { .. } | Layout::Csc { .. } => Compressed::find(raw, index)?,
        _ => Fibres::find(raw, index)?,
    })
}

/// Every element in row-major order, zeros included.
fn to_dense<T: Stored>(
    raw: &RawTensor<'_>,
    shape: &[usize],
    nnz: u64,
    limits: &Limits,
) -> Result<Vec<T::Value>, TensorError> {
    let count = index::count_within(shape, size_of::<T::Value>(), limits.dense_bytes)?;
    let mut dense = T::zeros(count);
    walk(raw, &mut ToValues::<T> { from: raw.values::<T>(nnz)?, to: &mut dense })?;
    Ok(dense)
}

/// The entries of a row-major slice that are not zero, in row-major order.
fn entries_of<T: Stored>(
    values: &[T::Value],
    shape: &[usize],
) -> Result<Vec<(Extents, T::Value)>, TensorError> {
    super::dense::expect_count(values.len(), shape)?;
    let mut entries = Vec::new();
    let mut values = values.iter();
    index::each(shape, |index| {
        if let Some(value) = values.next().filter(|value| **value != T::zero()) {
            entries.push((Extents::from_slice(index), *value));
        }
    });
    Ok(entries)
}

/// A position or coordinate in memory. Data that was checked always fits.
#[inline]
fn at(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// A position or coordinate as stored.
#[inline]
fn stored(index: usize) -> u64 {
    u64::try_from(index).unwrap_or(u64::MAX)
}

macro_rules! sparse_access {
    ($view:ident) => {
        impl<'a, T: Stored> $view<'a, T> {
            /// The number of stored entries.
            #[must_use]
            pub fn nnz(&self) -> usize {
                $crate::view::sparse::at(self.plan.nnz)
            }

            /// The values of the stored entries.
            ///
            /// # Errors
            ///
            /// None in practice: the sizes were checked when the view was made.
            pub fn values(&self) -> Result<T::Values<'a>, TensorError> {
                self.raw.values::<T>(self.plan.nnz)
            }

            /// Every element in row-major order, zeros included.
            ///
            /// # Errors
            ///
            /// [`TensorError::Limit`] past the default [`Limits::dense_bytes`], [`TensorError::Format`] if the
            /// indices in the file break a rule.
            pub fn to_dense(&self) -> Result<Vec<T::Value>, TensorError> {
                self.to_dense_within(&Limits::default())
            }

            /// Every element in row-major order, at most [`Limits::dense_bytes`] of them.
            ///
            /// # Errors
            ///
            /// As [`to_dense`](Self::to_dense).
            pub fn to_dense_within(&self, limits: &Limits) -> Result<Vec<T::Value>, TensorError> {
                $crate::view::sparse::to_dense::<T>(&self.raw, self.shape(), self.plan.nnz, limits)
            }

            /// Checks the indices in the data, once for this view and its clones. All access by index does so
            /// by itself; the borrowed component slices do not.
            ///
            /// # Errors
            ///
            /// [`TensorError::Format`] names the first rule that is broken.
            pub fn check(&self) -> Result<(), TensorError> {
                self.raw.check_indices()
            }

            /// The element at an index: zero where nothing is stored.
            ///
            /// # Errors
            ///
            /// [`TensorError::Index`] outside the shape, [`TensorError::Format`] if the indices in the file
            /// break a rule.
            pub fn get(&self, index: &[usize]) -> Result<T::Value, TensorError> {
                $crate::view::index::check(index, self.shape())?;
                self.raw.check_indices()?;
                match self.plan.find(&self.raw, index)? {
                    Some(position) => Ok(T::get(self.values()?, position).unwrap_or(T::zero())),
                    None => Ok(T::zero()),
                }
            }

            /// The stored entries in the order in which they are stored, each with its index.
            ///
            /// # Errors
            ///
            /// [`TensorError::Format`] if the indices in the file break a rule.
            pub fn entries(
                &self,
            ) -> Result<impl Iterator<Item = (Index, T::Value)> + use<'a, T>, TensorError> {
                self.raw.check_indices()?;
                let values = self.values()?;
                let indices = self.plan.parts(&self.raw)?.into_indices();
                Ok(indices.zip(0..).map(move |(index, at)| (index, T::get(values, at).unwrap_or(T::zero()))))
            }
        }
    };
}
use sparse_access;

macro_rules! sparse_plan {
    ($plan:ident $parts:ident, $pattern:pat, $name:literal) => {
        #[derive(Debug, Clone)]
        struct $plan<T> {
            shape: $crate::view::index::Extents,
            nnz: u64,
            element: std::marker::PhantomData<T>,
        }

        impl<T: Stored> $plan<T> {
            fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
                if !matches!(raw.descriptor().layout(), $pattern) {
                    return Err(raw.wrong_layout($name));
                }
                raw.expect_plain(T::STORED_TYPE)?;
                let parts = $parts::of(raw)?;
                raw.values::<T>(parts.nnz)?;
                Ok(Self { shape: parts.shape, nnz: parts.nnz, element: std::marker::PhantomData })
            }

            fn shape(&self) -> &[usize] {
                &self.shape
            }

            fn find(&self, raw: &RawTensor<'_>, index: &[usize]) -> Result<Option<usize>, TensorError> {
                $parts::find(raw, index)
            }

            /// The borrowed components; their sizes were checked when the plan was made.
            fn parts<'a>(&self, raw: &RawTensor<'a>) -> Result<$parts<'a>, TensorError> {
                $parts::of(raw)
            }
        }
    };
}
use sparse_plan;
