//! Where loaded tensors go.

use candle_core::{DType, Device};

/// Where the candle tensors of a model go, and as what: a value for
/// [`LoadOptions::context`](crate::LoadOptions::context). Without one they go to the CPU, as what they are.
#[derive(Debug, Clone)]
pub struct Target {
    /// The device. Tensors are uploaded one at a time, straight from the file's memory.
    pub device: Device,
    /// What float tensors become, quantized ones included; integer tensors keep their dtype. `None`: all do.
    pub dtype: Option<DType>,
}

impl Default for Target {
    fn default() -> Self {
        Self::new(&Device::Cpu)
    }
}

impl Target {
    /// A device, and the dtypes of the file.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), dtype: None }
    }

    /// The same with another dtype for float tensors.
    #[must_use]
    pub fn with_dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }
}
