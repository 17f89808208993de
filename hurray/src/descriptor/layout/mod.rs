//! Layouts: how the elements of a tensor lie in its buffers (FORMAT §3.6, §5).

pub(crate) mod address;
mod composite;
mod extension;
mod hilbert;
mod morton;
mod paged;
mod sparse;
mod strided;
mod tiled;

use smallvec::SmallVec;

use crate::bytes::{Cursor, Sink};
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::Dims;

/// How the elements of a tensor lie in its buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// The last dimension varies fastest.
    RowMajor,
    /// The first dimension varies fastest.
    ColumnMajor,
    /// Signed strides, in elements, one per dimension.
    Strided {
        /// In elements; negative reverses an axis, zero broadcasts it.
        strides: SmallVec<[i64; 8]>,
    },
    /// Tiles, nested up to 8 levels.
    Tiled(Box<Tiled>),
    /// Bits of the index interleaved.
    Morton {
        /// Bits per dimension.
        bits: SmallVec<[u32; 8]>,
    },
    /// Along a Hilbert curve: every dimension is `2^order`.
    Hilbert {
        /// The order `p`.
        order: u32,
    },
    /// Coordinates of each stored entry.
    Coo {
        /// Stored entries.
        nnz: u64,
        /// Strictly ascending in lexicographic order.
        is_sorted: bool,
    },
    /// Compressed rows.
    Csr {
        /// Stored entries.
        nnz: u64,
    },
    /// Compressed columns.
    Csc {
        /// Stored entries.
        nnz: u64,
    },
    /// Compressed fibres: a tree with one level per dimension.
    Csf {
        /// Stored entries.
        nnz: u64,
        /// The dimension that each level stores: a permutation of `0..rank`.
        mode_order: SmallVec<[u32; 8]>,
    },
    /// Pages of tokens, found through a block table.
    BlockPaged(BlockPaged),
    /// No elements: the head of a composite.
    Composite(CompositeHead),
    /// A layout that only applications know.
    Extension {
        /// `0xF0..=0xFE`.
        tag: u8,
        /// Names the layout within the tag.
        id: u64,
        /// Its own fields.
        data: Box<[u8]>,
    },
    /// A tag that is reserved or not assigned; only in permissive mode, and then without a buffer table.
    Unknown {
        /// The tag in the file.
        tag: u8,
    },
}

impl Layout {
    /// The tag in the file.
    #[must_use]
    pub fn tag(&self) -> u8 {
        match self {
            Self::RowMajor => 0x01,
            Self::ColumnMajor => 0x02,
            Self::Strided { .. } => 0x03,
            Self::Tiled(_) => 0x04,
            Self::Morton { .. } => 0x05,
            Self::Coo { .. } => 0x06,
            Self::Csr { .. } => 0x07,
            Self::Csc { .. } => 0x08,
            Self::Csf { .. } => 0x09,
            Self::BlockPaged(_) => 0x0A,
            Self::Composite(_) => 0x0B,
            Self::Hilbert { .. } => 0x40,
            Self::Extension { tag, .. } | Self::Unknown { tag } => *tag,
        }
    }

    /// The format's name: `row_major`, `csr`, ...
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::RowMajor => "row_major",
            Self::ColumnMajor => "column_major",
            Self::Strided { .. } => "strided",
            Self::Tiled(_) => "tiled",
            Self::Morton { .. } => "morton",
            Self::Coo { .. } => "coo",
            Self::Csr { .. } => "csr",
            Self::Csc { .. } => "csc",
            Self::Csf { .. } => "csf",
            Self::BlockPaged(_) => "block_paged",
            Self::Composite(_) => "composite_head",
            Self::Hilbert { .. } => "hilbert",
            Self::Extension { .. } => "extension",
            Self::Unknown { .. } => "unknown",
        }
    }
}

