//! Typed views of the tensors of an open file.

use smallvec::SmallVec;

use crate::bytes::to_usize;
use crate::descriptor::{DYNAMIC, Layout, RowMajor, TensorDescriptor};
use crate::element::{Element, ElementType};
use crate::error::{Rule, TensorError};
use crate::reader::TensorEntry;
use crate::view::strided_shape::StridedShape;
use crate::view::{DynTensorView, Shape, Strides, TensorView};

impl<'f> TensorEntry<'f> {
    /// The tensor as a typed view into the file: no element is copied.
    ///
    /// # Errors
    ///
    /// [`TensorError::ElementType`] when the elements are of another type, [`TensorError::Quantized`],
    /// [`TensorError::Layout`] when they are not in one of the three dense layouts (row-major, column-major,
    /// strided), [`TensorError::RankTooHigh`] above rank 8, [`TensorError::StrideTooLarge`] for strides past 32 bits
    /// at rank 7 and 8, [`TensorError::Dynamic`], [`TensorError::Misaligned`] when they start at an odd address,
    /// [`TensorError::Format`] when the descriptor breaks a rule, and [`TensorError::Limit`] when strides of 0 make
    /// more of the bytes than [`Limits::dense_bytes`](crate::Limits::dense_bytes) lets a copy take: a view can always
    /// be copied.
    #[inline]
    pub fn view<T: Element>(&self) -> Result<TensorView<'f, T>, TensorError> {
        match self.known(const { T::TYPE.tag() }) {
            Some((shape, elements)) if let Some(view) = TensorView::row_major(shape, elements) => Ok(view),
            // A copy, so that the entry need not be in memory unless it comes to this.
            _ => { *self }.any_view(),
        }
    }

    /// The view of a row-major tensor without anything special.
    pub(crate) fn plain_view<T: Element>(&self) -> Option<TensorView<'f, T>> {
        if let Some((shape, elements)) = self.known(const { T::TYPE.tag() }) {
            return TensorView::row_major(shape, elements);
        }
        let (shape, elements) = self.plain(const { T::TYPE.tag() }, size_of::<T>())?;
        TensorView::row_major(&shape, elements)
    }

    #[inline(never)]
    fn any_view<T: Element>(self) -> Result<TensorView<'f, T>, TensorError> {
        let view = || {
            let descriptor = self.known_descriptor()?;
            // Before the placement: an element type or layout that is another one says more than a size.
            expect_plain(&descriptor, T::TYPE)?;
            let buffers = self.buffers_of(&descriptor)?;
            let limit = self.policy().limits.dense_bytes;
            typed(&descriptor, buffers.first().copied().unwrap_or_default(), limit)
        };
        view().map_err(|error| self.blamed_tensor(error))
    }

    /// The tensor as it is: any element type, any layout.
    ///
    /// # Errors
    ///
    /// [`TensorError::Format`] when the descriptor breaks a rule, or the buffers are not where they belong.
    pub fn dyn_view(&self) -> Result<DynTensorView<'f>, TensorError> {
        self.view_as()
    }

    /// Shape and bytes of a packed, row-major bool tensor.
    pub(crate) fn packed_bools(&self) -> Result<(SmallVec<[usize; 8]>, &'f [u8]), TensorError> {
        let descriptor = self.known_descriptor()?;
        expect_plain(&descriptor, ElementType::Bool)?;
        if *descriptor.layout() != Layout::RowMajor {
            return Err(TensorError::layout("row_major", descriptor.layout().name()));
        }
        let dims: Option<SmallVec<[usize; 8]>> =
            descriptor.shape().iter().map(|&dim| to_usize(dim)).collect();
        let dims = dims.ok_or_else(|| TensorError::dynamic(0))?;
        let buffers = self.buffers_of(&descriptor)?;
        let start = to_usize(descriptor.byte_offset()).unwrap_or(usize::MAX);
        let bytes = buffers.first().copied().and_then(|buffer| buffer.get(start..)).unwrap_or_default();
        let count = if dims.contains(&0) {
            Some(0)
        } else {
            dims.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim))
        };
        // The count decides what a caller allocates: no more than the bytes that are there.
        if count.is_none_or(|count| count.div_ceil(8) > bytes.len()) {
            return Err(self.blamed(Rule::Buf14.broken().but_found(bytes.len())).into());
        }
        Ok((dims, bytes))
    }
}

impl<'f, T: Element> TensorView<'f, T> {
    /// The view of a plain tensor; `None` if its elements start at an odd address.
    #[inline(always)]
    pub(crate) fn row_major(shape: &RowMajor, bytes: &'f [u8]) -> Option<Self> {
        let data = bytemuck::try_cast_slice(bytes).ok()?;
        Some(Self::packed(data, StridedShape::plain(shape)))
    }
}

