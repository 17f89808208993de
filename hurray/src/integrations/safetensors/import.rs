//! From safetensors to Hurray.

use std::fmt;
use std::path::{Path, PathBuf};

use ::safetensors::Dtype;

use super::dtype::{element_type_of, size_of};
use super::error::{ConvertError, SourceError, Unsupported, allow};
use super::groups::{Placed, with_heads};
use super::header::Listed;
use super::set::{Open, Set};
use super::source::Source;
use super::texts::with_types;
use crate::container::KvValue;
use crate::descriptor::TensorDescriptor;
use crate::element::ElementType;
use crate::model::{SAFETENSORS, own_key};
use crate::writer::{Plan, SaveError, SaveOptions, SaveReport, is_reserved};

/// Converts a safetensors file to a Hurray file: bit for bit, metadata included.
///
/// `from` may also be the index of a sharded set (`model.safetensors.index.json`), or one of its shards
/// (`model-00001-of-00004.safetensors`): the set is then read as one. The data pass through a small block of
/// memory; the new file is saved as [`hurray::save`](crate::save()) saves. Bools take one bit each in the new file
/// and one byte in the old one.
///
/// # Errors
///
/// [`ConvertError`]; nothing is written unless everything can be carried. [`ImportOptions`] can be more lenient.
///
/// ```no_run
/// let report = hurray::safetensors::import("model.safetensors", "model.hrry")?;
/// println!("{report}");
/// # Ok::<(), hurray::safetensors::ConvertError>(())
/// ```
pub fn import(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<ImportReport, ConvertError> {
    ImportOptions::new().import(from, to)
}

/// As [`import`], from mapped files: nothing is copied on the way.
///
/// # Errors
///
/// As [`import`].
///
/// # Safety
///
/// Nobody changes the safetensors files, or cuts them short, until the function returns.
pub unsafe fn import_mapped(
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
) -> Result<ImportReport, ConvertError> {
    // SAFETY: the contract is the same.
    unsafe { ImportOptions::new().import_mapped(from, to) }
}

/// How to import.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ImportOptions {
    skip_unsupported: bool,
    keep_bytes: bool,
    composites: bool,
    save: SaveOptions,
}

impl ImportOptions {
    /// Fails on what can't be carried; tensors stay flat and in the order of their data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to leave out what can't be carried, and list it in the report, instead of failing.
    pub fn skip_unsupported(mut self, skip: bool) -> Self {
        self.skip_unsupported = skip;
        self
    }

    /// Whether tensors of one byte per element that can't be carried as what they are come as uint8 tensors of
    /// the same bytes: `F8_E4M3FNUZ` and `F8_E5M2FNUZ`, which have no counterpart, bools other than 0 and 1, and
    /// `F8_E8M0` with bytes 0 or 255. The KV entry `hurray.safetensors.NAME` has the type, which an export
    /// gives back.
    pub fn keep_bytes(mut self, keep: bool) -> Self {
        self.keep_bytes = keep;
        self
    }

    /// Whether dotted names become groups: `layers.0.weight` a member of `layers.0`, and that one of `layers`.
    /// Members then follow their head, in the order in which they appear. Models load from either kind of file.
    pub fn composites(mut self, composites: bool) -> Self {
        self.composites = composites;
        self
    }

    /// How to save the new file.
    pub fn save(mut self, options: SaveOptions) -> Self {
        self.save = options;
        self
    }

