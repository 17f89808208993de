//! How much a load will go through: what is shared and holds what is shared multiplies where each name of it is loaded
//! anew.

use crate::limits::Limits;
use crate::writer::SaveError;

/// What a load of a value follows, each time that it is loaded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effort {
    /// Ties.
    ties: u64,
    /// Elements of sequences.
    elements: u64,
}

/// What a load of all that was saved so far follows: no more than the load counts, which keeps to the same limits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    /// The ties that the file has.
    noted: u64,
    /// The ties that a load follows.
    followed: u64,
    /// The elements of sequences that it reaches through them.
    elements: u64,
    /// What one more load of the same would follow.
    again: Effort,
}

impl Reach {
    /// Counts a tie.
    pub(super) fn add_tie(&mut self) {
        self.noted = self.noted.saturating_add(1);
        self.followed = self.followed.saturating_add(1);
        self.again.ties = self.again.ties.saturating_add(1);
    }

    /// Counts the elements of a sequence.
    pub(super) fn add_elements(&mut self, elements: usize) {
        let elements = u64::try_from(elements).unwrap_or(u64::MAX);
        self.again.elements = self.again.elements.saturating_add(elements);
    }

    /// Counts one more load of a value that is stored.
    pub(super) fn add_again(&mut self, Effort { ties, elements }: Effort) {
        self.followed = self.followed.saturating_add(ties);
        self.elements = self.elements.saturating_add(elements);
        self.again.ties = self.again.ties.saturating_add(ties);
        self.again.elements = self.again.elements.saturating_add(elements);
    }

    /// Counts what was saved into a plan of its own.
    pub(super) fn add(&mut self, part: Self) {
        self.noted = self.noted.saturating_add(part.noted);
        self.followed = self.followed.saturating_add(part.followed);
        self.elements = self.elements.saturating_add(part.elements);
        self.again.ties = self.again.ties.saturating_add(part.again.ties);
        self.again.elements = self.again.elements.saturating_add(part.again.elements);
    }

    /// What one more load of all that was saved so far would follow.
    pub(super) fn again(&self) -> Effort {
        self.again
    }

    /// What one more load of a value would follow, of which the first tie and element come after `before`.
    pub(super) fn since(&self, before: Effort) -> Effort {
        Effort {
            ties: self.again.ties.saturating_sub(before.ties),
            elements: self.again.elements.saturating_sub(before.elements),
        }
    }

    /// The value that was saved after `before` is loaded once, whatever holds it.
    pub(super) fn is_loaded_once(&mut self, before: Effort) {
        self.again = before;
    }

    /// Refuses what a load with the same limits would refuse.
    pub(super) fn check(&self, limits: &Limits) -> Result<(), SaveError> {
        let ties = ("ties", limits.ties.max(self.noted), self.followed);
        let elements = ("sequence", limits.sequence, self.elements);
        for (limit, allowed, found) in [ties, elements] {
            if found > allowed {
                return Err(SaveError::Limit { limit, allowed, found });
            }
        }
        Ok(())
    }
}
