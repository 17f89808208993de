//! Composites: heads and the members that follow them (FORMAT §7). Pure functions over descriptors.

mod assemble;
mod cover;
mod member;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use assemble::{Assembly, Descriptors, assemble, assemble_at};
pub(crate) use cover::Boxes;
pub(crate) use member::check_member;
pub(crate) use tree::BoxTree;

use crate::descriptor::CompositionRule;

/// A composite head and its direct members. Positions count tensors in the order of the file, from 0, as
/// [`File::tensors`](crate::File::tensors) gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composite {
    head: usize,
    depth: usize,
    rule: CompositionRule,
    members: Vec<Member>,
    is_complete: bool,
}

/// A direct member of a composite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Member {
    /// A tensor, by its position in the order of the file.
    Tensor(usize),
    /// A composite of its own.
    Composite(Composite),
}

impl Composite {
    /// The position of the head in the order of the file.
    #[must_use]
    pub fn head(&self) -> usize {
        self.head
    }

    /// How many heads lie on the path to this one, itself included: 1 at the top.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// How the members make up the whole.
    #[must_use]
    pub fn rule(&self) -> CompositionRule {
        self.rule
    }

    /// The direct members in the order of the file.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether all members are there, and cover the head exactly where they must. In strict mode always; in
    /// permissive mode an incomplete composite is no more than the list of its members.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl Member {
    /// The position in the order of the file: of the tensor, or of the head.
    #[must_use]
    pub fn position(&self) -> usize {
        match self {
            Self::Tensor(position) => *position,
            Self::Composite(composite) => composite.head,
        }
    }
}
