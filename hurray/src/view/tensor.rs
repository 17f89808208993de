//! The `'static` tensor: owns its elements, or shares the memory of the file they came from.

use std::fmt;
use std::sync::Arc;

use crate::element::Element;
use crate::error::TensorError;
use crate::view::strided_shape::StridedShape;
use crate::view::tensor_view::fmt_elements;
use crate::view::{Shape, TensorView};

/// Bytes that several tensors share: an open file, or memory handed over by a framework.
pub(crate) type SharedMemory = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A dense tensor that borrows from nobody and is cheap to clone.
///
/// It owns its elements, or shares the memory of the [`File`](crate::File) that it was loaded from. Sharing
/// keeps the *whole* file alive and mapped for as long as one such tensor lives, however small it is:
/// [`into_owned`](Self::into_owned) lets go of it.
///
/// ```
/// use hurray::Tensor;
///
/// let mut tensor = Tensor::from_vec(vec![1i32, 2, 3, 4], &[2, 2])?;
/// let before = tensor.clone();
/// tensor.make_mut()[3] = 7;
/// assert_eq!(tensor.view().get(&[1, 1]), Some(7));
/// assert_eq!(before.view().get(&[1, 1]), Some(4));
/// # Ok::<(), hurray::TensorError>(())
/// ```
#[derive(Clone)]
pub struct Tensor<T> {
    storage: Storage<T>,
    origin: usize,
    shape: StridedShape,
}

#[derive(Clone)]
enum Storage<T> {
    Owned(Arc<Vec<T>>),
    /// `len` elements of `memory` from byte `start`: the range was checked, and is aligned for `T`.
    Shared {
        memory: SharedMemory,
        start: usize,
        len: usize,
    },
}

impl<T: Element> Storage<T> {
    fn as_slice(&self) -> &[T] {
        match self {
            Self::Owned(elements) => elements,
            Self::Shared { memory, start, len } => {
                let bytes = (**memory).as_ref();
                let end = start.saturating_add(len.saturating_mul(size_of::<T>()));
                // Checked in `Tensor::shared`; a memory that answers differently later has no elements.
                bytes
                    .get(*start..end)
                    .and_then(|bytes| bytemuck::try_cast_slice(bytes).ok())
                    .unwrap_or_default()
            }
        }
    }
}

impl<T: Element> Tensor<T> {
    /// A row-major tensor that owns its elements.
    ///
    /// # Errors
    ///
    /// [`TensorError::Shape`] unless the shape has exactly `data.len()` elements,
    /// [`TensorError::RankTooHigh`] above rank 8.
    pub fn from_vec(data: Vec<T>, shape: &[usize]) -> Result<Self, TensorError> {
        let shape = TensorView::from_slice(&data, shape)?.strided_shape().shape();
        Ok(Self::contiguous(data, shape))
    }

    /// `data` has exactly as many elements as `shape`.
    pub(crate) fn contiguous(data: Vec<T>, shape: Shape) -> Self {
        Self { storage: Storage::Owned(Arc::new(data)), origin: 0, shape: StridedShape::row_major(&shape) }
    }

    /// A tensor over memory that it shares. `view` borrows from that memory and gives shape and place.
    ///
    /// `None` when `view` does not lie in `memory`.
    pub(crate) fn shared(memory: SharedMemory, view: TensorView<'_, T>) -> Option<Self> {
        let (data, origin) = view.storage();
        let (bytes, data_bytes) = ((*memory).as_ref(), bytemuck::cast_slice::<T, u8>(data));
        let start = if data.is_empty() {
            0
        } else {
            data_bytes.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?
        };
        let within = bytes.get(start..start.checked_add(data_bytes.len())?)?;
        if !data.is_empty() && !std::ptr::eq(within, data_bytes) {
            return None;
        }
        let storage = Storage::Shared { memory, start, len: data.len() };
        Some(Self { storage, origin, shape: view.strided_shape() })
    }

