//! From the row-major order of a member to its place in that of the whole.

use crate::view::walk::Transfer;

/// Takes elements of one member to where they belong in the whole.
pub(super) trait Supply {
    /// Stored elements `from..from + len` are elements `own..own + len` of the member in row-major order, and
    /// elements `to..to + len` of the whole.
    fn supply(&mut self, from: usize, own: usize, to: usize, len: usize);
}

/// Splits what a walk over a member hands out where the whole has other elements in between.
pub(super) struct PlaceIn<'p, S> {
    pub(super) supply: S,
    shape: &'p [usize],
    /// Of the whole.
    strides: &'p [usize],
    /// Where in the whole the member's first element is.
    origin: usize,
    /// So many elements of the member lie one after another in the whole.
    run: usize,
    /// How many dimensions are outside of a run.
    outer: usize,
}

impl<'p, S: Supply> PlaceIn<'p, S> {
    pub(super) fn new(supply: S, shape: &'p [usize], strides: &'p [usize], origin: usize) -> Self {
        let (mut run, mut outer) = (1_usize, shape.len());
        for (extent, stride) in shape.iter().zip(strides).rev() {
            if *stride != run {
                break;
            }
            run = run.saturating_mul(*extent);
            outer = outer.saturating_sub(1);
        }
        Self { supply, shape, strides, origin, run, outer }
    }

    /// Where an element of the member is in the whole, and how many follow it there. Offsets inside the whole
    /// fit, since the whole is in memory.
    fn locate(&self, own: usize) -> (usize, usize) {
        let mut row = own.checked_div(self.run).unwrap_or(0);
        let column = own.checked_rem(self.run).unwrap_or(0);
        let mut to = self.origin.wrapping_add(column);
        for (extent, stride) in self.shape.iter().zip(self.strides).take(self.outer).rev() {
            let at = row.checked_rem(*extent).unwrap_or(0);
            row = row.checked_div(*extent).unwrap_or(0);
            to = to.wrapping_add(at.wrapping_mul(*stride));
        }
        (to, self.run.saturating_sub(column))
    }
}

impl<S: Supply> Transfer for PlaceIn<'_, S> {
    fn run(&mut self, from: usize, to: usize, len: usize) {
        let mut done = 0_usize;
        while done < len {
            let own = to.wrapping_add(done);
            let (to, room) = self.locate(own);
            let count = room.min(len.saturating_sub(done)).max(1);
            self.supply.supply(from.wrapping_add(done), own, to, count);
            done = done.saturating_add(count);
        }
    }

    fn gather(&mut self, base: usize, offsets: &[usize], to: usize) {
        let mut rest = offsets;
        let mut own = to;
        while !rest.is_empty() {
            let (to, room) = self.locate(own);
            let (here, later) = rest.split_at(room.max(1).min(rest.len()));
            for (at, offset) in here.iter().enumerate() {
                self.supply.supply(base.wrapping_add(*offset), own.wrapping_add(at), to.wrapping_add(at), 1);
            }
            own = own.wrapping_add(here.len());
            rest = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PlaceIn, Supply};
    use crate::view::walk::Transfer;

    struct Log(Vec<(usize, usize, usize, usize)>);

    impl Supply for Log {
        fn supply(&mut self, from: usize, own: usize, to: usize, len: usize) {
            self.0.push((from, own, to, len));
        }
    }

    #[test]
    fn runs_are_as_long_as_the_whole_lets_them_be() {
        // Rows 1 and 2 of [4, 3]: one run.
        let mut place = PlaceIn::new(Log(Vec::new()), &[2, 3], &[3, 1], 3);
        place.run(10, 0, 6);
        assert_eq!(place.supply.0, [(10, 0, 3, 6)]);
        // Columns 1 and 2 of rows 0 and 1: one run per row.
        let mut place = PlaceIn::new(Log(Vec::new()), &[2, 2], &[3, 1], 1);
        place.run(10, 1, 3);
        place.gather(0, &[7, 5, 9], 0);
        assert_eq!(place.supply.0, [(10, 1, 2, 1), (11, 2, 4, 2), (7, 0, 1, 1), (5, 1, 2, 1), (9, 2, 4, 1)]);
        let mut scalar = PlaceIn::new(Log(Vec::new()), &[], &[], 0);
        scalar.run(0, 0, 1);
        assert_eq!(scalar.supply.0, [(0, 0, 0, 1)]);
    }
}
