//! Dense tensors along a space-filling curve: Morton (FORMAT §5.5) and Hilbert (§5.6).

use smallvec::SmallVec;

use super::dense::{Dense, lay_out};
use super::raw::{RawTensor, SharedTensor};
use super::twin::views;
use crate::descriptor::Layout;
use crate::element::Stored;
use crate::error::TensorError;
use crate::limits::Limits;

macro_rules! curve_plan {
    ($plan:ident $pattern:pat, $name:literal) => {
        #[derive(Debug, Clone)]
        struct $plan<T>(Dense<T>);

        impl<T: Stored> $plan<T> {
            fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
                match raw.descriptor().layout() {
                    $pattern => Ok(Self(Dense::of(raw)?)),
                    _ => Err(raw.wrong_layout($name)),
                }
            }

            fn shape(&self) -> &[usize] {
                &self.0.geometry.shape
            }
        }
    };
}

macro_rules! curve_access {
    ($view:ident) => {
        impl<'a, T: Stored> $view<'a, T> {
            /// The element at an index; `None` outside the shape.
            #[must_use]
            pub fn get(&self, index: &[usize]) -> Option<T::Value> {
                self.plan.0.get(&self.raw, index)
            }

            /// The stored elements in the order in which they lie, from the first to the last that an index leads to,
            /// padding between them included.
            #[must_use]
            pub fn values(&self) -> Option<T::Values<'a>> {
                self.plan.0.values(&self.raw)
            }

            /// All elements in row-major order.
            ///
            /// # Errors
            ///
            /// [`TensorError::Limit`] past the default [`Limits::dense_bytes`].
            pub fn to_dense(&self) -> Result<Vec<T::Value>, TensorError> {
                self.to_dense_within(&Limits::default())
            }

            /// All elements in row-major order, at most [`Limits::dense_bytes`] of them.
            ///
            /// # Errors
            ///
            /// [`TensorError::Limit`].
            pub fn to_dense_within(&self, limits: &Limits) -> Result<Vec<T::Value>, TensorError> {
                self.plan.0.to_dense(&self.raw, limits)
            }
        }
    };
}
pub(super) use curve_access;

curve_plan! { MortonPlan Layout::Morton { .. }, "morton" }
curve_plan! { HilbertPlan Layout::Hilbert { .. }, "hilbert" }

views! {
    /// A borrowed tensor in Morton (Z) order.
    view MortonView;
    /// The `'static` twin of [`MortonView`].
    twin Morton;
    plan MortonPlan;
    elements Stored;
}

views! {
    /// A borrowed tensor along a Hilbert curve.
    view HilbertView;
    /// The `'static` twin of [`HilbertView`].
    twin Hilbert;
    plan HilbertPlan;
    elements Stored;
}

curve_access! { MortonView }
curve_access! { HilbertView }

impl<T: Stored> Morton<T> {
    /// Lays a row-major slice out in Morton order, with the same number of bits in every dimension. Slots that
    /// no element takes are zero.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] for a scalar, [`TensorError::Parts`] if there is not one value per element,
    /// [`TensorError::Value`] if one does not fit, [`TensorError::Limit`] if the slots are more than memory.
    pub fn from_dense(values: &[T::Value], shape: &[usize]) -> Result<Self, TensorError> {
        if shape.is_empty() {
            return Err(TensorError::Rank { expected: 1, found: 0 });
        }
        let largest = shape.iter().copied().max().unwrap_or(0).saturating_sub(1);
        let bits = usize::BITS.saturating_sub(largest.leading_zeros()).max(1);
        let rank = u32::try_from(shape.len()).unwrap_or(u32::MAX);
        let slots = if shape.contains(&0) {
            Some(0)
        } else {
            bits.checked_mul(rank).and_then(|bits| 1_u64.checked_shl(bits)).filter(|slots| *slots > 0)
        };
        let slots = slots.ok_or_else(|| {
            TensorError::limit("morton bits", 63, u128::from(bits).saturating_mul(rank.into()))
        })?;
        let layout = Layout::Morton { bits: SmallVec::from_elem(bits, shape.len()) };
        let (descriptor, bytes) = lay_out::<T>(values, shape, layout, slots)?;
        Self::made(SharedTensor::new(descriptor, [bytes]))
    }
}

impl<T: Stored> Hilbert<T> {
    /// Lays a row-major slice out along a Hilbert curve. The shape is `2^order` in each of at least two
    /// dimensions.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] below 2, [`TensorError::Shape`] for other shapes, and those of
    /// [`Morton::from_dense`].
    pub fn from_dense(values: &[T::Value], shape: &[usize]) -> Result<Self, TensorError> {
        let [extent, _, ..] = *shape else {
            return Err(TensorError::Rank { expected: 2, found: shape.len() });
        };
        let found = || shape.iter().map(|extent| u64::try_from(*extent).unwrap_or(u64::MAX)).collect();
        let side = extent.checked_next_power_of_two().unwrap_or(usize::MAX).max(2);
        if shape.iter().any(|extent| *extent != side) || !side.is_power_of_two() {
            let side = u64::try_from(side).unwrap_or(u64::MAX);
            return Err(TensorError::Shape { expected: vec![side; shape.len()], found: found() });
        }
        let order = side.trailing_zeros();
        let slots = u64::try_from(values.len()).unwrap_or(u64::MAX);
        let (descriptor, bytes) = lay_out::<T>(values, shape, Layout::Hilbert { order }, slots)?;
        Self::made(SharedTensor::new(descriptor, [bytes]))
    }
}
