//! How many scales and zero points there are, and how large their buffers (FORMAT §6.2–§6.9).

use crate::descriptor::{Layout, TensorDescriptor, shape};

use super::Quantization;

/// Bytes of one zero point, an int32.
const ZERO_POINT_SIZE: u64 = 4;

/// The parameters of a quantization that lie in buffers of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameters {
    /// How many scales, and zero points if there are any; saturated.
    pub(crate) count: u128,
    /// Bytes of one scale.
    pub(crate) scale_size: u64,
    /// The index of the buffer of scales.
    pub(crate) scales: u32,
    /// The index of the buffer of zero points. Where it is that of the scales, the zero points follow the
    /// scales in the buffer.
    pub(crate) zero_points: Option<u32>,
}

impl Parameters {
    /// All scales, in bytes; saturated.
    pub(crate) fn scale_bytes(&self) -> u128 {
        self.count.saturating_mul(u128::from(self.scale_size))
    }

    /// All zero points, in bytes; saturated.
    pub(crate) fn zero_point_bytes(&self) -> u128 {
        self.count.saturating_mul(u128::from(ZERO_POINT_SIZE))
    }
}

impl TensorDescriptor {
    /// `None` without parameters in buffers, where a needed dimension is not resolved, and where the format
    /// does not define them (NF4 and MXFP on block-paged tensors).
    pub(crate) fn parameters(&self) -> Option<Parameters> {
        let quantization = self.quantization.as_ref()?;
        let scales = quantization.scales()?;
        let zero_points = quantization.zero_points();
        let (count, scale_size) = match (quantization, &self.layout) {
            (Quantization::PerChannel { axis, .. }, _) => {
                (u128::from(*self.shape.get(usize::try_from(*axis).ok()?)?), 4)
            }
            // One per slot of the page pool.
            (Quantization::PerBlock { scale_type, .. }, Layout::BlockPaged(paged)) => {
                (shape::product([paged.num_pages, u64::from(paged.page_size)]), scale_type.byte_size())
            }
            (Quantization::PerBlock { scale_type, .. }, _) => {
                (self.blocks()?.count(&self.shape)?, scale_type.byte_size())
            }
            (Quantization::Nf4 { .. }, _) => (self.blocks()?.count(&self.shape)?, 4),
            (Quantization::Mxfp { .. }, _) => (self.blocks()?.count(&self.shape)?, 1),
            (Quantization::PerTensor { .. } | Quantization::Unknown { .. }, _) => return None,
        };
        Some(Parameters { count, scale_size, scales, zero_points })
    }
}
