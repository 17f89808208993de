//! The other optional sections: shard, statistics, extension type, composite member (FORMAT §3.9–§3.12).

mod extension_type;
mod member;
mod shard;
mod statistics;

use super::Dims;

/// The box of a larger tensor that a tensor is: `[offset[k], offset[k] + shape[k])` of the parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// In elements.
    pub parent_shape: Dims,
    /// In elements.
    pub offset: Dims,
}

/// Facts about the values of a tensor; advisory. `None` is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// Elements that are not zero.
    pub nnz: Option<u64>,
    /// The share of zeros.
    pub sparsity_ratio: Option<f64>,
    /// Minimum, maximum and the larger of their absolute values.
    pub range: Option<(f64, f64, f64)>,
    /// Mean and population standard deviation.
    pub moments: Option<(f64, f64)>,
    /// `n` of every `m` elements are not zero.
    pub n_of_m: Option<(u8, u8)>,
    /// Whether any element is NaN, and whether any is infinite.
    pub nan_inf: Option<(bool, bool)>,
}

/// The width and kind of a private element type (FORMAT §3.11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionType {
    /// 1, 2, 4 or a multiple of 8.
    pub bit_width: u32,
    /// How bit patterns are meant to be read.
    pub kind: ExtensionKind,
}

/// How the bit patterns of a private element type are meant to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtensionKind {
    /// An integer.
    Integer {
        /// Two's complement.
        is_signed: bool,
    },
    /// A floating type.
    Float {
        /// 0 or 1.
        sign_bits: u8,
        /// Of the exponent.
        exponent_bits: u8,
        /// Of the mantissa.
        mantissa_bits: u8,
        /// Subtracted from the exponent field.
        exponent_bias: u32,
        /// Whether there is a NaN.
        has_nan: bool,
        /// Whether there is an infinity.
        has_inf: bool,
    },
}

/// The role of a direct member of an overlay (FORMAT §3.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemberRole {
    /// Replaces or adds to what lies under it.
    Correction,
    /// What corrections apply to.
    Base,
}
