//! From bytes to a descriptor, in the order of the format (FORMAT §3).

use smallvec::SmallVec;

use crate::bytes::Cursor;
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::buffers::BufferHandle;
use super::header::{FIXED_LEN, Flags, Header};
use super::layout::Layout;
use super::quantization::Quantization;
use super::sections::{ExtensionType, MemberRole, Shard, Statistics};
use super::{Dims, TensorDescriptor};

impl TensorDescriptor {
    /// The descriptor that `bytes` start with, in strict mode and without private tags; what follows it is not
    /// read. Files are read by [`File`](crate::File).
    ///
    /// # Errors
    ///
    /// The rule that is broken, with the offset from the start of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        Self::decode(bytes, &Policy::default())
    }

    /// The descriptor that `bytes` start with; nothing beyond its own length is read.
    ///
    /// Every rule that one descriptor decides holds for the result, but for what `policy` relaxes. Offsets in
    /// errors count from the start of `bytes`.
    pub(crate) fn decode(bytes: &[u8], policy: &Policy) -> Result<Self, FormatError> {
        Self::decode_sections(bytes, None, policy)
    }

    /// The same for a descriptor whose length the index tells: the two must agree (IDX-15).
    pub(crate) fn decode_indexed(
        bytes: &[u8],
        descriptor_length: u32,
        policy: &Policy,
    ) -> Result<Self, FormatError> {
        Self::decode_sections(bytes, Some(descriptor_length), policy)
    }

    fn decode_sections(
        bytes: &[u8],
        indexed_length: Option<u32>,
        policy: &Policy,
    ) -> Result<Self, FormatError> {
        let header = Header::decode(bytes, indexed_length, policy)?;
        let available = bytes.len();
        let bytes = bytes.get(..header.length).ok_or_else(|| cut(header.length, available))?;
        let mut fields = Cursor::new(bytes, 0, Rule::Dsc04);
        fields.take(FIXED_LEN)?;

        let shape = decode_dims(&mut fields, header.rank)?;
        let byte_offset = fields.u64()?;
        let layout = Layout::decode(header.layout_tag, header.rank, &mut fields, policy)?;

        let mut descriptor = Self {
            version_minor: header.version_minor,
            element_type: header.element_type,
            shape,
            byte_offset,
            layout,
            buffers: SmallVec::new(),
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
            member_role: None,
            trailing_bytes: 0,
        };
        if let Layout::Unknown { .. } = descriptor.layout {
            // The payload of an unknown layout has no length, so nothing behind it can be found.
            descriptor.check(policy)?;
            return Ok(descriptor);
        }
        descriptor.buffers = BufferHandle::decode_table(&mut fields)?;
        descriptor.decode_optional_sections(header.flags, &mut fields, policy)?;

        let trailing = fields.remaining();
        Rule::Dsc05.check(trailing == 0 || header.version_minor > 0, |e| {
            e.at(fields.offset())
                .expected_to_be("the end of the descriptor")
                .but_found(format_args!("{trailing} more bytes"))
        })?;
        descriptor.trailing_bytes = u32::try_from(trailing).unwrap_or(u32::MAX);
        descriptor.check(policy)?;
        descriptor.check_or_drop_statistics(policy)?;
        Ok(descriptor)
    }

    /// In their order in the file, which is not that of the flags.
    #[inline]
    fn decode_optional_sections(
        &mut self,
        flags: Flags,
        fields: &mut Cursor<'_>,
        policy: &Policy,
    ) -> Result<(), FormatError> {
        if flags == Flags(0) {
            return Ok(());
        }
        if self.composite().is_some() {
            Rule::Cmp03.check(!flags.has(Flags::QUANTIZATION), |e| {
                e.at(fields.offset()).expected_to_be("no quantization section with a composite head")
            })?;
            Rule::Cmp04.check(!flags.has(Flags::COMPOSITE_MEMBER), |e| {
                e.at(fields.offset()).expected_to_be("no composite member section with a composite head")
            })?;
        }
        if flags.has(Flags::QUANTIZATION) {
            self.quantization = Some(Quantization::decode(fields, policy)?);
        }
        if flags.has(Flags::SHARD) {
            self.shard = Some(Box::new(Shard::decode(fields, self.rank())?));
        }
        if flags.has(Flags::STATISTICS) {
            self.statistics = Statistics::decode(fields, policy)?.map(Box::new);
        }
        if flags.has(Flags::EXTENSION_TYPE) {
            self.extension_type = Some(ExtensionType::decode(fields)?);
        }
        if flags.has(Flags::COMPOSITE_MEMBER) {
            self.member_role = Some(MemberRole::decode(fields)?);
        }
        Ok(())
    }
}

/// `count` dimensions or the like.
#[inline]
pub(super) fn decode_dims(fields: &mut Cursor<'_>, count: usize) -> Result<Dims, FormatError> {
    let bytes = fields.take(count.saturating_mul(8))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|dim| u64::from_le_bytes(*dim)).collect())
}

/// `count` strides.
pub(super) fn decode_strides(
    fields: &mut Cursor<'_>,
    count: usize,
) -> Result<SmallVec<[i64; 8]>, FormatError> {
    let bytes = fields.take(count.saturating_mul(8))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|stride| i64::from_le_bytes(*stride)).collect())
}

/// `count` numbers of 32 bits, one per dimension.
pub(super) fn decode_u32s(fields: &mut Cursor<'_>, count: usize) -> Result<SmallVec<[u32; 8]>, FormatError> {
    let bytes = fields.take(count.saturating_mul(4))?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)).collect())
}

/// Reads `N` reserved bytes, which are zero.
pub(super) fn decode_reserved<const N: usize>(
    fields: &mut Cursor<'_>,
    rule: Rule,
) -> Result<(), FormatError> {
    let offset = fields.offset();
    let reserved = fields.array::<N>()?;
    rule.check(reserved == [0; N], |e| {
        e.at(offset).expected_to_be("reserved bytes zero").but_found(format_args!("{reserved:02x?}"))
    })
}

#[cold]
fn cut(length: usize, available: usize) -> FormatError {
    Rule::Dsc04
        .broken()
        .at(u64::try_from(available).unwrap_or(u64::MAX))
        .expected_to_be(format!("a descriptor of {length} bytes"))
        .but_found(format_args!("{available} bytes"))
}
