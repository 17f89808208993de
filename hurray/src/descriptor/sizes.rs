//! How large the buffers of a layout have to be (FORMAT §5; BUF-14, BUF-15, LAY-STR-01, QNT-PB-09, QNT-NF-06).

use std::borrow::Cow;
#[cfg(test)]
use std::iter::zip;

use crate::error::{FormatError, Rule};

use super::layout::Layout;
use super::quantization::{Blocks, Quantization};
use super::{DYNAMIC, TensorDescriptor, at, shape};

/// What a layout demands of the size of one of its buffers, in bytes; saturated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BufferSize {
    /// Readers accept more, writers write no more.
    Exactly(u128),
    /// More may be needed, which only the data tell.
    AtLeast(u128),
}

impl BufferSize {
    /// In bytes.
    pub(crate) fn minimum(self) -> u128 {
        match self {
            Self::Exactly(bytes) | Self::AtLeast(bytes) => bytes,
        }
    }
}

impl TensorDescriptor {
    /// Elements and bytes of the smallest whole unit of the element type, private types included; `None` for
    /// a type that is not known.
    pub(crate) fn element_group(&self) -> Option<(u64, u64)> {
        self.element_type.group().or_else(|| self.extension_type.map(|extension_type| extension_type.group()))
    }

    /// Bytes that `elements` contiguous elements take, saturated; `None` for a type that is not known.
    pub(crate) fn bytes_for(&self, elements: u128) -> Option<u128> {
        let (per_group, bytes) = self.element_group()?;
        Some(elements.div_ceil(u128::from(per_group)).saturating_mul(u128::from(bytes)))
    }

    /// The number of elements, saturated; `None` if a dimension is not resolved.
    #[must_use]
    pub fn element_count(&self) -> Option<u128> {
        shape::element_count(&self.shape)
    }

    /// The blocks of a blockwise quantization, where they are defined: not for the block-paged layout.
    pub(crate) fn blocks(&self) -> Option<Blocks> {
        let (axis, block_size) = self.quantization.as_ref()?.block()?;
        let is_paged = matches!(self.layout, Layout::BlockPaged(_));
        Blocks::of(&self.shape, axis, block_size).filter(|_| !is_paged)
    }

