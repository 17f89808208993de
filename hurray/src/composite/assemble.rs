//! Binding members to heads (FORMAT §7.2), by one walk over the descriptors in the order of the file.

use std::borrow::Borrow;

use super::cover::Boxes;
use super::member::{check_head, check_member};
use super::{Composite, Member};
use crate::descriptor::{CompositeHead, CompositionRule, TensorDescriptor};
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

/// The descriptors of a file, or of one that is to be written, in the order of the file.
pub(crate) trait Descriptors {
    /// Borrowed where there is one already, owned where it is decoded.
    type Descriptor: Borrow<TensorDescriptor>;

    /// How many there are.
    fn len(&self) -> usize;

    /// The descriptor at a position; each is asked for once at most, in ascending order.
    fn descriptor(&mut self, position: usize) -> Result<Self::Descriptor, FormatError>;

    /// Adds to an error which tensor it is about.
    fn blame(&self, position: usize, error: FormatError) -> FormatError;
}

/// What a walk over the descriptors found.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    composites: Vec<Composite>,
    /// What broke a composite first: one of its own rules, or the descriptor of a member.
    first: Option<FormatError>,
    /// Broken rules of composites, without those of single descriptors.
    errors: Vec<FormatError>,
}

impl Assembly {
    /// A hostile file may break a rule per tensor.
    const MAX_ERRORS: usize = 1000;

    /// The top-level composites, if none is broken.
    pub(crate) fn into_result(self) -> Result<Vec<Composite>, FormatError> {
        match self.first {
            None => Ok(self.composites),
            Some(error) => Err(error),
        }
    }

    /// Every broken rule of a composite; what single descriptors break is not among them.
    pub(crate) fn into_errors(self) -> Vec<FormatError> {
        self.errors
    }

    #[cold]
    fn report(&mut self, error: FormatError) {
        self.first.get_or_insert_with(|| error.clone());
        if self.errors.len() < Self::MAX_ERRORS {
            self.errors.push(error);
        }
    }
}

/// Binds all members to their heads, and checks every composite (CMP-12 to CMP-26).
pub(crate) fn assemble(descriptors: &mut impl Descriptors, policy: &Policy) -> Assembly {
    Walk::new(descriptors, policy).run(0, false)
}

/// The same for the one composite whose head is at `position`, taken as a top-level one.
///
/// # Errors
/// The first broken rule; CMP-12 if there is no head at `position`.
pub(crate) fn assemble_at(
    descriptors: &mut impl Descriptors,
    policy: &Policy,
    position: usize,
) -> Result<Composite, FormatError> {
    let composites = Walk::new(descriptors, policy).run(position, true).into_result()?;
    composites.into_iter().next().ok_or_else(|| Rule::Cmp12.broken().expected_to_be("a composite head"))
}

/// A head whose members are being taken.
struct Open<D> {
    head: usize,
    descriptor: D,
    fields: CompositeHead,
    /// Members that are still to come.
    left: u32,
    members: Vec<Member>,
    /// Of a partition's members.
    boxes: Boxes,
    is_broken: bool,
    is_complete: bool,
}

struct Walk<'d, S: Descriptors> {
    descriptors: &'d mut S,
    policy: &'d Policy,
    max_depth: usize,
    /// From the top-level head down. On the heap: a hostile file nests as deep as it has tensors.
    open: Vec<Open<S::Descriptor>>,
    assembly: Assembly,
}

impl<'d, S: Descriptors> Walk<'d, S> {
    /// How deep the format lets a strict reader go.
    const STRICT_DEPTH: usize = 8;
    /// How deep the format lets a permissive reader go.
    const PERMISSIVE_DEPTH: usize = 64;

    fn new(descriptors: &'d mut S, policy: &'d Policy) -> Self {
        let of_format = if policy.is_permissive() { Self::PERMISSIVE_DEPTH } else { Self::STRICT_DEPTH };
        let max_depth = policy.limits.composite_depth.min(of_format);
        Self { descriptors, policy, max_depth, open: Vec::new(), assembly: Assembly::default() }
    }

    fn run(mut self, start: usize, only_one: bool) -> Assembly {
        for position in start..self.descriptors.len() {
            self.take(position);
            self.close_full();
            // What is wrong first is all that is asked of one: with a head per tensor, each of them could claim all
            // that follow.
            if only_one && (self.open.is_empty() || self.assembly.first.is_some()) {
                return self.assembly;
            }
        }
        while let Some(torn) = self.open.pop() {
            self.close_torn(torn);
        }
        self.assembly
    }

