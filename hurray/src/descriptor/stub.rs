use super::*;
use crate::bytes::Sink;
use crate::error::FormatError;
impl TensorDescriptor {
    pub(crate) fn group(n: u32) -> Self {
        Self {
            version_minor: 0,
            element_type: ElementType::UInt8,
            shape: smallvec::smallvec![u64::from(n)],
            byte_offset: 0,
            layout: Layout::Composite(CompositeHead { rule: CompositionRule::Group, member_count: n }),
            buffers: SmallVec::new(),
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
            member_role: None,
            trailing_bytes: 0,
        }
    }
    pub(crate) fn encode(&self, sink: &mut Sink) {
        let head = if self.composite().is_some() { 8 } else { 0 };
        let len = 20 + 8 * self.shape.len() + 8 + head + 1 + 16 * self.buffers.len();
        sink.bytes(b"HRRY")
            .u8(1)
            .u8(0)
            .u32(len as u32)
            .u32(0)
            .u8(self.element_type.tag())
            .u8(self.layout.tag())
            .u32(self.rank() as u32);
        for d in &self.shape {
            sink.u64(*d);
        }
        sink.u64(0);
        if let Some(c) = self.composite() {
            sink.u8(3).u8(0).u16(0).u32(c.member_count);
        }
        sink.u8(self.buffers.len() as u8);
        for b in &self.buffers {
            sink.u64(b.byte_size).u32(b.alignment).u32(0);
        }
    }
    pub(crate) fn validate_for_writing(&self, _alignment: u32) -> Result<(), FormatError> {
        Ok(())
    }
}
