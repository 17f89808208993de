//! The composite heads on the way down to where a save is, and which of them give way to others.
//!
//! The format has room for 8 heads on a path. Groups that come too late do without one: their members join the
//! head above. A partition or an overlay can't do without, since its head says what the members make up: the
//! nearest group above loses the head that it has, and its members join the one above that.

/// The heads that are open, outermost first.
#[derive(Debug, Default)]
pub(super) struct Heads {
    open: Vec<OpenHead>,
    /// Heads, and groups among them, that were open where a plan of its own began.
    above: usize,
    groups_above: usize,
    /// How many of the groups above have to give way when the plan is appended.
    to_give_way: usize,
    /// Positions in the plan of heads that gave way.
    withdrawn: Vec<usize>,
    /// Members of no head.
    root_members: u64,
}

/// A head whose members are being collected.
#[derive(Debug, Clone, Copy)]
struct OpenHead {
    position: usize,
    members: u64,
    is_group: bool,
}

impl Heads {
    /// For a plan of its own at the place where these heads are open.
    pub(super) fn below(&self) -> Self {
        let groups = self.open.iter().filter(|head| head.is_group).count();
        let groups_above = self.groups_above.saturating_sub(self.to_give_way).saturating_add(groups);
        Self { above: self.depth(), groups_above, ..Self::default() }
    }

    /// How many heads are on the way down to here.
    pub(super) fn depth(&self) -> usize {
        self.above.saturating_sub(self.to_give_way).saturating_add(self.open.len())
    }

    pub(super) fn open(&mut self, position: usize, is_group: bool) {
        self.open.push(OpenHead { position, members: 0, is_group });
    }

    /// Counts members of the innermost head.
    pub(super) fn add_members(&mut self, members: u64) {
        let count = self.open.last_mut().map_or(&mut self.root_members, |head| &mut head.members);
        *count = count.saturating_add(members);
    }

    /// The members so far of no head.
    pub(super) fn root_members(&self) -> u64 {
        self.root_members
    }

    /// The members so far of the innermost head, if it is the one at a position; `None` once that gave way.
    pub(super) fn members_of(&self, position: usize) -> Option<u64> {
        self.open.last().filter(|head| head.position == position).map(|head| head.members)
    }

    /// Closes the head at a position and tells how many members it has; `None` if it gave way.
    pub(super) fn close(&mut self, position: usize) -> Option<u64> {
        self.open.pop_if(|head| head.position == position).map(|head| head.members)
    }

    /// Takes the nearest group's head away: its members join the head above. `false` if no group has one.
    pub(super) fn give_way(&mut self) -> bool {
        let Some(at) = self.open.iter().rposition(|head| head.is_group) else {
            let is_one_left = self.to_give_way < self.groups_above;
            self.to_give_way = self.to_give_way.saturating_add(usize::from(is_one_left));
            return is_one_left;
        };
        let gone = self.open.remove(at);
        let above = at.checked_sub(1).and_then(|above| self.open.get_mut(above));
        let count = above.map_or(&mut self.root_members, |head| &mut head.members);
        // The head was a member itself.
        *count = count.saturating_sub(1).saturating_add(gone.members);
        self.withdrawn.push(gone.position);
        true
    }

    /// How many groups above have to give way before the plan is appended there.
    pub(super) fn to_give_way(&self) -> usize {
        self.to_give_way
    }

    /// The positions of heads that gave way, in ascending order.
    pub(super) fn into_withdrawn(mut self) -> Vec<usize> {
        self.withdrawn.sort_unstable();
        self.withdrawn
    }
}

#[cfg(test)]
mod tests {
    use super::Heads;

    #[test]
    fn members_of_a_head_that_gives_way_join_the_one_above() {
        let mut heads = Heads::default();
        for position in 0..3 {
            heads.add_members(1);
            heads.open(position, position != 1);
        }
        heads.add_members(4);
        // The innermost one is a group.
        assert!(heads.give_way());
        assert_eq!((heads.depth(), heads.members_of(2), heads.members_of(1)), (2, None, Some(4)));
        // Then the outermost, over one that is none: that one is a member of nothing now.
        assert!(heads.give_way());
        assert_eq!((heads.depth(), heads.root_members(), heads.members_of(1)), (1, 1, Some(4)));
        assert!(!heads.give_way());
        assert_eq!((heads.close(0), heads.close(1)), (None, Some(4)));
        assert_eq!(heads.into_withdrawn(), [0, 2]);
    }

    #[test]
    fn groups_above_a_plan_of_its_own_give_way_later() {
        let mut outer = Heads::default();
        outer.open(0, true);
        outer.open(1, false);
        let mut inner = outer.below();
        assert_eq!(inner.depth(), 2);
        assert!(inner.give_way());
        assert_eq!((inner.depth(), inner.to_give_way()), (1, 1));
        assert!(!inner.give_way());
        assert!(outer.give_way() && !outer.give_way());
    }
}
