//! Tensor descriptors (FORMAT §3): what they hold; decoding, encoding and the rules of one descriptor. No I/O.

mod buffers;
mod builder;
mod decode;
mod encode;
mod header;
mod layout;
pub(crate) mod placement;
mod plain;
mod quantization;
mod rules;
mod sections;
pub(crate) mod shape;
mod sizes;
#[cfg(test)]
mod tests;
mod writing;

use smallvec::SmallVec;

use crate::element::ElementType;

pub(crate) use header::{FIXED_LEN, MAGIC, peek_length};

pub use buffers::{BufferHandle, DeviceTag, MemoryClass, SyncMode};
pub use builder::DescriptorBuilder;
pub use layout::{BlockPaged, CombineOp, CompositeHead, CompositionRule, KvRole, Layout, TileOrder, Tiled};
pub(crate) use plain::{PlainDescriptor, RowMajor};
pub(crate) use quantization::storage_range;
pub use quantization::{Quantization, ScaleType};
pub use sections::{ExtensionKind, ExtensionType, MemberRole, Shard, Statistics};
pub(crate) use sizes::BufferSize;

/// Dimensions as the file has them: `u64`, inline up to rank 8.
pub type Dims = SmallVec<[u64; 8]>;

/// The marker of a dimension that is not resolved (FORMAT §3.4). It is read, never written.
pub const DYNAMIC: u64 = u64::MAX;

/// The largest rank of the format.
pub const MAX_RANK: usize = 64;

/// Everything the file says of one tensor but its name and its bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorDescriptor {
    pub(crate) version_minor: u8,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Dims,
    pub(crate) byte_offset: u64,
    pub(crate) layout: Layout,
    pub(crate) buffers: SmallVec<[BufferHandle; 1]>,
    pub(crate) quantization: Option<Quantization>,
    pub(crate) shard: Option<Box<Shard>>,
    pub(crate) statistics: Option<Box<Statistics>>,
    pub(crate) extension_type: Option<ExtensionType>,
    pub(crate) member_role: Option<MemberRole>,
    /// Bytes after the known sections, which a larger minor version may have.
    pub(crate) trailing_bytes: u32,
}

impl TensorDescriptor {
    /// The element type as stored (before dequantization).
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The shape in elements, dimension 0 first. `DYNAMIC` marks an unresolved dimension.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The number of dimensions; 0 for a scalar.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// From the start of buffer 0 to element `[0, ..., 0]`, in bytes.
    #[must_use]
    pub fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    /// How the elements lie in the buffers.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The data buffers, in order.
    #[must_use]
    pub fn buffers(&self) -> &[BufferHandle] {
        &self.buffers
    }

    /// How stored elements become real numbers, for a quantized tensor.
    #[must_use]
    pub fn quantization(&self) -> Option<&Quantization> {
        self.quantization.as_ref()
    }

    /// The box of a larger tensor that this one is.
    #[must_use]
    pub fn shard(&self) -> Option<&Shard> {
        self.shard.as_deref()
    }

    /// Facts about the values; advisory.
    #[must_use]
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_deref()
    }

    /// The width and kind of a private element type.
    #[must_use]
    pub fn extension_type(&self) -> Option<&ExtensionType> {
        self.extension_type.as_ref()
    }

    /// The role of a member of an overlay.
    #[must_use]
    pub fn member_role(&self) -> Option<MemberRole> {
        self.member_role
    }

    /// The minor version of the descriptor; what is written always has 0.
    #[must_use]
    pub fn version_minor(&self) -> u8 {
        self.version_minor
    }

    /// How many bytes a newer minor version has after the sections that are known.
    #[must_use]
    pub fn trailing_bytes(&self) -> u32 {
        self.trailing_bytes
    }

    /// The head's own fields, if this is a composite head.
    #[must_use]
    pub fn composite(&self) -> Option<&CompositeHead> {
        match &self.layout {
            Layout::Composite(head) => Some(head),
            _ => None,
        }
    }
}

/// A position in a descriptor as the errors have it.
fn at(position: usize) -> u64 {
    u64::try_from(position).unwrap_or(u64::MAX)
}
