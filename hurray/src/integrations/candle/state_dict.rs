//! Maps of tensors, under dotted names.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::path::Path;

use candle_core::{Device, Tensor};

use super::backend::is_head;
use super::error::CandleError;
use super::read::{Cast, read};
use super::write::plan_of;
use crate::reader::File;
use crate::writer::{SaveError, SaveOptions, SaveReport};

/// Saves tensors under their names, in the order of the names: `candle_core::safetensors::save` with another
/// format, atomic and without a copy.
///
/// # Errors
///
/// [`SaveError`]; nothing is written unless the whole plan of the file stands.
pub fn save<K, S>(path: impl AsRef<Path>, tensors: &HashMap<K, Tensor, S>) -> Result<SaveReport, SaveError>
where
    K: AsRef<str> + Eq + std::hash::Hash,
    S: BuildHasher,
{
    let tensors = tensors.iter().map(|(name, tensor)| (name.as_ref(), tensor)).collect();
    save_named(path.as_ref(), tensors, &SaveOptions::new())
}

/// Names stay as they are: dots are those of candle's paths, not to be escaped.
pub(super) fn save_named(
    path: &Path,
    mut tensors: Vec<(&str, &Tensor)>,
    options: &SaveOptions,
) -> Result<SaveReport, SaveError> {
    tensors.sort_unstable_by_key(|(name, _)| *name);
    let mut plan = options.plan()?;
    for (name, tensor) in tensors {
        let (descriptor, source) =
            plan_of(tensor).map_err(|source| SaveError::Refused { path: name.into(), source })?;
        plan.push(name, &descriptor, [source])?;
    }
    options.write_file(path, plan.seal()?)
}

/// All tensors of a file by their names, composite heads left out: `candle_core::safetensors::load` with
/// another format. The file is read into memory first; [`HurrayBackend`](super::HurrayBackend) takes a mapped
/// one.
///
/// # Errors
///
/// [`CandleError`], for the first tensor that candle can't hold.
pub fn load(path: impl AsRef<Path>, device: &Device) -> Result<HashMap<String, Tensor>, CandleError> {
    let file = File::read(path)?;
    let mut tensors = HashMap::new();
    for entry in file.tensors() {
        let name = entry.name();
        if is_head(&entry) {
            continue;
        }
        let tensor = read(&entry, device, Cast::Keep).map_err(|error| error.of(name))?;
        tensors.insert(name.to_owned(), tensor);
    }
    Ok(tensors)
}
