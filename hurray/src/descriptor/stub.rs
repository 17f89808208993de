use super::*;
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
    pub(crate) fn validate_for_writing(&self, _alignment: u32) -> Result<(), FormatError> {
        Ok(())
    }
}