    /// The shape that strides are computed from: `shape`, or with a partial last block in a row- or
    /// column-major tensor the axis rounded up to whole blocks.
    pub(crate) fn storage_shape(&self) -> Cow<'_, [u64]> {
        match (&self.layout, self.blocks()) {
            (Layout::RowMajor | Layout::ColumnMajor, Some(blocks)) if blocks.is_partial => {
                Cow::Owned(blocks.storage_shape(&self.shape).into_vec())
            }
            _ => Cow::Borrowed(&self.shape),
        }
    }

    /// Where the element at `index` lies in a dense layout, in elements from the one at `[0, ..., 0]`. `None`
    /// outside the shape, where a dimension is not resolved, and for other layouts.
    #[cfg(test)]
    pub(crate) fn offset_of(&self, index: &[u64]) -> Option<i128> {
        let is_inside = index.len() == self.rank()
            && !self.shape.contains(&DYNAMIC)
            && zip(index, &self.shape).all(|(index, length)| index < length);
        if !is_inside {
            return None;
        }
        self.layout.offset_of(index, &self.storage_shape())
    }

    /// The bytes of buffer 0 that hold the element at that offset, as offset and length: for packed types the
    /// whole unit around it. `None` before the buffer, and past `u64`.
    #[cfg(test)]
    pub(crate) fn unit_at(&self, offset: i128) -> Option<(u64, u64)> {
        let (per_group, bytes) = self.element_group()?;
        let group = offset.checked_div_euclid(i128::from(per_group))?;
        let start = group.checked_mul(i128::from(bytes))?.checked_add(i128::from(self.byte_offset))?;
        Some((u64::try_from(start).ok()?, bytes))
    }

    /// What the layout demands of its buffer `index`. `None` where a needed dimension is not resolved, the
    /// element type is not known, or the buffer is none of the layout's own.
    pub(crate) fn required_size(&self, index: usize) -> Option<BufferSize> {
        use BufferSize::{AtLeast, Exactly};
        let pointers = |count: u128| Exactly(count.saturating_mul(8));
        match (&self.layout, index) {
            (layout, 0) if layout.is_dense() => {
                let end = match self.element_count()? {
                    0 => 0,
                    _ => self.dense_end(&self.storage_shape())?,
                };
                Some(Exactly(end))
            }
            (layout, 0) if layout.nnz().is_some() => self.bytes_for(u128::from(layout.nnz()?)).map(Exactly),
            (Layout::Coo { nnz, .. }, 1) => {
                let rank = u128::try_from(self.rank()).ok()?;
                Some(pointers(u128::from(*nnz).saturating_mul(rank)))
            }
            (Layout::Csr { nnz } | Layout::Csc { nnz }, 1) => Some(pointers(u128::from(*nnz))),
            (Layout::Csr { .. } | Layout::Csc { .. }, 2) => {
                let is_rows = matches!(self.layout, Layout::Csr { .. });
                let major = *self.shape.get(if is_rows { 0 } else { 1 }).filter(|dim| **dim != DYNAMIC)?;
                Some(pointers(u128::from(major).saturating_add(1)))
            }
            (Layout::Csf { .. }, 1) => Some(Exactly(16)),
            (Layout::Csf { nnz, .. }, index) => {
                let last = self.layout.buffer_count(self.rank())?.checked_sub(1)?;
                match index {
                    _ if index == last => Some(pointers(u128::from(*nnz))),
                    _ if index > last => None,
                    _ if index.is_multiple_of(2) => Some(AtLeast(0)),
                    _ => Some(AtLeast(8)),
                }
            }
            (Layout::BlockPaged(paged), 0) => {
                let per_token = self.shape.get(1..).filter(|dims| !dims.contains(&DYNAMIC))?;
                let slots = [paged.num_pages, u64::from(paged.page_size)];
                let elements = shape::product(slots.iter().chain(per_token).copied());
                self.bytes_for(elements).map(Exactly)
            }
            (Layout::BlockPaged(_), 1) => Some(AtLeast(0)),
            (Layout::BlockPaged(paged), 2) => {
                let entries = u128::from(paged.num_seqs).saturating_add(1);
                Some(Exactly(entries.saturating_mul(u128::from(paged.index_width()))))
            }
            _ => None,
        }
    }

    /// BUF-14, BUF-15, LAY-STR-01, QNT-PB-09, QNT-NF-06.
    #[inline]
    pub(super) fn check_sizes(&self) -> Result<(), FormatError> {
        if self.is_plain_and_fits() {
            return Ok(());
        }
        if self.layout.is_dense() { self.check_dense_size() } else { self.check_indirect_sizes() }
    }

    /// Whether the tensor is of the commonest kind (row-major, not empty, not quantized, at its buffer's start)
    /// and its buffer is large enough: the short way to what the checks below would find.
    #[inline]
    fn is_plain_and_fits(&self) -> bool {
        let (Layout::RowMajor, None, 0, Some(handle)) =
            (&self.layout, &self.quantization, self.byte_offset, self.buffers.first())
        else {
            return false;
        };
        shape::small_element_count(&self.shape)
            .filter(|count| *count > 0)
            .and_then(|count| self.element_type.bytes_for(count))
            .is_some_and(|needed| needed <= handle.byte_size)
    }

    fn check_dense_size(&self) -> Result<(), FormatError> {
        let (Some(count), Some(handle)) = (self.element_count(), self.buffers.first()) else { return Ok(()) };
        if count == 0 {
            return Rule::Buf15.check(handle.byte_size == 0, |e| {
                e.at(at(self.handle_at(0)))
                    .expected_to_be("an empty buffer for no elements")
                    .but_found(format_args!("{} bytes", handle.byte_size))
            });
        }
        if self.element_group().is_none() {
            return Ok(());
        }
        let rule = if let Layout::Strided { .. } = self.layout { Rule::LayStr01 } else { Rule::Buf14 };
        self.check_dense_end(rule, &self.shape, handle.byte_size)?;
        if self.quantization.is_none() {
            return Ok(());
        }
        match self.storage_shape() {
            Cow::Borrowed(_) => Ok(()),
            Cow::Owned(storage_shape) => {
                let is_nf4 = matches!(self.quantization, Some(Quantization::Nf4 { .. }));
                let rule = if is_nf4 { Rule::QntNf06 } else { Rule::QntPb09 };
                self.check_dense_end(rule, &storage_shape, handle.byte_size)
            }
        }
    }

    fn check_dense_end(&self, rule: Rule, shape: &[u64], byte_size: u64) -> Result<(), FormatError> {
        let end = self.dense_end(shape);
        rule.check(end.is_some_and(|end| end <= u128::from(byte_size)), |e| {
            let needed = match end {
                Some(end) => format!("at least {end} bytes in buffer 0"),
                None => "every element at an address inside buffer 0".to_owned(),
            };
            e.at(at(self.handle_at(0))).expected_to_be(needed).but_found(format_args!("{byte_size} bytes"))
        })
    }

    /// Where the elements of a dense layout that is not empty end in buffer 0, in bytes. `None` where one
    /// would start before the buffer, and past all arithmetic.
    fn dense_end(&self, shape: &[u64]) -> Option<u128> {
        let extremes = self.layout.extremes(shape)?;
        let (per_group, bytes) = self.element_group()?;
        let (per_group, bytes) = (i128::from(per_group), i128::from(bytes));
        let byte_offset = i128::from(self.byte_offset);
        // Euclidean division rounds down, as the divisor is positive.
        let first = extremes.min.checked_div_euclid(per_group)?.checked_mul(bytes)?;
        byte_offset.checked_add(first).filter(|start| *start >= 0)?;
        let groups = extremes.max.checked_div_euclid(per_group)?.checked_add(1)?;
        let end = byte_offset.checked_add(groups.checked_mul(bytes)?)?;
        u128::try_from(end).ok()
    }

    fn check_indirect_sizes(&self) -> Result<(), FormatError> {
        for (index, handle) in self.buffers.iter().enumerate() {
            let Some(required) = self.required_size(index) else { continue };
            Rule::Buf14.check(u128::from(handle.byte_size) >= required.minimum(), |e| {
                e.at(at(self.handle_at(index)))
                    .expected_to_be(format!("at least {} bytes in buffer {index}", required.minimum()))
                    .but_found(format_args!("{} bytes", handle.byte_size))
            })?;
        }
        Ok(())
    }
}
