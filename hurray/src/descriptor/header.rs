//! The fixed header (FORMAT §3.2, §3.3): the first 20 bytes of every descriptor.

use crate::bytes::Cursor;
use crate::element::ElementType;
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::MAX_RANK;

/// The magic that every descriptor starts with.
pub(crate) const MAGIC: [u8; 4] = *b"HRRY";

/// In bytes.
pub(crate) const FIXED_LEN: usize = 20;

pub(super) const VERSION_MAJOR: u8 = 1;

/// Where in the descriptor its fields are, for errors.
mod at {
    pub(super) const MAGIC: u64 = 0;
    pub(super) const VERSION_MAJOR: u64 = 4;
    pub(super) const LENGTH: u64 = 6;
    pub(super) const FLAGS: u64 = 10;
    pub(super) const TYPE_TAG: u64 = 14;
    pub(super) const RANK: u64 = 16;
}

/// Which optional sections follow (FORMAT §3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flags(pub(super) u32);

impl Flags {
    pub(super) const QUANTIZATION: u32 = 1 << 0;
    pub(super) const SHARD: u32 = 1 << 1;
    pub(super) const EXTENSION_TYPE: u32 = 1 << 2;
    pub(super) const STATISTICS: u32 = 1 << 3;
    pub(super) const COMPOSITE_MEMBER: u32 = 1 << 4;
    const KNOWN: u32 = 0x1F;

    pub(super) fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// Sets `flag` if `present`.
    pub(super) fn with(self, flag: u32, present: bool) -> Self {
        if present { Self(self.0 | flag) } else { self }
    }
}

/// The fixed header after its checks, but for the rules that tie the layout to more than its tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) version_minor: u8,
    pub(super) length: usize,
    pub(super) flags: Flags,
    pub(super) element_type: ElementType,
    pub(super) layout_tag: u8,
    pub(super) rank: usize,
}

impl Header {
    /// DSC-01..03, DSC-07, DSC-08, TYP-01..04; IDX-15 where the index tells `indexed_length`.
    #[inline]
    pub(super) fn decode(
        bytes: &[u8],
        indexed_length: Option<u32>,
        policy: &Policy,
    ) -> Result<Self, FormatError> {
        let mut fields = Cursor::new(bytes, 0, Rule::Dsc04);
        let (version_minor, length) = decode_start(&mut fields)?;
        if let Some(indexed) = indexed_length {
            Rule::Idx15.check(indexed == length, |e| {
                e.at(at::LENGTH).expected_to_be(format!("length {indexed}, as indexed")).but_found(length)
            })?;
        }
        let flags = Flags(fields.u32()?);
        Rule::Dsc07.check(flags.0 & !Flags::KNOWN == 0, |e| {
            e.at(at::FLAGS).expected_to_be("bits 5..31 zero").but_found(format_args!("{:#010x}", flags.0))
        })?;
        let element_type = ElementType::from_tag(fields.u8()?);
        check_element_type(element_type, flags.has(Flags::EXTENSION_TYPE), policy)?;
        let layout_tag = fields.u8()?;
        let rank = fields.u32()?;
        let rank = usize::try_from(rank).ok().filter(|rank| *rank <= MAX_RANK).ok_or_else(|| {
            Rule::Dsc08.broken().at(at::RANK).expected_to_be("rank at most 64").but_found(rank)
        })?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(Self { version_minor, length, flags, element_type, layout_tag, rank })
    }
}

/// The length in bytes of the descriptor that `bytes` start with, from its first 10 bytes alone: all that it
/// takes to skip it.
pub(crate) fn peek_length(bytes: &[u8]) -> Result<u32, FormatError> {
    let mut fields = Cursor::new(bytes, 0, Rule::Dsc04);
    decode_start(&mut fields).map(|(_, length)| length)
}

/// Magic, version and length: the minor version, and the length in bytes.
fn decode_start(fields: &mut Cursor<'_>) -> Result<(u8, u32), FormatError> {
    let magic = fields.array::<4>()?;
    Rule::Dsc01.check(magic == MAGIC, |e| {
        e.at(at::MAGIC).expected_to_be("`HRRY`").but_found(format_args!("`{}`", magic.escape_ascii()))
    })?;
    let version_major = fields.u8()?;
    Rule::Dsc02.check(version_major == VERSION_MAJOR, |e| {
        e.at(at::VERSION_MAJOR).expected_to_be("major version 1").but_found(version_major)
    })?;
    let version_minor = fields.u8()?;
    Ok((version_minor, declared_length(fields.u32()?)?))
}

fn declared_length(length: u32) -> Result<u32, FormatError> {
    let holds_header = usize::try_from(length).is_ok_and(|length| length >= FIXED_LEN);
    Rule::Dsc03
        .check(holds_header, |e| e.at(at::LENGTH).expected_to_be("length at least 20").but_found(length))?;
    Ok(length)
}

/// TYP-01..04.
#[inline]
pub(super) fn check_element_type(
    element_type: ElementType,
    has_extension: bool,
    policy: &Policy,
) -> Result<(), FormatError> {
    let refused = |rule: Rule, expected: &'static str| {
        Err(rule
            .broken()
            .at(at::TYPE_TAG)
            .expected_to_be(expected)
            .but_found(format_args!("{:#04x}", element_type.tag())))
    };
    match element_type {
        ElementType::Unknown(0x00 | 0xFF) => return refused(Rule::Typ01, "a valid element type"),
        ElementType::Unknown(_) if !policy.is_permissive() => {
            return refused(Rule::Typ02, "a known element type");
        }
        ElementType::Private(_) if !has_extension => {
            return refused(Rule::Typ04, "a section that describes the private element type");
        }
        ElementType::Private(tag)
            if !policy.is_permissive() && !policy.private_tags.element_types.contains(&tag) =>
        {
            return refused(Rule::Typ03, "an element type that the application has opted in to");
        }
        ElementType::Private(_) => return Ok(()),
        _ => {}
    }
    if has_extension {
        return refused(Rule::Typ04, "no extension type section with a built-in element type");
    }
    Ok(())
}
