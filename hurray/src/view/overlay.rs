//! Overlays: a base, and corrections that replace its elements or add to them (FORMAT §7).

use std::fmt;
use std::marker::PhantomData;

use half::{bf16, f16};

use super::bytes::SharedBytes;
use super::index::{self, Extents};
use super::partition::merged;
use super::raw::SharedTensor;
use super::whole::{Rule, SharedWhole, Whole, built};
use super::{
    Coo, Csc, Csr, DynTensor, DynTensorView, Hilbert, Morton, Packed, QuantizedTensor, Tensor, Tiled,
};
use crate::descriptor::CombineOp;
use crate::element::{Element, F128, PackedElement, Stored};
use crate::error::TensorError;
use crate::limits::Limits;

/// A borrowed tensor that is made up of a base and corrections over it. Elements are of the whole's type `T`;
/// quantized members are dequantized and rounded to it. A sparse correction is about its stored entries only.
///
/// No byte is copied, and none is read, before it is asked for.
pub struct OverlayView<'a, T> {
    whole: Whole<'a>,
    element: PhantomData<T>,
}

/// The `'static` twin of [`OverlayView`]: its members own their elements or share the memory of a file.
///
/// ```
/// use hurray::{Coo, Overlay, Tensor};
///
/// let base = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let outliers = Coo::<f32>::from_parts(&[2, 2], &[[1, 1]], &[400.0])?;
/// let overlay = Overlay::new(base).replace(&[0, 0], outliers)?;
/// assert_eq!(overlay.view().get(&[1, 1])?, 400.0);
/// assert_eq!(overlay.view().to_dense()?, [1.0, 2.0, 3.0, 400.0]);
/// # Ok::<(), hurray::TensorError>(())
/// ```
pub struct Overlay<T> {
    whole: SharedWhole,
    element: PhantomData<T>,
}

/// The base of an overlay that has no correction yet: see [`Overlay::new`].
#[derive(Debug, Clone)]
pub struct OverlayBase<T> {
    tensor: SharedTensor,
    element: PhantomData<T>,
}

/// A tensor that can be the base of an overlay of `T`: of elements `T` in any layout, or quantized if `T` is a
/// float of at least 16 bits. Of a [`DynTensor`] that is found out when the overlay is made.
pub trait BaseOf<T>: Into<DynTensor> {}

impl<T: Element> BaseOf<T> for Tensor<T> {}
impl<T: Stored> BaseOf<T> for DynTensor {}
impl<P: PackedElement> BaseOf<P> for Packed<P> {}

macro_rules! bases {
    ($($layout:ident)*) => { $(impl<T: Stored> BaseOf<T> for $layout<T> {})* };
    (quantized: $($float:ty)*) => { $(impl BaseOf<$float> for QuantizedTensor {})* };
}

bases! { Tiled Morton Hilbert Coo Csr Csc }
bases! { quantized: f16 bf16 f32 f64 F128 }

impl<'a, T: Stored> OverlayView<'a, T> {
    pub(crate) fn from_whole(whole: Whole<'a>) -> Result<Self, TensorError> {
        if whole.plan.rule() == Rule::Partition {
            return Err(TensorError::layout("an overlay", "a partition"));
        }
        whole.expect(T::STORED_TYPE)?;
        Ok(Self { whole, element: PhantomData })
    }

    pub(crate) fn whole(&self) -> &Whole<'a> {
        &self.whole
    }

    pub(crate) fn to_twin(&self, share: &dyn Fn(&'a [u8]) -> SharedBytes) -> Overlay<T> {
        Overlay { whole: self.whole.share(share), element: PhantomData }
    }

    /// The shape in elements, dimension 0 first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.whole.plan.shape()
    }

    /// Whether corrections replace elements or add to them.
    #[must_use]
    pub fn combine_op(&self) -> CombineOp {
        match self.whole.plan.rule() {
            Rule::Overlay(op) => op,
            Rule::Partition => CombineOp::Replace,
        }
    }

    /// What corrections apply to, as it is stored.
    ///
    /// # Errors
    ///
    /// None in practice: there is always a base.
    pub fn base(&self) -> Result<DynTensorView<'a>, TensorError> {
        self.member(0)
    }

    /// The number of corrections.
    #[must_use]
    pub fn correction_count(&self) -> usize {
        self.whole.plan.members().len().saturating_sub(1)
    }

    /// A correction as it is stored, and where it starts; they apply in the order of their numbers.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] when there is no such correction.
    pub fn correction(&self, number: usize) -> Result<(&[usize], DynTensorView<'a>), TensorError> {
        let member = number.saturating_add(1);
        let tensor = self.member(member)?;
        let offset = self.whole.plan.members().get(member).map(|member| member.offset.as_slice());
        Ok((offset.unwrap_or_default(), tensor))
    }

    fn member(&self, number: usize) -> Result<DynTensorView<'a>, TensorError> {
        // The members of an overlay are tensors (CMP-04, CMP-20).
        let tensor = self.whole.tensors.get(number).cloned().map(DynTensorView::of_raw);
        tensor.ok_or_else(|| index::outside(&[number], &[self.whole.tensors.len()]))
    }

    /// The element at an index.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] outside the shape, [`TensorError::Format`] if the indices of a sparse member break
    /// a rule.
    pub fn get(&self, index: &[usize]) -> Result<T::Value, TensorError> {
        let bytes = self.whole.get(index)?;
        T::decode(&bytes).ok_or_else(|| index::outside(index, self.shape()))
    }

    /// Every element in row-major order.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past the default [`Limits::dense_bytes`], and as [`get`](Self::get).
    pub fn to_dense(&self) -> Result<Vec<T::Value>, TensorError> {
        self.to_dense_within(&Limits::default())
    }

    /// Every element in row-major order, at most [`Limits::dense_bytes`] of them.
    ///
    /// # Errors
    ///
    /// As [`to_dense`](Self::to_dense).
    pub fn to_dense_within(&self, limits: &Limits) -> Result<Vec<T::Value>, TensorError> {
        merged::<T>(&self.whole, limits)
    }
}

