//! Compressed rows and columns (FORMAT §5.8).

use super::{at, entries_of, sparse_access, sparse_plan, stored};
use crate::descriptor::Layout;
use crate::element::Stored;
use crate::error::TensorError;
use crate::limits::Limits;
use crate::view::bytes::SharedBytes;
use crate::view::dense::{describe, misfit};
use crate::view::index::{Extents, Index};
use crate::view::raw::{RawTensor, SharedTensor};
use crate::view::twin::views;
use crate::view::walk::Transfer;

/// The components of a matrix of compressed rows or columns, called slices.
#[derive(Debug, Clone)]
pub(crate) struct Compressed<'a> {
    pub(crate) shape: Extents,
    pub(crate) nnz: u64,
    /// Whether slices are rows.
    pub(crate) by_rows: bool,
    /// The column of each entry of a row, or the row of each entry of a column.
    pub(crate) minor: &'a [u64],
    /// Slice `j` has the entries `pointers[j]..pointers[j + 1]`.
    pub(crate) pointers: &'a [u64],
}

impl<'a> Compressed<'a> {
    /// Checks sizes, not contents.
    pub(crate) fn of(raw: &RawTensor<'a>) -> Result<Self, TensorError> {
        let (nnz, by_rows) = match *raw.descriptor().layout() {
            Layout::Csr { nnz } => (nnz, true),
            Layout::Csc { nnz } => (nnz, false),
            _ => return Err(raw.wrong_layout("csr or csc")),
        };
        let shape = raw.extents()?;
        let [rows, columns] = *shape else {
            return Err(TensorError::Rank { expected: 2, found: shape.len() });
        };
        let slices = if by_rows { rows } else { columns };
        let minor = raw.indices(1, nnz)?;
        let pointers = raw.indices(2, stored(slices).saturating_add(1))?;
        Ok(Self { shape, nnz, by_rows, minor, pointers })
    }

    /// The number of columns of a row, or of rows of a column.
    pub(crate) fn minor_extent(&self) -> usize {
        self.shape.get(usize::from(self.by_rows)).copied().unwrap_or(0)
    }

    fn split(&self, major: usize, minor: usize) -> [usize; 2] {
        if self.by_rows { [major, minor] } else { [minor, major] }
    }

    /// Each slice's number and entries.
    fn slices(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + use<'a> {
        let pairs = self.pointers.iter().zip(self.pointers.iter().skip(1));
        pairs.enumerate().map(|(major, (&start, &end))| (major, at(start)..at(end)))
    }

    /// The position of the entry at an index inside the shape, without looking at the rest of the descriptor.
    pub(super) fn find(raw: &RawTensor<'_>, index: &[usize]) -> Result<Option<usize>, TensorError> {
        let [row, column] = *index else {
            return Err(TensorError::Rank { expected: 2, found: index.len() });
        };
        let (nnz, major, minor) = match *raw.descriptor().layout() {
            Layout::Csr { nnz } => (nnz, row, column),
            Layout::Csc { nnz } => (nnz, column, row),
            _ => return Err(raw.wrong_layout("csr or csc")),
        };
        let (indices, pointers) = (raw.indices(1, nnz)?, raw.all_indices(2)?);
        let find = || {
            let start = at(*pointers.get(major)?);
            let end = at(*pointers.get(major.checked_add(1)?)?);
            let found = indices.get(start..end)?.binary_search(&stored(minor)).ok()?;
            start.checked_add(found)
        };
        Ok(find())
    }

    fn into_indices(self) -> impl Iterator<Item = Index> + use<'a> {
        let minor = self.minor;
        self.slices().flat_map(move |(major, entries)| {
            let minor = minor.get(entries).unwrap_or_default();
            let by_rows = self.by_rows;
            minor.iter().map(move |&minor| {
                Index::from_slice(&if by_rows { [major, at(minor)] } else { [at(minor), major] })
            })
        })
    }

    #[inline]
    pub(super) fn walk(&self, transfer: &mut impl Transfer) {
        let columns = self.shape.get(1).copied().unwrap_or(0);
        for (major, entries) in self.slices() {
            let minor = self.minor.get(entries.clone()).unwrap_or_default();
            for (from, &minor) in entries.zip(minor) {
                let [row, column] = self.split(major, at(minor));
                transfer.run(from, row.wrapping_mul(columns).wrapping_add(column), 1);
            }
        }
    }
}

sparse_plan! { CsrPlan Compressed, Layout::Csr { .. }, "csr" }
sparse_plan! { CscPlan Compressed, Layout::Csc { .. }, "csc" }

views! {
    /// A borrowed matrix of compressed rows.
    view CsrView;
    /// The `'static` twin of [`CsrView`].
    ///
    /// ```
    /// use hurray::Csr;
    ///
    /// let matrix = Csr::<f32>::from_dense(&[0.0, 1.5, 0.0, 0.0, 0.0, -2.0], &[2, 3])?;
    /// assert_eq!(matrix.view().row_ptr()?, [0, 1, 2]);
    /// assert_eq!(matrix.view().col_indices()?, [1, 2]);
    /// assert_eq!(matrix.view().get(&[1, 2])?, -2.0);
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    twin Csr;
    plan CsrPlan;
    elements Stored;
}

