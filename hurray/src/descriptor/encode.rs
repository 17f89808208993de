//! From a descriptor to bytes, and where its parts are (FORMAT §3).

use crate::bytes::Sink;

use super::TensorDescriptor;
use super::buffers::HANDLE_LEN;
use super::header::{FIXED_LEN, Flags, MAGIC, VERSION_MAJOR};
use super::sections::{ExtensionType, MemberRole, Statistics};

impl TensorDescriptor {
    /// The bytes of the descriptor in a file, as version 1.0 has it. The trailing bytes of a newer minor
    /// version, which nothing here understands, are not kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut sink = Sink::with_capacity(self.encoded_len());
        self.encode(&mut sink);
        sink.into_vec()
    }

    /// Appends the descriptor as version 1.0 has it (DSC-12, VER-04).
    ///
    /// The trailing bytes of a newer minor version, which nothing here understands, are not kept.
    pub(crate) fn encode(&self, sink: &mut Sink) {
        sink.bytes(&MAGIC)
            .u8(VERSION_MAJOR)
            .u8(0)
            .u32(u32::try_from(self.encoded_len()).unwrap_or(u32::MAX))
            .u32(self.flags().0)
            .u8(self.element_type.tag())
            .u8(self.layout.tag())
            .u32(u32::try_from(self.rank()).unwrap_or(u32::MAX));
        for dim in &self.shape {
            sink.u64(*dim);
        }
        sink.u64(self.byte_offset);
        self.layout.encode(self.rank(), sink);
        sink.u8(u8::try_from(self.buffers.len()).unwrap_or(u8::MAX));
        for handle in &self.buffers {
            handle.encode(sink);
        }
        if let Some(quantization) = &self.quantization {
            quantization.encode(sink);
        }
        if let Some(shard) = &self.shard {
            shard.encode(sink);
        }
        if let Some(statistics) = &self.statistics {
            statistics.encode(sink);
        }
        if let Some(extension_type) = &self.extension_type {
            extension_type.encode(sink);
        }
        if let Some(member_role) = self.member_role {
            member_role.encode(sink);
        }
    }

    /// What [`encode`](Self::encode) appends, in bytes.
    pub(crate) fn encoded_len(&self) -> usize {
        self.statistics_at()
            .saturating_add(self.statistics.as_ref().map_or(0, |_| Statistics::ENCODED_LEN))
            .saturating_add(self.extension_type.map_or(0, |_| ExtensionType::ENCODED_LEN))
            .saturating_add(self.member_role.map_or(0, |_| MemberRole::ENCODED_LEN))
    }

    fn flags(&self) -> Flags {
        Flags(0)
            .with(Flags::QUANTIZATION, self.quantization.is_some())
            .with(Flags::SHARD, self.shard.is_some())
            .with(Flags::EXTENSION_TYPE, self.extension_type.is_some())
            .with(Flags::STATISTICS, self.statistics.is_some())
            .with(Flags::COMPOSITE_MEMBER, self.member_role.is_some())
    }

    /// Where the byte offset is, in bytes from the start of the descriptor; like the rest here, for errors.
    pub(super) fn byte_offset_at(&self) -> usize {
        FIXED_LEN.saturating_add(self.rank().saturating_mul(8))
    }

    /// Where the layout's fields start.
    pub(super) fn layout_at(&self) -> usize {
        self.byte_offset_at().saturating_add(8)
    }

    /// Where the number of buffers is.
    pub(super) fn buffer_table_at(&self) -> usize {
        self.layout_at().saturating_add(self.layout.encoded_len(self.rank()))
    }

    /// Where the handle of a buffer starts.
    pub(super) fn handle_at(&self, index: usize) -> usize {
        self.buffer_table_at().saturating_add(1).saturating_add(HANDLE_LEN.saturating_mul(index))
    }

    /// Where the quantization section starts, or would.
    pub(super) fn quantization_at(&self) -> usize {
        self.handle_at(self.buffers.len())
    }

    /// Where the shard section starts, or would.
    pub(super) fn shard_at(&self) -> usize {
        self.quantization_at()
            .saturating_add(self.quantization.as_ref().map_or(0, |section| section.encoded_len()))
    }

    /// Where the statistics section starts, or would.
    pub(super) fn statistics_at(&self) -> usize {
        self.shard_at().saturating_add(self.shard.as_ref().map_or(0, |_| self.rank().saturating_mul(16)))
    }
}
