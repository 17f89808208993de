//! Compressed fibres: a tree with one level per dimension (FORMAT §5.9).

use smallvec::SmallVec;

use super::{at, entries_of, sparse_access, sparse_plan, stored};
use crate::descriptor::Layout;
use crate::element::Stored;
use crate::error::{Rule, TensorError};
use crate::limits::Limits;
use crate::view::bytes::SharedBytes;
use crate::view::dense::{describe, misfit};
use crate::view::index::{self, Extents, Index};
use crate::view::raw::{RawTensor, SharedTensor};
use crate::view::twin::views;
use crate::view::walk::Transfer;

/// One level of the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level<'a> {
    /// The dimension that it stores.
    pub(crate) dimension: usize,
    /// Node `p` of the level above has the children `positions[p]..positions[p + 1]`.
    pub(crate) positions: &'a [u64],
    /// The coordinate of each node.
    pub(crate) coordinates: &'a [u64],
}

/// The components of a CSF tensor. Levels hold what their buffers hold, until `crate::view::data` has checked
/// that this suffices.
#[derive(Debug, Clone)]
pub(crate) struct Fibres<'a> {
    pub(crate) shape: Extents,
    pub(crate) nnz: u64,
    pub(crate) levels: SmallVec<[Level<'a>; 4]>,
}

impl<'a> Fibres<'a> {
    /// Checks sizes as far as the descriptor tells them, not contents.
    pub(crate) fn of(raw: &RawTensor<'a>) -> Result<Self, TensorError> {
        let Layout::Csf { nnz, mode_order } = raw.descriptor().layout() else {
            return Err(raw.wrong_layout("csf"));
        };
        let shape = raw.extents()?;
        let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, shape.len());
        let mut levels = SmallVec::new();
        for (level, mode) in mode_order.iter().enumerate() {
            let dimension = usize::try_from(*mode).unwrap_or(usize::MAX);
            let first_time = seen.get_mut(dimension).is_some_and(|seen| !std::mem::replace(seen, true));
            Rule::LayCsf02.check(first_time, |e| e.but_found(format_args!("{mode_order:?}")))?;
            let buffer = level.saturating_mul(2).saturating_add(1);
            levels.push(Level {
                dimension,
                positions: raw.all_indices(buffer)?,
                coordinates: raw.all_indices(buffer.saturating_add(1))?,
            });
        }
        Rule::LayCsf02.check(levels.len() == shape.len(), |e| e.but_found(format_args!("{mode_order:?}")))?;
        Ok(Self { shape, nnz: *nnz, levels })
    }

    /// The position of the entry at an index inside the shape, by way of one node per level.
    pub(super) fn find(raw: &RawTensor<'_>, index: &[usize]) -> Result<Option<usize>, TensorError> {
        let Layout::Csf { mode_order, .. } = raw.descriptor().layout() else {
            return Err(raw.wrong_layout("csf"));
        };
        let mut node = 0_usize;
        for (mode, buffer) in mode_order.iter().zip((1_usize..).step_by(2)) {
            let positions = raw.all_indices(buffer)?;
            let coordinates = raw.all_indices(buffer.saturating_add(1))?;
            let child = || {
                let start = at(*positions.get(node)?);
                let end = at(*positions.get(node.checked_add(1)?)?);
                let wanted = stored(*index.get(usize::try_from(*mode).ok()?)?);
                let found = coordinates.get(start..end)?.binary_search(&wanted).ok()?;
                start.checked_add(found)
            };
            match child() {
                Some(child) => node = child,
                None => return Ok(None),
            }
        }
        Ok(Some(node))
    }

    fn into_indices(self) -> impl Iterator<Item = Index> + use<'a> {
        let mut nodes: SmallVec<[usize; 8]> = SmallVec::from_elem(0, self.levels.len());
        (0..at(self.nnz)).map(move |leaf| {
            let mut index = Index::from_elem(0, self.levels.len());
            self.locate(leaf, &mut nodes, &mut index);
            index
        })
    }

    /// The index of a leaf. `nodes` are the ancestors of the leaf before it, or zeros for the first.
    #[inline]
    fn locate(&self, leaf: usize, nodes: &mut [usize], index: &mut [usize]) {
        let mut child = leaf;
        for (level, node) in self.levels.iter().zip(nodes.iter_mut()).rev() {
            // `node` is the parent in the level above. Parents without children are passed over.
            let end_of = |node: usize| node.checked_add(1).and_then(|next| level.positions.get(next));
            while end_of(*node).is_some_and(|end| at(*end) <= child) {
                *node = node.saturating_add(1);
            }
            let coordinate = level.coordinates.get(child).map_or(0, |coordinate| at(*coordinate));
            if let Some(slot) = index.get_mut(level.dimension) {
                *slot = coordinate;
            }
            child = *node;
        }
    }

    pub(super) fn walk(&self, transfer: &mut impl Transfer) {
        let strides = index::row_major(&self.shape);
        let mut nodes: SmallVec<[usize; 8]> = SmallVec::from_elem(0, self.levels.len());
        let mut index = Index::from_elem(0, self.levels.len());
        for leaf in 0..at(self.nnz) {
            self.locate(leaf, &mut nodes, &mut index);
            let terms = index.iter().zip(&strides).map(|(at, stride)| at.wrapping_mul(*stride));
            transfer.run(leaf, terms.fold(0, usize::wrapping_add), 1);
        }
    }
}

sparse_plan! { CsfPlan Fibres, Layout::Csf { .. }, "csf" }

views! {
    /// A borrowed sparse tensor of rank 3 or more, as a tree with one level per dimension.
    view CsfView;
    /// The `'static` twin of [`CsfView`].
    twin Csf;
    plan CsfPlan;
    elements Stored;
}

