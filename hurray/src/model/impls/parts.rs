//! Fields marked `partition(..)`: what can be split on saving, and what can hold the whole on loading.

use std::sync::Arc;

use crate::descriptor::Dims;
use crate::element::{Element, ElementType, Stored};
use crate::model::impls::slice::SliceElement;
use crate::model::impls::tensor::save_view;
use crate::model::save::Saver;
use crate::model::{Dim, HurrayLoad, HurraySave};
use crate::view::{
    Partition, PartitionView, Shape, Tensor, TensorView, WholeRule, shard_of, share_of, whole_head,
};
use crate::writer::SaveError;

/// A field that `#[hurray(partition(axis = .., parts = ..))]` splits on saving.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be split into parts on saving",
    label = "not one dense tensor",
    note = "`partition` splits `Tensor<T>`, `TensorView<'_, T>` and slices and vectors of elements, also in an `Option`, `Box` or `Arc`"
)]
pub trait SaveParts: HurraySave {
    /// Saves the tensor as a partition.
    #[doc(hidden)]
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, axis: usize, parts: usize) -> Result<(), SaveError>;
}

/// A field that can hold the whole of a tensor that the file has in parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't hold the whole of a tensor that the file has in parts",
    label = "borrows elements that lie side by side, and those of several parts do not",
    note = "`PartitionView<'a, T>` borrows the parts; `Tensor<T>` and `Vec<T>` own the whole",
    note = "for the part of one rank only, leave out `parts`: `partition(axis = ..)`, and load with `LoadOptions::rank`"
)]
pub trait LoadWhole<'f>: HurrayLoad<'f> {}

/// Splits a tensor along an axis, and saves each part straight from where it lies.
fn save_split<'s, T: Element>(
    view: TensorView<'s, T>,
    saver: Saver<'_, 's>,
    axis: usize,
    parts: usize,
) -> Result<(), SaveError> {
    let Some(&length) = view.shape().get(axis) else {
        let reason = format!("`partition(axis = {axis})` of a tensor of rank {}", view.rank());
        return Err(SaveError::Refused { path: saver.path().into(), source: reason.into() });
    };
    // The type in the file, which `element_type` may say.
    let stored = saver.rules().and_then(|rules| rules.element_type).and_then(ElementType::from_name);
    let shape: Dims = view.shape().iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect();
    let head = whole_head(WholeRule::Partition, stored.unwrap_or(T::TYPE), shape, parts)?;
    let mut members = saver.members(&head)?;
    for number in 0..parts {
        let share = share_of(length, number, parts);
        let mut offset = vec![0; view.rank()];
        offset.iter_mut().skip(axis).take(1).for_each(|start| *start = share.start);
        let part = view
            .narrow(axis, share.start, share.len())
            .map_err(|error| SaveError::Refused { path: members.path().into(), source: error.into() })?;
        members.member_at(shard_of(view.shape(), &offset), None, |saver| save_view(part, saver))?;
    }
    Ok(())
}

impl<T: Element> SaveParts for TensorView<'_, T> {
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, axis: usize, parts: usize) -> Result<(), SaveError> {
        save_split(*self, saver, axis, parts)
    }
}

impl<T: Element> SaveParts for Tensor<T> {
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, axis: usize, parts: usize) -> Result<(), SaveError> {
        save_split(self.view(), saver, axis, parts)
    }
}

impl<T: SliceElement + HurraySave> SaveParts for [T] {
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, axis: usize, parts: usize) -> Result<(), SaveError> {
        let mut dims = Vec::new();
        T::push_dims(&mut dims);
        let fixed = dims.iter().map(|dim| match *dim {
            Dim::Fixed(size) => usize::try_from(size).unwrap_or(usize::MAX),
            Dim::Any | Dim::Name(_) | Dim::Rest => usize::MAX,
        });
        let elements: &'s [T::Scalar] = bytemuck::cast_slice(self);
        match Shape::from_dims(std::iter::once(self.len()).chain(fixed)) {
            Some(shape) => save_split(TensorView::contiguous(elements, shape), saver, axis, parts),
            None => self.save(saver),
        }
    }
}

impl<T: SliceElement + HurraySave> SaveParts for Vec<T> {
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, axis: usize, parts: usize) -> Result<(), SaveError> {
        self.as_slice().save_parts(saver, axis, parts)
    }
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T: SaveParts + ?Sized> SaveParts for $pointer {
            fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, axis: usize, parts: usize) -> Result<(), SaveError> {
                T::save_parts(self, saver, axis, parts)
            }
        }
    )*};
}

pointers! { &T Box<T> Arc<T> }

impl<T: SaveParts> SaveParts for Option<T> {
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, axis: usize, parts: usize) -> Result<(), SaveError> {
        match self {
            Some(tensor) => tensor.save_parts(saver, axis, parts),
            None => Ok(()),
        }
    }
}

/// In the parts that it has already.
impl<T: Stored> SaveParts for PartitionView<'_, T> {
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, _: usize, _: usize) -> Result<(), SaveError> {
        self.save(saver)
    }
}

/// In the parts that it has already.
impl<T: Stored> SaveParts for Partition<T> {
    fn save_parts<'s>(&'s self, saver: Saver<'_, 's>, _: usize, _: usize) -> Result<(), SaveError> {
        self.save(saver)
    }
}

impl<'f: 'a, 'a, T: Stored> LoadWhole<'f> for PartitionView<'a, T> {}
impl<'f, T: Stored> LoadWhole<'f> for Partition<T> {}
impl<'f, T: Element> LoadWhole<'f> for Tensor<T> {}
impl<'f, T: SliceElement + HurrayLoad<'f>> LoadWhole<'f> for Vec<T> {}
impl<'f, T: SliceElement + HurrayLoad<'f>> LoadWhole<'f> for Box<[T]> {}
impl<'f, T: SliceElement + HurrayLoad<'f>> LoadWhole<'f> for Arc<[T]> {}
impl<'f, T: LoadWhole<'f>> LoadWhole<'f> for Box<T> {}
impl<'f, T: LoadWhole<'f>> LoadWhole<'f> for Arc<T> {}
impl<'f, T: LoadWhole<'f>> LoadWhole<'f> for Option<T> {}
