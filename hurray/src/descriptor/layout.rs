//! Layouts: how the elements of a tensor lie in its buffers (FORMAT §3.6, §5).

use smallvec::SmallVec;

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
