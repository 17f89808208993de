//! What must hold of a head, and of each member on its own (FORMAT §7.3).

use crate::descriptor::{CompositionRule, DYNAMIC, MemberRole, Shard, TensorDescriptor};
use crate::error::{FormatError, Rule};

/// CMP-14.
pub(super) fn check_head(head: &TensorDescriptor, rule: CompositionRule) -> Result<(), FormatError> {
    match rule {
        CompositionRule::Partition | CompositionRule::Overlay(_) => {
            Rule::Cmp14.check(!head.shape().contains(&DYNAMIC), |e| e)
        }
        CompositionRule::Group | CompositionRule::Private { .. } => Ok(()),
    }
}

/// CMP-15 to CMP-24. The shard of the member, where the rule demands one.
pub(crate) fn check_member<'m>(
    head: &TensorDescriptor,
    rule: CompositionRule,
    member: &'m TensorDescriptor,
    is_first: bool,
) -> Result<Option<&'m Shard>, FormatError> {
    match rule {
        CompositionRule::Private { .. } => Ok(None),
        CompositionRule::Group => check_has_no_role(member).map(|()| None),
        CompositionRule::Partition => {
            let shard = check_box(head, member)?;
            check_type(head, member)?;
            check_has_no_role(member)?;
            Ok(Some(shard))
        }
        CompositionRule::Overlay(_) => {
            let shard = check_box(head, member)?;
            check_type(head, member)?;
            check_role(member, is_first)?;
            if is_first {
                let spans = shard.offset.iter().all(|offset| *offset == 0) && member.shape() == head.shape();
                Rule::Cmp23.check(spans, |e| {
                    e.expected_to_be(format!("shape {:?} at offset 0", head.shape())).but_found(format_args!(
                        "shape {:?} at {:?}",
                        member.shape(),
                        &*shard.offset
                    ))
                })?;
            }
            Ok(Some(shard))
        }
    }
}

fn check_box<'m>(head: &TensorDescriptor, member: &'m TensorDescriptor) -> Result<&'m Shard, FormatError> {
    let shard = member.shard().ok_or_else(|| Rule::Cmp15.broken())?;
    Rule::Cmp16.check(shard.parent_shape.as_slice() == head.shape(), |e| {
        e.expected_to_be(format!("{:?}", head.shape()))
            .but_found(format_args!("parent shape {:?}", &*shard.parent_shape))
    })?;
    let mut sides = shard.offset.iter().zip(member.shape()).zip(head.shape());
    let is_inside = member.rank() == head.rank()
        && shard.offset.len() == head.rank()
        && sides.all(|((offset, size), whole)| offset.checked_add(*size).is_some_and(|end| end <= *whole));
    Rule::Cmp17.check(is_inside, |e| {
        e.expected_to_be(format!("a box inside {:?}", head.shape())).but_found(format_args!(
            "shape {:?} at {:?}",
            member.shape(),
            &*shard.offset
        ))
    })?;
    Ok(shard)
}

/// CMP-18: what the member decodes to (FORMAT §7.5).
fn check_type(head: &TensorDescriptor, member: &TensorDescriptor) -> Result<(), FormatError> {
    let (whole, part) = (head.element_type(), member.element_type());
    match member.quantization() {
        None => Rule::Cmp18.check(part == whole, |e| e.expected_to_be(whole.to_string()).but_found(part)),
        Some(_) => Rule::Cmp18.check(whole.is_wide_float(), |e| {
            e.expected_to_be("a head of a floating type of 16 bits or more").but_found(whole)
        }),
    }
}

fn check_has_no_role(member: &TensorDescriptor) -> Result<(), FormatError> {
    Rule::Cmp19.check(member.member_role().is_none(), |e| e)
}

fn check_role(member: &TensorDescriptor, is_first: bool) -> Result<(), FormatError> {
    let role = member.member_role().ok_or_else(|| Rule::Cmp20.broken())?;
    match is_first {
        true => Rule::Cmp22.check(role == MemberRole::Base, |e| e),
        false => Rule::Cmp24.check(role == MemberRole::Correction, |e| e),
    }
}
