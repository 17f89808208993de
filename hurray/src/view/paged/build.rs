//! Paged tensors made here: from sequences, or from their components.

use super::{BlockPaged, BlockPagedLayout, Tokens};
use crate::descriptor::{KvRole, Layout};
use crate::element::Stored;
use crate::error::TensorError;
use crate::view::bytes::SharedBytes;
use crate::view::dense::{describe, misfit};
use crate::view::index;
use crate::view::raw::SharedTensor;

impl<T: Stored> BlockPaged<T> {
    /// Lays the tokens of sequences out in pages, each sequence in pages of its own. A sequence is a row-major
    /// slice of `[tokens, heads, head size]`; slots past its last token are zero.
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] for a page size of 0 or a sequence that is no whole number of tokens,
    /// [`TensorError::Value`] for a value out of range, [`TensorError::Limit`] for more than memory holds.
    pub fn from_sequences(
        sequences: &[&[T::Value]],
        heads: usize,
        head_size: usize,
        page_size: u32,
        role: KvRole,
    ) -> Result<Self, TensorError> {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let per_page = usize::try_from(page_size).unwrap_or(0);
        if per_page == 0 {
            return Err(TensorError::Parts { what: "tokens per page", expected: 1, found: 0 });
        }
        let beyond = || TensorError::limit("usize", number(usize::MAX), u128::MAX);
        let token = heads.checked_mul(head_size).ok_or_else(beyond)?;
        let page = token.checked_mul(per_page).ok_or_else(beyond)?;
        let (mut pool, mut seq_ptr, mut tokens) = (Vec::new(), vec![0_u64], 0_usize);
        for sequence in sequences {
            let rest = sequence.len().checked_rem(token).unwrap_or(sequence.len());
            if rest != 0 {
                return Err(TensorError::Parts {
                    what: "values after the last token",
                    expected: 0,
                    found: number(rest),
                });
            }
            tokens = tokens.saturating_add(sequence.len().checked_div(token).unwrap_or(0));
            for chunk in sequence.chunks(page.max(1)) {
                pool.extend_from_slice(chunk);
                pool.resize(pool.len().saturating_add(page.saturating_sub(chunk.len())), T::zero());
            }
            seq_ptr.push(number(pool.len().checked_div(page).unwrap_or(0)));
        }
        let pages = seq_ptr.last().copied().unwrap_or(0);
        let block_table: Vec<u64> = (0..pages).collect();
        let layout = BlockPagedLayout {
            page_size,
            num_pages: pages,
            paged_axis: 0,
            num_seqs: u32::try_from(sequences.len()).map_err(|_| beyond())?,
            kv_role: role,
            layer_index: None,
            wide_indices: true,
        };
        let values: SharedBytes = T::encode(&pool).map_err(misfit::<T>)?.into();
        let buffers = [values, block_table.into(), seq_ptr.into()];
        let sizes = buffers.iter().map(|bytes| number(bytes.as_slice().len()));
        let shape = [tokens, heads, head_size];
        let descriptor = describe(T::STORED_TYPE, &shape, Layout::BlockPaged(layout), sizes);
        Self::made(SharedTensor::new(descriptor, buffers))
    }

    /// A paged tensor from its components: the pages one after another, the page numbers of all sequences, and
    /// where those of each sequence start and end. Sequences may share pages. How many pages and sequences there
    /// are must be what `layout` says; `layout.wide_indices` decides how wide the indices are written.
    ///
    /// ```
    /// use hurray::BlockPaged;
    /// use hurray::descriptor::{BlockPaged as Fields, KvRole};
    ///
    /// let fields = Fields {
    ///     page_size: 2,
    ///     num_pages: 2,
    ///     paged_axis: 0,
    ///     num_seqs: 2,
    ///     kv_role: KvRole::Key,
    ///     layer_index: None,
    ///     wide_indices: false,
    /// };
    /// // Both sequences start with page 1; the first has 4 tokens, the second 2.
    /// let paged = BlockPaged::<f32>::from_parts([6, 1, 1], fields, &[1, 0, 1], &[0, 2, 3], &[3., 4., 1., 2.])?;
    /// assert_eq!(paged.view().to_dense()?, [1., 2., 3., 4., 1., 2.]);
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] for lengths that do not fit each other or an index too large for 32 bits,
    /// [`TensorError::Value`] for a value out of range, [`TensorError::Format`] for indices or a page size that
    /// break a rule of the format.
    pub fn from_parts(
        shape: [usize; 3],
        layout: BlockPagedLayout,
        block_table: &[u64],
        seq_ptr: &[u64],
        pool: &[T::Value],
    ) -> Result<Self, TensorError> {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let expect = |what, expected: u128, found: usize| {
            if u128::try_from(found) == Ok(expected) {
                return Ok(());
            }
            let expected = u64::try_from(expected).unwrap_or(u64::MAX);
            Err(TensorError::Parts { what, expected, found: number(found) })
        };
        let [_, heads, head_size] = shape;
        let per_page = index::element_count(&[heads, head_size]).saturating_mul(layout.page_size.into());
        expect("values of all pages", per_page.saturating_mul(layout.num_pages.into()), pool.len())?;
        expect("sequence pointers", u128::from(layout.num_seqs).saturating_add(1), seq_ptr.len())?;
        expect("pages of all sequences", seq_ptr.last().copied().unwrap_or(0).into(), block_table.len())?;
        let values: SharedBytes = T::encode(pool).map_err(misfit::<T>)?.into();
        let buffers = [values, indices(block_table, &layout)?, indices(seq_ptr, &layout)?];
        let sizes = buffers.iter().map(|bytes| number(bytes.as_slice().len()));
        let descriptor = describe(T::STORED_TYPE, &shape, Layout::BlockPaged(layout), sizes);
        Self::made(SharedTensor::new(descriptor, buffers))
    }

    /// As [`BlockPagedView::with_token_counts`](crate::BlockPagedView::with_token_counts).
    ///
    /// # Errors
    ///
    /// As [`BlockPagedView::with_token_counts`](crate::BlockPagedView::with_token_counts).
    pub fn with_token_counts(mut self, counts: &[usize]) -> Result<Self, TensorError> {
        let tokens = Tokens::told(&self.tensor.as_raw(), counts)?;
        self.plan.tokens = tokens;
        Ok(self)
    }
}

/// Indices in the width that the layout says.
fn indices(indices: &[u64], layout: &BlockPagedLayout) -> Result<SharedBytes, TensorError> {
    if layout.wide_indices {
        return Ok(indices.to_vec().into());
    }
    let narrow = indices.iter().map(|&index| {
        let beyond = TensorError::Parts { what: "narrow index", expected: u32::MAX.into(), found: index };
        u32::try_from(index).map_err(|_| beyond)
    });
    Ok(narrow.collect::<Result<Vec<u32>, _>>()?.into())
}
