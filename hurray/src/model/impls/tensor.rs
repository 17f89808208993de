//! Views and tensors of the dense layouts.

use std::sync::Arc;

use crate::descriptor::{Dims, Layout, TensorDescriptor};
use crate::element::{Element, ElementType, FloatCast};
use crate::model::load::{Elements, Loader, Next, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::view::{Tensor, TensorView};
use crate::writer::{BoxError, SaveError, TensorSource};

/// Saves a view in row-major order: from where it is if it lies that way, else gathered in blocks when its
/// turn comes. The field's attributes may ask for the strides to be kept, or for another real floating type.
pub(super) fn save_view<'s, T: Element>(
    view: TensorView<'s, T>,
    saver: Saver<'_, 's>,
) -> Result<(), SaveError> {
    let rules = saver.rules();
    if let Some(name) = rules.and_then(|rules| rules.element_type) {
        return save_converted(view, name, saver);
    }
    if rules.is_some_and(|rules| rules.keep_layout) && view.as_slice().is_none() {
        return save_strided(view, saver);
    }
    let size = as_u64(view.len().saturating_mul(size_of::<T>()));
    let source = match view.as_slice() {
        Some(slice) => TensorSource::Borrowed(bytemuck::cast_slice(slice)),
        None => TensorSource::stream(size, move |writer| {
            gather(view, |block| Ok(writer.write_all(bytemuck::cast_slice(block))?))
        }),
    };
    saver.tensor(&TensorDescriptor::row_major(T::TYPE, dims_of(&view), size), [source])
}

fn as_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn dims_of<T: Element>(view: &TensorView<'_, T>) -> Dims {
    view.shape().iter().map(|&dim| as_u64(dim)).collect()
}

/// Hands out the elements of a view in row-major order, a block at a time.
fn gather<T: Element>(
    view: TensorView<'_, T>,
    mut take: impl FnMut(&[T]) -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    const BLOCK: usize = 16 * 1024;
    let mut block: Vec<T> = Vec::with_capacity(BLOCK.min(view.len()));
    let mut elements = view.iter();
    loop {
        block.clear();
        block.extend(elements.by_ref().take(BLOCK));
        if block.is_empty() {
            return Ok(());
        }
        take(&block)?;
    }
}

/// Saves a view as it lies, column-major or with its strides: the memory that they reach is written as it is.
fn save_strided<'s, T: Element>(view: TensorView<'s, T>, saver: Saver<'_, 's>) -> Result<(), SaveError> {
    let (reached, origin) = view.reached();
    let strides =
        view.strides().into_iter().map(|stride| i64::try_from(stride).unwrap_or(i64::MAX)).collect();
    let layout = if view.is_column_major() { Layout::ColumnMajor } else { Layout::Strided { strides } };
    let bytes: &'s [u8] = bytemuck::cast_slice(reached);
    let descriptor = TensorDescriptor::builder(T::TYPE, dims_of(&view))
        .layout(layout)
        .byte_offset(as_u64(origin.saturating_mul(size_of::<T>())))
        .buffer_sizes([as_u64(bytes.len())])
        .build()?;
    saver.tensor(&descriptor, [TensorSource::Borrowed(bytes)])
}

/// Saves a view as elements of another real floating type, rounded to nearest even.
fn save_converted<'s, T: Element>(
    view: TensorView<'s, T>,
    name: &'static str,
    saver: Saver<'_, 's>,
) -> Result<(), SaveError> {
    let cast = ElementType::from_name(name).and_then(|to| Some((to, FloatCast::new(T::TYPE, to)?)));
    let Some((element_type, cast)) = cast else {
        let reason =
            format!("`element_type = \"{name}\"` is not a conversion between real floats of {}", T::TYPE);
        return Err(SaveError::Refused { path: saver.path().into(), source: reason.into() });
    };
    let size = element_type.bytes_for(as_u64(view.len())).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let source = TensorSource::stream(size, move |writer| {
        gather(view, |block| {
            bytes.clear();
            cast.convert(bytemuck::cast_slice(block), &mut bytes);
            Ok(writer.write_all(&bytes)?)
        })
    });
    saver.tensor(&TensorDescriptor::row_major(element_type, dims_of(&view), size), [source])
}

impl<T: Element> HurraySave for TensorView<'_, T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        save_view(*self, saver)
    }
}

impl<'f: 'a, 'a, T: Element> HurrayLoad<'f> for TensorView<'a, T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        loader.view()
    }

    #[inline]
    fn load_next(next: Next<'_, 'f>) -> Option<Self> {
        next.view()
    }

    const IS_LEAF: bool = true;
}

impl<T: Element> HurraySave for Tensor<T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        save_view(self.view(), saver)
    }
}

/// Shares the memory of the file; copies when the bytes belong to the caller (`from_slice`).
impl<'f, T: Element> HurrayLoad<'f> for Tensor<T> {
    fn load(mut loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        let memory = loader.shared_memory();
        match loader.by_ref().elements()? {
            Elements::Borrowed(view) => {
                if let Some(shared) = memory.and_then(|memory| Self::shared(memory, view)) {
                    return Ok(shared);
                }
                let elements = view.to_vec_within(loader.limits().dense_bytes);
                elements
                    .and_then(|elements| Self::from_vec(elements, view.shape()))
                    .map_err(|error| loader.refuse(&error, ""))
            }
            Elements::Made(tensor) => Ok(tensor),
        }
    }

    fn load_next(next: Next<'_, 'f>) -> Option<Self> {
        let memory = next.shared_memory()?;
        Self::shared(memory, next.view()?)
    }

    const IS_LEAF: bool = true;

    fn load_shared(loader: Loader<'_, 'f>) -> Result<Arc<Self>, Reported> {
        loader.shared()
    }
}
