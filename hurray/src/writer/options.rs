//! What a caller can choose about saving, and what saving reports.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{NameProblem, SaveError};
use super::file::FileOptions;
use super::plan::{Plan, PlanOptions};
use super::progress::Progress;
use super::sealed::SealedPlan;
use crate::container::KvValue;
use crate::descriptor::placement::Profile;
use crate::limits::Limits;

/// How to save a model.
///
/// The default is what [`hurray::save`](crate) does: data aligned to 4096 bytes, entries in the order of the
/// model, on the disk when the call returns.
#[derive(Clone)]
#[must_use]
pub struct SaveOptions {
    plan: PlanOptions,
    sync: bool,
    overwrite: bool,
    metadata: Vec<(String, KvValue)>,
    progress: Option<Arc<Progress>>,
    pub(crate) limits: Limits,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self {
            plan: PlanOptions { descriptor_table: true, ..PlanOptions::default() },
            sync: true,
            overwrite: true,
            metadata: Vec::new(),
            progress: None,
            limits: Limits::default(),
        }
    }
}

impl SaveOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the data of tensors may start: at multiples of so many bytes, a power of two from 4096 (the
    /// default) to 2 MiB. More wastes space between tensors; 2 MiB suits huge pages.
    pub fn alignment(mut self, bytes: u32) -> Self {
        self.plan.form.alignment = bytes;
        self
    }

    /// Whether the index is in the order of names instead of that of the model. Off by default. The data of the
    /// tensors keep the order of the model.
    pub fn sorted_index(mut self, sorted: bool) -> Self {
        self.plan.form.sorted_index = sorted;
        self
    }

    /// Whether to wait until the file, and its name in the folder, are on the disk. On by default. Without,
    /// a crash of the machine (not of the process) may leave an empty or partial file.
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// Whether a file that is there already is replaced. On by default. Without, a save to its path is an
    /// error of kind [`AlreadyExists`](std::io::ErrorKind::AlreadyExists), also if the file came up meanwhile.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether to store a checksum of the data of every tensor, under the KV key `hurray.crc32c`. Off by
    /// default, since it reads all data once more. The index always has one.
    pub fn checksums(mut self, checksums: bool) -> Self {
        self.plan.checksums = checksums;
        self
    }

    /// Whether to store a copy of all descriptors in one place, under the KV key `hurray.descriptors`, so that
    /// opening the file need not touch every tensor. On by default.
    pub fn descriptor_table(mut self, table: bool) -> Self {
        self.plan.descriptor_table = table;
        self
    }

    /// Other limits than the default ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds a KV entry, after those added before and in front of those of the model. Keys that begin with
    /// `hurray.` are the library's.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<KvValue>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }

    /// Calls `report` while writing, about every 2 MiB, with the bytes written and the size of the file.
    pub fn progress(mut self, report: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(report));
        self
    }

    /// How tensors are padded. Only for files that must equal those of other writers byte for byte.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.plan.form.profile = profile;
        self
    }

    /// Starts a plan with these options and metadata.
    ///
    /// # Errors
    /// [`SaveError::Format`] for the alignment, [`SaveError::Name`] and [`SaveError::Collision`] for keys.
    pub(crate) fn plan<'s>(&self) -> Result<Plan<'s>, SaveError> {
        let mut plan = Plan::new(self.plan)?;
        for (key, value) in &self.metadata {
            if is_reserved(key) {
                return Err(SaveError::Name { name: key.as_str().into(), reason: NameProblem::Reserved });
            }
            plan.kv(key, value.clone())?;
        }
        Ok(plan)
    }

    /// Writes a plan to a path; see [`save_atomically`](super::save_atomically).
    pub(crate) fn write_file(&self, path: &Path, plan: SealedPlan<'_>) -> Result<SaveReport, SaveError> {
        let options =
            FileOptions { sync: self.sync, overwrite: self.overwrite, progress: self.progress.as_deref() };
        super::save_atomically(path, plan, &options)
    }

    /// Writes a plan to any sink.
    pub(crate) fn write_to(
        &self,
        sink: impl std::io::Write,
        plan: SealedPlan<'_>,
    ) -> Result<SaveReport, SaveError> {
        let report = SaveReport::new(&plan, None);
        plan.write_to(sink, self.progress.as_deref())?;
        Ok(report)
    }
}

/// Whether the root segment of a name is the library's own.
pub(crate) fn is_reserved(name: &str) -> bool {
    name.split('.').next() == Some("hurray")
}

impl fmt::Debug for SaveOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveOptions")
            .field("plan", &self.plan)
            .field("sync", &self.sync)
            .field("overwrite", &self.overwrite)
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

/// What was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SaveReport {
    /// The file; `None` for another sink.
    pub path: Option<PathBuf>,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// How many tensors there are, heads of composites included.
    pub tensors: u64,
}

impl SaveReport {
    pub(super) fn new(plan: &SealedPlan<'_>, path: Option<&Path>) -> Self {
        Self { path: path.map(Path::to_owned), bytes: plan.file_size_bytes(), tensors: plan.tensor_count() }
    }
}

impl fmt::Display for SaveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tensors, {} bytes", self.tensors, self.bytes)?;
        match &self.path {
            Some(path) => write!(f, " in `{}`", path.display()),
            None => Ok(()),
        }
    }
}
