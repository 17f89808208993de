//! From Hurray to safetensors.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use ::safetensors::Dtype;

use super::dtype::{alignment_of, dtype_of, size_of};
use super::error::{ConvertError, Lines, Unsupported, UnsupportedKind, allow};
use super::gather::Gather;
use super::header::{HeaderBuilder, METADATA};
use super::source::unpack;
use super::texts::{TYPE, encode};
use crate::bytes::to_usize;
use crate::container::KvValue;
use crate::descriptor::{CompositionRule, Layout, TensorDescriptor};
use crate::element::ElementType;
use crate::model::{SAFETENSORS, own_key};
use crate::reader::{File, TensorEntry};
use crate::writer::{FileOptions, SaveError, replace_file};

/// Converts a Hurray file to a safetensors file: bit for bit, with the metadata that are texts.
///
/// The file is read into memory as [`File::read`] does; [`export_mapped`] holds no more than a block of it. What
/// safetensors has no place for is listed in the error: quantized and sparse tensors, private types, metadata
/// that are no texts, empty groups. Groups themselves need no place, their names say it all. Dense tensors of other
/// layouts (column-major, strided, tiled, Morton, Hilbert) are brought into row-major order. Tensors are sorted by the width of their elements, the widest
/// first, so that all are aligned; beyond that they stay in order.
///
/// # Errors
///
/// [`ConvertError`]; nothing is written unless everything can be carried. [`ExportOptions`] can be more lenient.
///
/// ```no_run
/// let report = hurray::safetensors::export("model.hrry", "model.safetensors")?;
/// println!("{report}");
/// # Ok::<(), hurray::safetensors::ConvertError>(())
/// ```
pub fn export(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<ExportReport, ConvertError> {
    ExportOptions::new().export(from, to)
}

/// As [`export`], from a mapped file.
///
/// # Errors
///
/// As [`export`].
///
/// # Safety
///
/// Nobody changes the Hurray file, or cuts it short, until the function returns.
pub unsafe fn export_mapped(
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
) -> Result<ExportReport, ConvertError> {
    // SAFETY: the contract is the same.
    let file = unsafe { File::map(from) }?;
    ExportOptions::new().export_file(&file, to)
}

/// How to export.
#[derive(Debug, Clone)]
#[must_use]
pub struct ExportOptions {
    skip_unsupported: bool,
    typed_metadata: bool,
    sync: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { skip_unsupported: false, typed_metadata: false, sync: true }
    }
}

impl ExportOptions {
    /// Fails on what can't be carried; the new file is on the disk when the call returns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to leave out what can't be carried, and list it in the report, instead of failing.
    pub fn skip_unsupported(mut self, skip: bool) -> Self {
        self.skip_unsupported = skip;
        self
    }

    /// Whether metadata that are no texts are written as JSON texts: numbers, bools, and arrays of these and of
    /// texts. An entry `hurray.type.KEY` has the type, which an import gives back. Bytes, infinities and NaNs
    /// have no such text.
    pub fn typed_metadata(mut self, typed: bool) -> Self {
        self.typed_metadata = typed;
        self
    }

