//! Saving a module.

use std::fs;
use std::path::Path;

use burn_store::ModuleSnapshot;

use super::collect::Collect;
use super::path::walk;
use super::{HurrayStore, Place};
use crate::integrations::burn::error::HurrayStoreError;
use crate::model::{PARAM_ID, own_key};
use crate::reader::File;
use crate::writer::{SaveError, SealedPlan};

impl HurrayStore {
    pub(super) fn save<M: ModuleSnapshot>(&mut self, module: &M) -> Result<(), HurrayStoreError> {
        match &self.place {
            Place::File(_) => return Err(HurrayStoreError::ReadOnly),
            Place::Path(path) if !self.overwrite => refuse_existing(path)?,
            _ => {}
        }
        self.opened = None;
        let plan = self.plan(module)?;
        match &mut self.place {
            Place::Path(path) => {
                let options = self.save_options.clone().overwrite(self.overwrite);
                options.write_file(path, plan).map_err(|error| existing(path, error))?;
            }
            place => {
                let mut bytes = Vec::with_capacity(usize::try_from(plan.file_size_bytes()).unwrap_or(0));
                self.save_options.write_to(&mut bytes, plan)?;
                *place = Place::Memory(Some(File::from_vec(bytes)?));
            }
        }
        Ok(())
    }

    /// Names, sizes and places of all tensors: no data is read from a device before the plan stands.
    fn plan<M: ModuleSnapshot>(&self, module: &M) -> Result<SealedPlan<'static>, SaveError> {
        let filter = self.active_filter();
        let mut collect = Collect::new(filter.as_ref(), self.to_adapter.as_deref());
        walk(module, self.skip_enum_variants, &mut collect);
        let Collect { tensors, plans, .. } = collect;
        let (tensors, _) = self.remapper.remap(tensors);
        let options = self.metadata.iter().fold(self.save_options.clone(), |options, (key, value)| {
            options.metadata(key.as_str(), value.clone())
        });
        let mut plan = options.plan()?;
        for (tensor, planned) in tensors.iter().zip(plans) {
            let name = tensor.name.as_str();
            if let Some(id) = tensor.param_id.filter(|_| self.with_param_ids) {
                plan.kv(&own_key(PARAM_ID, name), id)?;
            }
            let refused = |source| SaveError::Refused { path: name.into(), source };
            let (descriptor, source) = planned.map_err(refused)?;
            plan.push(name, &descriptor, [source])?;
        }
        plan.seal()
    }
}

/// Before anything is read from a device; the writer itself looks again when the file is whole.
fn refuse_existing(path: &Path) -> Result<(), HurrayStoreError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(HurrayStoreError::Exists { path: path.to_owned() }),
        Err(_) => Ok(()),
    }
}

#[cold]
fn existing(path: &Path, error: SaveError) -> HurrayStoreError {
    match error {
        SaveError::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => {
            HurrayStoreError::Exists { path: path.to_owned() }
        }
        error => error.into(),
    }
}
