//! Maps with string keys: a group whose members are named by their keys.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::writer::SaveError;

impl<T: HurraySave> HurraySave for BTreeMap<String, T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        saver.map(self.iter().map(|(key, value)| (key.as_str(), value)))
    }
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for BTreeMap<String, T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        Ok(loader.map()?.into_iter().collect())
    }
}

/// In ascending order of keys, so that the same model gives the same bytes.
impl<T: HurraySave, H> HurraySave for HashMap<String, T, H> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        let mut items: Vec<_> = self.iter().map(|(key, value)| (key.as_str(), value)).collect();
        items.sort_unstable_by_key(|(key, _)| *key);
        saver.map(items)
    }
}

impl<'f, T: HurrayLoad<'f>, H: BuildHasher + Default> HurrayLoad<'f> for HashMap<String, T, H> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        Ok(loader.map()?.into_iter().collect())
    }
}
