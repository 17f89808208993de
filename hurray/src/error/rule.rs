//! The rules of the format, by their stable ids (FORMAT §9; the list is in `docs/format.md`).

/// When a rule can be decided, and what kind of duty it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleKind {
    /// From the header, trailer, index, KV section and descriptors alone.
    Structure,
    /// Only from the bytes of tensors or padding: checked on demand.
    Data,
    /// A duty to accept something.
    Accept,
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $name:ident $id:literal $kind:ident $relaxed:literal,)*) => {
        /// One rule of the format. `Display` and [`Rule::id`] give the stable id, such as `HDR-02`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])* $name,)*
        }

        impl Rule {
            /// Every rule, in the order of the format's list.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// The stable id, such as `HDR-02`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Rule::$name => $id,)* }
            }

            /// What the rule demands, in one line.
            #[must_use]
            pub const fn condition(self) -> &'static str {
                match self { $(Rule::$name => concat!($($doc),*),)* }
            }

            /// When the rule can be decided.
            #[must_use]
            pub const fn kind(self) -> RuleKind {
                match self { $(Rule::$name => RuleKind::$kind,)* }
            }

            /// Whether permissive mode relaxes it (FORMAT §8.3).
            #[must_use]
            pub const fn is_relaxed_in_permissive(self) -> bool {
                match self { $(Rule::$name => $relaxed,)* }
            }
        }
    };
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.id())
    }
}

