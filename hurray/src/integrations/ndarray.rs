//! ndarray 0.17: arrays as fields of models, and views of tensors as arrays.

use std::borrow::Cow;
use std::io::Write;

use ::ndarray::{
    Array, ArrayBase, ArrayD, ArrayView, Axis, CowArray, Data, Dimension, IxDyn, OwnedArcRepr, OwnedRepr,
    RawData, ShapeBuilder, ViewRepr,
};

use crate::bytes::to_usize;
use crate::descriptor::{Dims, Layout, TensorDescriptor};
use crate::element::{Element, ElementType};
use crate::error::TensorError;

use crate::model::{HurrayLoad, HurraySave, Loader, Reported, Saver, pack_bools, unpack_bools};
use crate::reader::TensorEntry;
use crate::view::{Shape, TensorView};
use crate::writer::{BoxError, SaveError, TensorSource};

/// Arrays, views and shared arrays of any memory order, saved in row-major order: from where they are if they
/// lie that way, else gathered in blocks when their turn comes.
impl<S: Data<Elem = T>, D: Dimension, T: Element> HurraySave for ArrayBase<S, D, T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        let size = as_u64(self.len().saturating_mul(size_of::<T>()));
        let source = match self.as_slice() {
            Some(slice) => TensorSource::Borrowed(bytemuck::cast_slice(slice)),
            None => TensorSource::stream(size, move |writer| gather(self.view(), writer)),
        };
        saver.tensor(&TensorDescriptor::row_major(T::TYPE, dims_of(self.shape()), size), [source])
    }
}

/// Packed eight to a byte when its turn comes.
impl<S: Data<Elem = bool>, D: Dimension> HurraySave for ArrayBase<S, D, bool> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        let size = as_u64(self.len().div_ceil(8));
        let source = TensorSource::lazy(size, move || {
            let bools = self.as_slice().map_or_else(|| self.iter().copied().collect(), Cow::Borrowed);
            Ok(Cow::Owned(pack_bools(&bools)))
        });
        saver.tensor(&TensorDescriptor::row_major(ElementType::Bool, dims_of(self.shape()), size), [source])
    }
}

/// Writes the elements in row-major order: whole rows where they lie in one piece, else a block at a time.
fn gather<T: Element, D: Dimension>(
    array: ArrayView<'_, T, D>,
    writer: &mut dyn Write,
) -> Result<(), BoxError> {
    const BLOCK: usize = 16 * 1024;
    let last = array.ndim().checked_sub(1).map(Axis);
    if last.is_some_and(|last| array.stride_of(last) == 1) {
        for row in array.rows() {
            writer.write_all(bytemuck::cast_slice(row.as_slice().ok_or("a row is in pieces")?))?;
        }
        return Ok(());
    }
    let mut block: Vec<T> = Vec::with_capacity(BLOCK.min(array.len()));
    let mut elements = array.iter().copied();
    loop {
        block.clear();
        block.extend(elements.by_ref().take(BLOCK));
        if block.is_empty() {
            return Ok(());
        }
        writer.write_all(bytemuck::cast_slice(&block))?;
    }
}

/// Borrows from the file, whatever dense layout the tensor has there; the rank is that of `D`.
impl<'f: 'a, 'a, T: Element, D: Dimension> HurrayLoad<'f> for ArrayBase<ViewRepr<&'a T>, D, T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        load_view(loader)
    }

    const IS_LEAF: bool = true;
}

/// Borrows from the file.
impl<'f: 'a, 'a, T: Element, D: Dimension> HurrayLoad<'f> for CowArray<'a, T, D> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        load_view::<T, D>(loader).map(CowArray::from)
    }

    const IS_LEAF: bool = true;
}

/// The elements that an owned array can be loaded of: those of [`Element`], and `bool`.
#[diagnostic::on_unimplemented(
    message = "an array of `{Self}` can't be loaded from a Hurray file",
    label = "not an element type",
    note = "arrays are loaded of f32, f64, half::f16, half::bf16, i8 to i64, u8 to u64 and bool"
)]
pub trait ArrayElement: Clone {
    /// Copies the tensor at the path.
    #[doc(hidden)]
    fn load_array<D: Dimension>(loader: Loader<'_, '_>) -> Result<Array<Self, D>, Reported>;
}

impl<T: Element> ArrayElement for T {
    fn load_array<D: Dimension>(loader: Loader<'_, '_>) -> Result<Array<T, D>, Reported> {
        let view: ArrayView<'_, T, D> = load_view(loader)?;
        // `to_owned` would keep a reversed or column-major order.
        Ok(view.as_standard_layout().into_owned())
    }
}