impl Layout {
    /// The fields of the layout with that tag: their form, not yet what they mean for a shape.
    #[inline]
    pub(super) fn decode(
        tag: u8,
        rank: usize,
        fields: &mut Cursor<'_>,
        policy: &Policy,
    ) -> Result<Self, FormatError> {
        match tag {
            0x01 => Ok(Self::RowMajor),
            0x02 => Ok(Self::ColumnMajor),
            0x03 => strided::decode(rank, fields),
            0x04 => Tiled::decode(rank, fields).map(|tiled| Self::Tiled(Box::new(tiled))),
            0x05 => morton::decode(rank, fields),
            0x06 => sparse::decode_coo(fields),
            0x07 => sparse::decode_csr(fields),
            0x08 => sparse::decode_csc(fields),
            0x09 => sparse::decode_csf(rank, fields),
            0x0A => BlockPaged::decode(fields).map(Self::BlockPaged),
            0x0B => CompositeHead::decode(fields, policy).map(Self::Composite),
            0x40 => hilbert::decode(rank, fields),
            0xF0..=0xFE => extension::decode(tag, fields, policy),
            _ => unknown(tag, policy),
        }
    }

    pub(super) fn encode(&self, rank: usize, sink: &mut Sink) {
        match self {
            Self::RowMajor | Self::ColumnMajor | Self::Unknown { .. } => {}
            Self::Strided { strides } => strided::encode(strides, sink),
            Self::Tiled(tiled) => tiled.encode(sink),
            Self::Morton { bits } => morton::encode(bits, sink),
            Self::Hilbert { order } => hilbert::encode(*order, rank, sink),
            Self::Coo { nnz, is_sorted } => sparse::encode_coo(*nnz, *is_sorted, sink),
            Self::Csr { nnz } | Self::Csc { nnz } => sparse::encode_compressed(*nnz, sink),
            Self::Csf { nnz, mode_order } => sparse::encode_csf(*nnz, mode_order, sink),
            Self::BlockPaged(paged) => paged.encode(sink),
            Self::Composite(head) => head.encode(sink),
            Self::Extension { id, data, .. } => extension::encode(*id, data, sink),
        }
    }

    /// The size of the layout's fields in bytes (FORMAT §3.1).
    pub(super) fn encoded_len(&self, rank: usize) -> usize {
        match self {
            Self::RowMajor | Self::ColumnMajor | Self::Unknown { .. } => 0,
            Self::Strided { .. } => rank.saturating_mul(8),
            Self::Tiled(tiled) => tiled.encoded_len(rank),
            Self::Morton { .. } => rank.saturating_mul(4),
            Self::Coo { .. } | Self::Csr { .. } | Self::Csc { .. } => 16,
            Self::Csf { .. } => rank.saturating_mul(4).saturating_add(16),
            Self::BlockPaged(_) => BlockPaged::ENCODED_LEN,
            Self::Composite(_) | Self::Hilbert { .. } => 8,
            Self::Extension { data, .. } => data.len().saturating_add(12),
        }
    }

    /// How many buffers the layout itself has, `nl` of FORMAT §3.7; the parameters of a quantization come
    /// after them. `None` where only the application knows.
    pub(crate) fn buffer_count(&self, rank: usize) -> Option<usize> {
        match self {
            Self::RowMajor
            | Self::ColumnMajor
            | Self::Strided { .. }
            | Self::Tiled(_)
            | Self::Morton { .. }
            | Self::Hilbert { .. } => Some(1),
            Self::Coo { .. } => Some(2),
            Self::Csr { .. } | Self::Csc { .. } | Self::BlockPaged(_) => Some(3),
            Self::Csf { .. } => Some(rank.saturating_mul(2).saturating_add(1)),
            Self::Composite(_) => Some(0),
            Self::Extension { .. } | Self::Unknown { .. } => None,
        }
    }

    /// Whether every element has a place of its own in buffer 0 (layouts 0x01 to 0x05 and 0x40).
    pub(crate) fn is_dense(&self) -> bool {
        matches!(
            self,
            Self::RowMajor
                | Self::ColumnMajor
                | Self::Strided { .. }
                | Self::Tiled(_)
                | Self::Morton { .. }
                | Self::Hilbert { .. }
        )
    }

    /// How many entries a sparse layout stores.
    pub(crate) fn nnz(&self) -> Option<u64> {
        match self {
            Self::Coo { nnz, .. } | Self::Csr { nnz } | Self::Csc { nnz } | Self::Csf { nnz, .. } => {
                Some(*nnz)
            }
            _ => None,
        }
    }