    /// Tensors of one shape but for an axis, copied one after another along it.
    ///
    /// # Errors
    ///
    /// [`TensorError::Shape`] when shapes differ elsewhere, [`TensorError::Rank`] when there is no such axis or no
    /// tensor.
    pub fn concatenate(parts: &[TensorView<'_, T>], axis: usize) -> Result<Self, TensorError> {
        let as_u64 =
            |dims: &[usize]| dims.iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect();
        let first = parts.first().map(TensorView::shape).unwrap_or_default();
        let mut along = 0usize;
        for part in parts {
            let shape = part.shape();
            let differs = |(at, (left, right)): (usize, (&usize, &usize))| at != axis && left != right;
            if shape.len() != first.len() || shape.iter().zip(first).enumerate().any(differs) {
                return Err(TensorError::Shape { expected: as_u64(first), found: as_u64(shape) });
            }
            along = along.saturating_add(shape.get(axis).copied().unwrap_or(0));
        }
        if axis >= first.len() {
            return Err(TensorError::Rank { expected: axis.saturating_add(1), found: first.len() });
        }
        let shape: Vec<usize> =
            first.iter().enumerate().map(|(at, &dim)| if at == axis { along } else { dim }).collect();
        // Row-major: for each index before the axis, one run of each part.
        let outer = first.iter().take(axis).try_fold(1usize, |count, &dim| count.checked_mul(dim));
        let mut elements: Vec<_> = parts.iter().map(|part| part.iter()).collect();
        let runs: Vec<usize> =
            parts.iter().map(|part| part.len().checked_div(outer.unwrap_or(0)).unwrap_or(0)).collect();
        let mut data = Vec::with_capacity(parts.iter().map(TensorView::len).sum());
        for _ in 0..outer.unwrap_or(0) {
            for (elements, run) in elements.iter_mut().zip(&runs) {
                elements.append_to(&mut data, *run);
            }
        }
        Self::from_vec(data, &shape)
    }

    /// The tensor, borrowed.
    #[must_use]
    pub fn view(&self) -> TensorView<'_, T> {
        TensorView::checked(self.storage.as_slice(), self.origin, self.shape)
    }

    /// The dimensions in elements, dimension 0 first; empty for a scalar.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.shape.dims()
    }

    /// The number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The elements as one slice, when they lie one after another in row-major order; else `None`.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[T]> {
        self.view().as_slice()
    }

    /// The element at an index; `None` outside the shape or at another rank.
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<T> {
        self.view().get(index)
    }

    /// The elements in row-major order, copied.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        self.view().to_vec()
    }

    /// The elements to write to, in row-major order. Copies them first when they are shared with a file, with
    /// another tensor, or lie in another order: nobody else sees the change.
    pub fn make_mut(&mut self) -> &mut [T] {
        let packed = self.view().as_slice().is_some_and(|slice| slice.len() == self.storage.as_slice().len());
        if !packed || matches!(self.storage, Storage::Shared { .. }) {
            *self = self.view().to_dense();
        }
        match &mut self.storage {
            Storage::Owned(elements) => {
                let elements: &mut Vec<T> = Arc::make_mut(elements);
                elements
            }
            Storage::Shared { .. } => &mut [],
        }
    }

    /// The same tensor in memory of its own, packed in row-major order; lets go of the file it shared.
    #[must_use]
    pub fn into_owned(self) -> Self {
        match self.storage {
            Storage::Owned(_) => self,
            Storage::Shared { .. } => self.view().to_dense(),
        }
    }

    /// Whether the elements lie in memory shared with a file or framework.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.storage, Storage::Shared { .. })
    }
}

impl<T: Element> AsRef<[u8]> for Tensor<T> {
    /// The bytes of the elements in row-major order. Empty when they lie in another order, so that a check of
    /// the length refuses them: pack them first with [`TensorView::to_dense`].
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(self.as_slice().unwrap_or_default())
    }
}

impl<T: Element> From<TensorView<'_, T>> for Tensor<T> {
    fn from(view: TensorView<'_, T>) -> Self {
        view.to_dense()
    }
}

impl<'a, T: Element> From<&'a Tensor<T>> for TensorView<'a, T> {
    fn from(tensor: &'a Tensor<T>) -> Self {
        tensor.view()
    }
}

impl<T: Element> PartialEq for Tensor<T> {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl<T: Element> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}>{:?} ", T::TYPE, self.shape())?;
        fmt_elements(f, self.view().iter())
    }
}