    /// See [`import`].
    ///
    /// # Errors
    ///
    /// [`ConvertError`].
    pub fn import(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<ImportReport, ConvertError> {
        self.convert(from.as_ref(), to.as_ref(), &Source::open)
    }

    /// See [`import_mapped`].
    ///
    /// # Errors
    ///
    /// [`ConvertError`].
    ///
    /// # Safety
    ///
    /// Nobody changes the safetensors files, or cuts them short, until the function returns.
    pub unsafe fn import_mapped(
        &self,
        from: impl AsRef<Path>,
        to: impl AsRef<Path>,
    ) -> Result<ImportReport, ConvertError> {
        // SAFETY: the caller promises what `map` asks for, and no source outlives the call.
        self.convert(from.as_ref(), to.as_ref(), &|path| unsafe { Source::map(path) })
    }

    fn convert(&self, from: &Path, to: &Path, open: Open<'_>) -> Result<ImportReport, ConvertError> {
        let Set { sources, metadata, unsupported: mut list } = Set::open(from, open)?;
        let mut plan = self.save.plan()?;
        for (key, value) in with_types(metadata, &mut list) {
            match refused_key(&key, &value) {
                Some(reason) => list.push(Unsupported::metadata(&key, reason)),
                None => plan.kv(&key, value)?,
            }
        }
        let mut tensors = Vec::new();
        for source in &sources {
            for listed in &source.header.tensors {
                let descriptor = describe(source, listed, self.keep_bytes)
                    .map_err(|problem| ConvertError::Source { path: source.path.clone(), problem })?;
                match descriptor {
                    Ok((descriptor, kept)) => tensors.push(Tensor { source, listed, descriptor, kept }),
                    Err(reason) => list.push(Unsupported::tensor(&listed.name, reason)),
                }
            }
        }
        let skipped = allow(list, self.skip_unsupported, from)?;
        self.fill(&mut plan, &tensors)?;
        let saved = self.save.write_file(to, plan.seal()?)?;
        Ok(ImportReport {
            sources: sources.iter().map(|source| source.path.clone()).collect(),
            saved,
            skipped,
        })
    }

    fn fill<'s>(&self, plan: &mut Plan<'s>, tensors: &[Tensor<'s>]) -> Result<(), SaveError> {
        let names: Vec<&str> = tensors.iter().map(|tensor| tensor.listed.name.as_str()).collect();
        let placed = match self.composites {
            true => with_heads(&names, self.save.limits.composite_depth),
            false => (0..tensors.len()).map(Placed::Tensor).collect(),
        };
        for placed in placed {
            match placed {
                Placed::Head { name, members } => {
                    let head = plan.push_group(name)?;
                    plan.set_member_count(head, members)?;
                }
                Placed::Tensor(position) => {
                    let Some(Tensor { source, listed, descriptor, kept }) = tensors.get(position) else {
                        continue;
                    };
                    if let Some(dtype) = kept {
                        plan.kv(&own_key(SAFETENSORS, &listed.name), dtype.to_string())?;
                    }
                    plan.push(&listed.name, descriptor, [source.data(listed, kept.is_some())])?;
                }
            }
        }
        Ok(())
    }
}

/// A tensor that can be carried.
struct Tensor<'s> {
    source: &'s Source,
    listed: &'s Listed,
    descriptor: TensorDescriptor,
    /// The type of a tensor that comes as its bytes.
    kept: Option<Dtype>,
}

/// The descriptor of a tensor and the type that it is kept for as bytes; or why it can have none.
fn describe(
    source: &Source,
    listed: &Listed,
    keep_bytes: bool,
) -> Result<Result<(TensorDescriptor, Option<Dtype>), String>, SourceError> {
    let dtype = match &listed.dtype {
        Ok(dtype) => *dtype,
        Err(unknown) => return Ok(Err(format!("the dtype `{}` is not known", unknown.escape_debug()))),
    };
    if listed.name.is_empty() || listed.name.len() > usize::from(u16::MAX) {
        return Ok(Err(format!("a name of {} bytes", listed.name.len())));
    }
    if is_reserved(&listed.name) {
        return Ok(Err("names under `hurray` are the library's".to_owned()));
    }
    let counterpart = match (element_type_of(dtype), source.refused_value(listed)?) {
        (Some(element_type), None) => Ok(element_type),
        (Some(_), Some(reason)) => Err(reason.into_owned()),
        (None, _) => Err(format!("{dtype} has no counterpart")),
    };
    let (element_type, kept) = match counterpart {
        Ok(element_type) => (element_type, None),
        Err(_) if keep_bytes && size_of(dtype, 1) == Some(1) => (ElementType::UInt8, Some(dtype)),
        Err(reason) => return Ok(Err(reason)),
    };
    let descriptor = TensorDescriptor::builder(element_type, listed.shape.iter().copied()).build();
    Ok(descriptor.map(|descriptor| (descriptor, kept)).map_err(|error| error.to_string()))
}

/// Why a key can't be one of ours.
fn refused_key(key: &str, value: &KvValue) -> Option<String> {
    /// What the library itself says in texts, so that an export of it has them.
    const TEXTS: &str = "hurray.tied.";
    if key.is_empty() || key.len() > usize::from(u16::MAX) {
        return Some(format!("a key of {} bytes", key.len()));
    }
    // Other values than texts got their types back from an export.
    let is_text = matches!(value, KvValue::String(_));
    let is_refused = is_reserved(key) && is_text && !key.starts_with(TEXTS);
    is_refused.then(|| "keys under `hurray` are the library's".to_owned())
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// The files that were read: one, or the shards of a set.
    pub sources: Vec<PathBuf>,
    /// The new file.
    pub saved: SaveReport,
    /// What was left out. Empty unless [`ImportOptions::skip_unsupported`] is on.
    pub skipped: Vec<Unsupported>,
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.saved)?;
        if !self.skipped.is_empty() {
            write!(f, "; left out:{}", super::error::Lines(&self.skipped))?;
        }
        Ok(())
    }
}
