//! Quantized tensors (FORMAT §6): stored elements that stand for real numbers.

mod elements;
mod encode;
mod parameters;
mod quantize;
#[cfg(test)]
mod tests;
mod transfer;

use std::sync::Arc;

use super::geometry::{self, Geometry};
use super::index::{self, Extents};
use super::paged::{Pages, Tokens};
use super::raw::RawTensor;
use super::sparse;
use super::twin::views;
use super::walk::Transfer;
use crate::bytes::to_usize;
use crate::descriptor::{Layout, Quantization};
use crate::error::TensorError;
use crate::limits::Limits;

use elements::Elements;
use parameters::{ParameterIndex, ParameterValues, Parameters};
use transfer::Dequantize;

pub(crate) use parameters::{ParameterBytes, parameter_bytes};
pub use quantize::Symmetry;

/// Where the elements of a tensor of any layout lie.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Dense(Box<Geometry>),
    Sparse,
    Paged(Tokens),
}

impl Place {
    pub(crate) fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        // A scheme that is not understood may have an idea of its own of what is stored.
        if let Some(Quantization::Unknown { tag, .. }) = raw.descriptor().quantization() {
            let what = format!("quantization scheme {tag:#04x}");
            return Err(TensorError::not_understood(what));
        }
        match raw.descriptor().layout() {
            Layout::Coo { nnz, .. } | Layout::Csr { nnz } | Layout::Csc { nnz } | Layout::Csf { nnz, .. } => {
                expect_elements(raw, Some(*nnz))?;
                Ok(Self::Sparse)
            }
            Layout::BlockPaged(_) => {
                expect_elements(raw, Pages::of(raw)?.pool_elements())?;
                Ok(Self::Paged(Tokens::default()))
            }
            Layout::Extension { .. } | Layout::Unknown { .. } | Layout::Composite(_) => {
                let layout = raw.descriptor().layout();
                let what = format!("layout {:#04x} ({})", layout.tag(), layout.name());
                Err(TensorError::not_understood(what))
            }
            _ => Ok(Self::Dense(Box::new(Geometry::of(raw)?))),
        }
    }

    /// The bytes of the elements; positions count from their start.
    pub(crate) fn bytes<'a>(&self, raw: &RawTensor<'a>) -> &'a [u8] {
        match self {
            Self::Dense(geometry) => geometry.bytes(raw),
            Self::Sparse | Self::Paged(_) => raw.buffer(0),
        }
    }

    /// Whether a walk has many times more elements than there are bytes, as strides that overlap and pages that are
    /// shared make possible.
    pub(crate) fn is_long(&self, raw: &RawTensor<'_>) -> bool {
        let count = match self {
            Self::Dense(geometry) => index::element_count(&geometry.shape),
            Self::Sparse => 0,
            Self::Paged(_) => raw.extents().map_or(u128::MAX, |shape| index::element_count(&shape)),
        };
        count > u128::try_from(raw.buffer(0).len()).unwrap_or(u128::MAX).saturating_mul(64)
    }

    /// Hands over every stored element that the shape has.
    pub(crate) fn walk(&self, raw: &RawTensor<'_>, transfer: &mut impl Transfer) -> Result<(), TensorError> {
        match self {
            Self::Dense(geometry) => geometry.walk(transfer),
            Self::Sparse => sparse::walk(raw, transfer)?,
            Self::Paged(tokens) => {
                let counts = tokens.required(raw)?;
                Pages::of(raw)?.walk(counts, transfer);
            }
        }
        Ok(())
    }

    /// The position of an element inside the shape; `None` where a sparse tensor stores nothing.
    pub(crate) fn position(
        &self,
        raw: &RawTensor<'_>,
        index: &[usize],
    ) -> Result<Option<usize>, TensorError> {
        match self {
            Self::Dense(geometry) => Ok(geometry.position(index)),
            Self::Sparse => sparse::position(raw, index),
            Self::Paged(tokens) => {
                let &[token, head, dim] = index else { return Ok(None) };
                let pages = Pages::of(raw)?;
                let [_, _, size] = pages.shape;
                let start = tokens.locate(&pages, raw, token)?;
                Ok(start.and_then(|start| start.checked_add(head.checked_mul(size)?.checked_add(dim)?)))
            }
        }
    }
}

/// Refuses an element buffer of fewer elements than the layout has.
fn expect_elements(raw: &RawTensor<'_>, count: Option<u64>) -> Result<(), TensorError> {
    let (per_group, group_bytes) = geometry::group(raw.descriptor())?;
    let size = count.and_then(|count| count.div_ceil(per_group.max(1)).checked_mul(group_bytes));
    let fits = size.and_then(to_usize).is_some_and(|size| size <= raw.buffer(0).len());
    if fits { Ok(()) } else { Err(raw.too_small(0, size.unwrap_or(u64::MAX))) }
}

