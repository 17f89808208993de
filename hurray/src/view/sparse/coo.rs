//! Coordinates of each stored entry (FORMAT §5.7).

use super::{at, entries_of, sparse_access, sparse_plan, stored};
use crate::descriptor::Layout;
use crate::element::Stored;
use crate::error::TensorError;
use crate::limits::Limits;
use crate::view::bytes::SharedBytes;
use crate::view::dense::{describe, misfit};
use crate::view::index::{self, Extents, Index};
use crate::view::raw::{RawTensor, SharedTensor};
use crate::view::twin::views;
use crate::view::walk::Transfer;

/// The components of a COO tensor.
#[derive(Debug, Clone)]
pub(crate) struct Coordinates<'a> {
    pub(crate) shape: Extents,
    pub(crate) nnz: u64,
    pub(crate) is_sorted: bool,
    /// Entry after entry, one coordinate per dimension each.
    pub(crate) coordinates: &'a [u64],
}

impl<'a> Coordinates<'a> {
    /// Checks sizes, not contents.
    pub(crate) fn of(raw: &RawTensor<'a>) -> Result<Self, TensorError> {
        let Layout::Coo { nnz, is_sorted } = *raw.descriptor().layout() else {
            return Err(raw.wrong_layout("coo"));
        };
        let shape = raw.extents()?;
        if shape.is_empty() {
            return Err(TensorError::Rank { expected: 1, found: 0 });
        }
        let count = nnz.checked_mul(stored(shape.len())).ok_or_else(|| raw.too_small(1, u64::MAX))?;
        let coordinates = raw.indices(1, count)?;
        Ok(Self { shape, nnz, is_sorted, coordinates })
    }

    /// The coordinates of each entry.
    pub(crate) fn entries(&self) -> std::slice::ChunksExact<'a, u64> {
        self.coordinates.chunks_exact(self.shape.len().max(1))
    }

    /// The position of the entry at an index inside the shape.
    pub(super) fn find(raw: &RawTensor<'_>, index: &[usize]) -> Result<Option<usize>, TensorError> {
        let Layout::Coo { nnz, is_sorted } = *raw.descriptor().layout() else {
            return Err(raw.wrong_layout("coo"));
        };
        let rank = index.len();
        let count = nnz.checked_mul(stored(rank)).ok_or_else(|| raw.too_small(1, u64::MAX))?;
        let coordinates = raw.indices(1, count)?;
        let compare = |entry: &[u64]| entry.iter().copied().cmp(index.iter().map(|at| stored(*at)));
        if !is_sorted {
            return Ok(coordinates.chunks_exact(rank.max(1)).position(|entry| compare(entry).is_eq()));
        }
        let bisect = || {
            let (mut low, mut high) = (0, at(nnz));
            while low < high {
                let middle = low.midpoint(high);
                let start = middle.checked_mul(rank)?;
                match compare(coordinates.get(start..start.checked_add(rank)?)?) {
                    std::cmp::Ordering::Less => low = middle.checked_add(1)?,
                    std::cmp::Ordering::Greater => high = middle,
                    std::cmp::Ordering::Equal => return Some(middle),
                }
            }
            None
        };
        Ok(bisect())
    }

    fn into_indices(self) -> impl Iterator<Item = Index> + use<'a> {
        self.entries().map(|entry| entry.iter().map(|coordinate| at(*coordinate)).collect())
    }

    pub(super) fn walk(&self, transfer: &mut impl Transfer) {
        let strides = index::row_major(&self.shape);
        for (from, entry) in self.entries().enumerate() {
            let terms =
                entry.iter().zip(&strides).map(|(coordinate, stride)| at(*coordinate).wrapping_mul(*stride));
            transfer.run(from, terms.fold(0, usize::wrapping_add), 1);
        }
    }
}

sparse_plan! { CooPlan Coordinates, Layout::Coo { .. }, "coo" }

views! {
    /// A borrowed sparse tensor with the coordinates of each entry.
    view CooView;
    /// The `'static` twin of [`CooView`].
    ///
    /// ```
    /// use hurray::Coo;
    ///
    /// let tensor = Coo::<f32>::from_parts(&[4, 4], &[[0, 1], [2, 0], [3, 3]], &[1.5, -0.5, 2.0])?;
    /// assert_eq!(tensor.view().indices()?, [0, 1, 2, 0, 3, 3]);
    /// assert_eq!(tensor.view().get(&[2, 0])?, -0.5);
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    twin Coo;
    plan CooPlan;
    elements Stored;
}

sparse_access! { CooView }

impl<'a, T: Stored> CooView<'a, T> {
    /// The coordinates, entry after entry, one per dimension each; not checked yet, see [`check`](Self::check).
    ///
    /// # Errors
    ///
    /// None in practice: the sizes were checked when the view was made.
    pub fn indices(&self) -> Result<&'a [u64], TensorError> {
        Ok(self.plan.parts(&self.raw)?.coordinates)
    }

    /// Whether entries are in row-major order, so that access by index bisects.
    #[must_use]
    pub fn is_sorted(&self) -> bool {
        matches!(self.descriptor().layout(), Layout::Coo { is_sorted: true, .. })
    }
}

impl<T: Stored> Coo<T> {
    /// A tensor from the index and the value of each entry. Entries may come in any order; those in row-major
    /// order are marked as sorted.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] for a scalar or an index of another rank, [`TensorError::Parts`] if there is not
    /// one value per entry, [`TensorError::Value`] for a value out of range, [`TensorError::Format`] for an
    /// index outside the shape or given twice.
    pub fn from_parts(
        shape: &[usize],
        indices: &[impl AsRef<[usize]>],
        values: &[T::Value],
    ) -> Result<Self, TensorError> {
        if let Some(odd) = indices.iter().find(|index| index.as_ref().len() != shape.len()) {
            return Err(TensorError::Rank { expected: shape.len(), found: odd.as_ref().len() });
        }
        if indices.len() != values.len() {
            let (expected, found) = (stored(indices.len()), stored(values.len()));
            return Err(TensorError::Parts { what: "values", expected, found });
        }
        let is_sorted = indices.is_sorted_by(|a, b| a.as_ref() < b.as_ref());
        let coordinates: Vec<u64> =
            indices.iter().flat_map(|index| index.as_ref().iter().map(|at| stored(*at))).collect();
        let values: SharedBytes = T::encode(values).map_err(misfit::<T>)?.into();
        let buffers = [values, coordinates.into()];
        let sizes = buffers.iter().map(|bytes| stored(bytes.as_slice().len()));
        let layout = Layout::Coo { nnz: stored(indices.len()), is_sorted };
        Self::made(SharedTensor::new(describe(T::STORED_TYPE, shape, layout, sizes), buffers))
    }

    /// The elements of a row-major slice that are not zero.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] for a scalar, [`TensorError::Parts`] if there is not one value per element,
    /// [`TensorError::Value`] for a value out of range.
    pub fn from_dense(values: &[T::Value], shape: &[usize]) -> Result<Self, TensorError> {
        let (indices, values): (Vec<Index>, Vec<T::Value>) =
            entries_of::<T>(values, shape)?.into_iter().unzip();
        Self::from_parts(shape, &indices, &values)
    }
}
