//! Tensors of which several elements share a byte: bool and the 2-, 4- and 6-bit types.

use super::dense::{Dense, lay_out};
use super::index;
use super::raw::{RawTensor, SharedTensor};
use super::twin::views;
use crate::descriptor::Layout;
use crate::element::PackedElement;
use crate::error::TensorError;
use crate::limits::Limits;

/// The elements of row-major, column-major and strided layouts.
#[derive(Debug, Clone)]
struct Linear<P>(Dense<P>);

impl<P: PackedElement> Linear<P> {
    fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        match raw.descriptor().layout() {
            Layout::RowMajor | Layout::ColumnMajor | Layout::Strided { .. } => Ok(Self(Dense::of(raw)?)),
            _ => Err(raw.wrong_layout("row_major, column_major or strided")),
        }
    }

    fn shape(&self) -> &[usize] {
        &self.0.geometry.shape
    }
}

views! {
    /// A borrowed tensor of bool or 2-, 4- or 6-bit elements, row-major, column-major or strided.
    ///
    /// ```
    /// use hurray::{Packed, U4};
    ///
    /// let packed = Packed::<U4>::from_values(&[5, 12, 3], &[3])?;
    /// assert_eq!(packed.view().as_bytes(), [0xC5, 0x03]);
    /// assert_eq!(packed.view().get(&[1]), Some(12));
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    view PackedView;
    /// The `'static` twin of [`PackedView`]: owns its bytes or shares those of a file.
    twin Packed;
    plan Linear;
    elements PackedElement;
}

impl<'a, P: PackedElement> PackedView<'a, P> {
    /// The element at an index; `None` outside the shape.
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<P::Value> {
        self.plan.0.get(&self.raw, index)
    }

    /// All elements in row-major order.
    pub fn iter(&self) -> impl Iterator<Item = P::Value> + '_ {
        let shape = self.shape();
        let mut next = (!shape.contains(&0)).then(|| index::Extents::from_elem(0, shape.len()));
        std::iter::from_fn(move || {
            let at = next.as_mut()?;
            let value = self.get(at);
            if !index::advance(at, shape) {
                next = None;
            }
            value
        })
    }

    /// All elements in row-major order.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past the default `dense_bytes`, which only strides of zero can reach.
    pub fn to_dense(&self) -> Result<Vec<P::Value>, TensorError> {
        self.plan.0.to_dense(&self.raw, &Limits::default())
    }

    /// All elements in row-major order, unless their number exceeds the default `dense_bytes` (then empty).
    #[must_use]
    pub fn to_vec(&self) -> Vec<P::Value> {
        self.to_dense().unwrap_or_default()
    }

    /// The bytes of the buffer as they lie in the file.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.raw.buffer(0)
    }
}

impl<P: PackedElement> Packed<P> {
    /// Packs the elements of a row-major tensor.
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] if there is not one value per element, [`TensorError::Value`] if an integer is
    /// out of range. Floats round to nearest, ties to even, and saturate.
    pub fn from_values(values: &[P::Value], shape: &[usize]) -> Result<Self, TensorError> {
        let slots = u64::try_from(values.len()).unwrap_or(u64::MAX);
        let (descriptor, bytes) = lay_out::<P>(values, shape, Layout::RowMajor, slots)?;
        Self::made(SharedTensor::new(descriptor, [bytes]))
    }
}
