//! Tensors whose element type and layout are known only at run time.

use std::fmt;
use std::sync::Arc;

use super::bytes::SharedBytes;
use super::entry::{no_tensor, typed};
use super::raw::{RawTensor, SharedTensor};
use super::twin::View;
use super::values::{Values, logical_value, logical_values};
use super::{QuantizedView, Tensor, TensorView};
use crate::descriptor::{Dims, Layout, TensorDescriptor};
use crate::element::{Element, ElementType, Scalar};
use crate::error::TensorError;
use crate::limits::Limits;

/// A borrowed tensor of any element type, rank and layout.
///
/// ```
/// use hurray::{HurrayLoad, HurraySave, DynTensorView, ElementType};
///
/// #[derive(HurraySave)]
/// struct Written {
///     weight: Vec<f32>,
/// }
///
/// #[derive(HurrayLoad)]
/// struct Read<'a> {
///     weight: DynTensorView<'a>,
/// }
///
/// let bytes = hurray::to_bytes(&Written { weight: vec![1.0, 2.0] })?;
/// let read: Read<'_> = hurray::from_slice(&bytes)?;
/// assert_eq!(read.weight.element_type(), ElementType::Float32);
/// assert_eq!(read.weight.typed::<f32>()?.as_slice(), Some(&[1.0, 2.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DynTensorView<'a>(RawTensor<'a>);

/// The `'static` twin of [`DynTensorView`]: owns its buffers or shares those of a file.
#[derive(Clone)]
pub struct DynTensor(SharedTensor);

impl<'a> DynTensorView<'a> {
    /// The element type as stored.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.descriptor().element_type()
    }

    /// The shape in elements, dimension 0 first, as the file has it.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.descriptor().shape()
    }

    /// The number of dimensions: 0 to 64.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.descriptor().rank()
    }

    /// How the elements lie in the buffers.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.descriptor().layout()
    }

    /// Everything that the file says of the tensor.
    #[must_use]
    pub fn descriptor(&self) -> &TensorDescriptor {
        self.0.descriptor()
    }

    /// The bytes of each buffer, in the order of the buffer table.
    #[must_use]
    pub fn buffers(&self) -> &[&'a [u8]] {
        self.0.buffers()
    }

    /// The tensor as a typed view: no element is copied.
    ///
    /// # Errors
    ///
    /// As [`TensorEntry::view`](crate::TensorEntry::view), with the limits of the file that the tensor is of.
    pub fn typed<T: Element>(&self) -> Result<TensorView<'a, T>, TensorError> {
        typed(self.descriptor(), self.0.buffer(0), self.0.dense_bytes()).map_err(|error| self.0.blamed(error))
    }

    /// The tensor as a quantized view.
    ///
    /// # Errors
    ///
    /// [`TensorError::Layout`] when it is not quantized, [`TensorError::NotUnderstood`] for unknown schemes.
    pub fn quantized(&self) -> Result<QuantizedView<'a>, TensorError> {
        QuantizedView::from_raw(self.0.clone()).map_err(|error| self.0.blamed(error))
    }

    /// One element as stored; `None` where a sparse tensor stores nothing, which means zero.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] outside the shape, and as [`values`](Self::values).
    pub fn get(&self, index: &[usize]) -> Result<Option<Scalar>, TensorError> {
        logical_value(&self.0, index).map_err(|error| self.0.blamed(error))
    }

    /// Every element in row-major order, as stored: before dequantization, zeros of sparse tensors included.
    ///
    /// # Errors
    ///
    /// As [`TensorEntry::values`](crate::TensorEntry::values).
    pub fn values(&self, limits: &Limits) -> Result<Values, TensorError> {
        logical_values(&self.0, limits).map_err(|error| self.0.blamed(error))
    }
}

impl<'a> DynTensorView<'a> {
    /// A tensor that is no composite head.
    pub(crate) fn of_raw(raw: RawTensor<'a>) -> Self {
        Self(raw)
    }

    pub(crate) fn as_raw(&self) -> &RawTensor<'a> {
        &self.0
    }
}

impl DynTensor {
    /// A tensor that was laid out elsewhere, of any element type and layout: the descriptor, and the bytes of
    /// each of its buffers in the order of its buffer table. They are copied.
    ///
    /// ```
    /// use hurray::descriptor::{Layout, TensorDescriptor};
    /// use hurray::{DynTensor, ElementType};
    ///
    /// let columns = TensorDescriptor::builder(ElementType::UInt8, [2, 3]).layout(Layout::ColumnMajor).build()?;
    /// let tensor = DynTensor::from_parts(columns, &[[1, 4, 2, 5, 3, 6]])?;
    /// assert_eq!(tensor.view().typed::<u8>()?.to_vec(), [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] if the buffers are not those of the descriptor, [`TensorError::Layout`] for the
    /// head of a composite, [`TensorError::Format`] for a descriptor or indices that break a rule.
    pub fn from_parts(
        descriptor: TensorDescriptor,
        buffers: &[impl AsRef<[u8]>],
    ) -> Result<Self, TensorError> {
        let tensor = SharedTensor::from_parts(descriptor, buffers)?;
        let view = DynTensorView::from_raw(tensor.as_raw())?;
        view.as_raw().check_indices()?;
        drop(view);
        Ok(Self(tensor))
    }

    /// A tensor that is no composite head.
    pub(crate) fn of_shared(tensor: SharedTensor) -> Self {
        Self(tensor)
    }

    pub(crate) fn into_shared(self) -> SharedTensor {
        self.0
    }

    /// The view that all access goes through.
    #[must_use]
    pub fn view(&self) -> DynTensorView<'_> {
        DynTensorView(self.0.as_raw())
    }

    /// The bytes of each buffer, in the order of the buffer table.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &[u8]> {
        self.0.buffers()
    }

    /// The shape in elements, dimension 0 first, as the file has it.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.0.descriptor().shape()
    }

    /// The element type as stored.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.0.descriptor().element_type()
    }
}

/// Shares the elements if they lie in row-major order; else they are put in that order.
impl<T: Element> From<Tensor<T>> for DynTensor {
    fn from(tensor: Tensor<T>) -> Self {
        let as_u64 = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
        let shape: Dims = tensor.shape().iter().map(|&dim| as_u64(dim)).collect();
        let is_packed = tensor.as_slice().is_some();
        let tensor = if is_packed { tensor } else { tensor.view().to_dense() };
        let len = tensor.as_ref().len();
        let bytes = SharedBytes::of(Arc::new(tensor), 0..len).unwrap_or_default();
        let size = as_u64(len);
        Self(SharedTensor::new(TensorDescriptor::row_major(T::TYPE, shape, size), [bytes]))
    }
}

impl<'a> View<'a> for DynTensorView<'a> {
    type Twin = DynTensor;

    fn from_raw(raw: RawTensor<'a>) -> Result<Self, TensorError> {
        match raw.descriptor().layout() {
            Layout::Composite(_) => Err(no_tensor()),
            _ => Ok(Self(raw)),
        }
    }

    fn raw(&self) -> &RawTensor<'a> {
        &self.0
    }

    fn to_twin(&self, share: &dyn Fn(&'a [u8]) -> SharedBytes) -> DynTensor {
        DynTensor(self.0.share(share))
    }
}

impl fmt::Debug for DynTensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynTensorView<{}>{:?} ({})", self.element_type(), self.shape(), self.layout().name())
    }
}

impl fmt::Debug for DynTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
