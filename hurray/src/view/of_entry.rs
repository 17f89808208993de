//! Views of any kind, plain values and data rules, of the tensors of an open file.

use super::of_composite::keep_alive;
use super::raw::RawTensor;
use super::twin::View;
use super::values::{Values, dequantized_values, logical_values};
use crate::descriptor::Layout;
use crate::error::{FormatError, TensorError};
use crate::limits::Limits;
use crate::reader::{File, TensorEntry};

impl<'f> TensorEntry<'f> {
    /// The descriptor and the buffers, with where in the file they are.
    pub(crate) fn raw_tensor(&self) -> Result<RawTensor<'f>, FormatError> {
        let descriptor = self.known_descriptor()?;
        let buffers = self.buffers_of(&descriptor)?;
        let offsets = self.extents_of(&descriptor)?;
        let offsets = offsets.into_iter().map(|extent| extent.offset);
        Ok(RawTensor::placed(self.name(), descriptor, buffers, offsets, &self.policy().limits))
    }

    /// A view of the kind that the caller asks for.
    pub(crate) fn view_as<V: View<'f>>(&self) -> Result<V, TensorError> {
        V::from_raw(self.raw_tensor()?).map_err(|error| self.blamed_tensor(error))
    }

    /// The `'static` twin of a view: shares the memory of the file, or owns a copy where there is no file to
    /// share.
    pub(crate) fn twin_as<V: View<'f>>(&self) -> Result<V::Twin, TensorError> {
        let memory = self.owner().map(File::shared_memory);
        let share = |bytes: &'f [u8]| keep_alive(memory.as_ref(), bytes);
        Ok(self.view_as::<V>()?.to_twin(&share))
    }

    /// Every element in row-major order, as stored: before dequantization, zeros of sparse tensors included.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past [`Limits::dense_bytes`], before anything is allocated;
    /// [`TensorError::NotUnderstood`] for layouts and element types that are not; [`TensorError::Dynamic`];
    /// [`TensorError::TokenCounts`] for paged tensors that do not determine which token is which;
    /// [`TensorError::Format`] if the descriptor or the indices in the data break a rule.
    pub fn values(&self, limits: &Limits) -> Result<Values, TensorError> {
        logical_values(&self.raw_tensor()?, limits).map_err(|error| self.blamed_tensor(error))
    }

    /// Every real number of a quantized tensor, in row-major order.
    ///
    /// # Errors
    ///
    /// As [`values`](Self::values).
    pub fn dequantize(&self, limits: &Limits) -> Result<Vec<f32>, TensorError> {
        dequantized_values(&self.raw_tensor()?, limits).map_err(|error| self.blamed_tensor(error))
    }

    /// Checks all that depends on the bytes of this tensor (rules of kind *data* in FORMAT §9). Reports each
    /// broken rule once, where it is broken first.
    #[must_use]
    pub fn validate_data(&self) -> Vec<FormatError> {
        let errors = match self.raw_tensor() {
            Ok(raw) if !matches!(raw.descriptor().layout(), Layout::Composite(_)) => {
                super::validate_data(&raw)
            }
            Ok(_) => Vec::new(),
            Err(error) => vec![error],
        };
        errors.into_iter().map(|error| self.blamed(error)).collect()
    }

    /// Adds what this entry knows to an error.
    #[cold]
    pub(super) fn blamed_tensor(&self, error: TensorError) -> TensorError {
        match error {
            TensorError::Format(error) => TensorError::Format(self.blamed(error)),
            other => other.in_tensor(self.name()),
        }
    }
}