views! {
    /// A borrowed matrix of compressed columns.
    view CscView;
    /// The `'static` twin of [`CscView`].
    twin Csc;
    plan CscPlan;
    elements Stored;
}

sparse_access! { CsrView }
sparse_access! { CscView }

macro_rules! components {
    ($view:ident $pointers:ident $pointers_doc:literal $minor:ident $minor_doc:literal) => {
        impl<'a, T: Stored> $view<'a, T> {
            #[doc = $pointers_doc]
            ///
            /// # Errors
            ///
            /// None in practice: the sizes were checked when the view was made.
            pub fn $pointers(&self) -> Result<&'a [u64], TensorError> {
                Ok(self.plan.parts(&self.raw)?.pointers)
            }

            #[doc = $minor_doc]
            ///
            /// # Errors
            ///
            /// None in practice: the sizes were checked when the view was made.
            pub fn $minor(&self) -> Result<&'a [u64], TensorError> {
                Ok(self.plan.parts(&self.raw)?.minor)
            }
        }
    };
}

components! {
    CsrView
    row_ptr "Row `j` has the entries `row_ptr[j]..row_ptr[j + 1]`; not checked yet, see [`check`](Self::check)."
    col_indices "The column of every entry; not checked yet, see [`check`](Self::check)."
}

components! {
    CscView
    col_ptr "Column `j` has the entries `col_ptr[j]..col_ptr[j + 1]`; not checked yet, see [`check`](Self::check)."
    row_indices "The row of every entry; not checked yet, see [`check`](Self::check)."
}

macro_rules! build {
    ($twin:ident $layout:ident $by_rows:literal) => {
        impl<T: Stored> $twin<T> {
            /// A matrix from its components: where each slice starts and ends, the index within its slice of
            /// every entry, and the values.
            ///
            /// # Errors
            ///
            /// [`TensorError::Rank`] unless the shape has 2 dimensions, [`TensorError::Parts`] for lengths that
            /// do not fit each other, [`TensorError::Value`] for a value out of range, [`TensorError::Format`]
            /// for indices that break a rule of the format.
            pub fn from_parts(
                shape: &[usize],
                pointers: Vec<u64>,
                indices: Vec<u64>,
                values: &[T::Value],
            ) -> Result<Self, TensorError> {
                let [rows, columns] = *shape else {
                    return Err(TensorError::Rank { expected: 2, found: shape.len() });
                };
                let nnz = stored(values.len());
                let slices: usize = if $by_rows { rows } else { columns };
                expect("pointers", slices.saturating_add(1), pointers.len())?;
                expect("indices", values.len(), indices.len())?;
                let values: SharedBytes = T::encode(values).map_err(misfit::<T>)?.into();
                let buffers = [values, indices.into(), pointers.into()];
                let sizes = buffers.iter().map(|bytes| stored(bytes.as_slice().len()));
                let descriptor = describe(T::STORED_TYPE, shape, Layout::$layout { nnz }, sizes);
                Self::made(SharedTensor::new(descriptor, buffers))
            }

            /// The elements of a row-major slice that are not zero.
            ///
            /// # Errors
            ///
            /// [`TensorError::Rank`] unless the shape has 2 dimensions, [`TensorError::Parts`] if there is not
            /// one value per element, [`TensorError::Value`] for a value out of range.
            pub fn from_dense(values: &[T::Value], shape: &[usize]) -> Result<Self, TensorError> {
                let [rows, columns] = *shape else {
                    return Err(TensorError::Rank { expected: 2, found: shape.len() });
                };
                let mut entries = entries_of::<T>(values, shape)?;
                if !$by_rows {
                    // Stable, so that rows stay ascending.
                    entries.sort_by_key(|(index, _)| index.get(1).copied());
                }
                let slices: usize = if $by_rows { rows } else { columns };
                let major = |index: &Index| index.get(usize::from(!$by_rows)).copied().unwrap_or(0);
                let minor = |index: &Index| index.get(usize::from($by_rows)).copied().unwrap_or(0);
                let mut pointers = vec![0_u64];
                let mut filled = 0_usize;
                for slice in 0..slices {
                    let rest = entries.get(filled..).unwrap_or_default();
                    filled = filled.saturating_add(rest.partition_point(|(index, _)| major(index) <= slice));
                    pointers.push(stored(filled));
                }
                let indices = entries.iter().map(|(index, _)| stored(minor(index))).collect();
                let values: Vec<T::Value> = entries.into_iter().map(|(_, value)| value).collect();
                Self::from_parts(shape, pointers, indices, &values)
            }
        }
    };
}

build! { Csr Csr true }
build! { Csc Csc false }

fn expect(what: &'static str, expected: usize, found: usize) -> Result<(), TensorError> {
    if expected == found {
        return Ok(());
    }
    Err(TensorError::Parts { what, expected: stored(expected), found: stored(found) })
}