#[derive(Debug, Clone)]
struct QuantizedPlan {
    shape: Extents,
    place: Place,
    index: Arc<ParameterIndex>,
}

impl QuantizedPlan {
    fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        let (shape, place) = (raw.extents()?, Place::of(raw)?);
        let index = Parameters::of(raw, &shape)?.index.into();
        Elements::of(raw, place.bytes(raw))?;
        Ok(Self { shape, place, index })
    }

    /// The scheme was understood when the plan was made.
    fn parameters<'a>(&self, raw: &RawTensor<'a>) -> Result<ParameterValues<'a>, TensorError> {
        ParameterValues::of(raw).ok_or_else(|| TensorError::not_understood("no quantization"))
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }
}

views! {
    /// A borrowed quantized tensor of any scheme and layout. Elements are f32, computed by the formulas of
    /// FORMAT §6 in f32, bit by bit.
    view QuantizedView;
    /// The `'static` twin of [`QuantizedView`].
    ///
    /// ```
    /// use hurray::{ElementType, QuantizedTensor, Symmetry};
    ///
    /// let values: Vec<f32> = (0..64_i8).map(f32::from).collect();
    /// let quantized =
    ///     QuantizedTensor::quantize_per_channel(&values, &[4, 16], ElementType::Int8, 0, Symmetry::Asymmetric)?;
    /// for (value, back) in values.iter().zip(quantized.view().dequantize()?) {
    ///     assert!((value - back).abs() < 0.2);
    /// }
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    twin QuantizedTensor;
    plan QuantizedPlan;
}

impl QuantizedView<'_> {
    /// How stored elements become real numbers. Always there: a view is only made of a quantized tensor.
    #[must_use]
    pub fn quantization(&self) -> Option<&Quantization> {
        self.raw.descriptor().quantization()
    }

    /// The scales: one, or one per channel, block or page slot.
    ///
    /// # Errors
    ///
    /// None in practice: the sizes were checked when the view was made.
    pub fn scales(&self) -> Result<Vec<f32>, TensorError> {
        Ok(self.plan.parameters(&self.raw)?.scales().collect())
    }

    /// The zero points, one per scale; zeros for a symmetric scheme.
    ///
    /// # Errors
    ///
    /// None in practice: the sizes were checked when the view was made.
    pub fn zero_points(&self) -> Result<Vec<i32>, TensorError> {
        Ok(self.plan.parameters(&self.raw)?.zero_points().collect())
    }

    /// The view with the number of tokens of each sequence of a paged tensor, told by the application.
    ///
    /// # Errors
    ///
    /// As [`BlockPagedView::with_token_counts`](crate::BlockPagedView::with_token_counts);
    /// [`TensorError::Layout`] if the tensor is not paged.
    pub fn with_token_counts(mut self, counts: &[usize]) -> Result<Self, TensorError> {
        self.plan.place = Place::Paged(Tokens::told(&self.raw, counts)?);
        Ok(self)
    }

    /// The real number at an index; 0 where a sparse tensor stores nothing.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] outside the shape, [`TensorError::TokenCounts`] if the tokens of a paged tensor
    /// are not known, [`TensorError::Format`] if the indices in the file break a rule.
    pub fn get(&self, index: &[usize]) -> Result<f32, TensorError> {
        index::check(index, &self.plan.shape)?;
        let Some(position) = self.plan.place.position(&self.raw, index)? else { return Ok(0.0) };
        let elements = Elements::of(&self.raw, self.plan.place.bytes(&self.raw))?;
        let parameter = self.plan.index.of(position, index);
        let value = self
            .plan
            .parameters(&self.raw)?
            .at(parameter)
            .and_then(|parameter| elements.dequantize(position, parameter));
        value.ok_or_else(|| index::outside(index, &self.plan.shape))
    }

    /// All real numbers in row-major order; 0 where a sparse tensor stores nothing.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past the default [`Limits::dense_bytes`], and as [`get`](Self::get).
    pub fn dequantize(&self) -> Result<Vec<f32>, TensorError> {
        self.dequantize_within(&Limits::default())
    }

    /// All real numbers in row-major order, at most [`Limits::dense_bytes`] of them.
    ///
    /// # Errors
    ///
    /// As [`dequantize`](Self::dequantize).
    pub fn dequantize_within(&self, limits: &Limits) -> Result<Vec<f32>, TensorError> {
        let count = index::count_within(&self.plan.shape, size_of::<f32>(), limits.dense_bytes)?;
        let mut dense = bytemuck::allocation::zeroed_vec(count);
        let elements = Elements::of(&self.raw, self.plan.place.bytes(&self.raw))?;
        let parameters = self.plan.parameters(&self.raw)?;
        let mut transfer = Dequantize::new(elements, parameters, &self.plan.index, &mut dense);
        self.plan.place.walk(&self.raw, &mut transfer)?;
        Ok(dense)
    }
}
