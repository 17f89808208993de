//! Loading structs and their fields.

use std::fmt::Display;
use std::sync::Arc;

use crate::model::load::{GroupLoader, Loader, Migration, Reported};
use crate::model::{AsDimension, Field, HurrayLoad, KvLoad, LoadWhole};

/// A struct; its head, if the file has one, is checked.
pub fn load_group<'l, 'f>(loader: Loader<'l, 'f>) -> Result<GroupLoader<'l, 'f>, Reported> {
    loader.group()
}

/// A struct of key-value entries only.
pub fn load_metadata<'l, 'f>(loader: Loader<'l, 'f>) -> Result<GroupLoader<'l, 'f>, Reported> {
    loader.group()
}

/// A struct all of whose fields were tried.
pub fn close_group(group: GroupLoader<'_, '_>) {
    drop(group);
}

/// A field by its own impl.
pub fn load_field<'f, T: HurrayLoad<'f>>(
    group: &mut GroupLoader<'_, 'f>,
    field: &'static Field,
) -> Result<T, Reported> {
    match group.next(field).and_then(T::load_next) {
        Some(value) => Ok(value),
        None => group.plain_field(field, T::load),
    }
}

/// A check at compile time: the field can hold the whole of a tensor in parts.
pub fn holds_whole<'f, T: LoadWhole<'f>>(_: &GroupLoader<'_, 'f>) {}

/// A field that takes a default where the file has nothing.
pub fn load_field_or<'f, T: HurrayLoad<'f>>(
    group: &mut GroupLoader<'_, 'f>,
    field: &'static Field,
    default: impl FnOnce() -> T,
) -> Result<T, Reported> {
    match group.next(field).and_then(T::load_next) {
        Some(value) => Ok(value),
        None => group.derived_field(field, default, T::load),
    }
}

/// A field by a function of the user's.
pub fn load_field_with<'f, T>(
    group: &mut GroupLoader<'_, 'f>,
    field: &'static Field,
    load: impl Fn(Loader<'_, 'f>) -> Result<T, Reported>,
) -> Result<T, Reported> {
    group.plain_field(field, load)
}

/// A field by a function of the user's, that takes a default where the file has nothing.
pub fn load_field_with_or<'f, T>(
    group: &mut GroupLoader<'_, 'f>,
    field: &'static Field,
    load: impl Fn(Loader<'_, 'f>) -> Result<T, Reported>,
    default: impl FnOnce() -> T,
) -> Result<T, Reported> {
    group.derived_field(field, default, load)
}

/// The fields of a struct among those of the one that holds it.
pub fn load_flattened<'f, T: HurrayLoad<'f>>(
    group: &mut GroupLoader<'_, 'f>,
    beside: &'static [Field],
) -> Result<T, Reported> {
    group.flattened(beside, T::load)
}

/// A field that is saved only: the file has it, and it is not unexpected.
pub fn skip_field(group: &mut GroupLoader<'_, '_>, field: &'static Field) {
    group.skipped(field);
}

/// A field that is one key-value entry.
pub fn load_kv<'f, T: KvLoad<'f>>(
    group: &mut GroupLoader<'_, 'f>,
    field: &'static Field,
) -> Result<T, Reported> {
    group.plain_field(field, |loader| loader.kv_value())
}

/// A field that is one key-value entry, or takes a default.
pub fn load_kv_or<'f, T: KvLoad<'f>>(
    group: &mut GroupLoader<'_, 'f>,
    field: &'static Field,
    default: impl FnOnce() -> T,
) -> Result<T, Reported> {
    group.derived_field(field, default, |loader| loader.kv_value())
}

/// A loaded field whose value is the size that a name in the struct's shape rules stands for.
pub fn bind_load<T: AsDimension>(
    group: &mut GroupLoader<'_, '_>,
    name: &'static str,
    value: &Result<T, Reported>,
) {
    if let Ok(value) = value {
        group.bind(name, value.as_dimension());
    }
}

/// A loaded field, held against the user's check.
pub fn validate_field<T, E: Display>(
    group: &mut GroupLoader<'_, '_>,
    name: &'static str,
    value: Result<T, Reported>,
    check: impl FnOnce(&T) -> Result<(), E>,
) -> Result<T, Reported> {
    let value = value?;
    match check(&value) {
        Ok(()) => Ok(value),
        Err(error) => Err(group.refuse_field(name, &error)),
    }
}

/// The whole struct, held against the user's check.
pub fn finish_validated<T, E: Display>(
    mut group: GroupLoader<'_, '_>,
    build: impl FnOnce() -> Result<T, Reported>,
    check: impl FnOnce(&T) -> Result<(), E>,
) -> Result<T, Reported> {
    let value = build()?;
    match check(&value) {
        Ok(()) => group.finish().map(|()| value),
        Err(error) => Err(group.refuse(&error)),
    }
}

/// A struct of `version`; one of an older version in the file is brought forward first.
pub fn load_group_versioned<'l, 'f>(
    loader: Loader<'l, 'f>,
    version: u32,
    migrate: impl FnOnce(u32, &mut Migration<'_, 'f>),
) -> Result<GroupLoader<'l, 'f>, Reported> {
    loader.versioned(version, migrate)
}

/// The migration of a struct that has none.
pub fn no_migration(_: u32, _: &mut Migration<'_, '_>) {}

/// What an `Arc` of a type without lifetimes holds: the same one for every second name of it.
pub fn load_shared<'f, T: HurrayLoad<'f> + 'static>(loader: Loader<'_, 'f>) -> Result<Arc<T>, Reported> {
    loader.shared()
}
