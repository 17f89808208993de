//! Whole composites, before their first byte (FORMAT §7, CMP-27).

use crate::error::{FormatError, Rule};

/// The most heads on one path (CMP-13).
pub(crate) const MAX_DEPTH: usize = 8;

/// An encoded composite head, by its fields.
struct Head {
    rule: u8,
    members: u32,
}

/// Tag of the layout, in the fixed header of a descriptor (FORMAT §3.2).
const LAYOUT_AT: usize = 15;
const RANK_AT: usize = 16;
const SHAPE_AT: usize = 20;
const COMPOSITE: u8 = 0x0B;
const GROUP: u8 = 0x03;
/// From the start of the layout's fields.
const MEMBERS_AT: usize = 4;

impl Head {
    fn peek(descriptor: &[u8]) -> Option<Self> {
        if *descriptor.get(LAYOUT_AT)? != COMPOSITE {
            return None;
        }
        let fields = descriptor.get(fields_at(descriptor)?..)?;
        let members = fields.get(MEMBERS_AT..)?.first_chunk()?;
        Some(Self { rule: *fields.first()?, members: u32::from_le_bytes(*members) })
    }
}

/// Where the fields of the layout are in an encoded descriptor.
fn fields_at(descriptor: &[u8]) -> Option<usize> {
    let rank = u32::from_le_bytes(*descriptor.get(RANK_AT..)?.first_chunk()?);
    // The shape, and the byte offset behind it.
    usize::try_from(rank).ok()?.checked_add(1)?.checked_mul(size_of::<u64>())?.checked_add(SHAPE_AT)
}

/// Changes the number of members of an encoded group head: its count, and its shape `[n]`.
pub(super) fn set_member_count(head: &mut [u8], members: u32) -> Option<()> {
    let fields = fields_at(head)?;
    Head::peek(head).filter(|head| head.rule == GROUP)?;
    if *head.get(RANK_AT..)?.first_chunk()? == 1_u32.to_le_bytes() {
        *head.get_mut(SHAPE_AT..)?.first_chunk_mut()? = u64::from(members).to_le_bytes();
    }
    *head.get_mut(fields.checked_add(MEMBERS_AT)?..)?.first_chunk_mut()? = members.to_le_bytes();
    Some(())
}

/// A head some of whose members are still to come.
struct Open<'i> {
    name: &'i str,
    left: u32,
    announced: u32,
}

/// Checks names and encoded descriptors in file order: every head is followed by its members.
pub(super) fn check<'i>(items: impl Iterator<Item = (&'i str, &'i [u8])>) -> Result<(), FormatError> {
    let mut open: Vec<Open<'i>> = Vec::new();
    for (name, descriptor) in items {
        while open.pop_if(|head| head.left == 0).is_some() {}
        if let Some(head) = open.last_mut() {
            head.left = head.left.saturating_sub(1);
        }
        if let Some(Head { members, .. }) = Head::peek(descriptor) {
            open.push(Open { name, left: members, announced: members });
            Rule::Cmp13.check(open.len() <= MAX_DEPTH, |e| {
                e.in_tensor(name)
                    .expected_to_be(format!("at most {MAX_DEPTH} heads on a path"))
                    .but_found(open.len())
            })?;
        }
    }
    match open.iter().find(|head| head.left > 0) {
        Some(head) => Err(Rule::Cmp12
            .broken()
            .in_tensor(head.name)
            .expected_to_be(format!("{} members behind the head", head.announced))
            .but_found(head.announced.saturating_sub(head.left))),
        None => Ok(()),
    }
}
