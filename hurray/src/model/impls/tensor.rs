//! Views and tensors of the dense layouts.

use std::io::Write;

use crate::descriptor::{Dims, TensorDescriptor};
use crate::element::Element;
use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::view::{Tensor, TensorView};
use crate::writer::{BoxError, SaveError, TensorSource};

/// Saves a view in row-major order: from where it is if it lies that way, else gathered in blocks when its
/// turn comes.
fn save_view<'s, T: Element>(view: TensorView<'s, T>, saver: Saver<'_, 's>) -> Result<(), SaveError> {
    let as_u64 = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    let shape: Dims = view.shape().iter().map(|&dim| as_u64(dim)).collect();
    let size = as_u64(view.len().saturating_mul(size_of::<T>()));
    let source = match view.as_slice() {
        Some(slice) => TensorSource::Borrowed(bytemuck::cast_slice(slice)),
        None => TensorSource::stream(size, move |writer| gather(view, writer)),
    };
    saver.tensor(&TensorDescriptor::row_major(T::TYPE, shape, size), [source])
}

/// Writes the elements of a view in row-major order, a block at a time.
fn gather<T: Element>(view: TensorView<'_, T>, writer: &mut dyn Write) -> Result<(), BoxError> {
    const BLOCK: usize = 16 * 1024;
    let mut block: Vec<T> = Vec::with_capacity(BLOCK.min(view.len()));
    let mut elements = view.iter();
    loop {
        block.clear();
        block.extend(elements.by_ref().take(BLOCK));
        if block.is_empty() {
            return Ok(());
        }
        writer.write_all(bytemuck::cast_slice(&block))?;
    }
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
        let view = loader.view()?;
        let shared = memory.and_then(|memory| Self::shared(memory, view));
        Ok(shared.unwrap_or_else(|| view.to_dense()))
    }

    const IS_LEAF: bool = true;
}
