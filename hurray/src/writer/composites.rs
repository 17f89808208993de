//! Whole composites, before their first byte (FORMAT §7, CMP-27).

use std::borrow::Borrow;

use crate::composite::{self, Composite, Descriptors, Member};
use crate::descriptor::{CompositionRule, TensorDescriptor};
use crate::error::{FormatError, Rule};
use crate::policy::{Mode, Policy, PrivateTags};

/// Checks tensors in file order, as many names as descriptors: every head is followed by its members, and these
/// make up the whole (CMP-12 to CMP-26, CMP-32).
pub(super) fn check<'i, D: Borrow<TensorDescriptor>>(
    names: impl ExactSizeIterator<Item = &'i str> + Clone,
    descriptors: impl Iterator<Item = Result<D, FormatError>>,
) -> Result<(), FormatError> {
    let mut tensors = Tensors { names, descriptors, with_role: Vec::new() };
    let composites = composite::assemble(&mut tensors, &Policy::default()).into_result()?;
    if tensors.with_role.is_empty() {
        return Ok(());
    }
    // Who has a role is a member of an overlay, or of nothing: other composites refuse it (CMP-19).
    let mut in_overlays = Vec::new();
    composites.iter().for_each(|composite| collect_overlay_members(composite, &mut in_overlays));
    in_overlays.sort_unstable();
    let outside = tensors.with_role.iter().find(|position| in_overlays.binary_search(position).is_err());
    match outside {
        None => Ok(()),
        Some(position) => {
            let error = Rule::Cmp32.broken().but_found("a member's role outside of any overlay");
            Err(tensors.blame(*position, error))
        }
    }
}

/// Bounded by the depth that the walk lets composites have.
fn collect_overlay_members(composite: &Composite, positions: &mut Vec<usize>) {
    for member in composite.members() {
        match member {
            Member::Tensor(position) if matches!(composite.rule(), CompositionRule::Overlay(_)) => {
                positions.push(*position);
            }
            Member::Tensor(_) => {}
            Member::Composite(nested) => collect_overlay_members(nested, positions),
        }
    }
}

/// What the walk over composites asks for, one after the other.
struct Tensors<N, I> {
    names: N,
    descriptors: I,
    /// The positions of tensors with a member's role.
    with_role: Vec<usize>,
}

impl<'i, N, I, D> Descriptors for Tensors<N, I>
where
    N: ExactSizeIterator<Item = &'i str> + Clone,
    I: Iterator<Item = Result<D, FormatError>>,
    D: Borrow<TensorDescriptor>,
{
    type Descriptor = D;

    fn len(&self) -> usize {
        self.names.len()
    }

    fn descriptor(&mut self, position: usize) -> Result<D, FormatError> {
        // They are asked for in ascending order, all of them.
        let descriptor = self.descriptors.next().ok_or_else(|| Rule::Cmp12.broken())??;
        if descriptor.borrow().member_role().is_some() {
            self.with_role.push(position);
        }
        Ok(descriptor)
    }

    fn blame(&self, position: usize, error: FormatError) -> FormatError {
        match self.names.clone().nth(position) {
            Some(name) => error.in_tensor(name),
            None => error,
        }
    }
}

/// For decoding what was encoded here: private tags are taken to be meant.
pub(super) fn own_policy() -> Policy {
    let any = || (0xF0..=0xFE).collect::<Vec<u8>>();
    let private_tags = PrivateTags {
        element_types: any(),
        devices: any(),
        memory_classes: any(),
        schemes: any(),
        composition_rules: any(),
        // Layouts are told by an id as well, which permissive mode does not ask for.
        ..PrivateTags::default()
    };
    Policy { mode: Mode::Permissive, private_tags, ..Policy::default() }
}

/// Changes the number of members of an encoded group head of rank 1: its count, and its shape `[n]`.
pub(super) fn set_member_count(head: &mut [u8], members: u32) -> Option<()> {
    const LAYOUT_AT: usize = 15;
    const RANK_AT: usize = 16;
    const SHAPE_AT: usize = 20;
    // Behind the only dimension and the byte offset.
    const RULE_AT: usize = 36;
    const MEMBERS_AT: usize = 40;
    const COMPOSITE: u8 = 0x0B;
    const GROUP: u8 = 0x03;

    let is_group = *head.get(LAYOUT_AT)? == COMPOSITE
        && *head.get(RANK_AT..)?.first_chunk()? == 1_u32.to_le_bytes()
        && *head.get(RULE_AT)? == GROUP;
    if !is_group {
        return None;
    }
    *head.get_mut(SHAPE_AT..)?.first_chunk_mut()? = u64::from(members).to_le_bytes();
    *head.get_mut(MEMBERS_AT..)?.first_chunk_mut()? = members.to_le_bytes();
    Some(())
}