    /// Takes the next descriptor: as a member of the innermost open head, and as a head itself if it is one.
    fn take(&mut self, position: usize) {
        let descriptor = match self.descriptors.descriptor(position) {
            Ok(descriptor) => descriptor,
            Err(error) => return self.take_broken(position, error),
        };
        self.bind(position, descriptor.borrow());
        match descriptor.borrow().composite().copied() {
            Some(fields) => self.open_head(position, descriptor, fields),
            None => {
                if let Some(parent) = self.open.last_mut() {
                    parent.members.push(Member::Tensor(position));
                }
            }
        }
    }

    /// Counts a member of the innermost open head, if there is one, and checks it.
    fn bind(&mut self, position: usize, member: &TensorDescriptor) {
        let Some(parent) = self.open.last_mut() else { return };
        let is_first = parent.left == parent.fields.member_count;
        parent.left = parent.left.saturating_sub(1);
        match check_member(parent.descriptor.borrow(), parent.fields.rule, member, is_first) {
            Ok(Some(shard)) if parent.fields.rule == CompositionRule::Partition => {
                parent.boxes.push(&shard.offset, member.shape());
            }
            Ok(_) => {}
            Err(error) => {
                parent.is_broken = true;
                self.assembly.report(self.descriptors.blame(position, error));
            }
        }
    }

    /// A descriptor that does not decode breaks the composites that it is in. At the top level it is nobody
    /// else's matter, unless it is a head.
    #[cold]
    fn take_broken(&mut self, position: usize, error: FormatError) {
        let is_head = error.rule().id().starts_with("CMP-");
        if is_head || !self.open.is_empty() {
            let error = self.descriptors.blame(position, error);
            self.assembly.first.get_or_insert(error);
        }
        if let Some(parent) = self.open.last_mut() {
            parent.left = parent.left.saturating_sub(1);
            parent.is_broken = true;
        }
    }

    fn open_head(&mut self, head: usize, descriptor: S::Descriptor, fields: CompositeHead) {
        let depth = self.open.len().saturating_add(1);
        let checked = check_head(descriptor.borrow(), fields.rule).and_then(|()| {
            let max = self.max_depth;
            Rule::Cmp13.check(depth <= max, |e| {
                e.expected_to_be(format!("{max} nested heads at most")).but_found(depth)
            })
        });
        let is_broken = checked.is_err();
        if let Err(error) = checked {
            self.assembly.report(self.descriptors.blame(head, error));
        }
        self.open.push(Open {
            head,
            left: fields.member_count,
            // Not allocated by the count that the head claims.
            members: Vec::new(),
            boxes: Boxes::new(descriptor.borrow().rank()),
            descriptor,
            fields,
            is_broken,
            is_complete: true,
        });
    }

    /// Closes all heads that have their members.
    fn close_full(&mut self) {
        while let Some(mut full) = self.open.pop_if(|open| open.left == 0) {
            if !full.is_broken
                && full.fields.rule == CompositionRule::Partition
                && let Err(error) = full.boxes.check_cover(full.descriptor.borrow().shape())
            {
                full.is_complete = false;
                if !self.policy.is_permissive() {
                    full.is_broken = true;
                    self.assembly.report(self.descriptors.blame(full.head, error));
                }
            }
            self.close(full);
        }
    }

    /// The file ends before the head has its members (FORMAT §7.7).
    #[cold]
    fn close_torn(&mut self, mut torn: Open<S::Descriptor>) {
        torn.is_complete = false;
        if !self.policy.is_permissive() {
            torn.is_broken = true;
            let count = torn.fields.member_count;
            let error = Rule::Cmp12
                .broken()
                .expected_to_be(format!("{count} members"))
                .but_found(count.saturating_sub(torn.left));
            self.assembly.report(self.descriptors.blame(torn.head, error));
        }
        self.close(torn);
    }

    /// Hands a composite to its parent. A broken one breaks the parent and goes no further, so that no tree
    /// is deeper than the limit.
    fn close(&mut self, closed: Open<S::Descriptor>) {
        let depth = self.open.len().saturating_add(1);
        let parent = self.open.last_mut();
        if closed.is_broken {
            if let Some(parent) = parent {
                parent.is_broken = true;
            }
            return;
        }
        let composite = Composite {
            head: closed.head,
            depth,
            rule: closed.fields.rule,
            members: closed.members,
            is_complete: closed.is_complete,
        };
        match parent {
            Some(parent) => {
                parent.is_complete &= composite.is_complete;
                parent.members.push(Member::Composite(composite));
            }
            None => self.assembly.composites.push(composite),
        }
    }
}