    /// As [`SaveOptions::sync`](crate::SaveOptions::sync).
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// See [`export`].
    ///
    /// # Errors
    ///
    /// [`ConvertError`].
    pub fn export(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<ExportReport, ConvertError> {
        self.export_file(&File::read(from)?, to)
    }

    /// Exports an open file.
    ///
    /// # Errors
    ///
    /// [`ConvertError`].
    pub fn export_file(&self, file: &File, to: impl AsRef<Path>) -> Result<ExportReport, ConvertError> {
        let to = to.as_ref();
        let mut list = Vec::new();
        let mut tensors = Vec::new();
        for entry in file.tensors() {
            tensors.extend(exported(file, entry, &mut list));
        }
        let metadata = self.metadata(file, &mut list);
        let skipped = allow(list, self.skip_unsupported, file.path().unwrap_or(Path::new("the bytes")))?;
        tensors.sort_by_key(|tensor| std::cmp::Reverse(alignment_of(tensor.dtype)));

        let texts = metadata.iter().map(|(key, text)| (key.as_ref(), text.as_ref()));
        let mut header = HeaderBuilder::new(texts);
        for tensor in &tensors {
            header
                .tensor(tensor.entry.name(), tensor.dtype, tensor.descriptor.shape(), tensor.size)
                .ok_or_else(too_large)?;
        }
        let (header, bytes) = header.finish().ok_or_else(too_large)?;
        let options = FileOptions { sync: self.sync, overwrite: true, progress: None };
        replace_file(to, bytes, &options, |sink| {
            let write = || -> std::io::Result<()> {
                let mut sink = BufWriter::with_capacity(1 << 20, sink);
                sink.write_all(&header)?;
                tensors.iter().try_for_each(|tensor| tensor.data.write(&mut sink))?;
                sink.flush()
            };
            write().map_err(|source| SaveError::Io { path: Some(to.to_owned()), source })
        })?;
        let is_reordered = |tensor: &&Exported<'_>| matches!(tensor.data, TensorData::Unordered(_));
        Ok(ExportReport {
            path: to.to_owned(),
            bytes,
            tensors: tensors.len(),
            reordered: tensors
                .iter()
                .filter(is_reordered)
                .map(|tensor| tensor.entry.name().to_owned())
                .collect(),
            skipped,
        })
    }

    /// Keys and texts; the list gets what has no text.
    fn metadata<'f>(&self, file: &'f File, list: &mut Vec<Unsupported>) -> Vec<(Cow<'f, str>, Cow<'f, str>)> {
        let mut metadata = Vec::new();
        for (key, value) in file.metadata().iter() {
            match value {
                // Follow from the tensors.
                KvValue::Bytes(_) if matches!(key, "hurray.descriptors" | "hurray.crc32c") => {}
                KvValue::String(_) if says_dtype(file, key) => {}
                KvValue::String(text) => metadata.push((key.into(), text.into())),
                other => match encode(other).filter(|_| self.typed_metadata) {
                    Some((name, text)) => {
                        metadata.push((format!("{TYPE}{key}").into(), name.into()));
                        metadata.push((key.into(), text.into()));
                    }
                    None => {
                        let reason = format!("{}, and only texts have a place", other.type_name());
                        list.push(Unsupported::metadata(key, reason));
                    }
                },
            }
        }
        metadata
    }
}

/// Whether an entry has the type of a tensor that is kept as its bytes, which gets it back.
fn says_dtype(file: &File, key: &str) -> bool {
    let entry = key.strip_prefix(SAFETENSORS).and_then(|name| file.tensor(name).ok());
    let descriptor = entry.and_then(|entry| Some((entry, entry.descriptor().ok()?)));
    descriptor.is_some_and(|(entry, descriptor)| kept_dtype(file, entry, &descriptor).is_some())
}

/// The type that an import kept the bytes of a tensor for.
fn kept_dtype(file: &File, entry: TensorEntry<'_>, descriptor: &TensorDescriptor) -> Option<Dtype> {
    let KvValue::String(name) = file.metadata().get(&own_key(SAFETENSORS, entry.name()))? else {
        return None;
    };
    let dtype: Dtype = serde_json::from_value(name.as_str().into()).ok()?;
    (descriptor.element_type() == ElementType::UInt8 && size_of(dtype, 1) == Some(1)).then_some(dtype)
}

/// A header that no reader takes.
#[cold]
fn too_large() -> SaveError {
    SaveError::Limit { limit: "bytes of a safetensors header", allowed: 100_000_000, found: u64::MAX }
}

/// A tensor that can be carried.
struct Exported<'f> {
    entry: TensorEntry<'f>,
    descriptor: TensorDescriptor,
    dtype: Dtype,
    /// In bytes.
    size: u64,
    data: TensorData<'f>,
}

/// Where the bytes come from.
enum TensorData<'f> {
    /// As they are.
    Bytes(&'f [u8]),
    /// Packed; so many bools.
    Bools(&'f [u8], usize),
    /// To be brought into order.
    Unordered(Box<Gather<'f>>),
}

/// What of an entry goes into the new file; the list gets all that can't.
fn exported<'f>(file: &File, entry: TensorEntry<'f>, list: &mut Vec<Unsupported>) -> Option<Exported<'f>> {
    let name = entry.name();
    let descriptor = match entry.known_descriptor() {
        Ok(descriptor) => descriptor,
        Err(error) => {
            list.push(Unsupported::tensor(name, error.to_string()));
            return None;
        }
    };
    if let Layout::Composite(head) = descriptor.layout() {
        let reason = match head.rule {
            // The names of the members say that the group is there.
            CompositionRule::Group if head.member_count > 0 => return None,
            CompositionRule::Group => "an empty group has no place",
            CompositionRule::Partition => "a tensor in parts has no place",
            CompositionRule::Overlay(_) => "a tensor in layers has no place",
            CompositionRule::Private { .. } => "a private composite has no place",
        };
        let kind = UnsupportedKind::Composite;
        list.push(Unsupported { kind, name: name.to_owned(), reason: reason.to_owned() });
        return None;
    }
    match carry(file, entry, &descriptor) {
        Ok((dtype, size, data)) => {
            if descriptor.statistics().is_some() {
                let (kind, reason) = (UnsupportedKind::Annotation, "statistics have no place".to_owned());
                list.push(Unsupported { kind, name: name.to_owned(), reason });
            }
            Some(Exported { entry, descriptor, dtype, size, data })
        }
        Err(reason) => {
            list.push(Unsupported::tensor(name, reason));
            None
        }
    }
}

