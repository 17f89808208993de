//! Enums without data: the name of the variant, as a key-value entry.

use crate::container::{KvArray, KvValue};
use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{Problem, ProblemKind, Variant};
use crate::writer::SaveError;

/// The saving half of an enum whose variants hold no data. Implemented by the derive.
pub trait SaveUnitEnum {
    /// The name of the variant in the file; `None` for a variant that is not saved.
    fn name(&self) -> Option<&'static str>;
}

/// The loading half of an enum whose variants hold no data. Implemented by the derive.
pub trait LoadUnitEnum: Sized {
    /// The variants that a file may have.
    const VARIANTS: &'static [Variant];

    /// The variant at a place in `VARIANTS`.
    fn from_index(index: usize) -> Option<Self>;
}

fn from_name<E: LoadUnitEnum>(name: &str) -> Option<E> {
    E::from_index(E::VARIANTS.iter().position(|variant| variant.is_named(name))?)
}

/// The names that a file may have, for the error about another one.
pub(crate) fn known(variants: &[Variant]) -> String {
    let names: Vec<String> = variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
    format!("one of {}", names.join(", "))
}

pub(crate) fn unit_enum_value<E: SaveUnitEnum>(value: &E) -> Option<KvValue> {
    value.name().map(|name| KvValue::String(name.to_owned()))
}

pub(crate) fn unit_enum_values<E: SaveUnitEnum>(values: &[E]) -> Option<KvValue> {
    let names: Option<Vec<String>> = values.iter().map(|value| value.name().map(str::to_owned)).collect();
    names.map(|names| KvValue::Array(KvArray::Strings(names)))
}

/// The error of a variant marked `skip`, which no file can name.
pub(crate) fn skipped(saver: &Saver<'_, '_>) -> SaveError {
    SaveError::Refused { path: saver.path().into(), source: "its variant is marked `skip`".into() }
}

pub(crate) fn save_unit_enum<E: SaveUnitEnum>(value: &E, saver: Saver<'_, '_>) -> Result<(), SaveError> {
    match unit_enum_value(value) {
        Some(value) => saver.kv(value),
        None => Err(skipped(&saver)),
    }
}

pub(crate) fn save_unit_enums<E: SaveUnitEnum>(values: &[E], saver: Saver<'_, '_>) -> Result<(), SaveError> {
    match unit_enum_values(values) {
        Some(value) => saver.kv(value),
        None => Err(skipped(&saver)),
    }
}

/// The problem of a name that no variant has; near names among those that there are.
#[cold]
pub(crate) fn unknown_variant(variants: &[Variant], found: &str) -> Problem {
    let found_text = format!("the variant `{}`", found.escape_debug());
    let mut problem = Problem::new(ProblemKind::Metadata, known(variants), found_text);
    let names = variants.iter().flat_map(|variant| variant.aliases.iter().chain([&variant.name]));
    let near = crate::reader::near_names(found, names.copied());
    problem.near = near.into_iter().map(String::from).collect();
    problem
}

pub(crate) fn load_unit_enum<E: LoadUnitEnum>(mut loader: Loader<'_, '_>) -> Result<E, Reported> {
    let name = loader.by_ref().variant_name(E::VARIANTS)?;
    from_name(&name).ok_or(()).map_err(|()| loader.problem(unknown_variant(E::VARIANTS, &name)))
}

pub(crate) fn load_unit_enums<E: LoadUnitEnum>(mut loader: Loader<'_, '_>) -> Result<Vec<E>, Reported> {
    let names: Vec<String> = loader.by_ref().kv_value()?;
    let mut values = Vec::with_capacity(names.len());
    for name in &names {
        match from_name(name) {
            Some(value) => values.push(value),
            None => return Err(loader.problem(unknown_variant(E::VARIANTS, name))),
        }
    }
    Ok(values)
}

pub(crate) fn unit_enum_from_value<E: LoadUnitEnum>(value: &KvValue) -> Option<E> {
    match value {
        KvValue::String(name) => from_name(name),
        _ => None,
    }
}

pub(crate) fn unit_enums_from_value<E: LoadUnitEnum>(value: &KvValue) -> Option<Vec<E>> {
    match value {
        KvValue::Array(KvArray::Strings(names)) => names.iter().map(|name| from_name(name)).collect(),
        KvValue::Array(array) if array.is_empty() => Some(Vec::new()),
        _ => None,
    }
}
