//! From a quantization descriptor to bytes (FORMAT §3.8, §6.4–§6.8).

use crate::bytes::Sink;

use super::decode::{NO_BUFFER, SYMMETRIC};
use super::{Quantization, ScaleType};

/// The only version that any scheme has.
const SCHEME_VERSION: u8 = 1;

impl Quantization {
    pub(in crate::descriptor) fn encode(&self, sink: &mut Sink) {
        sink.u32(u32::try_from(self.scheme_len()).unwrap_or(u32::MAX));
        if let Self::Unknown { bytes, .. } = self {
            sink.bytes(bytes);
            return;
        }
        let is_affine = matches!(self, Self::PerChannel { .. } | Self::PerBlock { .. });
        let flags = if is_affine && self.zero_points().is_none() { SYMMETRIC } else { 0 };
        sink.u8(self.tag()).u8(SCHEME_VERSION).u16(flags);
        match self {
            Self::PerTensor { scale, zero_point } => {
                sink.f32(*scale).i32(*zero_point).zeros(4);
            }
            Self::PerChannel { axis, scales, zero_points } => {
                sink.u32(*axis)
                    .u32(*scales)
                    .u32(zero_points.unwrap_or(NO_BUFFER))
                    .u8(ScaleType::Float32.tag())
                    .zeros(3);
            }
            Self::PerBlock { axis, block_size, scales, zero_points, scale_type } => {
                sink.u32(*axis)
                    .u32(*block_size)
                    .u32(*scales)
                    .u32(zero_points.unwrap_or(NO_BUFFER))
                    .u8(scale_type.tag())
                    .zeros(3);
            }
            Self::Nf4 { axis, block_size, scales } | Self::Mxfp { axis, block_size, scales } => {
                sink.u32(*axis).u32(*block_size).u32(*scales);
            }
            Self::Unknown { .. } => {}
        }
    }

    /// The whole section with its length, in bytes.
    pub(in crate::descriptor) fn encoded_len(&self) -> usize {
        self.scheme_len().saturating_add(4)
    }

    /// The scheme's length (FORMAT §6.1), in bytes.
    fn scheme_len(&self) -> usize {
        match self {
            Self::PerTensor { .. } | Self::Nf4 { .. } | Self::Mxfp { .. } => 16,
            Self::PerChannel { .. } => 20,
            Self::PerBlock { .. } => 24,
            Self::Unknown { bytes, .. } => bytes.len(),
        }
    }
}
