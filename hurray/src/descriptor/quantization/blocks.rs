//! Blocks along an axis (FORMAT §6.3).

use crate::descriptor::{DYNAMIC, Dims, shape};

/// How a shape falls into blocks along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// The dimension; below the rank.
    pub(crate) axis: usize,
    /// `K`: elements per block along the axis; not 0.
    pub(crate) block_size: u64,
    /// `nb`: blocks along the axis, the partial last one included.
    pub(crate) per_line: u64,
    /// Whether the last block reaches beyond the axis.
    pub(crate) is_partial: bool,
}

impl Blocks {
    /// `None` where the axis is no dimension of the shape or not resolved, or the block size is 0.
    pub(crate) fn of(shape: &[u64], axis: u32, block_size: u32) -> Option<Self> {
        let axis = usize::try_from(axis).ok()?;
        let length = *shape.get(axis).filter(|length| **length != DYNAMIC)?;
        let block_size = u64::from(block_size);
        let is_partial = length.checked_rem(block_size)? != 0;
        let whole = length.checked_div(block_size)?;
        Some(Self { axis, block_size, per_line: whole.saturating_add(u64::from(is_partial)), is_partial })
    }

    /// `num_blocks`, saturated; `None` if a dimension is not resolved.
    pub(crate) fn count(&self, shape: &[u64]) -> Option<u128> {
        if shape.contains(&DYNAMIC) {
            return None;
        }
        let lines = shape.iter().enumerate().filter(|(dimension, _)| *dimension != self.axis);
        Some(shape::product(lines.map(|(_, length)| *length).chain([self.per_line])))
    }

    /// `storage_shape`: the shape with the axis rounded up to whole blocks, saturated.
    pub(crate) fn storage_shape(&self, shape: &[u64]) -> Dims {
        let mut storage = Dims::from_slice(shape);
        if let Some(length) = storage.get_mut(self.axis) {
            *length = self.block_size.saturating_mul(self.per_line);
        }
        storage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_blocks_are_stored_whole() {
        let blocks = Blocks::of(&[2, 5], 1, 4).unwrap();
        assert_eq!((blocks.per_line, blocks.is_partial), (2, true));
        assert_eq!(blocks.count(&[2, 5]), Some(4));
        assert_eq!(blocks.storage_shape(&[2, 5]).as_slice(), [2, 8]);
    }

    #[test]
    fn an_empty_axis_has_no_blocks() {
        let blocks = Blocks::of(&[2, 0], 1, 4).unwrap();
        assert_eq!((blocks.per_line, blocks.is_partial, blocks.count(&[2, 0])), (0, false, Some(0)));
    }

    #[test]
    fn what_is_no_axis_has_no_blocks() {
        assert_eq!(Blocks::of(&[2, 5], 2, 4), None);
        assert_eq!(Blocks::of(&[2, 5], 0, 0), None);
        assert_eq!(Blocks::of(&[2, DYNAMIC], 1, 4), None);
        assert_eq!(Blocks::of(&[DYNAMIC, 5], 1, 4).unwrap().count(&[DYNAMIC, 5]), None);
    }
}
