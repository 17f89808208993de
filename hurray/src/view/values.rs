//! Every element of any tensor that is understood, as plain values: what `dump` prints and dynamic views show.

use super::geometry::width;
use super::index;
use super::quantized::{Place, QuantizedView};
use super::raw::RawTensor;
use super::twin::View;
use super::walk::Transfer;
use crate::element::{ElementType, Scalar, bits};
use crate::error::TensorError;
use crate::limits::Limits;

/// Every element of a tensor in row-major logical order, as stored: before dequantization, and with the zeros
/// that a sparse tensor does not store.
#[derive(Debug, Clone)]
pub struct Values {
    element_type: ElementType,
    /// Bytes of one element; elements below 8 bits have a byte each.
    width: usize,
    count: usize,
    bytes: Vec<u8>,
}

impl Values {
    /// The element type.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Element `at` in row-major order.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Scalar> {
        let start = at.checked_mul(self.width)?;
        let bytes = self.bytes.get(start..start.checked_add(self.width)?)?;
        Some(Scalar::decode(self.element_type, bytes))
    }

    /// All elements in row-major order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Scalar> + '_ {
        self.bytes.chunks_exact(self.width.max(1)).map(|bytes| Scalar::decode(self.element_type, bytes))
    }

    /// The bytes that [`as_bytes`](Self::as_bytes) gives.
    #[cfg(feature = "burn")]
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes of all elements in row-major order; elements below 8 bits have a byte each.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Elements of a type from their bytes, `width` for each.
    pub(crate) fn from_bytes(element_type: ElementType, width: usize, bytes: Vec<u8>) -> Self {
        let count = bytes.len().checked_div(width).unwrap_or(0);
        Self { element_type, width, count, bytes }
    }
}

/// Every element as stored, in row-major logical order.
///
/// # Errors
///
/// [`TensorError::Limit`] past [`Limits::dense_bytes`], before anything is allocated;
/// [`TensorError::NotUnderstood`] for layouts and element types that are not; [`TensorError::Dynamic`];
/// [`TensorError::TokenCounts`]; [`TensorError::Format`] if the indices in the data break a rule.
pub(crate) fn logical_values(raw: &RawTensor<'_>, limits: &Limits) -> Result<Values, TensorError> {
    let unit = width(raw.descriptor())?;
    let place = Place::of(raw)?;
    let shape = raw.extents()?;
    let width = unit.unwrap_or(1);
    let count = index::count_within(&shape, width, limits.dense_bytes)?;
    let size = count.saturating_mul(width);
    let mut bytes = bytemuck::allocation::zeroed_vec(size);
    let from = place.bytes(raw);
    place.walk(raw, &mut ToBytes { unit, from, to: &mut bytes })?;
    Ok(Values { element_type: raw.descriptor().element_type(), width, count, bytes })
}

/// One element as stored; `None` where a sparse tensor stores nothing.
pub(crate) fn logical_value(raw: &RawTensor<'_>, at: &[usize]) -> Result<Option<Scalar>, TensorError> {
    index::check(at, &raw.extents()?)?;
    let unit = width(raw.descriptor())?;
    let place = Place::of(raw)?;
    let Some(position) = place.position(raw, at)? else { return Ok(None) };
    let mut one = vec![0; unit.unwrap_or(1)];
    ToBytes { unit, from: place.bytes(raw), to: &mut one }.copy(position, 0, 1);
    Ok(Some(Scalar::decode(raw.descriptor().element_type(), &one)))
}

/// Every real number of a quantized tensor, in row-major logical order.
///
/// # Errors
///
/// As [`logical_values`].
pub(crate) fn dequantized_values(raw: &RawTensor<'_>, limits: &Limits) -> Result<Vec<f32>, TensorError> {
    QuantizedView::from_raw(raw.clone())?.dequantize_within(limits)
}

/// Copies elements of any width, at any alignment.
pub(crate) struct ToBytes<'a, 'o> {
    /// Bytes of an element, or its bits if several share a byte.
    pub(crate) unit: Result<usize, u32>,
    pub(crate) from: &'a [u8],
    pub(crate) to: &'o mut [u8],
}

impl ToBytes<'_, '_> {
    /// Copies stored elements `from..from + len` to `to..to + len`.
    pub(crate) fn copy(&mut self, from: usize, to: usize, len: usize) -> Option<()> {
        let width = match self.unit {
            Ok(width) => width,
            Err(bits) => {
                return bits::unpack(self.from, bits, from, self.to.get_mut(to..to.checked_add(len)?)?);
            }
        };
        let size = len.checked_mul(width)?;
        let (from, to) = (from.checked_mul(width)?, to.checked_mul(width)?);
        let out = self.to.get_mut(to..to.checked_add(size)?)?;
        out.copy_from_slice(self.from.get(from..from.checked_add(size)?)?);
        Some(())
    }
}

impl Transfer for ToBytes<'_, '_> {
    fn run(&mut self, from: usize, to: usize, len: usize) {
        let _ = self.copy(from, to, len);
    }
}
