//! What a reader accepts beyond the rules of the format (FORMAT §8.3).

use crate::limits::Limits;

/// Whether relaxed rules may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Every rule holds.
    #[default]
    Strict,
    /// Rules marked as relaxed need not hold.
    Permissive,
}

/// How a reader judges a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Strict or permissive.
    pub mode: Mode,
    /// Bounds.
    pub limits: Limits,
}