impl ArrayElement for bool {
    fn load_array<D: Dimension>(mut loader: Loader<'_, '_>) -> Result<Array<bool, D>, Reported> {
        let entry = loader.by_ref().tensor()?;
        let array = entry.packed_bools().and_then(|(shape, bytes)| {
            let count = shape.iter().product();
            let array = ArrayD::from_shape_vec(IxDyn(&shape), unpack_bools(bytes, count));
            into_rank(array.ok(), &shape, |array| array.into_dimensionality::<D>().ok())
        });
        array.map_err(|error| loader.refuse(&error, "bool"))
    }
}

impl<'f, T: ArrayElement, D: Dimension> HurrayLoad<'f> for ArrayBase<OwnedRepr<T>, D, T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_array(loader)
    }

    const IS_LEAF: bool = true;
}

impl<'f, T: ArrayElement, D: Dimension> HurrayLoad<'f> for ArrayBase<OwnedArcRepr<T>, D, T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_array(loader).map(Array::into_shared)
    }

    const IS_LEAF: bool = true;
}

fn load_view<'f, T: Element, D: Dimension>(
    mut loader: Loader<'_, 'f>,
) -> Result<ArrayView<'f, T, D>, Reported> {
    let entry = loader.by_ref().tensor()?;
    view_entry(&entry).map_err(|error| loader.refuse(&error, ""))
}

fn view_entry<'f, T: Element, D: Dimension>(
    entry: &TensorEntry<'f>,
) -> Result<ArrayView<'f, T, D>, TensorError> {
    match entry.view::<T>() {
        Ok(view) => view.to_ndarray(),
        // Arrays have no largest rank.
        Err(TensorError::RankTooHigh { found, .. }) => view_high_rank(entry, found),
        Err(error) => Err(error),
    }
}

/// A row-major tensor of more dimensions than a [`Shape`] has.
fn view_high_rank<'f, T: Element, D: Dimension>(
    entry: &TensorEntry<'f>,
    rank: usize,
) -> Result<ArrayView<'f, T, D>, TensorError> {
    let descriptor = entry.known_descriptor()?;
    if *descriptor.layout() != Layout::RowMajor {
        return Err(TensorError::rank_too_high(rank));
    }
    let shape: Option<Vec<usize>> = descriptor.shape().iter().map(|&dim| to_usize(dim)).collect();
    let shape = shape.ok_or_else(|| TensorError::dynamic(0))?;
    let count = element_count(&shape);
    let size = count.and_then(|count| count.checked_mul(size_of::<T>()));
    let start = to_usize(descriptor.byte_offset());
    let end = start.zip(size).and_then(|(start, size)| start.checked_add(size));
    let buffers = entry.buffers_of(&descriptor)?;
    let bytes = buffers.first().copied().unwrap_or_default();
    let bytes = start.zip(end).and_then(|(start, end)| bytes.get(start..end)).unwrap_or_default();
    let data: &'f [T] =
        bytemuck::try_cast_slice(bytes).map_err(|_| TensorError::misaligned(align_of::<T>(), 1))?;
    let array = ArrayView::from_shape(IxDyn(&shape), data);
    into_rank(array.ok(), &shape, |array| array.into_dimensionality::<D>().ok())
}

/// Gives an array the number of dimensions that its type has.
fn into_rank<A, B>(
    array: Option<A>,
    shape: &[usize],
    convert: impl FnOnce(A) -> Option<B>,
) -> Result<B, TensorError>
where
    B: HasRank,
{
    if let Some(expected) = B::RANK
        && expected != shape.len()
    {
        return Err(TensorError::Rank { expected, found: shape.len() });
    }
    // What is left is a shape of more elements than memory has, or than there are.
    array.and_then(convert).ok_or_else(|| too_large(shape))
}

/// An array type whose rank may be fixed.
trait HasRank {
    const RANK: Option<usize>;
}

impl<S: RawData<Elem = T>, D: Dimension, T> HasRank for ArrayBase<S, D, T> {
    const RANK: Option<usize> = D::NDIM;
}

#[cold]
fn too_large(shape: &[usize]) -> TensorError {
    let found = shape.iter().fold(1u128, |count, &dim| count.saturating_mul(u128::from(as_u64(dim))));
    TensorError::limit("elements of an array", as_u64(isize::MAX.unsigned_abs()), found)
}

