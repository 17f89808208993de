//! Quantization descriptors (FORMAT §6): how stored elements become real numbers.

mod blocks;
mod decode;
mod encode;
mod parameters;
mod rules;

use smallvec::SmallVec;

pub(crate) use blocks::Blocks;
pub(crate) use parameters::Parameters;
pub(crate) use rules::storage_range;

/// How stored elements become real numbers. Buffer indices point into the descriptor's buffer table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Quantization {
    /// One scale and zero point for the whole tensor (FORMAT §6.4).
    PerTensor {
        /// Finite, not zero.
        scale: f32,
        /// Inside the storage type's range.
        zero_point: i32,
    },
    /// One scale and zero point per index of an axis (FORMAT §6.5).
    PerChannel {
        /// The dimension.
        axis: u32,
        /// Index of the buffer of scales, float32.
        scales: u32,
        /// Index of the buffer of zero points, int32; `None` if symmetric.
        zero_points: Option<u32>,
    },
    /// One scale and zero point per block along an axis (FORMAT §6.6).
    PerBlock {
        /// The dimension.
        axis: u32,
        /// Elements per block along the axis.
        block_size: u32,
        /// Index of the buffer of scales.
        scales: u32,
        /// Index of the buffer of zero points, int32; `None` if symmetric.
        zero_points: Option<u32>,
        /// The element type of the scales.
        scale_type: ScaleType,
    },
    /// 4-bit normal floats (FORMAT §6.7).
    Nf4 {
        /// The dimension.
        axis: u32,
        /// Elements per block along the axis.
        block_size: u32,
        /// Index of the buffer of scales, float32.
        scales: u32,
    },
    /// Microscaling floats (FORMAT §6.8).
    Mxfp {
        /// The dimension.
        axis: u32,
        /// Elements per block along the axis.
        block_size: u32,
        /// Index of the buffer of scales, float8_e8m0.
        scales: u32,
    },
    /// A scheme that is not understood, with its bytes; only in permissive mode or by opt-in.
    Unknown {
        /// The scheme's tag.
        tag: u8,
        /// The whole quantization descriptor.
        bytes: Box<[u8]>,
    },
}

impl Quantization {
    /// The scheme's tag in the file.
    #[must_use]
    pub fn tag(&self) -> u8 {
        match self {
            Self::PerTensor { .. } => 0x01,
            Self::PerChannel { .. } => 0x02,
            Self::PerBlock { .. } => 0x03,
            Self::Nf4 { .. } => 0x04,
            Self::Mxfp { .. } => 0x05,
            Self::Unknown { tag, .. } => *tag,
        }
    }

    /// The scheme's name: `per_tensor`, `nf4`, ...
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::PerTensor { .. } => "per_tensor",
            Self::PerChannel { .. } => "per_channel",
            Self::PerBlock { .. } => "per_block",
            Self::Nf4 { .. } => "nf4",
            Self::Mxfp { .. } => "mxfp",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// The dimension that parameters run along.
    pub(crate) fn axis(&self) -> Option<u32> {
        match self {
            Self::PerChannel { axis, .. }
            | Self::PerBlock { axis, .. }
            | Self::Nf4 { axis, .. }
            | Self::Mxfp { axis, .. } => Some(*axis),
            Self::PerTensor { .. } | Self::Unknown { .. } => None,
        }
    }

    /// The dimension and the block size of the blockwise schemes.
    pub(crate) fn block(&self) -> Option<(u32, u32)> {
        match self {
            Self::PerBlock { axis, block_size, .. }
            | Self::Nf4 { axis, block_size, .. }
            | Self::Mxfp { axis, block_size, .. } => Some((*axis, *block_size)),
            Self::PerTensor { .. } | Self::PerChannel { .. } | Self::Unknown { .. } => None,
        }
    }

    /// The index of the buffer of scales.
    pub(crate) fn scales(&self) -> Option<u32> {
        match self {
            Self::PerChannel { scales, .. }
            | Self::PerBlock { scales, .. }
            | Self::Nf4 { scales, .. }
            | Self::Mxfp { scales, .. } => Some(*scales),
            Self::PerTensor { .. } | Self::Unknown { .. } => None,
        }
    }

    /// The index of the buffer of zero points, if there is one.
    pub(crate) fn zero_points(&self) -> Option<u32> {
        match self {
            Self::PerChannel { zero_points, .. } | Self::PerBlock { zero_points, .. } => *zero_points,
            _ => None,
        }
    }

    /// The distinct parameter buffers, `np` of FORMAT §3.7; `None` for a scheme that is not understood.
    pub(crate) fn parameter_buffers(&self) -> Option<SmallVec<[u32; 2]>> {
        if let Self::Unknown { .. } = self {
            return None;
        }
        let mut buffers: SmallVec<[u32; 2]> = self.scales().into_iter().chain(self.zero_points()).collect();
        buffers.dedup();
        Some(buffers)
    }
}

/// The element type of per-block scales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScaleType {
    /// float16
    Float16,
    /// bfloat16
    BFloat16,
    /// float32
    Float32,
}

impl ScaleType {
    /// Bytes of one scale.
    #[must_use]
    pub const fn byte_size(self) -> u64 {
        match self {
            Self::Float16 | Self::BFloat16 => 2,
            Self::Float32 => 4,
        }
    }

    /// The tag in the file, which is that of the element type.
    #[must_use]
    pub const fn tag(self) -> u8 {
        match self {
            Self::Float16 => 0x01,
            Self::BFloat16 => 0x02,
            Self::Float32 => 0x03,
        }
    }
}
