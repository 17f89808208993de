//! Pages of tokens, found through a block table (FORMAT §5.10).

mod build;

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use super::dense::ToValues;
use super::index::{self, Extents};
use super::raw::RawTensor;
use super::twin::views;
use super::walk::Transfer;
use crate::bytes::to_usize;
use crate::descriptor::{BlockPaged as BlockPagedLayout, Layout};
use crate::element::Stored;
use crate::error::TensorError;
use crate::limits::Limits;

/// Borrowed page numbers or pointers: u32 or u64, as the file has them.
#[derive(Debug, Clone, Copy)]
pub enum PageIndices<'a> {
    /// `block_table_index_type` 0.
    Narrow(&'a [u32]),
    /// `block_table_index_type` 1.
    Wide(&'a [u64]),
}

impl PageIndices<'_> {
    /// The number of indices.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Narrow(indices) => indices.len(),
            Self::Wide(indices) => indices.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Index `at`, if there is one.
    #[must_use]
    #[inline]
    pub fn get(self, at: usize) -> Option<u64> {
        match self {
            Self::Narrow(indices) => indices.get(at).map(|index| u64::from(*index)),
            Self::Wide(indices) => indices.get(at).copied(),
        }
    }

    /// All indices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len()).map(|at| self.get(at).unwrap_or(u64::MAX))
    }
}

/// The components of a paged tensor.
#[derive(Debug, Clone)]
pub(crate) struct Pages<'a> {
    /// `[tokens, heads, head size]`.
    pub(crate) shape: [usize; 3],
    pub(crate) fields: BlockPagedLayout,
    pub(crate) page_size: usize,
    /// The pages of all sequences: one page number each. Longer than needed if the buffer is.
    pub(crate) block_table: PageIndices<'a>,
    /// Sequence `s` has the pages `seq_ptr[s]..seq_ptr[s + 1]` of the block table.
    pub(crate) seq_ptr: PageIndices<'a>,
}

impl<'a> Pages<'a> {
    /// Checks sizes as far as the descriptor tells them, not contents.
    pub(crate) fn of(raw: &RawTensor<'a>) -> Result<Self, TensorError> {
        let Layout::BlockPaged(fields) = *raw.descriptor().layout() else {
            return Err(raw.wrong_layout("block_paged"));
        };
        let extents = raw.extents()?;
        let shape = *extents.as_array().ok_or(TensorError::Rank { expected: 3, found: extents.len() })?;
        let width = if fields.wide_indices { 8 } else { 4 };
        let pages = u64::try_from(raw.buffer(1).len()).unwrap_or(0).checked_div(width).unwrap_or(0);
        let block_table = page_indices(raw, 1, pages, fields.wide_indices)?;
        let seq_ptr =
            page_indices(raw, 2, u64::from(fields.num_seqs).saturating_add(1), fields.wide_indices)?;
        let page_size = usize::try_from(fields.page_size).unwrap_or(usize::MAX).max(1);
        Ok(Self { shape, fields, page_size, block_table, seq_ptr })
    }

    /// Elements of one token: heads times head size. Saturated.
    pub(crate) fn token_elements(&self) -> usize {
        self.shape.iter().skip(1).fold(1, |product, extent| product.saturating_mul(*extent))
    }

    /// Elements of the page pool.
    pub(crate) fn pool_elements(&self) -> Option<u64> {
        let per_token = u64::try_from(self.token_elements()).ok()?;
        self.fields.num_pages.checked_mul(u64::from(self.fields.page_size))?.checked_mul(per_token)
    }

    /// How many pages each sequence has. Pointers that descend, which data rules refuse, count as none.
    pub(crate) fn page_counts(&self) -> impl Iterator<Item = u64> + use<'_, 'a> {
        let ends = self.seq_ptr.iter().skip(1);
        self.seq_ptr.iter().zip(ends).map(|(start, end)| end.saturating_sub(start))
    }

