//! Elements: alone they are key-value entries, in slices they are tensors.

use std::borrow::Cow;

use half::{bf16, f16};

use crate::descriptor::{Dims, TensorDescriptor};
use crate::element::{Element, ElementType};
use crate::error::TensorError;
use crate::model::impls::tensor::save_view;
use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{Dim, HurrayLoad, HurraySave, KvSave};
use crate::view::{Shape, TensorView};
use crate::writer::{SaveError, TensorSource};

/// Saves a slice of elements as one row-major tensor, straight from where it is.
pub(super) fn save_elements<'s, T: Element>(
    slice: &'s [T],
    saver: Saver<'_, 's>,
    dims: Dims,
) -> Result<(), SaveError> {
    if saver.rules().is_some_and(|rules| rules.element_type.is_some())
        && let Some(shape) =
            Shape::from_dims(dims.iter().map(|&dim| usize::try_from(dim).unwrap_or(usize::MAX)))
    {
        return save_view(TensorView::contiguous(slice, shape), saver);
    }
    let bytes: &'s [u8] = bytemuck::cast_slice(slice);
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    saver.tensor(&TensorDescriptor::row_major(T::TYPE, dims, size), [TensorSource::Borrowed(bytes)])
}

/// Holds the shape of a tensor against that of a Rust type; says what the type wants if it differs.
pub(super) fn check_dims(dims: &[Dim], shape: &[usize]) -> Result<(), TensorError> {
    if dims.len() != shape.len() {
        return Err(TensorError::Rank { expected: dims.len(), found: shape.len() });
    }
    let as_u64 = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    let fits = dims.iter().zip(shape).all(|(dim, &size)| match *dim {
        Dim::Fixed(fixed) => fixed == as_u64(size),
        Dim::Any | Dim::Name(_) | Dim::Rest => true,
    });
    if fits {
        return Ok(());
    }
    let expected = dims.iter().zip(shape).map(|(dim, &size)| match *dim {
        Dim::Fixed(fixed) => fixed,
        Dim::Any | Dim::Name(_) | Dim::Rest => as_u64(size),
    });
    Err(TensorError::Shape {
        expected: expected.collect(),
        found: shape.iter().map(|&size| as_u64(size)).collect(),
    })
}

/// The elements of the tensor at the path, whose shape has to be `dims`.
fn load_elements<T: Element>(mut loader: Loader<'_, '_>, dims: &[Dim]) -> Result<Vec<T>, Reported> {
    let elements = loader.by_ref().elements::<T>()?;
    match check_dims(dims, elements.shape()).and_then(|()| elements.to_vec(loader.limits())) {
        Ok(elements) => Ok(elements),
        Err(error) => Err(loader.refuse(&error, "")),
    }
}

macro_rules! elements {
    ($($rust:ty)*) => {
        $(
            impl HurraySave for $rust {
                fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
                    saver.kv_of(self)
                }

                const IS_ELEMENT: bool = true;

                fn save_slice<'s>(slice: &'s [Self], saver: Saver<'_, 's>, dims: Dims) -> Result<(), SaveError> {
                    save_elements(slice, saver, dims)
                }
            }

            impl<'f> HurrayLoad<'f> for $rust {
                fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
                    loader.scalar()
                }

                const IS_ELEMENT: bool = true;

                fn load_vec(loader: Loader<'_, 'f>) -> Result<Vec<Self>, Reported> {
                    load_elements(loader, &[Dim::Any])
                }

                fn load_elements(loader: Loader<'_, 'f>, dims: &[Dim]) -> Result<Vec<Self>, Reported> {
                    load_elements(loader, dims)
                }
            }
        )*
    };
}

elements! { f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64 }

/// Bits, eight to a byte, the first in the lowest bit (FORMAT §4.2).
pub(crate) fn pack_bools(bools: &[bool]) -> Vec<u8> {
    let byte = |bits: &[bool]| bits.iter().rev().fold(0u8, |byte, &bit| (byte << 1) | u8::from(bit));
    bools.chunks(8).map(byte).collect()
}

/// The first `count` bits.
pub(crate) fn unpack_bools(bytes: &[u8], count: usize) -> Vec<bool> {
    let bits = bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
    bits.take(count).collect()
}

impl HurraySave for bool {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        saver.kv_of(self)
    }

    const IS_ELEMENT: bool = true;

    fn save_slice<'s>(slice: &'s [Self], saver: Saver<'_, 's>, dims: Dims) -> Result<(), SaveError> {
        let size = u64::try_from(slice.len().div_ceil(8)).unwrap_or(u64::MAX);
        let source = TensorSource::lazy(size, move || Ok(Cow::Owned(pack_bools(slice))));
        saver.tensor(&TensorDescriptor::row_major(ElementType::Bool, dims, size), [source])
    }
}

/// The bools of a packed, row-major tensor whose shape has to be `dims`.
fn load_bools(mut loader: Loader<'_, '_>, dims: &[Dim]) -> Result<Vec<bool>, Reported> {
    let entry = loader.by_ref().tensor()?;
    let bools = entry.packed_bools().and_then(|(shape, bytes)| {
        check_dims(dims, &shape)?;
        let count = shape.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim));
        Ok(unpack_bools(bytes, count.unwrap_or(usize::MAX)))
    });
    bools.map_err(|error| loader.refuse(&error, "bool"))
}

impl<'f> HurrayLoad<'f> for bool {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        loader.scalar()
    }

    const IS_ELEMENT: bool = true;

    fn load_vec(loader: Loader<'_, 'f>) -> Result<Vec<Self>, Reported> {
        load_bools(loader, &[Dim::Any])
    }

    fn load_elements(loader: Loader<'_, 'f>, dims: &[Dim]) -> Result<Vec<Self>, Reported> {
        load_bools(loader, dims)
    }
}

impl Saver<'_, '_> {
    /// Saves a value as one key-value entry.
    pub(crate) fn kv_of<T: KvSave + ?Sized>(self, value: &T) -> Result<(), SaveError> {
        match value.to_kv() {
            Some(value) => self.kv(value),
            None if value.is_absent() => Ok(()),
            None => Err(self.no_entry(std::any::type_name::<T>())),
        }
    }

    /// Saves a slice as one key-value array.
    pub(crate) fn kv_of_slice<T: KvSave>(self, slice: &[T]) -> Result<(), SaveError> {
        match T::slice_to_kv(slice) {
            Some(value) => self.kv(value),
            None => Err(self.no_entry(std::any::type_name::<[T]>())),
        }
    }

    /// Entries are scalars, strings, byte sequences, and flat arrays of these: nothing is left out in silence.
    #[cold]
    fn no_entry(&self, name: &str) -> SaveError {
        let source = format!("a value of `{name}` is no key-value entry, and no flat array of such").into();
        SaveError::Refused { path: self.path().into(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::{pack_bools, unpack_bools};
    use proptest::prelude::*;

    #[test]
    fn bools_pack_from_the_lowest_bit() {
        // The example of FORMAT §4.2.
        assert_eq!(pack_bools(&[true, false, true, true, false]), [0x0D]);
    }

    proptest! {
        #[test]
        fn packed_bools_come_back(bools in prop::collection::vec(any::<bool>(), 0..70)) {
            let bytes = pack_bools(&bools);
            prop_assert_eq!(bytes.len(), bools.len().div_ceil(8));
            prop_assert_eq!(unpack_bools(&bytes, bools.len()), bools);
        }
    }
}