impl<'a, T: Element> TensorView<'a, T> {
    /// The view as an array of the same memory: nothing is copied. `D` fixes the rank (`Ix2`), or leaves it
    /// open (`IxDyn`).
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] when `D` is of another rank.
    ///
    /// ```
    /// use hurray::TensorView;
    /// use ndarray::{Ix2, array};
    ///
    /// let weight = TensorView::from_slice(&[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(weight.to_ndarray::<Ix2>()?.dot(&array![1.0, 1.0]), array![3.0, 7.0]);
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    pub fn to_ndarray<D: Dimension>(&self) -> Result<ArrayView<'a, T, D>, TensorError> {
        if let Some(expected) = D::NDIM
            && expected != self.rank()
        {
            return Err(TensorError::Rank { expected, found: self.rank() });
        }
        let (data, origin) = self.storage();
        let empty = self.shape().contains(&0);
        let (mut lowest, mut strides) = (origin.cast_signed(), Vec::with_capacity(self.rank()));
        for (&dim, stride) in self.shape().iter().zip(self.strides()) {
            if stride < 0 && dim > 0 {
                lowest = lowest.saturating_add(stride.saturating_mul(dim.saturating_sub(1).cast_signed()));
            }
            // A stride that is never taken may be anything; ndarray compares it with the length all the same.
            strides.push(if dim <= 1 { 0 } else { stride.unsigned_abs() });
        }
        let start = if empty { 0 } else { usize::try_from(lowest).unwrap_or(usize::MAX) };
        let data = data.get(start..).unwrap_or_default();
        let shape = IxDyn(self.shape());
        let array = match self.as_slice() {
            Some(slice) => ArrayView::from_shape(shape, slice),
            None => ArrayView::from_shape(shape.strides(IxDyn(&strides)), data),
        };
        let mut array = array.map_err(|_| too_large(self.shape()))?;
        if self.as_slice().is_none() {
            for (axis, (&dim, stride)) in self.shape().iter().zip(self.strides()).enumerate() {
                if stride < 0 && dim > 1 {
                    array.invert_axis(Axis(axis));
                }
            }
        }
        array.into_dimensionality().map_err(|_| too_large(self.shape()))
    }

    /// An array that lies in one piece, in any order of its dimensions, as a view of the same memory.
    fn from_ndarray<D: Dimension>(array: ArrayView<'a, T, D>) -> Result<Self, TensorError> {
        let shape = Shape::new(array.shape())?;
        let strides: Vec<isize> = array.strides().to_vec();
        if let Some(slice) = array.to_slice() {
            return Ok(Self::contiguous(slice, shape));
        }
        let mut array = array.into_dyn();
        let mut origin = 0isize;
        for (axis, (&dim, &stride)) in shape.iter().zip(&strides).enumerate() {
            match stride {
                // One of several elements at the same place stands for all.
                0 => array.collapse_axis(Axis(axis), 0),
                ..0 => {
                    let last = dim.saturating_sub(1).cast_signed();
                    origin = origin.saturating_sub(stride.saturating_mul(last));
                    array.invert_axis(Axis(axis));
                }
                _ => {}
            }
        }
        let in_pieces = TensorError::layout("elements in one piece", "an array with gaps");
        let data = array.to_slice_memory_order().ok_or(in_pieces)?;
        Self::from_strided(data, origin.unsigned_abs(), &shape, &strides)
    }
}

/// Without a copy; see [`TensorView::to_ndarray`].
impl<'a, T: Element, D: Dimension> TryFrom<TensorView<'a, T>> for ArrayView<'a, T, D> {
    type Error = TensorError;

    fn try_from(view: TensorView<'a, T>) -> Result<Self, TensorError> {
        view.to_ndarray()
    }
}

/// Without a copy, for arrays that lie in one piece: in any order of the dimensions, reversed, broadcast. Fails
/// with [`TensorError::RankTooHigh`] above rank 8, and with [`TensorError::Layout`] for arrays with gaps, as
/// `slice` makes them: nobody may look into the gaps. Such arrays are saved all the same.
impl<'a, T: Element, D: Dimension> TryFrom<ArrayView<'a, T, D>> for TensorView<'a, T> {
    type Error = TensorError;

    fn try_from(array: ArrayView<'a, T, D>) -> Result<Self, TensorError> {
        Self::from_ndarray(array)
    }
}

/// As for the array's view.
impl<'a, T: Element, D: Dimension> TryFrom<&'a Array<T, D>> for TensorView<'a, T> {
    type Error = TensorError;

    fn try_from(array: &'a Array<T, D>) -> Result<Self, TensorError> {
        Self::from_ndarray(array.view())
    }
}

fn element_count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim))
}

fn dims_of(shape: &[usize]) -> Dims {
    shape.iter().map(|&dim| as_u64(dim)).collect()
}

fn as_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}
