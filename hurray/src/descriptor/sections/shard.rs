//! The shard section (FORMAT §3.9).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::decode_dims;
use crate::descriptor::{DYNAMIC, Layout};
use crate::error::{FormatError, Rule};

use super::Shard;

impl Shard {
    pub(in crate::descriptor) fn decode(fields: &mut Cursor<'_>, rank: usize) -> Result<Self, FormatError> {
        Ok(Self { parent_shape: decode_dims(fields, rank)?, offset: decode_dims(fields, rank)? })
    }

    pub(in crate::descriptor) fn encode(&self, sink: &mut Sink) {
        for dim in self.parent_shape.iter().chain(&self.offset) {
            sink.u64(*dim);
        }
    }

    /// SHD-01..03. `at`: where the section starts.
    pub(in crate::descriptor) fn check(
        &self,
        shape: &[u64],
        layout: &Layout,
        at: u64,
    ) -> Result<(), FormatError> {
        Rule::Shd03.check(!matches!(layout, Layout::Csf { .. } | Layout::BlockPaged(_)), |e| {
            e.at(at)
                .expected_to_be("no shard section")
                .but_found(format_args!("one with layout {}", layout.name()))
        })?;
        Rule::Dsc04.check(
            self.parent_shape.len() == shape.len() && self.offset.len() == shape.len(),
            |e| {
                e.at(at)
                    .expected_to_be(format!("a parent shape and offset of rank {}", shape.len()))
                    .but_found(format_args!("{} and {}", self.parent_shape.len(), self.offset.len()))
            },
        )?;
        let is_dynamic = |dims: &[u64]| dims.contains(&DYNAMIC);
        Rule::Shd02.check(
            !is_dynamic(shape) && !is_dynamic(&self.parent_shape) && !is_dynamic(&self.offset),
            |e| e.at(at).expected_to_be("dimensions that are resolved").but_found("a dynamic one"),
        )?;
        let within = |((length, parent), offset): ((&u64, &u64), &u64)| {
            offset.checked_add(*length).is_some_and(|end| end <= *parent)
        };
        Rule::Shd01.check(shape.iter().zip(&self.parent_shape).zip(&self.offset).all(within), |e| {
            e.at(at)
                .expected_to_be(format!("a box within {:?}", self.parent_shape))
                .but_found(format_args!("{shape:?} at {:?}", self.offset))
        })
    }
}
