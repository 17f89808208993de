//! Partitions and overlays: a head at the path, and its members after it, named by their numbers.

use crate::descriptor::{MemberRole, Shard, TensorDescriptor};
use crate::model::save::walk::{Rules, SaveWalk};
use crate::model::save::{Place, Saver};
use crate::writer::SaveError;

/// What a member's descriptor says of its place in the whole.
#[derive(Debug)]
pub(super) struct Membership {
    shard: Shard,
    role: Option<MemberRole>,
}

impl Membership {
    pub(super) fn mark(self, descriptor: TensorDescriptor) -> TensorDescriptor {
        TensorDescriptor { shard: Some(Box::new(self.shard)), member_role: self.role, ..descriptor }
    }
}

/// A partition or an overlay that is being saved: takes members, one after another.
pub(crate) struct MembersSaver<'p, 's> {
    walk: &'p mut SaveWalk<'s>,
    position: usize,
    next: usize,
    /// What the field's attributes say of each part.
    rules: Option<Rules>,
}

impl<'p, 's> Saver<'p, 's> {
    /// Begins a partition or an overlay with its head.
    ///
    /// # Errors
    ///
    /// [`SaveError::Limit`] if no group above can give way to it, and as [`tensor`](Self::tensor).
    pub(crate) fn members(self, head: &TensorDescriptor) -> Result<MembersSaver<'p, 's>, SaveError> {
        let Self { walk, place: Place { rules, .. } } = self;
        walk.refuse_tensor_here()?;
        walk.meet(rules, head.shape())?;
        let position = walk.open_head(head)?;
        Ok(MembersSaver { walk, position, next: 0, rules })
    }
}

impl<'s> MembersSaver<'_, 's> {
    /// The path of the head in the file.
    pub(crate) fn path(&self) -> &str {
        self.walk.path.as_str()
    }

    /// Saves a member whose descriptor says already where it belongs.
    pub(crate) fn member(
        &mut self,
        save: impl FnOnce(Saver<'_, 's>) -> Result<(), SaveError>,
    ) -> Result<(), SaveError> {
        let mark = self.walk.path.push_index(self.next);
        self.next = self.next.saturating_add(1);
        let place = Place { rules: self.rules.map(Rules::of_part), ..Place::default() };
        save(Saver::at(&mut *self.walk, place))?;
        self.walk.path.truncate(mark);
        Ok(())
    }

    /// Saves a tensor as the member that is a box of the whole.
    pub(crate) fn member_at(
        &mut self,
        shard: Shard,
        role: Option<MemberRole>,
        save: impl FnOnce(Saver<'_, 's>) -> Result<(), SaveError>,
    ) -> Result<(), SaveError> {
        self.walk.membership = Some(Membership { shard, role });
        self.member(save)
    }
}

impl Drop for MembersSaver<'_, '_> {
    fn drop(&mut self) {
        // The head has its member count from the start.
        let _ = self.walk.heads.close(self.position);
    }
}