impl<T: Stored> Overlay<T> {
    /// Begins an overlay with its base; see [`OverlayBase`].
    #[must_use]
    #[expect(clippy::new_ret_no_self, reason = "what corrections do is known with the first one")]
    pub fn new(base: impl BaseOf<T>) -> OverlayBase<T> {
        OverlayBase { tensor: base.into().into_shared(), element: PhantomData }
    }

    /// Adds a correction whose elements take the place of what is under them.
    ///
    /// # Errors
    ///
    /// [`TensorError::Format`] for a correction that reaches outside (SHD-01) or is of another type (CMP-18),
    /// [`TensorError::Rank`] for an offset of another rank, [`TensorError::Layout`] if the corrections before it
    /// add.
    pub fn replace(self, offset: &[usize], part: impl Into<DynTensor>) -> Result<Self, TensorError> {
        self.with(CombineOp::Replace, offset, part.into())
    }

    /// Adds a correction whose elements are added to what is under them: integers wrap around, floats are
    /// rounded in the type of the whole, correction after correction.
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace), [`TensorError::NotUnderstood`] for bool, float8_e8m0 and private types, and
    /// [`TensorError::Layout`] if the corrections before it replace.
    pub fn add(self, offset: &[usize], part: impl Into<DynTensor>) -> Result<Self, TensorError> {
        self.with(CombineOp::Add, offset, part.into())
    }

    fn with(self, op: CombineOp, offset: &[usize], part: DynTensor) -> Result<Self, TensorError> {
        if self.whole.plan.rule() != Rule::Overlay(op) {
            let (replaces, adds) = ("corrections that replace", "corrections that add");
            return Err(match op {
                CombineOp::Add => TensorError::layout(replaces, adds),
                _ => TensorError::layout(adds, replaces),
            });
        }
        let offsets = self.whole.plan.members().iter().map(|member| member.offset.clone());
        let mut members: Vec<_> = offsets.zip(self.whole.tensors.iter().cloned()).collect();
        members.push((Extents::from_slice(offset), part.into_shared()));
        let whole = built(self.whole.plan.rule(), T::STORED_TYPE, self.shape(), members)?;
        Ok(Self { whole, element: PhantomData })
    }

    pub(crate) fn whole(&self) -> &SharedWhole {
        &self.whole
    }

    /// The view that all access goes through.
    #[must_use]
    pub fn view(&self) -> OverlayView<'_, T> {
        OverlayView { whole: self.whole.as_whole(), element: PhantomData }
    }

    /// The shape in elements, dimension 0 first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.whole.plan.shape()
    }
}

impl<T: Stored> OverlayBase<T> {
    /// The overlay with its first correction, which [replaces](Overlay::replace).
    ///
    /// # Errors
    ///
    /// As [`Overlay::replace`].
    pub fn replace(self, offset: &[usize], part: impl Into<DynTensor>) -> Result<Overlay<T>, TensorError> {
        self.begin(CombineOp::Replace)?.replace(offset, part)
    }

    /// The overlay with its first correction, which [adds](Overlay::add).
    ///
    /// # Errors
    ///
    /// As [`Overlay::add`].
    pub fn add(self, offset: &[usize], part: impl Into<DynTensor>) -> Result<Overlay<T>, TensorError> {
        self.begin(CombineOp::Add)?.add(offset, part)
    }

    /// The overlay without any correction.
    ///
    /// # Errors
    ///
    /// [`TensorError::Format`] for a base of another type than `T`, or of a layout that no member has.
    pub fn uncorrected(self) -> Result<Overlay<T>, TensorError> {
        self.begin(CombineOp::Replace)
    }

    fn begin(self, op: CombineOp) -> Result<Overlay<T>, TensorError> {
        let shape = index::extents(self.tensor.descriptor().shape())?;
        let base = (Extents::from_elem(0, shape.len()), self.tensor);
        let whole = built(Rule::Overlay(op), T::STORED_TYPE, &shape, vec![base])?;
        Ok(Overlay { whole, element: PhantomData })
    }
}

impl<T> Clone for OverlayView<'_, T> {
    fn clone(&self) -> Self {
        Self { whole: self.whole.clone(), element: PhantomData }
    }
}

impl<T> Clone for Overlay<T> {
    fn clone(&self) -> Self {
        Self { whole: self.whole.clone(), element: PhantomData }
    }
}

impl<T: Stored> fmt::Debug for OverlayView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.correction_count();
        write!(f, "OverlayView<{}>{:?} with {count} corrections", T::STORED_TYPE, self.shape())
    }
}

impl<T: Stored> fmt::Debug for Overlay<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.view().correction_count();
        write!(f, "Overlay<{}>{:?} with {count} corrections", T::STORED_TYPE, self.shape())
    }
}
