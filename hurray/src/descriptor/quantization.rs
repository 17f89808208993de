//! Quantization descriptors (FORMAT §6): how stored elements become real numbers.

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
