//! Why a conversion fails, and what it can't carry.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{FileKind, OpenError};
use crate::writer::{BoxError, SaveError};

/// Why a safetensors file can't be converted to a Hurray file, or the other way.
///
/// Everything but [`Save`](Self::Save) is found before the first byte is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The safetensors file is no good.
    #[error("`{}` {problem}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: SourceError,
    },
    /// The index or the shards of a set are no good: all that is wrong with any of them.
    #[error("the set of `{}` is not whole:{}", index.display(), Lines(problems))]
    Set {
        /// The index file.
        index: PathBuf,
        /// At least one.
        problems: Vec<ShardProblem>,
    },
    /// The other format has no place for all that is there.
    #[error("`{}` holds what the other format can't:{}", path.display(), Lines(list))]
    Unsupported {
        /// The file to convert.
        path: PathBuf,
        /// All of it; at least one.
        list: Vec<Unsupported>,
    },
    /// The Hurray file does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The new file can't be written.
    #[error(transparent)]
    Save(#[from] SaveError),
}

/// What is wrong with a safetensors file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The operating system refused.
    #[error("can't be read")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("is {0}, not a safetensors file")]
    Other(FileKind),
    /// It has another size than its header says.
    #[error("is {}: {have} of {needed} bytes", if have < needed { "truncated" } else { "too long" })]
    Size {
        /// In bytes.
        needed: u64,
        /// In bytes.
        have: u64,
    },
    /// The header is not what a safetensors file has.
    #[error("has no header that can be read")]
    Header(#[source] BoxError),
    /// The header contradicts itself about a tensor.
    #[error("says of tensor `{}` that {problem}", name.escape_debug())]
    Tensor {
        /// The tensor.
        name: String,
        /// What can't be.
        problem: &'static str,
    },
}

/// What is wrong with one file of a set, or with the index itself.
#[derive(Debug)]
#[non_exhaustive]
pub struct ShardProblem {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub kind: ShardProblemKind,
}

/// What is wrong with a file of a set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardProblemKind {
    /// There is no such file.
    #[error("is missing")]
    Missing,
    /// The file itself is no good.
    #[error("{}{}", .0, Cause(.0))]
    Source(SourceError),
    /// The index has a name for a shard that is no name of a file beside it.
    #[error("is not the name of a file beside the index")]
    Place,
    /// A tensor that the index expects in the shard is not there.
    #[error("lacks tensor `{}`", .0.escape_debug())]
    Lacks(String),
    /// A tensor of the shard that the index does not expect there: a shard of another set.
    #[error("has tensor `{}`, which the index does not place there", .0.escape_debug())]
    Foreign(String),
    /// Two shards have different values for a key of the metadata.
    #[error("has another value than the files before it for the metadata key `{}`", .0.escape_debug())]
    Metadata(String),
}

/// The cause of an error in a list, which has no source chain of its own.
struct Cause<'e>(&'e SourceError);

impl fmt::Display for Cause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::error::Error::source(self.0) {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ShardProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.file.display(), self.kind)
    }
}

/// Something that the other format has no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsupported {
    /// What it is.
    pub kind: UnsupportedKind,
    /// The name of the tensor, or the key.
    pub name: String,
    /// Why it can't be carried.
    pub reason: String,
}

/// What can't be carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsupportedKind {
    /// A whole tensor.
    Tensor,
    /// Something beside the values of a tensor, which is carried itself.
    Annotation,
    /// A composite.
    Composite,
    /// A metadata entry.
    Metadata,
}

impl Unsupported {
    pub(super) fn tensor(name: &str, reason: impl Into<String>) -> Self {
        Self { kind: UnsupportedKind::Tensor, name: name.to_owned(), reason: reason.into() }
    }

    pub(super) fn metadata(key: &str, reason: impl Into<String>) -> Self {
        Self { kind: UnsupportedKind::Metadata, name: key.to_owned(), reason: reason.into() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            UnsupportedKind::Tensor => "tensor",
            UnsupportedKind::Annotation => "part of tensor",
            UnsupportedKind::Composite => "composite",
            UnsupportedKind::Metadata => "metadata",
        };
        write!(f, "{what} `{}`: {}", self.name.escape_debug(), self.reason)
    }
}

/// Fails unless nothing is on the list, or the caller said to skip it.
pub(super) fn allow(
    list: Vec<Unsupported>,
    skip: bool,
    path: &Path,
) -> Result<Vec<Unsupported>, ConvertError> {
    if skip || list.is_empty() {
        return Ok(list);
    }
    Err(ConvertError::Unsupported { path: path.to_owned(), list })
}

/// One line each, as many as one can read.
pub(super) struct Lines<'l, T>(pub(super) &'l [T]);

impl<T: fmt::Display> fmt::Display for Lines<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 100;
        for line in self.0.iter().take(SHOWN) {
            write!(f, "\n  {line}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}
