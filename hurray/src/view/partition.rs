//! Partitions: tensors that disjoint boxes make up (FORMAT §7).

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::bytes::SharedBytes;
use super::dense::describe;
use super::index::{self, Extents, Index};
use super::raw::SharedTensor;
use super::tensor::SharedMemory;
use super::whole::{Kind, Rule, SharedWhole, Whole, built};
use super::{DynTensor, DynTensorView, Tensor, TensorView};
use crate::descriptor::Layout;
use crate::element::{Element, Stored};
use crate::error::TensorError;
use crate::limits::Limits;

/// A borrowed tensor in parts: disjoint boxes that cover it, each a tensor of any layout, quantized ones and
/// nested partitions and overlays included. Elements are of the whole's type `T`.
///
/// No byte is copied, and none is read, before it is asked for.
pub struct PartitionView<'a, T> {
    whole: Whole<'a>,
    element: PhantomData<T>,
}

/// The `'static` twin of [`PartitionView`]: its parts own their elements or share the memory of a file.
///
/// ```
/// use hurray::{Partition, Tensor};
///
/// let whole = Tensor::from_vec((0..12).collect::<Vec<i32>>(), &[4, 3])?;
/// let parts = Partition::split(&whole, 0, 2)?;
/// let view = parts.view();
/// assert_eq!(view.part_count(), 2);
/// assert_eq!(view.part(1)?.view()?.as_slice(), Some(&[6, 7, 8, 9, 10, 11][..]));
/// assert_eq!(view.get(&[3, 0])?, 9);
/// assert_eq!(view.to_dense()?, whole.to_vec());
/// # Ok::<(), hurray::TensorError>(())
/// ```
pub struct Partition<T> {
    whole: SharedWhole,
    element: PhantomData<T>,
}

/// One part of a partition.
pub struct Part<'a, T> {
    offset: Index,
    kind: PartKind<'a>,
    shape: Index,
    element: PhantomData<T>,
}

enum PartKind<'a> {
    Tensor(DynTensorView<'a>),
    /// A partition or an overlay inside the partition.
    Whole(Whole<'a>),
}

/// What a box of a partition has of one part.
pub struct Piece<'a, T> {
    number: usize,
    part: Part<'a, T>,
    ranges: Vec<Range<usize>>,
}

impl<'a, T: Stored> PartitionView<'a, T> {
    pub(crate) fn from_whole(whole: Whole<'a>) -> Result<Self, TensorError> {
        if whole.plan.rule() != Rule::Partition {
            return Err(TensorError::layout("a partition", "an overlay"));
        }
        whole.expect(T::STORED_TYPE)?;
        Ok(Self { whole, element: PhantomData })
    }

