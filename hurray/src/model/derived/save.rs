//! Saving structs and their fields.
//!
//! A field that fails says so to the group, which skips the others and gives the error when it is finished: the code of
//! a struct is one call after another, without a way out behind each.

use crate::model::field::Parts;
use crate::model::save::{GroupSaver, Saver};
use crate::model::{AsDimension, Field, HurraySave, KvSave, SaveParts};
use crate::writer::SaveError;

/// A struct with a head of its own.
pub fn save_group<'p, 's>(saver: Saver<'p, 's>) -> Result<GroupSaver<'p, 's>, SaveError> {
    saver.group()
}

/// A struct of key-value entries only.
pub fn save_metadata<'p, 's>(saver: Saver<'p, 's>) -> Result<GroupSaver<'p, 's>, SaveError> {
    saver.metadata()
}

/// A field by its own impl.
pub fn save_field<'s, T: HurraySave + ?Sized>(
    group: &mut GroupSaver<'_, 's>,
    field: &'static Field,
    value: &'s T,
) {
    group.attempt_field(field, &|saver| value.save(saver));
}

/// A field that is one tensor, split as its attributes say.
pub fn save_parts<'s, T: SaveParts + ?Sized>(
    group: &mut GroupSaver<'_, 's>,
    field: &'static Field,
    value: &'s T,
) {
    match field.parts {
        Some(Parts { axis, count: Some(count) }) => {
            group.attempt_field(field, &|saver| value.save_parts(saver, axis, count));
        }
        _ => save_field(group, field, value),
    }
}

/// A field by a function of the user's.
pub fn save_field_with<'s, T: ?Sized>(
    group: &mut GroupSaver<'_, 's>,
    field: &'static Field,
    value: &'s T,
    save: impl Fn(&'s T, Saver<'_, 's>) -> Result<(), SaveError>,
) {
    group.attempt_field(field, &|saver| save(value, saver));
}

/// The fields of a struct among those of the one that holds it.
pub fn save_flattened<'s, T: HurraySave + ?Sized>(
    group: &mut GroupSaver<'_, 's>,
    beside: &'static [Field],
    value: &'s T,
) {
    group.attempt(|group| group.flattened(beside, std::any::type_name::<T>(), &|saver| value.save(saver)));
}

/// A field that is one key-value entry.
pub fn save_kv<T: KvSave + ?Sized>(group: &mut GroupSaver<'_, '_>, field: &'static Field, value: &T) {
    group.attempt_field(field, &|saver| saver.kv_of(value));
}

/// A field whose value is the size that a name in the struct's shape rules stands for.
pub fn bind_save<T: AsDimension>(group: &mut GroupSaver<'_, '_>, name: &'static str, value: &T) {
    group.attempt(|group| group.bind(name, value.as_dimension()));
}

/// The version of a struct.
pub fn save_version(group: &mut GroupSaver<'_, '_>, version: u32) {
    group.attempt(|group| group.version(version));
}
