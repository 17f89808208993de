//! Slices, vectors, arrays and options of entries.

use super::{KvEntry, KvLoad, KvSave};
use crate::container::KvValue;

impl<T: KvSave> KvSave for [T] {
    fn to_kv(&self) -> Option<KvValue> {
        T::slice_to_kv(self)
    }
}

impl<'f: 'a, 'a> KvLoad<'f> for &'a [u8] {
    fn expects() -> &'static str {
        "bytes"
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        entry.as_bytes()
    }
}

impl<T: KvSave> KvSave for Vec<T> {
    fn to_kv(&self) -> Option<KvValue> {
        T::slice_to_kv(self)
    }
}

impl<'f, T: KvLoad<'f>> KvLoad<'f> for Vec<T> {
    fn expects() -> &'static str {
        T::expects_slice()
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        T::vec_from_value(&entry.value())
    }
}

impl<T: KvSave, const N: usize> KvSave for [T; N] {
    fn to_kv(&self) -> Option<KvValue> {
        T::slice_to_kv(self)
    }
}

impl<'f, T: KvLoad<'f>, const N: usize> KvLoad<'f> for [T; N] {
    fn expects() -> &'static str {
        T::expects_slice()
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        T::vec_from_value(&entry.value())?.try_into().ok()
    }
}

impl<T: KvSave + ?Sized> KvSave for &T {
    fn to_kv(&self) -> Option<KvValue> {
        T::to_kv(self)
    }
}

impl<T: KvSave> KvSave for Option<T> {
    fn to_kv(&self) -> Option<KvValue> {
        self.as_ref()?.to_kv()
    }

    fn is_absent(&self) -> bool {
        self.as_ref().is_none_or(T::is_absent)
    }
}

impl<'f, T: KvLoad<'f>> KvLoad<'f> for Option<T> {
    fn expects() -> &'static str {
        T::expects()
    }

    fn from_kv(entry: KvEntry<'f>) -> Option<Self> {
        T::from_kv(entry).map(Some)
    }

    fn from_value(value: &KvValue) -> Option<Self> {
        T::from_value(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}