    /// DSC-09 and what the layout demands of its fields and of the shape (FORMAT §9.6); sizes of buffers are
    /// checked elsewhere. `at`: where the fields are, in bytes from the start of the descriptor.
    #[inline]
    pub(super) fn check(&self, shape: &[u64], at: u64, policy: &Policy) -> Result<(), FormatError> {
        if let Self::RowMajor = self {
            return Ok(());
        }
        Rule::Dsc09.check(!shape.is_empty() || matches!(self, Self::Composite(_)), |e| {
            e.at(15).expected_to_be("the row-major layout for a scalar").but_found(self.name())
        })?;
        match self {
            Self::RowMajor | Self::ColumnMajor | Self::Unknown { .. } => Ok(()),
            Self::Strided { strides } => strided::check(strides, shape, at),
            Self::Tiled(tiled) => tiled.check(shape, at, policy),
            Self::Morton { bits } => morton::check(bits, shape, at),
            Self::Hilbert { order } => hilbert::check(*order, shape, at),
            Self::Coo { nnz, .. } => sparse::check_nnz(*nnz, shape, Rule::LayCoo03, at, policy),
            Self::Csr { nnz } => {
                sparse::check_compressed(*nnz, shape, Rule::LayCsr01, Rule::LayCsr03, at, policy)
            }
            Self::Csc { nnz } => {
                sparse::check_compressed(*nnz, shape, Rule::LayCsc01, Rule::LayCsc03, at, policy)
            }
            Self::Csf { nnz, mode_order } => sparse::check_csf(*nnz, mode_order, shape, at, policy),
            Self::BlockPaged(paged) => paged.check(shape, at, policy),
            Self::Composite(head) => head.check(at, policy),
            Self::Extension { tag, id, .. } => extension::check(*tag, *id, at, policy),
        }
    }
}

/// LAY-01, LAY-02.
#[cold]
fn unknown(tag: u8, policy: &Policy) -> Result<Layout, FormatError> {
    let refused = |rule: Rule, expected: &'static str| {
        rule.broken().at(15).expected_to_be(expected).but_found(format_args!("{tag:#04x}"))
    };
    match tag {
        0x00 | 0xFF => Err(refused(Rule::Lay01, "a valid layout")),
        _ if policy.is_permissive() => Ok(Layout::Unknown { tag }),
        _ => Err(refused(Rule::Lay02, "a known layout")),
    }
}

/// One level of tiles (FORMAT §5.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiled {
    /// In elements, one per dimension, none zero.
    pub tile_shape: Dims,
    /// The order of the tiles in the grid; strides in tiles.
    pub outer: TileOrder,
    /// The order of the elements in a tile; strides in elements.
    pub inner: TileOrder,
}

/// The order of tiles in their grid, or of elements in a tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TileOrder {
    /// The last dimension varies fastest.
    RowMajor,
    /// The first dimension varies fastest.
    ColumnMajor,
    /// Signed strides, one per dimension.
    Strided(SmallVec<[i64; 8]>),
    /// Tiles again (inner order only).
    Tiled(Box<Tiled>),
}

/// The fields of the block-paged layout (FORMAT §3.6, §5.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockPaged {
    /// Tokens per page.
    pub page_size: u32,
    /// Pages in the pool.
    pub num_pages: u64,
    /// Always 0 in strict mode.
    pub paged_axis: u32,
    /// Sequences.
    pub num_seqs: u32,
    /// What the pages hold.
    pub kv_role: KvRole,
    /// The model's layer; `None` if not scoped to one.
    pub layer_index: Option<u32>,
    /// Whether block table and sequence pointers are u64 (else u32).
    pub wide_indices: bool,
}

/// What the pages of a block-paged tensor hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KvRole {
    /// Keys.
    Key,
    /// Values.
    Value,
    /// Both, or something else.
    Fused,
}

/// The fields of a composite head (FORMAT §7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompositeHead {
    /// How the members make up the whole.
    pub rule: CompositionRule,
    /// Direct members that follow the head; a nested head counts as one.
    pub member_count: u32,
}

/// How the members of a composite make up the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompositionRule {
    /// Disjoint boxes that cover the head.
    Partition,
    /// A base and corrections over it.
    Overlay(CombineOp),
    /// Tensors that belong together.
    Group,
    /// A rule that only applications know, with its combine op.
    Private {
        /// `0xF0..=0xFE`.
        tag: u8,
        /// Not interpreted.
        combine_op: u8,
    },
}

/// How a correction combines with what lies under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CombineOp {
    /// The last member that supplies an element wins.
    Replace,
    /// Corrections are added in file order.
    Add,
}