    /// The fewest and the most tokens that the pages can hold, and how many sequences leave it open.
    pub(crate) fn token_range(&self) -> (u128, u128, usize) {
        let page_size = u128::from(self.fields.page_size);
        self.page_counts().filter(|pages| *pages > 0).fold((0, 0, 0), |(least, most, open), pages| {
            let full = u128::from(pages).saturating_mul(page_size);
            let fewest = full.saturating_sub(page_size).saturating_add(1);
            let is_open = usize::from(page_size > 1);
            (least.saturating_add(fewest), most.saturating_add(full), usize::saturating_add(open, is_open))
        })
    }

    /// How many tokens each sequence has, if the file determines it.
    fn token_counts(&self) -> Option<Vec<usize>> {
        let total = u128::try_from(*self.shape.first()?).ok()?;
        let (least, most, open) = self.token_range();
        if total < least || total > most || (open > 1 && total != least && total != most) {
            return None;
        }
        // Every sequence has its fewest tokens, but for the rest, which at most one sequence can take, or all
        // of them in full.
        let mut rest = to_usize(u64::try_from(total.checked_sub(least)?).ok()?)?;
        let spare = self.page_size.saturating_sub(1);
        let counts = self.page_counts().map(|pages| {
            let Some(before) = pages.checked_sub(1) else { return Some(0) };
            let extra = rest.min(spare);
            rest = rest.saturating_sub(extra);
            to_usize(before)?.checked_mul(self.page_size)?.checked_add(1)?.checked_add(extra)
        });
        counts.collect()
    }

    /// The position in the pool of a token's first element.
    #[inline]
    pub(crate) fn token(&self, sequence: usize, token: usize) -> Option<usize> {
        let start = usize::try_from(self.seq_ptr.get(sequence)?).ok()?;
        let end = usize::try_from(self.seq_ptr.get(sequence.checked_add(1)?)?).ok()?;
        let page = start.checked_add(token.checked_div(self.page_size)?).filter(|page| *page < end)?;
        let page = usize::try_from(self.block_table.get(page)?).ok()?;
        let slot = page.checked_mul(self.page_size)?.checked_add(token.checked_rem(self.page_size)?)?;
        slot.checked_mul(self.token_elements())
    }

    /// Hands over the elements page by page, sequence after sequence.
    pub(crate) fn walk(&self, counts: &[usize], transfer: &mut impl Transfer) {
        let token_elements = self.token_elements();
        let mut to = 0_usize;
        for (sequence, count) in counts.iter().enumerate() {
            for token in (0..*count).step_by(self.page_size) {
                let tokens = self.page_size.min(count.saturating_sub(token));
                let len = tokens.saturating_mul(token_elements);
                if let Some(from) = self.token(sequence, token) {
                    transfer.run(from, to, len);
                }
                to = to.saturating_add(len);
            }
        }
    }
}

fn page_indices<'a>(
    raw: &RawTensor<'a>,
    buffer: usize,
    count: u64,
    is_wide: bool,
) -> Result<PageIndices<'a>, TensorError> {
    if is_wide {
        return raw.indices(buffer, count).map(PageIndices::Wide);
    }
    let size = count.checked_mul(4).and_then(to_usize);
    let bytes = size.and_then(|size| raw.buffer(buffer).get(..size));
    let bytes = bytes.ok_or_else(|| raw.too_small(buffer, count.saturating_mul(4)))?;
    let indices = u32::borrow(bytes, bytes.len() >> 2);
    indices.map(PageIndices::Narrow).ok_or_else(|| TensorError::misaligned(align_of::<u32>(), 1))
}

/// How many tokens each sequence has: told by the application, or found out once from the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    counts: OnceLock<Option<Arc<[usize]>>>,
    /// Of the flat shape, the first token behind each sequence. Made when a token is looked for there.
    ends: OnceLock<Arc<[usize]>>,
}

impl Tokens {
    pub(crate) fn known(&self, raw: &RawTensor<'_>) -> Result<Option<&Arc<[usize]>>, TensorError> {
        raw.check_indices()?;
        if let Some(counts) = self.counts.get() {
            return Ok(counts.as_ref());
        }
        let counts = Pages::of(raw)?.token_counts().map(Arc::from);
        Ok(self.counts.get_or_init(|| counts).as_ref())
    }

