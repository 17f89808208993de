//! What views of every layout need of an element type, be its elements whole bytes or less.

use std::fmt::Debug;
use std::marker::PhantomData;

use super::{Element, ElementType, PackedElement, bits, sealed::Sealed};

/// An element type that views of any layout can show: every [`Element`], whose values can be borrowed as a
/// slice, and every [`PackedElement`], whose values come as a [`PackedSlice`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of the Hurray format",
    label = "neither an `Element` nor a `PackedElement`"
)]
pub trait Stored: Sealed + Copy + Debug + Send + Sync + 'static {
    /// The element type in the file.
    const STORED_TYPE: ElementType;

    /// What one element is in Rust: the type itself for an [`Element`].
    type Value: Copy + PartialEq + Debug + Send + Sync + 'static;

    /// Borrowed elements: `&[T]` or [`PackedSlice`].
    type Values<'a>: Copy + Debug + Send + Sync;

    /// The zero that a sparse tensor has where it stores nothing.
    #[doc(hidden)]
    fn zero() -> Self::Value;

    /// `count` zeros.
    #[doc(hidden)]
    fn zeros(count: usize) -> Vec<Self::Value>;

    /// Borrows the first `count` elements of `bytes`; `None` if they are too few, or misaligned.
    #[doc(hidden)]
    fn borrow(bytes: &[u8], count: usize) -> Option<Self::Values<'_>>;

    #[doc(hidden)]
    fn get(values: Self::Values<'_>, at: usize) -> Option<Self::Value>;

    /// Copies elements `from..from + out.len()`.
    #[doc(hidden)]
    fn copy(values: Self::Values<'_>, from: usize, out: &mut [Self::Value]) -> Option<()>;

    /// One element from its bytes; one below 8 bits from a byte with the pattern in its low bits.
    #[doc(hidden)]
    fn decode(bytes: &[u8]) -> Option<Self::Value>;

    /// `count` elements from their bytes, one byte each below 8 bits, which start as zeros and `fill` writes.
    #[doc(hidden)]
    fn collect<E>(count: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), E>)
    -> Result<Vec<Self::Value>, E>;

    /// The bytes of elements in a file. `Err` is the position of the first that does not fit in the type.
    #[doc(hidden)]
    fn encode(values: &[Self::Value]) -> Result<Vec<u8>, usize>;
}

impl<T: Element> Stored for T {
    const STORED_TYPE: ElementType = T::TYPE;
    type Value = T;
    type Values<'a> = &'a [T];

    fn zero() -> T {
        T::zeroed()
    }

    fn zeros(count: usize) -> Vec<T> {
        bytemuck::allocation::zeroed_vec(count)
    }

    #[inline]
    fn borrow(bytes: &[u8], count: usize) -> Option<&[T]> {
        let bytes = bytes.get(..count.checked_mul(size_of::<T>())?)?;
        // A misaligned empty slice is fine: nothing of it is ever read.
        if bytes.is_empty() { Some(&[]) } else { bytemuck::try_cast_slice(bytes).ok() }
    }

    #[inline]
    fn get(values: &[T], at: usize) -> Option<T> {
        values.get(at).copied()
    }

    #[inline]
    fn copy(values: &[T], from: usize, out: &mut [T]) -> Option<()> {
        out.copy_from_slice(values.get(from..from.checked_add(out.len())?)?);
        Some(())
    }

    #[inline]
    fn decode(bytes: &[u8]) -> Option<T> {
        bytemuck::try_pod_read_unaligned(bytes).ok()
    }

    fn collect<E>(count: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<Vec<T>, E> {
        let mut elements = Self::zeros(count);
        fill(bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }

    fn encode(values: &[T]) -> Result<Vec<u8>, usize> {
        Ok(bytemuck::cast_slice(values).to_vec())
    }
}

/// Fewer elements than these are unpacked one by one.
const FEW: usize = 32;

/// Elements and bytes of the smallest whole unit of a type below 8 bits.
const fn group_of(bits: u32) -> (usize, usize) {
    match bits {
        1 => (8, 1),
        2 => (4, 1),
        4 => (2, 1),
        _ => (4, 3),
    }
}

/// Borrowed elements of which several share a byte.
#[derive(Debug, Clone, Copy)]
pub struct PackedSlice<'a, P> {
    bytes: &'a [u8],
    len: usize,
    element: PhantomData<P>,
}

impl<'a, P: PackedElement> PackedSlice<'a, P> {
    /// In elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Element `at`, if there is one.
    #[must_use]
    #[inline]
    pub fn get(self, at: usize) -> Option<P::Value> {
        if at >= self.len {
            return None;
        }
        bits::code_at(self.bytes, P::BITS, at).map(P::unpack)
    }

    /// All elements in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = P::Value> + 'a {
        (0..self.len).map(move |at| self.get(at).unwrap_or(P::zero()))
    }

    /// All elements, unpacked.
    #[must_use]
    pub fn to_vec(self) -> Vec<P::Value> {
        let mut unpacked = P::zeros(self.len);
        // Cannot fail: the slice holds `len` elements.
        let _ = self.copy(0, &mut unpacked);
        unpacked
    }

    /// The bytes as they lie in the file.
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The first `count` elements of `bytes`, if there are so many.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], count: usize) -> Option<Self> {
        // Known when this is compiled: no division by what is not.
        let (per_group, group_bytes) = const { group_of(P::BITS) };
        let bytes = bytes.get(..count.div_ceil(per_group).checked_mul(group_bytes)?)?;
        Some(Self { bytes, len: count, element: PhantomData })
    }

    #[inline]
    pub(super) fn copy(self, from: usize, out: &mut [P::Value]) -> Option<()> {
        if out.len() < FEW {
            for (at, value) in (from..).zip(out) {
                *value = P::unpack(bits::code_at(self.bytes, P::BITS, at)?);
            }
            return Some(());
        }
        // Codes first, values second, so that both loops are plain enough to be vectorised.
        let mut codes = [0_u8; 1024];
        let mut from = from;
        for chunk in out.chunks_mut(codes.len()) {
            let codes = codes.get_mut(..chunk.len())?;
            bits::unpack(self.bytes, P::BITS, from, codes)?;
            for (value, code) in chunk.iter_mut().zip(codes) {
                *value = P::unpack(*code);
            }
            from = from.checked_add(chunk.len())?;
        }
        Some(())
    }
}