rules! {
    #[doc = "file is at least 112 bytes (64 + 8 + 40)"]
    Hdr01 "HDR-01" Structure false,
    #[doc = "bytes 0..8 are `HRRYFILE`"]
    Hdr02 "HDR-02" Structure false,
    #[doc = "`container_version_major` = 1 (0 and >= 2 rejected)"]
    Hdr03 "HDR-03" Structure false,
    #[doc = "header bytes 10..12 zero (readers: only if container minor <= supported)"]
    Hdr04 "HDR-04" Structure false,
    #[doc = "`A` is a power of two"]
    Hdr05 "HDR-05" Structure false,
    #[doc = "`4096 <= A <= 2097152`"]
    Hdr06 "HDR-06" Structure false,
    #[doc = "`first_descriptor_offset >= 64`"]
    Hdr07 "HDR-07" Structure false,
    #[doc = "`first_descriptor_offset` multiple of 8"]
    Hdr08 "HDR-08" Structure false,
    #[doc = "`first_descriptor_offset <= region_end`"]
    Hdr09 "HDR-09" Structure false,
    #[doc = "header bytes 36..64 zero (readers: only if container minor <= supported)"]
    Hdr10 "HDR-10" Structure false,
    #[doc = "`tensor_count_hint` never influences results; a wrong hint is not an error for random access"]
    Hdr11 "HDR-11" Accept false,
    #[doc = "`tensor_count_hint` is the exact count or all-ones; finishing with a different count than declared fails"]
    Hdr12 "HDR-12" Structure false,
    #[doc = "container version written as 1.0"]
    Hdr13 "HDR-13" Structure false,
    #[doc = "`file_flags` bits 3..31 zero"]
    Flag01 "FLAG-01" Structure false,
    #[doc = "`HAS_KV_METADATA` set implies `kv_offset != 0` and `kv_length != 0`"]
    Flag02 "FLAG-02" Structure false,
    #[doc = "`HAS_KV_METADATA` clear with non-zero kv fields: accepted, section is read"]
    Flag03 "FLAG-03" Accept false,
    #[doc = "`HAS_KV_METADATA` set iff a KV section is written (compatibility mode excepted)"]
    Flag04 "FLAG-04" Structure false,
    #[doc = "`SORTED_INDEX` set implies names strictly ascending by bytes"]
    Flag05 "FLAG-05" Structure true,
    #[doc = "CRC computed and `HAS_INDEX_CRC32C` set by default; flag decided before the header is written"]
    Flag06 "FLAG-06" Structure false,
    #[doc = "last 4 bytes are `HRRY`; no other trailer field is used before this check"]
    Trl01 "TRL-01" Structure false,
    #[doc = "`index_offset + index_length` does not overflow and is `<= file_size - 40`"]
    Trl02 "TRL-02" Structure false,
    #[doc = "`index_offset` multiple of 8"]
    Trl03 "TRL-03" Structure false,
    #[doc = "`index_offset >= first_descriptor_offset` (hence >= 64)"]
    Trl04 "TRL-04" Structure false,
    #[doc = "`index_length >= 8`"]
    Trl05 "TRL-05" Structure false,
    #[doc = "`HAS_INDEX_CRC32C` set implies CRC-32C of the index bytes equals `index_crc32c` (also when the stored value is 0)"]
    Trl06 "TRL-06" Structure false,
    #[doc = "`HAS_INDEX_CRC32C` clear implies `index_crc32c` = 0; no verification"]
    Trl07 "TRL-07" Structure false,
    #[doc = "`kv_offset` = 0 iff `kv_length` = 0"]
    Trl08 "TRL-08" Structure false,
    #[doc = "KV present implies `kv_offset` multiple of 8"]
    Trl09 "TRL-09" Structure false,
    #[doc = "KV present implies `kv_offset >= first_descriptor_offset` and `kv_offset + kv_length <= index_offset` (no overflow)"]
    Trl10 "TRL-10" Structure false,
    #[doc = "trailer bytes 32..36 zero (readers: only if container minor <= supported)"]
    Trl11 "TRL-11" Structure false,
    #[doc = "trailer starts at `index_offset + index_length`"]
    Trl12 "TRL-12" Structure false,
    #[doc = "a gap between index end and trailer is accepted"]
    Trl13 "TRL-13" Accept false,
    #[doc = "`index_entry_count <= (index_length - 8) / 35`, checked before allocating"]
    Idx01 "IDX-01" Structure false,
    #[doc = "no entry extends past `index_length`"]
    Idx02 "IDX-02" Structure false,
    #[doc = "entries end exactly at `index_length` (readers: only if container minor <= supported)"]
    Idx03 "IDX-03" Structure false,
    #[doc = "`name_length >= 1`"]
    Idx04 "IDX-04" Structure false,
    #[doc = "`name` is valid UTF-8"]
    Idx05 "IDX-05" Structure false,
    #[doc = "names unique, byte-exact"]
    Idx06 "IDX-06" Structure false,
    #[doc = "entry `flags` = 0"]
    Idx07 "IDX-07" Structure false,
    #[doc = "`descriptor_offset` multiple of 8"]
    Idx08 "IDX-08" Structure false,
    #[doc = "`descriptor_length >= 20`"]
    Idx09 "IDX-09" Structure false,
    #[doc = "`descriptor_offset >= first_descriptor_offset` and `descriptor_offset + descriptor_length <= region_end`"]
    Idx10 "IDX-10" Structure false,
    #[doc = "`data_length > 0` implies `data_offset + data_length <= region_end` (no overflow)"]
    Idx11 "IDX-11" Structure false,
    #[doc = "`data_length > 0` implies `data_offset >= descriptor_offset + descriptor_length`"]
    Idx12 "IDX-12" Structure false,
    #[doc = "no two entries share a `descriptor_offset`"]
    Idx13 "IDX-13" Structure true,
    #[doc = "if there are tensors, the smallest `descriptor_offset` = `first_descriptor_offset`"]
    Idx14 "IDX-14" Structure true,
    #[doc = "entry `descriptor_length` = bytes 6..10 of the descriptor"]
    Idx15 "IDX-15" Structure false,
    #[doc = "in `descriptor_offset` order, `max(descriptor end, data end)` of a tensor <= next `descriptor_offset` (data end only if `data_length > 0`)"]
    Idx16 "IDX-16" Structure true,
    #[doc = "`index_entry_count` = tensors in the region: every byte of the region outside indexed descriptors and buffers is zero (see PAD-01)"]
    Idx17 "IDX-17" Data true,
    #[doc = "without `SORTED_INDEX`, entries in write order"]
    Idx18 "IDX-18" Structure false,
    #[doc = "name at most 65535 bytes; violation refused before anything is written"]
    Idx19 "IDX-19" Structure false,
    #[doc = "lookups and composite recovery work for any entry order"]
    Idx20 "IDX-20" Accept false,
    #[doc = "a file without tensors is accepted"]
    Idx21 "IDX-21" Accept false,
    #[doc = "`kv_length >= 4` and `kv_count <= (kv_length - 4) / 5`, before allocating"]
    Kv01 "KV-01" Structure false,
    #[doc = "no entry extends past `kv_length`"]
    Kv02 "KV-02" Structure false,
    #[doc = "entries end exactly at `kv_length` (readers: only if container minor <= supported)"]
    Kv03 "KV-03" Structure false,
    #[doc = "`key_length >= 1`"]
    Kv04 "KV-04" Structure false,
    #[doc = "key is valid UTF-8"]
    Kv05 "KV-05" Structure false,
    #[doc = "keys unique, byte-exact"]
    Kv06 "KV-06" Structure false,
    #[doc = "`value_tag` not in `0x00`, `0x08–0xEF`, `0xFF`"]
    Kv07 "KV-07" Structure false,
    #[doc = "`value_tag` in `0xF0–0xFE` only with opt-in"]
    Kv08 "KV-08" Structure false,
    #[doc = "bool payload is 0 or 1, also inside arrays"]
    Kv09 "KV-09" Structure false,
    #[doc = "array element tag in `0x01–0x06`, also when the count is 0"]
    Kv10 "KV-10" Structure false,
    #[doc = "array count × minimum element size fits in the remaining bytes, before allocating"]
    Kv11 "KV-11" Structure false,
    #[doc = "string values (and array elements) are valid UTF-8"]
    Kv12 "KV-12" Structure false,
    #[doc = "key at most 65535 bytes; strings/bytes/arrays below 2^32; whole section below 2^32 bytes; else error, never truncation"]
    Kv13 "KV-13" Structure false,
    #[doc = "`kv_count` = 0 and empty arrays are accepted; float64 NaN payloads preserved"]
    Kv14 "KV-14" Accept false,
    #[doc = "array elements all of one type"]
    Kv15 "KV-15" Structure false,
    #[doc = "n >= 1 implies `data_offset` multiple of `A` (also for empty tensors)"]
    Plc01 "PLC-01" Structure false,
    #[doc = "n >= 1 implies `data_offset = align_up(D + L, A)` (permissive: any aligned position >= D + L)"]
    Plc02 "PLC-02" Structure true,
    #[doc = "`data_length` equals the formula of §2.4 (permissive: all buffers computed from handles in bounds)"]
    Plc03 "PLC-03" Structure true,
    #[doc = "every non-empty buffer `[P[i], P[i]+b[i])` ends at or before `region_end`, overflow-checked"]
    Plc04 "PLC-04" Structure false,
    #[doc = "head: `data_length` = 0"]
    Plc05 "PLC-05" Structure false,
    #[doc = "head: any `data_offset` accepted"]
    Plc06 "PLC-06" Accept false,
    #[doc = "head: no padding to `A` after its descriptor; next item at `align_up(D + L, 8)`; `data_offset` = that position"]
    Plc07 "PLC-07" Structure false,
    #[doc = "after the last buffer pad to `A` (compact profile: to 8)"]
    Plc08 "PLC-08" Structure false,
    #[doc = "both trailing profiles accepted; heads followed by padding to `A` accepted"]
    Plc09 "PLC-09" Accept false,
    #[doc = "`byte_size` of every handle equals the bytes supplied, `buffer_count` the number of buffers supplied"]
    Plc10 "PLC-10" Structure false,
    #[doc = "no backward seek; only index tuples kept in memory"]
    Plc11 "PLC-11" Structure false,
    #[doc = "every handle `alignment <= A`"]
    Plc12 "PLC-12" Structure false,
    #[doc = "every byte in `[64, index_offset)` outside indexed descriptors, their buffers and the KV section is 0"]
    Pad01 "PAD-01" Data true,
    #[doc = "unused bits of the last byte/group of a sub-byte buffer are 0 (readers: TYP-06)"]
    Pad02 "PAD-02" Data false,
    #[doc = "magic `HRRY`"]
    Dsc01 "DSC-01" Structure false,
    #[doc = "`version_major` = 1"]
    Dsc02 "DSC-02" Structure false,
    #[doc = "`descriptor_length >= 20`"]
    Dsc03 "DSC-03" Structure false,
    #[doc = "every field lies inside `descriptor_length` (and inside the bytes available); nothing read beyond"]
    Dsc04 "DSC-04" Structure false,
    #[doc = "`version_minor` = 0 implies sections consume exactly `descriptor_length`"]
    Dsc05 "DSC-05" Structure false,
    #[doc = "`version_minor` > 0 implies trailing bytes ignored, known fields parsed"]
    Dsc06 "DSC-06" Accept false,
    #[doc = "flags bits 5..31 zero"]
    Dsc07 "DSC-07" Structure false,
    #[doc = "`rank <= 64`; 0 through 64 all supported"]
    Dsc08 "DSC-08" Structure false,
    #[doc = "rank 0 only with layout 0x01, or 0x0B (writers: 0x0B only for group)"]
    Dsc09 "DSC-09" Structure false,
    #[doc = "n >= 1 implies `byte_offset <= byte_size[0]`"]
    Dsc10 "DSC-10" Structure false,
    #[doc = "layouts 0x06–0x0B implies `byte_offset` = 0"]
    Dsc11 "DSC-11" Structure false,
    #[doc = "version written 1.0; `descriptor_length` exact"]
    Dsc12 "DSC-12" Structure false,
    #[doc = "no `DYN` dimension in a file (group head excepted)"]
    Dsc13 "DSC-13" Structure false,
    #[doc = "`DYN` outside shard / quantization axis / partition-overlay head: accepted; no size or per-dimension layout constraint evaluated for it; element access refused"]
    Dsc14 "DSC-14" Accept false,
    #[doc = "zero dimensions accepted everywhere the layout permits; never confused with `DYN`"]
    Dsc15 "DSC-15" Accept false,
    #[doc = "`byte_offset` multiple of the natural alignment"]
    Dsc16 "DSC-16" Structure false,
    #[doc = "`type_tag` not 0x00, 0xFF"]
    Typ01 "TYP-01" Structure false,
    #[doc = "`type_tag` known (0x47, 0x80–0xEF and unlisted values are not)"]
    Typ02 "TYP-02" Structure true,
    #[doc = "`type_tag` 0xF0–0xFE only with opt-in"]
    Typ03 "TYP-03" Structure true,
    #[doc = "`HAS_EXTENSION_TYPE` set iff `type_tag` in 0xF0–0xFE"]
    Typ04 "TYP-04" Structure false,
    #[doc = "float8_e8m0 elements are never 0x00 or 0xFF"]
    Typ05 "TYP-05" Data true,
    #[doc = "unused trailing bits of sub-byte element buffers are 0 (contiguous layouts)"]
    Typ06 "TYP-06" Data true,
    #[doc = "element bit patterns preserved exactly (NaN payloads, subnormals, -0)"]
    Typ07 "TYP-07" Accept false,
    #[doc = "`bit_width` > 0"]
    Ext01 "EXT-01" Structure false,
    #[doc = "`bit_width` < 8 implies 1, 2 or 4 and `packing_factor = 8 / bit_width`"]
    Ext02 "EXT-02" Structure false,
    #[doc = "`bit_width >= 8` implies `packing_factor` = 1 and `bit_width` multiple of 8"]
    Ext03 "EXT-03" Structure false,
    #[doc = "reserved bytes 10..12 and 18..20 zero"]
    Ext04 "EXT-04" Structure false,
    #[doc = "`is_float`, `is_signed`, `has_nan`, `has_inf` are 0 or 1"]
    Ext05 "EXT-05" Structure false,
    #[doc = "float implies `is_signed` = 0, `sign_bits <= 1`"]
    Ext06 "EXT-06" Structure false,
    #[doc = "integer implies `sign_bits`, `exponent_bits`, `mantissa_bits`, `exponent_bias`, `has_nan`, `has_inf` all 0"]
    Ext07 "EXT-07" Structure false,
    #[doc = "`buffer_count` = 0 iff composite head"]
    Buf01 "BUF-01" Structure false,
    #[doc = "`buffer_count = nl + np` (extension layouts: >= 1)"]
    Buf02 "BUF-02" Structure false,
    #[doc = "`alignment` is a power of two (0 is not)"]
    Buf03 "BUF-03" Structure false,
    #[doc = "`byte_size > 0` implies `alignment >= 64`"]
    Buf04 "BUF-04" Structure false,
    #[doc = "`byte_size = 0` implies any power-of-two alignment accepted"]
    Buf05 "BUF-05" Accept false,
    #[doc = "`device_tag` not 0x09–0xEF, 0xFF"]
    Buf06 "BUF-06" Structure false,
    #[doc = "`device_tag` 0xF0–0xFE only with opt-in"]
    Buf07 "BUF-07" Structure true,
    #[doc = "`sync_mode` in {0, 1, 2}"]
    Buf08 "BUF-08" Structure false,
    #[doc = "CPU implies `sync_mode` = 0"]
    Buf09 "BUF-09" Structure false,
    #[doc = "`memory_class` not 0x04–0xEF, 0xFF"]
    Buf10 "BUF-10" Structure false,
    #[doc = "(`device_tag`, `memory_class`) pair valid per §3.7"]
    Buf11 "BUF-11" Structure false,
    #[doc = "handle byte 15 zero"]
    Buf12 "BUF-12" Structure false,
    #[doc = "all handles share `device_tag` and `memory_class`"]
    Buf13 "BUF-13" Structure false,
    #[doc = "buffers large enough for layout, shape, type and `byte_offset` (§5)"]
    Buf14 "BUF-14" Structure true,
    #[doc = "dense layout with `element_count` = 0 implies `byte_size[0]` = 0"]
    Buf15 "BUF-15" Structure true,
    #[doc = "over-sized data, index and pool buffers accepted"]
    Buf16 "BUF-16" Accept false,
    #[doc = "`sync_mode` = 0 in files; sizes of sparse/paged buffers exact; at most 255 buffers"]
    Buf17 "BUF-17" Structure false,
    #[doc = "`memory_class` 0xF0–0xFE only with opt-in and a private `device_tag`"]
    Buf18 "BUF-18" Structure false,
    #[doc = "`shard_offset[k] + shape[k] <= parent_shape[k]` for all k, overflow rejected"]
    Shd01 "SHD-01" Structure false,
    #[doc = "no `DYN` in `shape`, `parent_shape`, `shard_offset`"]
    Shd02 "SHD-02" Structure false,
    #[doc = "no shard section with CSF or block-paged"]
    Shd03 "SHD-03" Structure false,
    #[doc = "`computed_mask` bits 6..31 zero"]
    Sta01 "STA-01" Structure false,
    #[doc = "bytes 4..8 and 68..72 zero"]
    Sta02 "STA-02" Structure false,
    #[doc = "NNZ_VALID and sparse layout implies `nnz` = layout `nnz`"]
    Sta03 "STA-03" Structure true,
    #[doc = "VALUE_STATS_VALID implies `value_stddev` not negative"]
    Sta04 "STA-04" Structure true,
    #[doc = "SPARSITY_VALID implies `sparsity_ratio` in [0, 1]"]
    Sta05 "STA-05" Structure true,
    #[doc = "NM_SPARSITY_VALID implies `nm_n <= nm_m`"]
    Sta06 "STA-06" Structure true,
    #[doc = "NAN_INF_VALID implies `has_nan`, `has_inf` are 0 or 1"]
    Sta07 "STA-07" Structure true,
    #[doc = "fields with a clear mask bit are unknown and never used; no statistic affects correctness"]
    Sta08 "STA-08" Accept false,
    #[doc = "unknown or NaN results implies mask bit clear and field 0"]
    Sta09 "STA-09" Structure false,
    #[doc = "`layout_tag` not 0x00, 0xFF"]
    Lay01 "LAY-01" Structure false,
    #[doc = "`layout_tag` known"]
    Lay02 "LAY-02" Structure true,
    #[doc = "extension layout only with opt-in of (tag, id)"]
    Lay03 "LAY-03" Structure true,
    #[doc = "extension: `extension_data_length` fits in the descriptor"]
    Lay04 "LAY-04" Structure false,
    #[doc = "all addresses of a non-empty tensor inside buffer 0 (§5.0, §5.3)"]
    LayStr01 "LAY-STR-01" Structure true,
    #[doc = "negative and zero strides supported"]
    LayStr02 "LAY-STR-02" Accept false,
    #[doc = "`tile_shape[k] > 0`, every level"]
    LayTil01 "LAY-TIL-01" Structure false,
    #[doc = "`outer_layout` in 0x01..0x03"]
    LayTil02 "LAY-TIL-02" Structure false,
    #[doc = "`inner_layout` in 0x01..0x04"]
    LayTil03 "LAY-TIL-03" Structure false,
    #[doc = "reserved bytes zero, every level"]
    LayTil04 "LAY-TIL-04" Structure false,
    #[doc = "at most 8 levels"]
    LayTil05 "LAY-TIL-05" Structure false,
    #[doc = "nested `tile_shape[k]` divides the enclosing `tile_shape[k]`"]
    LayTil06 "LAY-TIL-06" Structure true,
    #[doc = "`morton_bits[k] > 0`"]
    LayMor01 "LAY-MOR-01" Structure false,
    #[doc = "`shape[k] <= 2^morton_bits[k]`"]
    LayMor02 "LAY-MOR-02" Structure false,
    #[doc = "`(morton_bits[k]-1)*r + k <= 63`"]
    LayMor03 "LAY-MOR-03" Structure false,
    #[doc = "equal bits in all dimensions by default"]
    LayMor04 "LAY-MOR-04" Structure false,
    #[doc = "`hilbert_order > 0` and `hilbert_rank * hilbert_order <= 63`"]
    LayHil01 "LAY-HIL-01" Structure false,
    #[doc = "`hilbert_rank = rank`, `>= 2`"]
    LayHil02 "LAY-HIL-02" Structure false,
    #[doc = "`shape[k] = 2^hilbert_order` for all k"]
    LayHil03 "LAY-HIL-03" Structure false,
    #[doc = "reserved bytes zero"]
    LayCoo01 "LAY-COO-01" Structure false,
    #[doc = "`is_sorted` is 0 or 1"]
    LayCoo02 "LAY-COO-02" Structure false,
    #[doc = "`nnz <= element_count`"]
    LayCoo03 "LAY-COO-03" Structure true,
    #[doc = "coordinates in bounds"]
    LayCoo04 "LAY-COO-04" Data true,
    #[doc = "no duplicate coordinate tuples"]
    LayCoo05 "LAY-COO-05" Data true,
    #[doc = "`is_sorted` = 1 implies strictly ascending lexicographic order"]
    LayCoo06 "LAY-COO-06" Data true,
    #[doc = "rank = 2"]
    LayCsr01 "LAY-CSR-01" Structure false,
    #[doc = "reserved bytes zero"]
    LayCsr02 "LAY-CSR-02" Structure false,
    #[doc = "`nnz <= shape[0]*shape[1]`"]
    LayCsr03 "LAY-CSR-03" Structure true,
    #[doc = "`row_ptr[0]` = 0 and `row_ptr[nrows]` = nnz"]
    LayCsr04 "LAY-CSR-04" Data true,
    #[doc = "`row_ptr` non-decreasing"]
    LayCsr05 "LAY-CSR-05" Data true,
    #[doc = "columns strictly ascending within each row"]
    LayCsr06 "LAY-CSR-06" Data true,
    #[doc = "columns `< shape[1]`"]
    LayCsr07 "LAY-CSR-07" Data true,
    #[doc = "rank = 2"]
    LayCsc01 "LAY-CSC-01" Structure false,
    #[doc = "reserved bytes zero"]
    LayCsc02 "LAY-CSC-02" Structure false,
    #[doc = "`nnz <= shape[0]*shape[1]`"]
    LayCsc03 "LAY-CSC-03" Structure true,
    #[doc = "`col_ptr[0]` = 0 and `col_ptr[ncols]` = nnz"]
    LayCsc04 "LAY-CSC-04" Data true,
    #[doc = "`col_ptr` non-decreasing"]
    LayCsc05 "LAY-CSC-05" Data true,
    #[doc = "rows strictly ascending within each column"]
    LayCsc06 "LAY-CSC-06" Data true,
    #[doc = "rows `< shape[0]`"]
    LayCsc07 "LAY-CSC-07" Data true,
    #[doc = "rank >= 3"]
    LayCsf01 "LAY-CSF-01" Structure false,
    #[doc = "`mode_order` is a permutation of `0..r` (permissive: no lookup)"]
    LayCsf02 "LAY-CSF-02" Structure true,
    #[doc = "reserved bytes zero"]
    LayCsf03 "LAY-CSF-03" Structure false,
    #[doc = "any permutation honoured"]
    LayCsf04 "LAY-CSF-04" Accept false,
    #[doc = "`nnz <= element_count`"]
    LayCsf05 "LAY-CSF-05" Structure true,
    #[doc = "`pos_l[0]` = 0 for every level"]
    LayCsf06 "LAY-CSF-06" Data true,
    #[doc = "`pos_l` non-decreasing"]
    LayCsf07 "LAY-CSF-07" Data true,
    #[doc = "`pos_l` / `crd_l` long enough for the node counts; leaf count = nnz (all counts 0 when nnz = 0)"]
    LayCsf08 "LAY-CSF-08" Data true,
    #[doc = "siblings strictly ascending"]
    LayCsf09 "LAY-CSF-09" Data true,
    #[doc = "coordinates `< shape[mode_order[l]]`"]
    LayCsf10 "LAY-CSF-10" Data true,
    #[doc = "rank = 3"]
    LayBp01 "LAY-BP-01" Structure false,
    #[doc = "`page_size >= 1`"]
    LayBp02 "LAY-BP-02" Structure false,
    #[doc = "`paged_axis` = 0"]
    LayBp03 "LAY-BP-03" Structure true,
    #[doc = "`kv_role` in 0..2, `block_table_index_type` in 0..1"]
    LayBp04 "LAY-BP-04" Structure false,
    #[doc = "reserved bytes zero"]
    LayBp05 "LAY-BP-05" Structure false,
    #[doc = "`seq_ptr[0]` = 0 and `seq_ptr[num_seqs]` entries fit in block_table"]
    LayBp06 "LAY-BP-06" Data true,
    #[doc = "`seq_ptr` non-decreasing"]
    LayBp07 "LAY-BP-07" Data true,
    #[doc = "page ids `< num_pages`"]
    LayBp08 "LAY-BP-08" Data true,
    #[doc = "a token distribution consistent with `total_tokens` exists (§5.10)"]
    LayBp09 "LAY-BP-09" Data true,
    #[doc = "aliased page ids accepted, contents not compared"]
    LayBp10 "LAY-BP-10" Accept false,
    #[doc = "never reads past the page list of a sequence, nor past a known token count"]
    LayBp11 "LAY-BP-11" Accept false,
    #[doc = "more than 0xFFFFFFFF pages or logical pages implies `block_table_index_type` = u64"]
    LayBp12 "LAY-BP-12" Structure false,
    #[doc = "`quantization_length >= 4` and fits in the descriptor"]
    Qnt01 "QNT-01" Structure false,
    #[doc = "`scheme_tag` not 0x00, 0xFF"]
    Qnt02 "QNT-02" Structure false,
    #[doc = "`scheme_tag` known and supported (private: opt-in); strict readers without quantization support reject"]
    Qnt03 "QNT-03" Structure true,
    #[doc = "`scheme_version` = 1"]
    Qnt04 "QNT-04" Structure false,
    #[doc = "undefined scheme flag bits zero"]
    Qnt05 "QNT-05" Structure false,
    #[doc = "`quantization_length >=` scheme length (writers: equal)"]
    Qnt06 "QNT-06" Structure false,
    #[doc = "every parameter index `< buffer_count`"]
    Qnt07 "QNT-07" Structure false,
    #[doc = "every parameter index `>= nl` (never a layout buffer)"]
    Qnt08 "QNT-08" Structure false,
    #[doc = "same index for scale and zero point implies `byte_size` = sum of both arrays (writers: distinct buffers)"]
    Qnt09 "QNT-09" Structure false,
    #[doc = "parameter buffers share device and memory class with the data (= BUF-13)"]
    Qnt10 "QNT-10" Structure false,
    #[doc = "`axis < rank`"]
    Qnt11 "QNT-11" Structure false,
    #[doc = "`shape[axis] != DYN`"]
    Qnt12 "QNT-12" Structure false,
    #[doc = "storage type allowed by the scheme"]
    Qnt13 "QNT-13" Structure false,
    #[doc = "no quantization on a composite head"]
    Qnt14 "QNT-14" Structure false,
    #[doc = "trailing bytes after the scheme's fields ignored"]
    Qnt15 "QNT-15" Accept false,
    #[doc = "scale finite and non-zero"]
    QntPt01 "QNT-PT-01" Structure false,
    #[doc = "`zero_point` inside the storage type's range"]
    QntPt02 "QNT-PT-02" Structure false,
    #[doc = "reserved bytes zero"]
    QntPt03 "QNT-PT-03" Structure false,
    #[doc = "`scale_type_tag` = 0x03"]
    QntPc01 "QNT-PC-01" Structure false,
    #[doc = "reserved bytes zero"]
    QntPc02 "QNT-PC-02" Structure false,
    #[doc = "SYMMETRIC set iff `zero_point_buffer_index` = 0xFFFFFFFF"]
    QntPc03 "QNT-PC-03" Structure false,
    #[doc = "scale buffer size = `4*shape[axis]`"]
    QntPc04 "QNT-PC-04" Structure false,
    #[doc = "zero-point buffer size = `4*shape[axis]`"]
    QntPc05 "QNT-PC-05" Structure false,
    #[doc = "scales finite and non-zero"]
    QntPc06 "QNT-PC-06" Data true,
    #[doc = "zero points inside the storage type's range"]
    QntPc07 "QNT-PC-07" Data true,
    #[doc = "`block_size` power of two, >= 2"]
    QntPb01 "QNT-PB-01" Structure false,
    #[doc = "`shape[axis] > 0` implies `block_size <= shape[axis]` (not for block-paged)"]
    QntPb02 "QNT-PB-02" Structure false,
    #[doc = "`scale_type_tag` in {0x01, 0x02, 0x03}"]
    QntPb03 "QNT-PB-03" Structure false,
    #[doc = "reserved bytes zero"]
    QntPb04 "QNT-PB-04" Structure false,
    #[doc = "SYMMETRIC set iff `zero_point_buffer_index` = 0xFFFFFFFF"]
    QntPb05 "QNT-PB-05" Structure false,
    #[doc = "scale buffer size = `num_blocks * sizeof(scale type)`"]
    QntPb06 "QNT-PB-06" Structure false,
    #[doc = "zero-point buffer size = `num_blocks * 4`"]
    QntPb07 "QNT-PB-07" Structure false,
    #[doc = "partial last block accepted; one parameter per block including it"]
    QntPb08 "QNT-PB-08" Accept false,
    #[doc = "partial block in layouts 0x01/0x02: buffer 0 large enough for `storage_shape`"]
    QntPb09 "QNT-PB-09" Structure true,
    #[doc = "scales finite and non-zero"]
    QntPb10 "QNT-PB-10" Data true,
    #[doc = "elements beyond `shape[axis]` in a partial block are zero; zero points in range"]
    QntPb11 "QNT-PB-11" Data false,
    #[doc = "padding elements never dequantized"]
    QntPb12 "QNT-PB-12" Accept false,
    #[doc = "`block_size` power of two, >= 8"]
    QntNf01 "QNT-NF-01" Structure false,
    #[doc = "`shape[axis] > 0` implies `block_size <= shape[axis]`"]
    QntNf02 "QNT-NF-02" Structure false,
    #[doc = "scale buffer size = `num_blocks * 4`"]
    QntNf03 "QNT-NF-03" Structure false,
    #[doc = "scales finite and >= 0"]
    QntNf04 "QNT-NF-04" Data true,
    #[doc = "table values bit-exact (§6.7)"]
    QntNf05 "QNT-NF-05" Accept false,
    #[doc = "partial block: as QNT-PB-09"]
    QntNf06 "QNT-NF-06" Structure true,
    #[doc = "`block_size` power of two in [16, 2048]"]
    QntMx01 "QNT-MX-01" Structure false,
    #[doc = "`shape[axis]` a positive multiple of `block_size`"]
    QntMx02 "QNT-MX-02" Structure false,
    #[doc = "scale buffer size = `num_blocks`"]
    QntMx03 "QNT-MX-03" Structure false,
    #[doc = "no scale byte is 0x00 or 0xFF"]
    QntMx04 "QNT-MX-04" Data true,
    #[doc = "block-paged + 0x02 implies axis 1 or 2"]
    QntBp01 "QNT-BP-01" Structure false,
    #[doc = "block-paged + 0x03 implies axis 0"]
    QntBp02 "QNT-BP-02" Structure false,
    #[doc = "block-paged + 0x03 implies `block_size = page_size`"]
    QntBp03 "QNT-BP-03" Structure false,
    #[doc = "block-paged + 0x03 implies parameter buffers have `num_pages*page_size` entries"]
    QntBp04 "QNT-BP-04" Structure false,
    #[doc = "block-paged + NF4/MXFP not written (readers: raw access only, block size/count rules not applied)"]
    QntBp05 "QNT-BP-05" Structure false,
    #[doc = "head `buffer_count` = 0"]
    Cmp01 "CMP-01" Structure false,
    #[doc = "head `byte_offset` = 0"]
    Cmp02 "CMP-02" Structure false,
    #[doc = "head has no quantization section"]
    Cmp03 "CMP-03" Structure false,
    #[doc = "head has no composite-member section"]
    Cmp04 "CMP-04" Structure false,
    #[doc = "`composition_rule` not 0x00, 0x04–0xEF, 0xFF"]
    Cmp05 "CMP-05" Structure false,
    #[doc = "`composition_rule` 0xF0–0xFE only with opt-in"]
    Cmp06 "CMP-06" Structure false,
    #[doc = "partition/group implies `combine_op` = 0"]
    Cmp07 "CMP-07" Structure false,
    #[doc = "overlay implies `combine_op` in {1, 2}"]
    Cmp08 "CMP-08" Structure false,
    #[doc = "head reserved bytes zero"]
    Cmp09 "CMP-09" Structure false,
    #[doc = "`member_count != 0xFFFFFFFF`"]
    Cmp10 "CMP-10" Structure false,
    #[doc = "overlay implies `member_count >= 1`"]
    Cmp11 "CMP-11" Structure false,
    #[doc = "N members follow the head (not torn)"]
    Cmp12 "CMP-12" Structure true,
    #[doc = "at most 8 nested heads on a path (permissive: configurable limit, <= 64)"]
    Cmp13 "CMP-13" Structure true,
    #[doc = "partition/overlay head shape free of `DYN`"]
    Cmp14 "CMP-14" Structure false,
    #[doc = "partition/overlay member has a shard section"]
    Cmp15 "CMP-15" Structure false,
    #[doc = "its `parent_shape` = head `shape` (same rank)"]
    Cmp16 "CMP-16" Structure false,
    #[doc = "its box in bounds (= SHD-01)"]
    Cmp17 "CMP-17" Structure false,
    #[doc = "its decoded type = head type (§7.5)"]
    Cmp18 "CMP-18" Structure false,
    #[doc = "partition/group member has no composite-member section"]
    Cmp19 "CMP-19" Structure false,
    #[doc = "overlay member has a composite-member section"]
    Cmp20 "CMP-20" Structure false,
    #[doc = "`member_role` in {0, 1}; its 15 reserved bytes zero"]
    Cmp21 "CMP-21" Structure false,
    #[doc = "first overlay member: role base"]
    Cmp22 "CMP-22" Structure false,
    #[doc = "base spans the head (`shard_offset` all 0, `shape` = head `shape`)"]
    Cmp23 "CMP-23" Structure false,
    #[doc = "later overlay members: role correction"]
    Cmp24 "CMP-24" Structure false,
    #[doc = "partition boxes pairwise disjoint"]
    Cmp25 "CMP-25" Structure true,
    #[doc = "partition box volumes sum to the head's volume"]
    Cmp26 "CMP-26" Structure true,
    #[doc = "head, then members, consecutively, pre-order; whole tree validated before the first byte is written"]
    Cmp27 "CMP-27" Structure false,
    #[doc = "membership by ascending `descriptor_offset`, independent of index order and names"]
    Cmp28 "CMP-28" Accept false,
    #[doc = "head and every member individually addressable by name"]
    Cmp29 "CMP-29" Accept false,
    #[doc = "torn composite in permissive mode: never presented as complete"]
    Cmp30 "CMP-30" Accept false,
    #[doc = "group members unconstrained in rank, shape, type, layout, device"]
    Cmp31 "CMP-31" Accept false,
    #[doc = "composite-member section only on direct members of an overlay"]
    Cmp32 "CMP-32" Structure false,
    #[doc = "container and descriptor minors above the supported one accepted under §8.2"]
    Ver01 "VER-01" Accept false,
    #[doc = "unknown flag bit or tag rejected regardless of minor (permissive carve-outs of §8.3 only)"]
    Ver02 "VER-02" Structure false,
    #[doc = "container and descriptor versions evaluated independently"]
    Ver03 "VER-03" Accept false,
    #[doc = "lowest sufficient versions written; no reserved bit, byte or tag used"]
    Ver04 "VER-04" Structure false,
    #[doc = "section boundaries derived from offsets only; data bytes equal to `HRRY` inside buffers have no effect"]
    Seq01 "SEQ-01" Accept false,
    #[doc = "end of region confirmed against the trailer; disagreement rejected"]
    Seq02 "SEQ-02" Structure false,
    #[doc = "padded, compact, and reference-style head padding all readable"]
    Seq03 "SEQ-03" Accept false,
    #[doc = "the last 40 bytes are never interpreted as tensors"]
    Seq04 "SEQ-04" Accept false,
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn ids_are_unique_and_variants_are_named_for_them() {
        let mut ids: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Rule::ALL.len());
        for rule in Rule::ALL {
            assert_eq!(format!("{rule:?}").to_uppercase(), rule.id().replace('-', ""));
        }
    }
}