    pub(crate) fn required(&self, raw: &RawTensor<'_>) -> Result<&Arc<[usize]>, TensorError> {
        self.known(raw)?.ok_or(TensorError::TokenCounts)
    }

    /// Counts told by the application, if they fit the pages and the shape.
    pub(crate) fn told(raw: &RawTensor<'_>, counts: &[usize]) -> Result<Self, TensorError> {
        raw.check_indices()?;
        let pages = Pages::of(raw)?;
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let parts = |what, expected, found| TensorError::Parts { what, expected, found };
        if counts.len() != pages.page_counts().count() {
            return Err(parts("token counts", pages.fields.num_seqs.into(), number(counts.len())));
        }
        for (count, has) in counts.iter().zip(pages.page_counts()) {
            let needs = number(count.div_ceil(pages.page_size));
            if needs != has {
                return Err(parts("pages of a sequence", needs, has));
            }
        }
        let total = counts.iter().fold(0_usize, |total, count| total.saturating_add(*count));
        let expected = pages.shape.first().copied().unwrap_or(0);
        if total != expected {
            return Err(parts("tokens of all sequences", number(expected), number(total)));
        }
        Ok(Self { counts: OnceLock::from(Some(Arc::from(counts))), ends: OnceLock::new() })
    }

    /// The position in the pool of the first element of a token of the flat shape.
    pub(crate) fn locate(
        &self,
        pages: &Pages<'_>,
        raw: &RawTensor<'_>,
        token: usize,
    ) -> Result<Option<usize>, TensorError> {
        let counts = self.required(raw)?;
        let ends = self.ends.get_or_init(|| {
            let mut end = 0_usize;
            let step = |count: &usize| {
                end = end.saturating_add(*count);
                end
            };
            counts.iter().map(step).collect()
        });
        let sequence = ends.partition_point(|end| *end <= token);
        let before = sequence.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(0);
        Ok(pages.token(sequence, token.saturating_sub(before)))
    }
}

#[derive(Debug, Clone)]
struct PagedPlan<T> {
    shape: Extents,
    tokens: Tokens,
    element: PhantomData<T>,
}

impl<T: Stored> PagedPlan<T> {
    fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        raw.expect_plain(T::STORED_TYPE)?;
        let pages = Pages::of(raw)?;
        raw.values::<T>(pages.pool_elements().unwrap_or(u64::MAX))?;
        Ok(Self { shape: Extents::from_slice(&pages.shape), tokens: Tokens::default(), element: PhantomData })
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }
}

views! {
    /// A borrowed paged tensor of shape `[tokens, heads, head size]`: the tokens of several sequences, in pages.
    ///
    /// The file says how many pages a sequence has, not how many tokens. Access by sequence always works;
    /// access through the flat shape needs the counts, which follow from the file in some cases and come from
    /// the application in others ([`with_token_counts`](Self::with_token_counts)).
    view BlockPagedView;
    /// The `'static` twin of [`BlockPagedView`].
    twin BlockPaged;
    plan PagedPlan;
    elements Stored;
}

