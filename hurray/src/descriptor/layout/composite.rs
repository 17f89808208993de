//! The composite head, 0x0B (FORMAT §3.6, §7.1).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::decode_reserved;
use crate::error::{FormatError, Rule};
use crate::policy::{Policy, is_private};

use super::{CombineOp, CompositeHead, CompositionRule};

impl CompositeHead {
    /// CMP-05..09.
    pub(super) fn decode(fields: &mut Cursor<'_>, policy: &Policy) -> Result<Self, FormatError> {
        let at = fields.offset();
        let rule = CompositionRule::decode(fields.u8()?, fields.u8()?, at)?;
        check_private(rule, at, policy)?;
        decode_reserved::<2>(fields, Rule::Cmp09)?;
        Ok(Self { rule, member_count: fields.u32()? })
    }

    pub(super) fn encode(&self, sink: &mut Sink) {
        let (rule, combine_op) = self.rule.tags();
        sink.u8(rule).u8(combine_op).zeros(2).u32(self.member_count);
    }

    /// CMP-05, CMP-06, CMP-10, CMP-11.
    pub(super) fn check(&self, at: u64, policy: &Policy) -> Result<(), FormatError> {
        check_private(self.rule, at, policy)?;
        let count_at = at.saturating_add(4);
        Rule::Cmp10.check(self.member_count != u32::MAX, |e| {
            e.at(count_at).expected_to_be("a known number of members").but_found(self.member_count)
        })?;
        let is_overlay = matches!(self.rule, CompositionRule::Overlay(_));
        Rule::Cmp11.check(!is_overlay || self.member_count >= 1, |e| {
            e.at(count_at).expected_to_be("at least one member of an overlay").but_found(self.member_count)
        })
    }
}

impl CompositionRule {
    /// CMP-05, CMP-07, CMP-08.
    fn decode(rule: u8, combine_op: u8, at: u64) -> Result<Self, FormatError> {
        let no_op = |rule: Self| {
            Rule::Cmp07.check(combine_op == 0, |e| {
                e.at(at.saturating_add(1))
                    .expected_to_be("combine op 0 for a partition or group")
                    .but_found(combine_op)
            })?;
            Ok(rule)
        };
        match (rule, combine_op) {
            (0x01, _) => no_op(Self::Partition),
            (0x02, 1) => Ok(Self::Overlay(CombineOp::Replace)),
            (0x02, 2) => Ok(Self::Overlay(CombineOp::Add)),
            (0x02, _) => Err(Rule::Cmp08
                .broken()
                .at(at.saturating_add(1))
                .expected_to_be("combine op 1 or 2 for an overlay")
                .but_found(combine_op)),
            (0x03, _) => no_op(Self::Group),
            (tag, _) if is_private(tag) => Ok(Self::Private { tag, combine_op }),
            (tag, _) => Err(unknown(tag, at)),
        }
    }

    /// The rule and the combine op in the file.
    fn tags(self) -> (u8, u8) {
        match self {
            Self::Partition => (0x01, 0),
            Self::Overlay(CombineOp::Replace) => (0x02, 1),
            Self::Overlay(CombineOp::Add) => (0x02, 2),
            Self::Group => (0x03, 0),
            Self::Private { tag, combine_op } => (tag, combine_op),
        }
    }
}

/// CMP-06, and CMP-05 for a rule that was built and not decoded.
fn check_private(rule: CompositionRule, at: u64, policy: &Policy) -> Result<(), FormatError> {
    match rule {
        CompositionRule::Private { tag, .. } if !is_private(tag) => Err(unknown(tag, at)),
        CompositionRule::Private { tag, .. } => {
            Rule::Cmp06.check(policy.private_tags.composition_rules.contains(&tag), |e| {
                e.at(at)
                    .expected_to_be("a composition rule that the application has opted in to")
                    .but_found(format_args!("{tag:#04x}"))
            })
        }
        _ => Ok(()),
    }
}

#[cold]
fn unknown(tag: u8, at: u64) -> FormatError {
    Rule::Cmp05
        .broken()
        .at(at)
        .expected_to_be("a known composition rule")
        .but_found(format_args!("{tag:#04x}"))
}
