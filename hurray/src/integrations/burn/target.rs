//! Where loaded tensors go.

use burn_core::tensor::{Device, FloatDType};

/// Where the burn tensors of a derived struct go, and as what: a value for
/// [`LoadOptions::context`](crate::LoadOptions::context). Without one they go to burn's default device, as what
/// they are.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// The device. Tensors are uploaded one at a time, straight from the file's memory.
    pub device: Device,
    /// What float tensors become, quantized ones included; the others keep their dtype. `None`: all do.
    pub dtype: Option<FloatDType>,
}

impl Target {
    /// A device, and the dtypes of the file.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), dtype: None }
    }

    /// The same with another dtype for float tensors.
    #[must_use]
    pub fn with_dtype(mut self, dtype: FloatDType) -> Self {
        self.dtype = Some(dtype);
        self
    }
}
