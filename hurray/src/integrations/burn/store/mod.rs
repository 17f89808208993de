//! A store for any burn module.

mod check;
mod collect;
mod load;
mod options;
mod path;
mod save;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use burn_store::burn_pack::Tensor as PackTensor;
use burn_store::{
    ApplyResult, IdentityAdapter, KeyRemapper, ModuleAdapter, ModuleSnapshot, ModuleStore, PathFilter,
};

use super::error::{HurrayStoreError, ReadError};
use crate::error::OpenError;
use crate::reader::File;
use crate::writer::SaveOptions;

/// A store in Hurray files, for `save_into` and `load_from` of any burn module.
///
/// **Saving** goes through the library's own plan: atomic, durable, and reading tensors from their device in
/// pieces of 4 MiB (with an adapter, one tensor at a time). Tensors have burn's dotted paths as their names.
///
/// **Loading** is all or nothing as far as can be told: the whole module is held against the file, with
/// filters, names and adapters, before the first parameter is changed; what is wrong is in one report. Only
/// data that turn out to be broken while they are decoded can stop a load half-way. Parameters that the file
/// has in row-major order and burn's byte form share the file's memory on the Flex backend.
///
/// Files that a derived struct saved load as well: heads of groups are left out, and a tied tensor has both of
/// its names. Members of partitions and overlays are tensors by their own names.
///
/// # Panics
///
/// The methods that take a regular expression panic on one that is not valid, as those of burn's stores do.
pub struct HurrayStore {
    place: Place,
    filter: PathFilter,
    remapper: KeyRemapper,
    map_indices_contiguous: bool,
    keep_indices: PathFilter,
    from_adapter: Box<dyn ModuleAdapter>,
    to_adapter: Option<Box<dyn ModuleAdapter>>,
    metadata: Vec<(String, crate::KvValue)>,
    save_options: SaveOptions,
    overwrite: bool,
    validate: bool,
    allow_partial: bool,
    skip_enum_variants: bool,
    with_param_ids: bool,
    opened: Option<Opened>,
}

/// Where the file is.
enum Place {
    Path(PathBuf),
    /// Open already, and never written.
    File(File),
    /// In memory; nothing at first.
    Memory(Option<File>),
    /// In memory, not opened yet.
    Bytes(Vec<u8>),
}

/// The file, once it was looked into.
struct Opened {
    file: File,
    /// By their names in the module.
    tensors: BTreeMap<String, PackTensor>,
    /// Tensors that burn can't hold, by their names in the module.
    refused: BTreeMap<String, ReadError>,
}

impl HurrayStore {
    /// A store at a path, to save to or to load from. Loading reads the file into memory, which the module's
    /// parameters share; [`map`](Self::map) is the twin that maps.
    pub fn from_file(path: impl Into<PathBuf>) -> Self {
        Self::at(Place::Path(path.into()))
    }

    /// A store over a mapped file, to load from: bytes are read from the disk when a parameter is first used.
    ///
    /// # Safety
    ///
    /// As for [`File::map`]: nobody may change the file, or cut it short, as long as the store, or a parameter
    /// that was loaded from it, lives. Saving over it is fine, since that replaces the file.
    ///
    /// # Errors
    ///
    /// As for [`File::map`].
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        // SAFETY: the contract is the same.
        let file = unsafe { File::map(path) }?;
        Ok(file.into())
    }

    /// A store in memory: over the bytes of a file, or to be saved to.
    pub fn from_bytes(bytes: Option<Vec<u8>>) -> Self {
        Self::at(bytes.map_or(Place::Memory(None), Place::Bytes))
    }

    /// The bytes of a store in memory.
    ///
    /// # Errors
    ///
    /// [`HurrayStoreError::Empty`] when nothing was saved to it, or it is not in memory.
    pub fn get_bytes(&self) -> Result<Vec<u8>, HurrayStoreError> {
        match &self.place {
            Place::Memory(Some(file)) => Ok(file.bytes().to_vec()),
            Place::Bytes(bytes) => Ok(bytes.clone()),
            _ => Err(HurrayStoreError::Empty),
        }
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            filter: PathFilter::new(),
            remapper: KeyRemapper::new(),
            map_indices_contiguous: false,
            keep_indices: PathFilter::new(),
            from_adapter: Box::new(IdentityAdapter),
            to_adapter: None,
            metadata: Vec::new(),
            save_options: SaveOptions::new(),
            overwrite: false,
            validate: true,
            allow_partial: false,
            skip_enum_variants: false,
            with_param_ids: false,
            opened: None,
        }
    }

    /// The file, for its metadata say.
    ///
    /// # Errors
    ///
    /// [`HurrayStoreError::Load`] when it does not open, [`HurrayStoreError::Empty`] when nothing was saved.
    pub fn file(&mut self) -> Result<&File, HurrayStoreError> {
        Ok(&self.opened()?.file)
    }

    /// What burn takes for all.
    fn active_filter(&self) -> Option<PathFilter> {
        if self.filter.is_empty() { None } else { Some(self.filter.clone()) }
    }
}

impl From<File> for HurrayStore {
    /// A store over an open file, to load from.
    fn from(file: File) -> Self {
        Self::at(Place::File(file))
    }
}

impl ModuleStore for HurrayStore {
    type Error = HurrayStoreError;

    fn collect_from<M: ModuleSnapshot>(&mut self, module: &M) -> Result<(), HurrayStoreError> {
        self.save(module)
    }

    fn apply_to<M: ModuleSnapshot>(&mut self, module: &mut M) -> Result<ApplyResult, HurrayStoreError> {
        self.load(module)
    }

    fn get_tensor(&mut self, name: &str) -> Result<Option<&PackTensor>, HurrayStoreError> {
        Ok(self.opened()?.tensors.get(name))
    }

    fn get_all_tensors(&mut self) -> Result<&BTreeMap<String, PackTensor>, HurrayStoreError> {
        Ok(&self.opened()?.tensors)
    }

    fn keys(&mut self) -> Result<Vec<String>, HurrayStoreError> {
        Ok(self.opened()?.tensors.keys().cloned().collect())
    }
}

impl fmt::Debug for HurrayStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.place {
            Place::Path(path) => format!("{}", path.display()),
            Place::File(file) => format!("{:?}", file.path()),
            Place::Memory(_) | Place::Bytes(_) => "memory".to_owned(),
        };
        f.debug_struct("HurrayStore").field("place", &place).finish_non_exhaustive()
    }
}