/// Type, size and data of a tensor, or why it can't be carried.
fn carry<'f>(
    file: &File,
    entry: TensorEntry<'f>,
    descriptor: &TensorDescriptor,
) -> Result<(Dtype, u64, TensorData<'f>), String> {
    let element_type = descriptor.element_type();
    if entry.name() == METADATA {
        return Err("the name is that of the metadata".to_owned());
    }
    if let Some(quantization) = descriptor.quantization() {
        return Err(format!("quantized ({})", quantization.name()));
    }
    if descriptor.shard().is_some() || descriptor.member_role().is_some() {
        return Err("a part of another tensor".to_owned());
    }
    let dtype = kept_dtype(file, entry, descriptor).or_else(|| dtype_of(element_type));
    let dtype = dtype.ok_or_else(|| format!("{element_type} has no counterpart"))?;
    let elements = match descriptor.shape() {
        shape if shape.contains(&0) => Some(0),
        shape => shape.iter().try_fold(1u64, |count, &dim| count.checked_mul(dim)),
    };
    let elements = elements.ok_or_else(|| "its shape is not resolved".to_owned())?;
    let size = size_of(dtype, elements)
        .ok_or_else(|| format!("{elements} elements of {element_type} do not fill whole bytes"))?;
    let data = match descriptor.layout() {
        Layout::RowMajor => in_order(entry, descriptor, elements, size)?,
        layout if layout.is_dense() => {
            TensorData::Unordered(Box::new(Gather::of(entry, descriptor).map_err(|error| error.to_string())?))
        }
        other => return Err(format!("the layout {} has no counterpart", other.name())),
    };
    Ok((dtype, size, data))
}

fn in_order<'f>(
    entry: TensorEntry<'f>,
    descriptor: &TensorDescriptor,
    elements: u64,
    size: u64,
) -> Result<TensorData<'f>, String> {
    let buffers = entry.buffers_of(descriptor).map_err(|error| error.to_string())?;
    let buffer = buffers.first().copied().unwrap_or_default();
    let missing = || "its buffer is too small".to_owned();
    let start = to_usize(descriptor.byte_offset()).ok_or_else(missing)?;
    let is_bool = descriptor.element_type() == ElementType::Bool;
    let stored = if is_bool { elements.div_ceil(8) } else { size };
    let end = to_usize(stored).and_then(|stored| start.checked_add(stored)).ok_or_else(missing)?;
    let bytes = buffer.get(start..end).ok_or_else(missing)?;
    Ok(match is_bool {
        true => TensorData::Bools(bytes, to_usize(elements).ok_or_else(missing)?),
        false => TensorData::Bytes(bytes),
    })
}

impl TensorData<'_> {
    fn write(&self, sink: &mut impl Write) -> std::io::Result<()> {
        match self {
            Self::Bytes(bytes) => sink.write_all(bytes),
            Self::Bools(bytes, count) => {
                const BLOCK: usize = 1 << 16;
                let mut left = *count;
                for block in bytes.chunks(BLOCK / 8) {
                    let bools = left.min(BLOCK);
                    sink.write_all(&unpack(block, bools))?;
                    left = left.saturating_sub(bools);
                }
                Ok(())
            }
            Self::Unordered(elements) => elements.write(sink),
        }
    }
}

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// The new file.
    pub path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// How many tensors it has.
    pub tensors: usize,
    /// The tensors that were brought into row-major order.
    pub reordered: Vec<String>,
    /// What was left out. Empty unless [`ExportOptions::skip_unsupported`] is on.
    pub skipped: Vec<Unsupported>,
}

impl fmt::Display for ExportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tensors, {} bytes in `{}`", self.tensors, self.bytes, self.path.display())?;
        if !self.reordered.is_empty() {
            write!(f, "; brought into row-major order:{}", Lines(&self.reordered))?;
        }
        if !self.skipped.is_empty() {
            write!(f, "; left out:{}", Lines(&self.skipped))?;
        }
        Ok(())
    }
}