    pub(crate) fn whole(&self) -> &Whole<'a> {
        &self.whole
    }

    pub(crate) fn to_twin(&self, share: &dyn Fn(&'a [u8]) -> SharedBytes) -> Partition<T> {
        Partition { whole: self.whole.share(share), element: PhantomData }
    }

    /// The shape of the whole in elements, dimension 0 first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.whole.plan.shape()
    }

    /// The number of parts.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.whole.plan.members().len()
    }

    /// A part, by its place in the order of the file.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] when there is no such part.
    pub fn part(&self, number: usize) -> Result<Part<'a, T>, TensorError> {
        let member = self.whole.plan.members().get(number);
        let member = member.ok_or_else(|| index::outside(&[number], &[self.part_count()]))?;
        let tensors = self.whole.tensors_of(member);
        let kind = match (&member.kind, tensors.first()) {
            (Kind::Nested(plan), _) => {
                PartKind::Whole(Whole { plan: Arc::clone(plan), tensors: tensors.to_vec() })
            }
            (Kind::Plain(_) | Kind::Quantized(_), Some(raw)) => {
                PartKind::Tensor(DynTensorView::of_raw(raw.clone()))
            }
            (Kind::Plain(_) | Kind::Quantized(_), None) => {
                return Err(index::outside(&[number], &[self.part_count()]));
            }
        };
        Ok(Part { offset: member.offset.clone(), kind, shape: member.shape.clone(), element: PhantomData })
    }

    /// All parts, in the order of the file.
    pub fn parts(&self) -> impl Iterator<Item = Part<'a, T>> {
        (0..self.part_count()).filter_map(|number| self.part(number).ok())
    }

    /// The number of the part that holds the element at an index. Not linear in the number of parts.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] outside the shape.
    pub fn part_at(&self, index: &[usize]) -> Result<usize, TensorError> {
        let found = self.whole.plan.member_at(index)?;
        found.ok_or_else(|| index::outside(index, self.shape()))
    }

    /// The element at an index of the whole: zero where a sparse part stores nothing.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] outside the shape, [`TensorError::Format`] if the indices of a sparse part break a
    /// rule.
    pub fn get(&self, index: &[usize]) -> Result<T::Value, TensorError> {
        let bytes = self.whole.get(index)?;
        T::decode(&bytes).ok_or_else(|| index::outside(index, self.shape()))
    }

    /// What a box of the whole, one range of indices per dimension, has of each part, in the order of the file.
    /// Nothing is copied, and no other part is looked at.
    ///
    /// # Errors
    ///
    /// [`TensorError::Index`] for another number of ranges, and for one that ends past the shape.
    pub fn slice(&self, ranges: &[Range<usize>]) -> Result<Vec<Piece<'a, T>>, TensorError> {
        let touched = self.whole.plan.members_in(ranges)?;
        let piece = |number: usize| {
            let part = self.part(number)?;
            let sides = ranges.iter().zip(part.offset.iter().zip(&part.shape));
            let ranges = sides.map(|(range, (offset, extent))| {
                let end = offset.saturating_add(*extent).min(range.end);
                range.start.saturating_sub(*offset)..end.saturating_sub(*offset)
            });
            let ranges = ranges.collect();
            Ok(Piece { number, part, ranges })
        };
        touched.into_iter().map(piece).collect()
    }

    /// Every element of the whole in row-major order.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past the default [`Limits::dense_bytes`], and as [`get`](Self::get).
    pub fn to_dense(&self) -> Result<Vec<T::Value>, TensorError> {
        self.to_dense_within(&Limits::default())
    }

    /// Every element of the whole in row-major order, at most [`Limits::dense_bytes`] of them.
    ///
    /// # Errors
    ///
    /// As [`to_dense`](Self::to_dense).
    pub fn to_dense_within(&self, limits: &Limits) -> Result<Vec<T::Value>, TensorError> {
        merged::<T>(&self.whole, limits)
    }
}

/// Every element of a whole in row-major order.
pub(crate) fn merged<T: Stored>(whole: &Whole<'_>, limits: &Limits) -> Result<Vec<T::Value>, TensorError> {
    let count = whole.count_within(size_of::<T::Value>(), limits)?;
    T::collect(count, |bytes| whole.fill(bytes, limits))
}

impl<'a, T: Stored> Part<'a, T> {
    /// Where the part starts in the whole, in elements.
    #[must_use]
    pub fn offset(&self) -> &[usize] {
        &self.offset
    }

