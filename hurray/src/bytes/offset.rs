//! Checked arithmetic on offsets and lengths in bytes.

use std::ops::Range;

/// The smallest multiple of `alignment` (a power of two) at or above `offset`; `None` past `u64`.
#[inline]
pub(crate) fn align_up(offset: u64, alignment: u64) -> Option<u64> {
    debug_assert!(alignment.is_power_of_two());
    // `checked_next_multiple_of` would divide.
    let below = alignment.wrapping_sub(1);
    Some(offset.checked_add(below)? & !below)
}

/// Whether `offset` is a multiple of `alignment` (a power of two).
#[inline]
pub(crate) fn is_aligned(offset: u64, alignment: u64) -> bool {
    debug_assert!(alignment.is_power_of_two());
    offset & alignment.wrapping_sub(1) == 0
}

/// Where the piece at a position is, of pieces that lie back to back and end at `ends`.
#[inline]
pub(crate) fn piece(ends: &[usize], position: usize) -> Option<Range<usize>> {
    let start = position.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    Some(start..*ends.get(position)?)
}

/// A length in memory; `None` on hosts whose addresses are too small for it.
#[inline]
pub(crate) fn to_usize(value: u64) -> Option<usize> {
    usize::try_from(value).ok().filter(|value| isize::try_from(*value).is_ok())
}
