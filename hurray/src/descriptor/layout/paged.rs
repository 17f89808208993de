//! The block-paged layout, 0x0A (FORMAT §3.6, §5.10).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::decode_reserved;
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::{BlockPaged, KvRole};

/// The value of `layer_index` for "not scoped to a layer".
const NO_LAYER: u32 = u32::MAX;

impl BlockPaged {
    /// In bytes.
    pub(super) const ENCODED_LEN: usize = 32;

    /// LAY-BP-04, LAY-BP-05.
    pub(super) fn decode(fields: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let page_size = fields.u32()?;
        let num_pages = fields.u64()?;
        let paged_axis = fields.u32()?;
        let num_seqs = fields.u32()?;
        let role_at = fields.offset();
        let kv_role = match fields.u8()? {
            0 => KvRole::Key,
            1 => KvRole::Value,
            2 => KvRole::Fused,
            role => {
                return Err(Rule::LayBp04
                    .broken()
                    .at(role_at)
                    .expected_to_be("`kv_role` 0, 1 or 2")
                    .but_found(role));
            }
        };
        let layer_index = Some(fields.u32()?).filter(|layer| *layer != NO_LAYER);
        let index_type_at = fields.offset();
        let wide_indices = match fields.u8()? {
            0 => false,
            1 => true,
            index_type => {
                return Err(Rule::LayBp04
                    .broken()
                    .at(index_type_at)
                    .expected_to_be("`block_table_index_type` 0 or 1")
                    .but_found(index_type));
            }
        };
        decode_reserved::<6>(fields, Rule::LayBp05)?;
        Ok(Self { page_size, num_pages, paged_axis, num_seqs, kv_role, layer_index, wide_indices })
    }

    pub(super) fn encode(&self, sink: &mut Sink) {
        sink.u32(self.page_size)
            .u64(self.num_pages)
            .u32(self.paged_axis)
            .u32(self.num_seqs)
            .u8(match self.kv_role {
                KvRole::Key => 0,
                KvRole::Value => 1,
                KvRole::Fused => 2,
            })
            .u32(self.layer_index.unwrap_or(NO_LAYER))
            .u8(u8::from(self.wide_indices))
            .zeros(6);
    }

    /// LAY-BP-01..03.
    pub(super) fn check(&self, shape: &[u64], at: u64, policy: &Policy) -> Result<(), FormatError> {
        Rule::LayBp01
            .check(shape.len() == 3, |e| e.at(at).expected_to_be("rank 3").but_found(shape.len()))?;
        Rule::LayBp02.check(self.page_size >= 1, |e| {
            e.at(at).expected_to_be("a page size of at least 1").but_found(self.page_size)
        })?;
        Rule::LayBp03.check(self.paged_axis == 0 || policy.is_permissive(), |e| {
            e.at(at.saturating_add(12)).expected_to_be("paged axis 0").but_found(self.paged_axis)
        })
    }

    /// The size in bytes of one entry of the block table and of the sequence pointers.
    pub(crate) fn index_width(&self) -> u64 {
        if self.wide_indices { 8 } else { 4 }
    }
}