impl<'a, T: Stored> BlockPagedView<'a, T> {
    /// The view with the number of tokens of each sequence, told by the application.
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] if the counts do not fit the pages or the shape, [`TensorError::Format`] if the
    /// indices in the file break a rule.
    pub fn with_token_counts(mut self, counts: &[usize]) -> Result<Self, TensorError> {
        self.plan.tokens = Tokens::told(&self.raw, counts)?;
        Ok(self)
    }

    /// The number of tokens of each sequence; `None` if neither the file nor the application says.
    ///
    /// # Errors
    ///
    /// [`TensorError::Format`] if the indices in the file break a rule.
    pub fn token_counts(&self) -> Result<Option<Arc<[usize]>>, TensorError> {
        Ok(self.plan.tokens.known(&self.raw)?.cloned())
    }

    /// An element of a token of a sequence.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] outside the sequences, the pages of the sequence or its tokens if their number
    /// is known, the heads and the head size; [`TensorError::Format`] if the indices in the file break a rule.
    pub fn get_token(
        &self,
        sequence: usize,
        token: usize,
        head: usize,
        dim: usize,
    ) -> Result<T::Value, TensorError> {
        let [_, heads, size] = *self.plan.shape else { return Err(self.outside(&[sequence, token])) };
        let known = self.plan.tokens.known(&self.raw)?;
        let pages = Pages::of(&self.raw)?;
        let is_inside = head < heads
            && dim < size
            && known.is_none_or(|counts| counts.get(sequence).is_some_and(|count| token < *count));
        let start = if is_inside { pages.token(sequence, token) } else { None };
        let inside = start.and_then(|start| start.checked_add(head.checked_mul(size)?.checked_add(dim)?));
        self.element(&pages, inside).ok_or_else(|| self.outside(&[sequence, token, head, dim]))
    }

    /// An element of the flat shape: the tokens of all sequences, one sequence after the other.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] outside the shape, [`TensorError::TokenCounts`] if it is not known which token
    /// is meant, [`TensorError::Format`] if the indices in the file break a rule.
    pub fn get(&self, index: &[usize]) -> Result<T::Value, TensorError> {
        index::check(index, &self.plan.shape)?;
        let ([token, head, dim], [_, _, size]) = (index, &*self.plan.shape) else {
            return Err(self.outside(index));
        };
        let pages = Pages::of(&self.raw)?;
        let start = self.plan.tokens.locate(&pages, &self.raw, *token)?;
        let inside = start.and_then(|start| start.checked_add(head.checked_mul(*size)?.checked_add(*dim)?));
        self.element(&pages, inside).ok_or_else(|| self.outside(index))
    }

    fn element(&self, pages: &Pages<'a>, position: Option<usize>) -> Option<T::Value> {
        T::get(self.raw.values::<T>(pages.pool_elements()?).ok()?, position?)
    }

    #[cold]
    fn outside(&self, index: &[usize]) -> TensorError {
        index::outside(index, &self.plan.shape)
    }

    /// The elements of all pages, unused slots included.
    ///
    /// # Errors
    ///
    /// None in practice: the sizes were checked when the view was made.
    pub fn values(&self) -> Result<T::Values<'a>, TensorError> {
        self.raw.values::<T>(Pages::of(&self.raw)?.pool_elements().unwrap_or(u64::MAX))
    }

    /// The page numbers of all sequences; not checked yet, and longer than needed if the buffer is.
    ///
    /// # Errors
    ///
    /// None in practice: the sizes were checked when the view was made.
    pub fn block_table(&self) -> Result<PageIndices<'a>, TensorError> {
        Ok(Pages::of(&self.raw)?.block_table)
    }

    /// Sequence `s` has the pages `seq_ptr[s]..seq_ptr[s + 1]` of the block table; not checked yet.
    ///
    /// # Errors
    ///
    /// None in practice: the sizes were checked when the view was made.
    pub fn seq_ptr(&self) -> Result<PageIndices<'a>, TensorError> {
        Ok(Pages::of(&self.raw)?.seq_ptr)
    }

    /// Every element of the flat shape in row-major order.
    ///
    /// # Errors
    ///
    /// [`TensorError::TokenCounts`] if it is not known which token is which, [`TensorError::Limit`] past the
    /// default [`Limits::dense_bytes`], [`TensorError::Format`] if the indices in the file break a rule.
    pub fn to_dense(&self) -> Result<Vec<T::Value>, TensorError> {
        self.to_dense_within(&Limits::default())
    }

    /// Every element of the flat shape in row-major order, at most [`Limits::dense_bytes`] of them.
    ///
    /// # Errors
    ///
    /// As [`to_dense`](Self::to_dense).
    pub fn to_dense_within(&self, limits: &Limits) -> Result<Vec<T::Value>, TensorError> {
        let counts = self.plan.tokens.required(&self.raw)?;
        let count = index::count_within(&self.plan.shape, size_of::<T::Value>(), limits.dense_bytes)?;
        let mut dense = T::zeros(count);
        Pages::of(&self.raw)?.walk(counts, &mut ToValues::<T> { from: self.values()?, to: &mut dense });
        Ok(dense)
    }
}
