//! Typed access to dense tensors of any layout: what the packed, tiled, Morton and Hilbert views share.

use std::marker::PhantomData;

use super::bytes::SharedBytes;
use super::geometry::Geometry;
use super::index;
use super::raw::{RawTensor, values_in};
use super::walk::Transfer;
use crate::bytes::to_usize;
use crate::descriptor::{BufferHandle, Layout, TensorDescriptor};
use crate::element::{ElementType, Stored};
use crate::error::TensorError;
use crate::limits::Limits;

/// Typed access to a dense tensor of any layout.
#[derive(Debug, Clone)]
pub(crate) struct Dense<T> {
    pub(crate) geometry: Geometry,
    element: PhantomData<T>,
}

impl<T: Stored> Dense<T> {
    pub(crate) fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        raw.expect_plain(T::STORED_TYPE)?;
        let geometry = Geometry::of(raw)?;
        let count = u64::try_from(geometry.count).unwrap_or(u64::MAX);
        values_in::<T>(raw, geometry.bytes(raw), count)?;
        Ok(Self { geometry, element: PhantomData })
    }

    /// `of` checked that the elements are there and aligned.
    #[inline]
    pub(crate) fn values<'a>(&self, raw: &RawTensor<'a>) -> Option<T::Values<'a>> {
        T::borrow(self.geometry.bytes(raw), self.geometry.count)
    }

    #[inline]
    pub(crate) fn get(&self, raw: &RawTensor<'_>, index: &[usize]) -> Option<T::Value> {
        T::get(self.values(raw)?, self.geometry.position(index)?)
    }

    pub(crate) fn to_dense(
        &self,
        raw: &RawTensor<'_>,
        limits: &Limits,
    ) -> Result<Vec<T::Value>, TensorError> {
        let count = index::count_within(&self.geometry.shape, size_of::<T::Value>(), limits.dense_bytes)?;
        let mut dense = T::zeros(count);
        if let Some(from) = self.values(raw) {
            self.geometry.walk(&mut ToValues::<T> { from, to: &mut dense });
        }
        Ok(dense)
    }
}

/// Copies elements into a row-major vector.
pub(crate) struct ToValues<'a, 'o, T: Stored> {
    pub(crate) from: T::Values<'a>,
    pub(crate) to: &'o mut [T::Value],
}

impl<T: Stored> Transfer for ToValues<'_, '_, T> {
    #[inline]
    fn run(&mut self, from: usize, to: usize, len: usize) {
        let Some(out) = to.checked_add(len).and_then(|end| self.to.get_mut(to..end)) else { return };
        if let [single] = out {
            if let Some(value) = T::get(self.from, from) {
                *single = value;
            }
        } else {
            let _ = T::copy(self.from, from, out);
        }
    }

    #[inline]
    fn gather(&mut self, base: usize, offsets: &[usize], to: usize) {
        let Some(out) = to.checked_add(offsets.len()).and_then(|end| self.to.get_mut(to..end)) else {
            return;
        };
        for (slot, offset) in out.iter_mut().zip(offsets) {
            if let Some(value) = T::get(self.from, base.wrapping_add(*offset)) {
                *slot = value;
            }
        }
    }
}

/// Lays a row-major slice out as `layout`: the descriptor and the bytes of its buffer. Slots that no element
/// takes are zero.
pub(crate) fn lay_out<T: Stored>(
    values: &[T::Value],
    shape: &[usize],
    layout: Layout,
    slots: u64,
) -> Result<(TensorDescriptor, SharedBytes), TensorError> {
    expect_count(values.len(), shape)?;
    let beyond =
        || TensorError::limit("isize::MAX", u64::try_from(isize::MAX).unwrap_or(u64::MAX), slots.into());
    let size = T::STORED_TYPE.bytes_for(slots).filter(|size| to_usize(*size).is_some()).ok_or_else(beyond)?;
    let descriptor = describe(T::STORED_TYPE, shape, layout, [size]);
    let group = T::STORED_TYPE.group().ok_or_else(beyond)?;
    let geometry = Geometry::plan(&descriptor, index::extents(descriptor.shape())?, group);
    let geometry = geometry.and_then(Result::ok).ok_or_else(beyond)?;
    let mut stored = T::zeros(to_usize(slots).ok_or_else(beyond)?);
    geometry.walk(&mut FromValues::<T> { from: values, to: &mut stored });
    Ok((descriptor, T::encode(&stored).map_err(misfit::<T>)?.into()))
}

/// Copies a row-major slice to where its elements are stored.
struct FromValues<'a, T: Stored> {
    from: &'a [T::Value],
    to: &'a mut [T::Value],
}

impl<T: Stored> Transfer for FromValues<'_, T> {
    #[inline]
    fn run(&mut self, stored: usize, logical: usize, len: usize) {
        let from = logical.checked_add(len).and_then(|end| self.from.get(logical..end));
        let to = stored.checked_add(len).and_then(|end| self.to.get_mut(stored..end));
        if let (Some(from), Some(to)) = (from, to) {
            to.copy_from_slice(from);
        }
    }
}

/// A plain descriptor: every buffer on the host, aligned to 64.
pub(crate) fn describe(
    element_type: ElementType,
    shape: &[usize],
    layout: Layout,
    buffer_sizes: impl IntoIterator<Item = u64>,
) -> TensorDescriptor {
    TensorDescriptor {
        version_minor: 0,
        element_type,
        shape: shape.iter().map(|extent| u64::try_from(*extent).unwrap_or(u64::MAX)).collect(),
        byte_offset: 0,
        layout,
        buffers: buffer_sizes.into_iter().map(BufferHandle::host).collect(),
        quantization: None,
        shard: None,
        statistics: None,
        extension_type: None,
        member_role: None,
        trailing_bytes: 0,
    }
}

/// Refuses values that are not one per element.
pub(crate) fn expect_count(found: usize, shape: &[usize]) -> Result<(), TensorError> {
    let expected = index::element_count(shape);
    if u128::try_from(found) == Ok(expected) {
        return Ok(());
    }
    Err(TensorError::Parts {
        what: "values",
        expected: u64::try_from(expected).unwrap_or(u64::MAX),
        found: u64::try_from(found).unwrap_or(u64::MAX),
    })
}

#[cold]
pub(crate) fn misfit<T: Stored>(position: usize) -> TensorError {
    TensorError::Value { element_type: T::STORED_TYPE, position }
}