    /// The shape of the part in elements.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The tensor that the part is, as it is stored; `None` if it is a partition or an overlay of its own.
    #[must_use]
    pub fn tensor(&self) -> Option<&DynTensorView<'a>> {
        match &self.kind {
            PartKind::Tensor(tensor) => Some(tensor),
            PartKind::Whole(_) => None,
        }
    }

    /// The part as a partition of its own, if it is one.
    #[must_use]
    pub fn partition(&self) -> Option<PartitionView<'a, T>> {
        match &self.kind {
            PartKind::Whole(whole) => PartitionView::from_whole(whole.clone()).ok(),
            PartKind::Tensor(_) => None,
        }
    }

    /// The element at an index of the part.
    ///
    /// # Errors
    ///
    /// As [`PartitionView::get`].
    pub fn get(&self, index: &[usize]) -> Result<T::Value, TensorError> {
        let bytes = self.as_whole()?.get(index)?;
        T::decode(&bytes).ok_or_else(|| index::outside(index, &self.shape))
    }

    /// Every element of the part in row-major order.
    ///
    /// # Errors
    ///
    /// As [`PartitionView::to_dense`].
    pub fn to_dense(&self) -> Result<Vec<T::Value>, TensorError> {
        self.to_dense_within(&Limits::default())
    }

    /// Every element of the part in row-major order, at most [`Limits::dense_bytes`] of them.
    ///
    /// # Errors
    ///
    /// As [`PartitionView::to_dense`].
    pub fn to_dense_within(&self, limits: &Limits) -> Result<Vec<T::Value>, TensorError> {
        merged::<T>(&self.as_whole()?, limits)
    }

    fn as_whole(&self) -> Result<Whole<'a>, TensorError> {
        match &self.kind {
            PartKind::Whole(whole) => Ok(whole.clone()),
            PartKind::Tensor(tensor) => Whole::of_one(T::STORED_TYPE, tensor.as_raw().clone()),
        }
    }
}

impl<'a, T: Element> Part<'a, T> {
    /// The part as a typed view: no element is copied.
    ///
    /// # Errors
    ///
    /// As [`TensorEntry::view`](crate::TensorEntry::view): [`TensorError::Layout`] for a part that is not dense,
    /// [`TensorError::Quantized`].
    pub fn view(&self) -> Result<TensorView<'a, T>, TensorError> {
        match &self.kind {
            PartKind::Tensor(tensor) => tensor.typed(),
            PartKind::Whole(_) => Err(TensorError::layout("a tensor", "a composite inside the partition")),
        }
    }
}

impl<'a, T: Stored> Piece<'a, T> {
    /// The number of the part in the order of the file.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// The part that the box touches.
    #[must_use]
    pub fn part(&self) -> &Part<'a, T> {
        &self.part
    }

    /// The indices of the part that lie in the box, one range per dimension.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Where in the whole the piece starts, in elements.
    #[must_use]
    pub fn offset(&self) -> Index {
        let starts = self.ranges.iter().zip(&self.part.offset);
        starts.map(|(range, offset)| range.start.saturating_add(*offset)).collect()
    }
}

impl<'a, T: Element> Piece<'a, T> {
    /// What lies in the box as a typed view: no element is copied.
    ///
    /// # Errors
    ///
    /// As [`Part::view`].
    pub fn view(&self) -> Result<TensorView<'a, T>, TensorError> {
        let mut view = self.part.view()?;
        for (axis, range) in self.ranges.iter().enumerate() {
            view = view.narrow(axis, range.start, range.len())?;
        }
        Ok(view)
    }
}

impl<T: Stored> Partition<T> {
    /// A partition of tensors, each with where it starts in the whole. They may be of any layout that shards
    /// have, and quantized if `T` is a float of at least 16 bits.
    ///
    /// # Errors
    ///
    /// [`TensorError::Format`] for parts that overlap (CMP-25), leave a gap (CMP-26), reach outside (SHD-01) or
    /// are of another type (CMP-18); [`TensorError::Rank`] for an offset of another rank.
    pub fn from_parts<P: Into<DynTensor>>(
        shape: &[usize],
        parts: impl IntoIterator<Item = (impl AsRef<[usize]>, P)>,
    ) -> Result<Self, TensorError> {
        let placed =
            |(offset, part): (_, P)| (Extents::from_slice(AsRef::as_ref(&offset)), part.into().into_shared());
        let members = parts.into_iter().map(placed).collect();
        let whole = built(Rule::Partition, T::STORED_TYPE, shape, members)?;
        Ok(Self { whole, element: PhantomData })
    }

    pub(crate) fn whole(&self) -> &SharedWhole {
        &self.whole
    }