sparse_access! { CsfView }

impl<'a, T: Stored> CsfView<'a, T> {
    /// The dimension that each level stores.
    #[must_use]
    pub fn mode_order(&self) -> &[u32] {
        match self.descriptor().layout() {
            Layout::Csf { mode_order, .. } => mode_order,
            _ => &[],
        }
    }

    /// Node `p` above `level` has the children `pos[p]..pos[p + 1]`; not checked yet, see
    /// [`check`](Self::check). Empty if there is no such level.
    ///
    /// # Errors
    ///
    /// None in practice: alignment was checked when the view was made.
    pub fn pos(&self, level: usize) -> Result<&'a [u64], TensorError> {
        Ok(self.plan.parts(&self.raw)?.levels.get(level).map(|level| level.positions).unwrap_or_default())
    }

    /// The coordinates of the nodes of a level; not checked yet, see [`check`](Self::check). Empty if there is
    /// no such level.
    ///
    /// # Errors
    ///
    /// None in practice: alignment was checked when the view was made.
    pub fn crd(&self, level: usize) -> Result<&'a [u64], TensorError> {
        Ok(self.plan.parts(&self.raw)?.levels.get(level).map(|level| level.coordinates).unwrap_or_default())
    }
}

impl<T: Stored> Csf<T> {
    /// A tensor from the index and the value of each entry, in any order. `mode_order` says which dimension
    /// each level stores; the usual one is `0, 1, 2, ...`.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] below rank 3 or for an index of another rank, [`TensorError::Parts`] if there is
    /// not one value per entry, [`TensorError::Value`] for a value out of range, [`TensorError::Format`] for an
    /// index outside the shape or given twice, or a mode order that is no permutation.
    pub fn from_parts(
        shape: &[usize],
        mode_order: &[u32],
        indices: &[impl AsRef<[usize]>],
        values: &[T::Value],
    ) -> Result<Self, TensorError> {
        if shape.len() < 3 {
            return Err(TensorError::Rank { expected: 3, found: shape.len() });
        }
        if let Some(odd) = indices.iter().find(|index| index.as_ref().len() != shape.len()) {
            return Err(TensorError::Rank { expected: shape.len(), found: odd.as_ref().len() });
        }
        if indices.len() != values.len() {
            let (expected, found) = (stored(indices.len()), stored(values.len()));
            return Err(TensorError::Parts { what: "values", expected, found });
        }
        let along = |index: &[usize]| -> SmallVec<[u64; 8]> {
            let modes = mode_order.iter().map(|mode| usize::try_from(*mode).unwrap_or(usize::MAX));
            modes.map(|mode| index.get(mode).map_or(u64::MAX, |at| stored(*at))).collect()
        };
        let mut entries: Vec<(SmallVec<[u64; 8]>, T::Value)> =
            indices.iter().map(|index| along(index.as_ref())).zip(values.iter().copied()).collect();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        // A repeated index would vanish in the tree, so it is refused here.
        let repeated = entries.iter().zip(entries.iter().skip(1)).find(|((a, _), (b, _))| a == b);
        if let Some(((index, _), _)) = repeated {
            let error = Rule::LayCsf09.broken().expected_to_be("an index at most once");
            return Err(error.but_found(format_args!("{index:?} twice in mode order")).into());
        }
        let mut buffers: Vec<Vec<u64>> = Vec::new();
        for level in 0..mode_order.len() {
            let (positions, coordinates) = level_of(entries.iter().map(|(index, _)| index.as_slice()), level);
            buffers.push(positions);
            buffers.push(coordinates);
        }
        let values: Vec<T::Value> = entries.iter().map(|(_, value)| *value).collect();
        let bytes: SharedBytes = T::encode(&values).map_err(misfit::<T>)?.into();
        let buffers: Vec<SharedBytes> =
            std::iter::once(bytes).chain(buffers.into_iter().map(SharedBytes::from)).collect();
        let sizes = buffers.iter().map(|bytes| stored(bytes.as_slice().len()));
        let layout = Layout::Csf { nnz: stored(values.len()), mode_order: mode_order.into() };
        Self::made(SharedTensor::new(describe(T::STORED_TYPE, shape, layout, sizes), buffers))
    }

    /// The elements of a row-major slice that are not zero, levels in the order of the dimensions.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] below rank 3, [`TensorError::Parts`] if there is not one value per element,
    /// [`TensorError::Value`] for a value out of range.
    pub fn from_dense(values: &[T::Value], shape: &[usize]) -> Result<Self, TensorError> {
        let modes: Vec<u32> = (0_u32..).zip(shape).map(|(mode, _)| mode).collect();
        let (indices, values): (Vec<Index>, Vec<T::Value>) =
            entries_of::<T>(values, shape)?.into_iter().unzip();
        Self::from_parts(shape, &modes, &indices, &values)
    }
}

/// The positions and coordinates of a level of the tree over sorted entries.
fn level_of<'e>(entries: impl Iterator<Item = &'e [u64]>, level: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut positions, mut coordinates) = (vec![0], Vec::new());
    let mut before: Option<&[u64]> = None;
    for entry in entries {
        let parent = entry.get(..level);
        let node = entry.get(..=level);
        if let Some(before) = before {
            if before.get(..=level) == node {
                continue;
            }
            if before.get(..level) != parent {
                positions.push(stored(coordinates.len()));
            }
        }
        coordinates.extend(entry.get(level).copied());
        before = Some(entry);
    }
    // The root always has its slice, other nodes only exist with an entry below them.
    if before.is_some() || level == 0 {
        positions.push(stored(coordinates.len()));
    }
    (positions, coordinates)
}