/// A dense tensor of plain elements as a typed view of its buffer, of which a copy takes at most `dense_bytes`.
#[inline]
pub(crate) fn typed<'f, T: Element>(
    descriptor: &TensorDescriptor,
    buffer: &'f [u8],
    dense_bytes: u64,
) -> Result<TensorView<'f, T>, TensorError> {
    expect_plain(descriptor, T::TYPE)?;
    let view = dense(descriptor, buffer)?;
    view.check_copy(dense_bytes)?;
    Ok(view)
}

/// The elements of a dense layout as values of a type of the same width, whatever their element type is.
#[inline]
fn dense<'f, T: Element>(
    descriptor: &TensorDescriptor,
    buffer: &'f [u8],
) -> Result<TensorView<'f, T>, TensorError> {
    let shape = shape_of(descriptor)?;
    let strides = match descriptor.layout() {
        Layout::RowMajor => Strides::row_major(&shape),
        Layout::ColumnMajor => Strides::column_major(&shape),
        Layout::Strided { strides } => strides_of(strides)?,
        other => {
            let expected = "row_major, column_major or strided";
            return Err(TensorError::layout(expected, other.name()));
        }
    };
    let strided = StridedShape::new(&shape, &strides)?;
    if shape.element_count() == Some(0) {
        return Ok(TensorView::checked(&[], 0, strided));
    }
    // In strict mode this was checked when the descriptor was decoded (BUF-14); permissive mode leaves it to us.
    let (bytes, origin) = reachable::<T>(descriptor, buffer, &shape, &strides)
        .ok_or_else(|| Rule::Buf14.broken().but_found(buffer.len()))?;
    match bytemuck::try_cast_slice(bytes) {
        Ok(data) => Ok(TensorView::checked(data, origin, strided)),
        Err(_) => Err(misaligned::<T>(bytes)),
    }
}

/// Why a composite head is no tensor.
#[cold]
pub(crate) fn no_tensor() -> TensorError {
    let found = "a composite_head, which stands for the tensors after it: a group, or one tensor in parts";
    TensorError::layout("a tensor", found)
}

/// Refuses a quantized tensor, and one of another element type.
#[inline]
fn expect_plain(descriptor: &TensorDescriptor, expected: ElementType) -> Result<(), TensorError> {
    let found = descriptor.element_type();
    if let Some(quantization) = descriptor.quantization() {
        return Err(TensorError::quantized(quantization.name()));
    }
    if let Layout::Composite(_) = descriptor.layout() {
        return Err(no_tensor());
    }
    if found != expected {
        return Err(TensorError::element_type(expected, found));
    }
    Ok(())
}

#[inline]
fn shape_of(descriptor: &TensorDescriptor) -> Result<Shape, TensorError> {
    if let Some(dimension) = descriptor.shape().iter().position(|&dim| dim == DYNAMIC) {
        return Err(TensorError::dynamic(dimension));
    }
    let dims = descriptor.shape().iter().map(|&dim| usize::try_from(dim).unwrap_or(usize::MAX));
    Shape::from_dims(dims).ok_or_else(|| TensorError::rank_too_high(descriptor.rank()))
}

fn strides_of(strides: &[i64]) -> Result<Strides, TensorError> {
    let in_memory = strides.iter().enumerate().map(|(dimension, &stride)| {
        isize::try_from(stride).map_err(|_| TensorError::stride_too_large(dimension, stride))
    });
    let in_memory: SmallVec<[isize; 8]> = in_memory.collect::<Result<_, _>>()?;
    Strides::new(&in_memory).ok_or_else(|| TensorError::rank_too_high(strides.len()))
}

/// The bytes of all elements that the strides reach, and where element `[0, ..., 0]` is among them.
#[inline]
fn reachable<'f, T: Element>(
    descriptor: &TensorDescriptor,
    buffer: &'f [u8],
    shape: &Shape,
    strides: &Strides,
) -> Option<(&'f [u8], usize)> {
    let reach = strides.reach(shape.dims())?;
    let size = isize::try_from(size_of::<T>()).ok()?;
    let first = to_usize(descriptor.byte_offset())?;
    let start = first.checked_add_signed(reach.lowest.checked_mul(size)?)?;
    let end = first.checked_add_signed(reach.highest.checked_add(1)?.checked_mul(size)?)?;
    Some((buffer.get(start..end)?, reach.lowest.unsigned_abs()))
}

#[cold]
fn misaligned<T>(bytes: &[u8]) -> TensorError {
    let have = 1usize.checked_shl(bytes.as_ptr().addr().trailing_zeros()).unwrap_or(usize::MAX);
    TensorError::misaligned(align_of::<T>(), have)
}
