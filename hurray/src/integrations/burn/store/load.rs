//! Loading a module.

use std::collections::{BTreeMap, HashMap};

use burn_core::tensor::{DType, Shape};
use burn_store::burn_pack::{Error as PackError, Tensor as PackTensor};
use burn_store::{ApplyError, ApplyResult, ModuleSnapshot, map_indices_contiguous_except};

use super::check::Check;
use super::path::walk;
use super::{HurrayStore, Opened, Place};
use crate::container::KvValue;
use crate::descriptor::CompositionRule;
use crate::integrations::burn::error::{HurrayStoreError, ReadError};
use crate::integrations::burn::read::Stored;
use crate::model::{LoadError, LoadReport, PARAM_ID, Problem, ProblemKind, TIED, own_key};
use crate::reader::{File, TensorEntry};

impl HurrayStore {
    /// Opens the file and looks at all its tensors, once.
    pub(super) fn opened(&mut self) -> Result<&Opened, HurrayStoreError> {
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => self.open()?,
        };
        Ok(self.opened.insert(opened))
    }

    fn open(&mut self) -> Result<Opened, HurrayStoreError> {
        let file = match &mut self.place {
            Place::Path(path) => File::read(path)?,
            Place::File(file) | Place::Memory(Some(file)) => file.clone(),
            Place::Memory(None) => return Err(HurrayStoreError::Empty),
            Place::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                self.place = Place::Memory(None);
                let file = File::from_vec(bytes)?;
                self.place = Place::Memory(Some(file.clone()));
                file
            }
        };
        let mut found = Found::default();
        for entry in file.tensors() {
            found.push(&file, entry);
        }
        found.add_tied(&file);
        Ok(self.renamed(file, found))
    }

    /// The tensors under the names that they have in the module.
    fn renamed(&self, file: File, found: Found) -> Opened {
        let Found { tensors, mut refused } = found;
        let (mut tensors, _) = self.remapper.remap(tensors);
        if self.map_indices_contiguous {
            let keep = |prefix: &str| self.keep_indices.matches(prefix);
            (tensors, _) = map_indices_contiguous_except(tensors, keep);
        }
        let mut opened = Opened { file, tensors: BTreeMap::new(), refused: BTreeMap::new() };
        for (position, tensor) in tensors.into_iter().enumerate() {
            let name = tensor.name.clone();
            match refused.remove(&position) {
                Some(error) => drop(opened.refused.insert(name, error)),
                None => drop(opened.tensors.insert(name, tensor)),
            }
        }
        opened
    }

    pub(super) fn load<M: ModuleSnapshot>(
        &mut self,
        module: &mut M,
    ) -> Result<ApplyResult, HurrayStoreError> {
        self.opened()?;
        let Some(opened) = &self.opened else { return Err(HurrayStoreError::Empty) };
        let filter = self.active_filter();
        let mut check = Check::new(opened, filter.as_ref(), &*self.from_adapter);
        walk(module, self.skip_enum_variants, &mut check);
        let problems = check.into_problems(self.validate, !self.allow_partial);
        fail_if_any(&opened.file, problems)?;

        let tensors = opened.tensors.values().cloned().collect();
        let result = module.apply(tensors, filter, Some(self.from_adapter.clone()), self.skip_enum_variants);
        if self.validate {
            fail_if_any(&opened.file, result.errors.iter().map(problem_of).collect())?;
        }
        Ok(result)
    }
}

fn fail_if_any(file: &File, problems: Vec<Problem>) -> Result<(), LoadError> {
    if problems.is_empty() {
        return Ok(());
    }
    let mut report = LoadReport::new(file.path());
    for problem in problems {
        report.push(problem, file.policy().limits.problems);
    }
    report.sort();
    Err(LoadError::Report(Box::new(report)))
}

