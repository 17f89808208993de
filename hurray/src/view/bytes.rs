//! Bytes that are owned, or shared with whoever keeps them alive.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::tensor::SharedMemory;
use crate::bytes::AlignedBytes;

/// A range of immutable bytes that an `Arc` keeps alive; cheap to clone. Bytes that were handed over start at
/// an address aligned to 64.
#[derive(Clone)]
pub(crate) struct SharedBytes {
    /// `None` for no bytes at all.
    owner: Option<SharedMemory>,
    range: Range<usize>,
}

impl SharedBytes {
    /// A range of the bytes of `owner`; `None` if it lies outside.
    pub(crate) fn of(owner: SharedMemory, range: Range<usize>) -> Option<Self> {
        (*owner).as_ref().get(range.clone())?;
        Some(Self { owner: Some(owner), range })
    }

    /// The range of the bytes of `owner` that `part` is; `None` if it is no part of them.
    pub(crate) fn part_of(owner: &SharedMemory, part: &[u8]) -> Option<Self> {
        if part.is_empty() {
            return Some(Self::default());
        }
        let whole: &[u8] = (**owner).as_ref();
        let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
        Self::of(Arc::clone(owner), start..start.checked_add(part.len())?)
    }

    /// A copy, aligned to 64.
    pub(crate) fn copy_from(bytes: &[u8]) -> Self {
        AlignedBytes::copy_from(bytes).into()
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.owner.as_ref().and_then(|owner| (**owner).as_ref().get(self.range.clone())).unwrap_or_default()
    }
}

impl Default for SharedBytes {
    fn default() -> Self {
        Self { owner: None, range: 0..0 }
    }
}

struct Owned(AlignedBytes);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

impl From<AlignedBytes> for SharedBytes {
    fn from(bytes: AlignedBytes) -> Self {
        let range = 0..bytes.as_slice().len();
        Self { owner: Some(Arc::new(Owned(bytes))), range }
    }
}

/// Elements keep their address, and so their alignment.
struct Elements<T>(Vec<T>);

impl<T: bytemuck::NoUninit> AsRef<[u8]> for Elements<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T: bytemuck::NoUninit + Send + Sync> From<Vec<T>> for SharedBytes {
    fn from(elements: Vec<T>) -> Self {
        let range = 0..size_of_val(elements.as_slice());
        Self { owner: Some(Arc::new(Elements(elements))), range }
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBytes({} bytes)", self.range.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{SharedBytes, SharedMemory};

    #[test]
    fn a_part_is_found_by_its_address_only() {
        let owner: SharedMemory = Arc::new(vec![1_u8, 2, 3, 4]);
        let whole = (*owner).as_ref();
        assert_eq!(SharedBytes::part_of(&owner, &whole[1..3]).unwrap().as_slice(), [2, 3]);
        assert!(SharedBytes::part_of(&owner, &whole[4..]).unwrap().as_slice().is_empty());
        assert!(SharedBytes::part_of(&owner, &[1, 2]).is_none());
        assert!(SharedBytes::of(owner, 3..5).is_none());
    }

    #[test]
    fn elements_are_shared_as_they_lie() {
        let elements = vec![1_u32, 2];
        let address = elements.as_ptr().addr();
        let shared = SharedBytes::from(elements);
        assert_eq!(shared.as_slice().as_ptr().addr(), address);
        assert_eq!(shared.as_slice(), [1, 0, 0, 0, 2, 0, 0, 0]);
    }
}
