//! What a reader lets pass: strict or permissive (FORMAT §8.3), the private tags it understands, its limits.

use std::borrow::Cow;

use crate::limits::Limits;

/// How a reader treats what the format lets it relax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Every rule holds, or the tensor (or the file) is refused.
    #[default]
    Strict,
    /// The rules for which [`Rule::is_relaxed_in_permissive`](crate::Rule::is_relaxed_in_permissive) holds are
    /// tolerated: what is not understood is reachable as raw bytes. Every access stays in bounds.
    Permissive,
}

/// The implementation-private tags (`0xF0..=0xFE`) that an application understands. None by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PrivateTags {
    /// Tags of element types.
    pub element_types: Vec<u8>,
    /// Tags and ids of extension layouts.
    pub layouts: Vec<(u8, u64)>,
    /// Tags of devices.
    pub devices: Vec<u8>,
    /// Tags of memory classes.
    pub memory_classes: Vec<u8>,
    /// Tags of quantization schemes.
    pub schemes: Vec<u8>,
    /// Tags of composition rules.
    pub composition_rules: Vec<u8>,
}

/// What a reader lets pass. The default is strict, without private tags, with the default limits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policy {
    pub(crate) mode: Mode,
    pub(crate) private_tags: PrivateTags,
    pub(crate) limits: Limits,
    /// Whether the fields of private and unknown layouts and schemes, which nothing here interprets, are left out of
    /// descriptors.
    pub(crate) omits_private_fields: bool,
}

impl Policy {
    pub(crate) fn is_permissive(&self) -> bool {
        self.mode == Mode::Permissive
    }

    /// The same for whoever decodes all descriptors of a file and hands out none. In permissive mode descriptors may
    /// lie on each other: to copy what is private of each would take the square of the file.
    pub(crate) fn for_all_descriptors(&self) -> Cow<'_, Self> {
        match self.mode {
            Mode::Strict => Cow::Borrowed(self),
            Mode::Permissive => Cow::Owned(Self { omits_private_fields: true, ..self.clone() }),
        }
    }
}

/// Whether a tag is of the implementation-private range.
pub(crate) const fn is_private(tag: u8) -> bool {
    matches!(tag, 0xF0..=0xFE)
}