/// What burn found, although the check did not: data that can't be decoded.
#[cold]
fn problem_of(error: &ApplyError) -> Problem {
    let (path, mut problem) = match error {
        ApplyError::ShapeMismatch { path, expected, found } => {
            (path, Problem::new(ProblemKind::Shape, format!("{expected:?}"), format!("{found:?}")))
        }
        ApplyError::DTypeMismatch { path, expected, found } => {
            (path, Problem::new(ProblemKind::ElementType, format!("{expected:?}"), format!("{found:?}")))
        }
        ApplyError::AdapterError { path, message } | ApplyError::LoadError { path, message } => {
            (path, Problem::new(ProblemKind::Refused, "", message.as_str()))
        }
    };
    problem.path.clone_from(path);
    problem
}

/// All tensors of a file by their names in it, in its order.
#[derive(Default)]
struct Found {
    tensors: Vec<PackTensor>,
    /// Why burn can't hold the tensor at a position; it has a place, since names are changed all at once.
    refused: HashMap<usize, ReadError>,
}

impl Found {
    fn push(&mut self, file: &File, entry: TensorEntry<'_>) {
        let is_group = entry.known_descriptor().is_ok_and(|descriptor| {
            descriptor.composite().is_some_and(|head| head.rule == CompositionRule::Group)
        });
        if is_group {
            return;
        }
        let name = entry.name();
        let id = match file.metadata().get(&own_key(PARAM_ID, name)) {
            Some(KvValue::UInt64(id)) => Some(*id),
            _ => None,
        };
        match Stored::of(entry).and_then(|stored| transport(file, name, &stored, id)) {
            Ok(tensor) => self.tensors.push(tensor),
            Err(error) => {
                self.refused.insert(self.tensors.len(), error);
                self.tensors.push(nothing(name.to_owned()));
            }
        }
    }

    /// Second names of tensors that are stored once.
    fn add_tied(&mut self, file: &File) {
        let stored: HashMap<&str, usize> = self
            .tensors
            .iter()
            .enumerate()
            .map(|(position, tensor)| (tensor.name.as_str(), position))
            .collect();
        let mut tied = Vec::new();
        for (key, target) in file.metadata().keys_under(TIED) {
            let (Some(name), KvValue::String(target)) = (key.strip_prefix(TIED), target) else { continue };
            if let Some(position) = stored.get(target.as_str())
                && !stored.contains_key(name)
            {
                tied.push((name, *position));
            }
        }
        for (name, position) in tied {
            let Some(mut tensor) = self.tensors.get(position).cloned() else { continue };
            name.clone_into(&mut tensor.name);
            if let Some(error) = self.refused.get(&position) {
                self.refused.insert(self.tensors.len(), error.clone());
            }
            self.tensors.push(tensor);
        }
    }
}

/// A tensor in burn's transport form: at once if it lies as burn wants it, else when burn asks for it.
fn transport(file: &File, name: &str, stored: &Stored<'_>, id: Option<u64>) -> Result<PackTensor, ReadError> {
    let (dtype, shape) = (stored.dtype(), Shape::from(stored.dims().to_vec()));
    if stored.is_plain() {
        return Ok(PackTensor::new(name.to_owned(), dtype, shape, id, stored.bytes()?));
    }
    let (file, stored_name) = (file.clone(), name.to_owned());
    let decode = move || {
        let entry = file.tensor(&stored_name).map_err(ReadError::Tensor);
        let bytes = entry.and_then(Stored::of).and_then(|stored| stored.bytes());
        bytes.map_err(|error| PackError::ValidationError(error.to_string()))
    };
    Ok(PackTensor::deferred(name.to_owned(), dtype, shape, id, stored.byte_len(), decode))
}

/// A place that only has a name.
fn nothing(name: String) -> PackTensor {
    let no_bytes = burn_core::tensor::Bytes::from_bytes_vec(Vec::new());
    PackTensor::new(name, DType::U8, Shape::from(vec![0]), None, no_bytes)
}
