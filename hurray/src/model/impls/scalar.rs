//! Scalars and strings that are no elements: always key-value entries.

use std::borrow::Cow;

use crate::container::KvValue;
use crate::descriptor::Dims;
use crate::element::{Element, ElementType};
use crate::error::TensorError;
use crate::model::kv::Widen;
use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::reader::TensorEntry;
use crate::writer::SaveError;

macro_rules! entries {
    ($($rust:ty)*) => {
        $(
            impl HurraySave for $rust {
                fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
                    saver.kv_of(self)
                }

                fn save_slice<'s>(slice: &'s [Self], saver: Saver<'_, 's>, _: Dims) -> Result<(), SaveError> {
                    saver.kv_of_slice(slice)
                }
            }

            impl<'f> HurrayLoad<'f> for $rust {
                fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
                    loader.scalar()
                }

                fn load_vec(loader: Loader<'_, 'f>) -> Result<Vec<Self>, Reported> {
                    loader.kv_value()
                }
            }
        )*
    };
}

entries! { usize isize char String }

impl HurraySave for str {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        saver.kv_of(self)
    }
}

impl<'f: 'a, 'a> HurrayLoad<'f> for &'a str {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        loader.kv_value()
    }
}

impl<'f: 'a, 'a> HurrayLoad<'f> for Cow<'a, str> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        loader.kv_value().map(Cow::Borrowed)
    }
}

impl<'f> HurrayLoad<'f> for Box<str> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        loader.kv_value::<String>().map(String::into_boxed_str)
    }
}

/// The value of a tensor of rank 0, as a key-value entry would have it.
pub(crate) fn scalar_of(entry: &TensorEntry<'_>) -> Result<KvValue, TensorError> {
    fn only<T: Element>(
        entry: &TensorEntry<'_>,
        value: impl FnOnce(T) -> KvValue,
    ) -> Result<KvValue, TensorError> {
        let view = entry.view::<T>()?;
        match view.get(&[]) {
            Some(element) => Ok(value(element)),
            None => Err(TensorError::Rank { expected: 0, found: view.rank() }),
        }
    }
    match entry.known_descriptor()?.element_type() {
        ElementType::Float16 => only(entry, |value: half::f16| KvValue::Float64(value.widened())),
        ElementType::BFloat16 => only(entry, |value: half::bf16| KvValue::Float64(value.widened())),
        ElementType::Float32 => only(entry, |value: f32| KvValue::Float64(value.widened())),
        ElementType::Float64 => only(entry, KvValue::Float64),
        ElementType::Int8 => only(entry, |value: i8| KvValue::Int64(value.into())),
        ElementType::Int16 => only(entry, |value: i16| KvValue::Int64(value.into())),
        ElementType::Int32 => only(entry, |value: i32| KvValue::Int64(value.into())),
        ElementType::Int64 => only(entry, KvValue::Int64),
        ElementType::UInt8 => only(entry, |value: u8| KvValue::UInt64(value.into())),
        ElementType::UInt16 => only(entry, |value: u16| KvValue::UInt64(value.into())),
        ElementType::UInt32 => only(entry, |value: u32| KvValue::UInt64(value.into())),
        ElementType::UInt64 => only(entry, KvValue::UInt64),
        ElementType::Bool => {
            let (shape, bytes) = entry.packed_bools()?;
            match (shape.as_slice(), bytes.first()) {
                ([], Some(byte)) => Ok(KvValue::Bool(byte & 1 == 1)),
                _ => Err(TensorError::Rank { expected: 0, found: shape.len() }),
            }
        }
        found => Err(TensorError::element_type(ElementType::Float64, found)),
    }
}
