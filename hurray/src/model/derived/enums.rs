//! Enums: the variant by its name, as a key-value entry at the path; its data after it.

use crate::container::KvValue;
use crate::model::impls;
use crate::model::load::{Loader, Reported};
use crate::model::save::{GroupSaver, Saver};
use crate::model::{Field, HurrayLoad, HurraySave, KvEntry, LoadUnitEnum, SaveUnitEnum, Variant};
use crate::writer::SaveError;

/// A variant without data.
pub fn save_unit_variant(saver: Saver<'_, '_>, name: &'static str) -> Result<(), SaveError> {
    saver.kv(KvValue::String(name.to_owned()))
}

/// A variant with one value, which is saved at the path itself.
pub fn save_newtype_variant<'s, T: HurraySave + ?Sized>(
    mut saver: Saver<'_, 's>,
    name: &'static str,
    value: &'s T,
) -> Result<(), SaveError> {
    saver.by_ref().kv(KvValue::String(name.to_owned()))?;
    value.save(saver.in_variant()?)
}

/// A variant with one tensor that a field's rules hold for.
pub fn save_newtype_variant_as<'s, T: HurraySave + ?Sized>(
    mut saver: Saver<'_, 's>,
    name: &'static str,
    field: &'static Field,
    value: &'s T,
) -> Result<(), SaveError> {
    saver.by_ref().kv(KvValue::String(name.to_owned()))?;
    saver.in_variant()?.described(field, &|saver| value.save(saver))
}

/// A variant with several values.
pub fn save_variant<'p, 's>(
    mut saver: Saver<'p, 's>,
    name: &'static str,
) -> Result<GroupSaver<'p, 's>, SaveError> {
    saver.by_ref().kv(KvValue::String(name.to_owned()))?;
    saver.group()
}

/// A variant that is marked `skip`.
///
/// # Errors
///
/// Always.
pub fn save_skipped_variant(saver: Saver<'_, '_>, _: &'static str) -> Result<(), SaveError> {
    Err(impls::skipped(&saver))
}

/// Which of the known variants the file has at the path.
pub fn load_variant(loader: &mut Loader<'_, '_>, known: &'static [Variant]) -> Result<usize, Reported> {
    let name = loader.by_ref().variant_name(known)?;
    known
        .iter()
        .position(|variant| variant.is_named(&name))
        .ok_or(())
        .map_err(|()| loader.problem(impls::unknown_variant(known, &name)))
}

/// The value of a variant with one.
pub fn load_newtype_variant<'f, T: HurrayLoad<'f>>(loader: Loader<'_, 'f>) -> Result<T, Reported> {
    loader.in_variant(T::load)
}

/// The value of a variant with one tensor that a field's rules hold for.
pub fn load_newtype_variant_as<'f, T: HurrayLoad<'f>>(
    loader: Loader<'_, 'f>,
    field: &'static Field,
) -> Result<T, Reported> {
    loader.in_variant(|loader| loader.described(field, T::load))
}

/// An index that `load_variant` does not give.
pub fn no_variant<T>(_: usize) -> Result<T, Reported> {
    Err(Reported::WAS_CHECKED)
}

/// An enum without data.
pub fn save_unit_enum<E: SaveUnitEnum>(value: &E, saver: Saver<'_, '_>) -> Result<(), SaveError> {
    impls::save_unit_enum(value, saver)
}

/// A slice of an enum without data: one array of names.
pub fn save_unit_enum_slice<E: SaveUnitEnum>(values: &[E], saver: Saver<'_, '_>) -> Result<(), SaveError> {
    impls::save_unit_enums(values, saver)
}

/// An enum without data.
pub fn load_unit_enum<E: LoadUnitEnum>(loader: Loader<'_, '_>) -> Result<E, Reported> {
    impls::load_unit_enum(loader)
}

/// A vector of an enum without data.
pub fn load_unit_enum_vec<E: LoadUnitEnum>(loader: Loader<'_, '_>) -> Result<Vec<E>, Reported> {
    impls::load_unit_enums(loader)
}

/// An enum without data as a `#[hurray(kv)]` field.
pub fn unit_enum_to_kv<E: SaveUnitEnum>(value: &E) -> Option<KvValue> {
    impls::unit_enum_value(value)
}

/// A slice of an enum without data as a `#[hurray(kv)]` field.
pub fn unit_enum_slice_to_kv<E: SaveUnitEnum>(values: &[E]) -> Option<KvValue> {
    impls::unit_enum_values(values)
}

/// An enum without data from a `#[hurray(kv)]` field.
pub fn unit_enum_from_kv<E: LoadUnitEnum>(entry: KvEntry<'_>) -> Option<E> {
    impls::unit_enum_from_value(&entry.value())
}

/// An enum without data from a value.
pub fn unit_enum_from_value<E: LoadUnitEnum>(value: &KvValue) -> Option<E> {
    impls::unit_enum_from_value(value)
}

/// A vector of an enum without data from a value.
pub fn unit_enum_vec_from_value<E: LoadUnitEnum>(value: &KvValue) -> Option<Vec<E>> {
    impls::unit_enums_from_value(value)
}