    /// The view that all access goes through. Not free: it lists all parts.
    #[must_use]
    pub fn view(&self) -> PartitionView<'_, T> {
        PartitionView { whole: self.whole.as_whole(), element: PhantomData }
    }

    /// The shape of the whole in elements, dimension 0 first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.whole.plan.shape()
    }

    /// The number of parts.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.whole.plan.members().len()
    }
}

impl<T: Element> Partition<T> {
    /// A tensor split along an axis. If its length is no multiple of `parts`, the first parts have one more.
    /// Along the first axis of a row-major tensor the parts share its memory; else they are copies.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] when there is no such axis, [`TensorError::Parts`] for no parts at all.
    pub fn split(tensor: &Tensor<T>, axis: usize, parts: usize) -> Result<Self, TensorError> {
        let view = tensor.view();
        let length = view.shape().get(axis).copied();
        let length =
            length.ok_or(TensorError::Rank { expected: axis.saturating_add(1), found: view.rank() })?;
        if parts == 0 {
            return Err(TensorError::Parts { what: "parts", expected: 1, found: 0 });
        }
        let memory: SharedMemory = Arc::new(tensor.clone());
        let mut members = Vec::with_capacity(parts);
        for number in 0..parts {
            let range = share_of(length, number, parts);
            let part = view.narrow(axis, range.start, range.len())?;
            let shared = part
                .as_slice()
                .and_then(|elements| SharedBytes::part_of(&memory, bytemuck::cast_slice(elements)));
            let bytes = shared.unwrap_or_else(|| part.to_vec().into());
            let size = u64::try_from(bytes.as_slice().len()).unwrap_or(u64::MAX);
            let descriptor = describe(T::TYPE, part.shape(), Layout::RowMajor, [size]);
            let mut offset = Extents::from_elem(0, view.rank());
            if let Some(start) = offset.get_mut(axis) {
                *start = range.start;
            }
            members.push((offset, SharedTensor::new(descriptor, [bytes])));
        }
        let whole = built(Rule::Partition, T::TYPE, view.shape(), members)?;
        Ok(Self { whole, element: PhantomData })
    }
}

/// The indices of one of several parts of an axis: all of one size, but for the first ones, which have one more
/// where that does not work out.
pub(crate) fn share_of(length: usize, number: usize, parts: usize) -> Range<usize> {
    let each = length.checked_div(parts).unwrap_or(0);
    let longer = length.checked_rem(parts).unwrap_or(0);
    let start = |number: usize| number.saturating_mul(each).saturating_add(number.min(longer));
    start(number)..start(number.saturating_add(1))
}

impl<T> Clone for PartitionView<'_, T> {
    fn clone(&self) -> Self {
        Self { whole: self.whole.clone(), element: PhantomData }
    }
}

impl<T> Clone for Partition<T> {
    fn clone(&self) -> Self {
        Self { whole: self.whole.clone(), element: PhantomData }
    }
}

impl<T: Stored> fmt::Debug for PartitionView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartitionView<{}>{:?} of {} parts", T::STORED_TYPE, self.shape(), self.part_count())
    }
}

impl<T: Stored> fmt::Debug for Partition<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partition<{}>{:?} of {} parts", T::STORED_TYPE, self.shape(), self.part_count())
    }
}

impl<T: Stored> fmt::Debug for Part<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part<{}>{:?} at {:?}", T::STORED_TYPE, self.shape, self.offset)
    }
}

impl<T: Stored> fmt::Debug for Piece<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piece {:?} of part {} ({:?})", self.ranges, self.number, self.part)
    }
}

#[cfg(test)]
mod tests {
    use super::share_of;

    #[test]
    fn shares_cover_the_axis_and_differ_by_one_at_most() {
        for length in 0..20 {
            for parts in 1..9 {
                let shares: Vec<_> = (0..parts).map(|number| share_of(length, number, parts)).collect();
                assert_eq!((shares[0].start, shares[parts - 1].end), (0, length));
                assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(shares.iter().all(|share| share.len().abs_diff(length / parts) <= 1));
            }
        }
    }
}
