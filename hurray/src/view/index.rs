//! Shapes in memory and indices into them.

use smallvec::SmallVec;

use crate::descriptor::DYNAMIC;
use crate::error::TensorError;

/// An index in elements, one number per dimension; inline up to rank 8.
pub type Index = SmallVec<[usize; 8]>;

/// A shape in elements.
pub(crate) type Extents = Index;

/// A shape of the file in memory. Dimensions of a sparse tensor may well exceed what memory holds; beyond
/// `isize::MAX` they exceed what an index can say.
pub(crate) fn extents(shape: &[u64]) -> Result<Extents, TensorError> {
    let mut extents = Extents::with_capacity(shape.len());
    for (dimension, &extent) in shape.iter().enumerate() {
        if extent == DYNAMIC {
            return Err(TensorError::dynamic(dimension));
        }
        let fits = usize::try_from(extent).map_err(|_| {
            TensorError::limit("usize", u64::try_from(usize::MAX).unwrap_or(u64::MAX), extent.into())
        })?;
        extents.push(fits);
    }
    Ok(extents)
}

/// The number of elements, saturated at `u128::MAX`; 0 if any dimension is.
pub(crate) fn element_count(shape: &[usize]) -> u128 {
    if shape.contains(&0) {
        return 0;
    }
    shape
        .iter()
        .fold(1_u128, |count, extent| count.saturating_mul(u128::try_from(*extent).unwrap_or(u128::MAX)))
}

/// The number of elements of a result of `bytes_each` bytes per element, which has at most `limit` bytes.
pub(crate) fn count_within(shape: &[usize], bytes_each: usize, limit: u64) -> Result<usize, TensorError> {
    let count = element_count(shape);
    let bytes = count.saturating_mul(u128::try_from(bytes_each).unwrap_or(u128::MAX));
    let allowed = limit.min(u64::try_from(isize::MAX).unwrap_or(u64::MAX));
    match usize::try_from(count) {
        Ok(count) if bytes <= u128::from(allowed) => Ok(count),
        _ => Err(TensorError::limit("dense_bytes", allowed, bytes)),
    }
}

/// Refuses an index of another rank, or outside the shape.
#[inline]
pub(crate) fn check(index: &[usize], shape: &[usize]) -> Result<(), TensorError> {
    if index.len() == shape.len() && index.iter().zip(shape).all(|(at, extent)| at < extent) {
        Ok(())
    } else {
        Err(outside(index, shape))
    }
}

#[cold]
pub(crate) fn outside(index: &[usize], shape: &[usize]) -> TensorError {
    TensorError::Index { index: index.to_vec(), shape: shape.to_vec() }
}

/// Row-major strides in elements, one per dimension. Saturated where the shape has more elements than memory.
pub(crate) fn row_major(shape: &[usize]) -> Extents {
    let mut strides: Extents = SmallVec::from_elem(1, shape.len());
    let mut stride = 1_usize;
    for (slot, extent) in strides.iter_mut().zip(shape).rev() {
        *slot = stride;
        stride = stride.saturating_mul(*extent);
    }
    strides
}

/// Steps an index through a shape, the last dimension fastest. `false` when it has wrapped around to zero.
pub(crate) fn advance(index: &mut [usize], shape: &[usize]) -> bool {
    for (at, extent) in index.iter_mut().zip(shape).rev() {
        *at = at.saturating_add(1);
        if *at < *extent {
            return true;
        }
        *at = 0;
    }
    false
}

/// Every index of a shape, in row-major order.
pub(crate) fn each(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut index: Extents = SmallVec::from_elem(0, shape.len());
    loop {
        visit(&index);
        if !advance(&mut index, shape) {
            return;
        }
    }
}
