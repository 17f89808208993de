//! Why a file does not open.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{FormatError, Rule};

/// Why bytes or a file do not open as a Hurray container.
///
/// Every variant carries the path where there is one; bytes in memory have none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The operating system refused.
    #[error("cannot read {}", DisplayPath(path))]
    Io {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// What the system said.
        source: io::Error,
    },
    /// The bytes are something else than a Hurray container.
    #[error("{} is {found}, not a Hurray file", DisplayPath(path))]
    NotHurray {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// What it looks like.
        found: FileKind,
    },
    /// The file begins as a Hurray container and ends too early or too late.
    #[error("{} is {}", DisplayPath(path), DisplayCut { needed: *needed, have: *have })]
    Truncated {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// The size in bytes that the file should have, where that can still be told.
        needed: Option<u64>,
        /// The size in bytes that it has.
        have: u64,
    },
    /// A rule of the format is broken.
    #[error("{} breaks a rule of the format", DisplayPath(path))]
    Format {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// Which rule, where and how.
        source: FormatError,
    },
    /// The copy of a descriptor that the file keeps for fast opening differs from the descriptor itself.
    #[error("{} has a table of descriptors that does not agree with the descriptor of `{}`", DisplayPath(path), tensor.escape_debug())]
    DescriptorTable {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// The tensor.
        tensor: Box<str>,
    },
    /// The bytes in memory do not start at an address that the views need.
    #[error(
        "the bytes start at an address aligned to {have}, views need {need}: copy them with `File::copy_from_slice`"
    )]
    Misaligned {
        /// The alignment in bytes that is needed.
        need: usize,
        /// The alignment in bytes that the slice has.
        have: usize,
    },
    /// A limit of [`Limits`](crate::Limits) is exceeded.
    #[error("{} exceeds the limit `{limit}`: {found} of at most {allowed}", DisplayPath(path))]
    Limit {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// The field of `Limits`.
        limit: &'static str,
        /// The value of that field.
        allowed: u64,
        /// What the file has.
        found: u64,
    },
}

impl OpenError {
    /// The broken rule, where one is broken.
    #[must_use]
    pub fn format(&self) -> Option<&FormatError> {
        match self {
            Self::Format { source, .. } => Some(source),
            _ => None,
        }
    }

    /// The rule that does not hold, also where the error has a variant of its own: HDR-02 for what is
    /// something else, HDR-01 and TRL-01 for what is cut.
    #[must_use]
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::Format { source, .. } => Some(source.rule()),
            Self::NotHurray { found: FileKind::Empty, .. } => Some(Rule::Hdr01),
            Self::NotHurray { found: FileKind::Directory, .. } => None,
            Self::NotHurray { .. } => Some(Rule::Hdr02),
            Self::Truncated { have: ..Self::MIN_SIZE, .. } => Some(Rule::Hdr01),
            Self::Truncated { .. } => Some(Rule::Trl01),
            Self::Io { .. } | Self::DescriptorTable { .. } | Self::Misaligned { .. } | Self::Limit { .. } => {
                None
            }
        }
    }

    /// The size in bytes of the smallest file (FORMAT §2.1).
    const MIN_SIZE: u64 = 112;

    /// The file concerned, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::NotHurray { path, .. }
            | Self::Truncated { path, .. }
            | Self::Format { path, .. }
            | Self::DescriptorTable { path, .. }
            | Self::Limit { path, .. } => path.as_deref(),
            Self::Misaligned { .. } => None,
        }
    }

    /// Names the file in an error made from bytes alone.
    #[must_use]
    pub(crate) fn with_path(mut self, file: &Path) -> Self {
        match &mut self {
            Self::Io { path, .. }
            | Self::NotHurray { path, .. }
            | Self::Truncated { path, .. }
            | Self::Format { path, .. }
            | Self::DescriptorTable { path, .. }
            | Self::Limit { path, .. } => {
                path.get_or_insert_with(|| file.to_owned());
            }
            Self::Misaligned { .. } => {}
        }
        self
    }
}

impl From<FormatError> for OpenError {
    fn from(source: FormatError) -> Self {
        Self::Format { path: None, source }
    }
}

/// What a file is that is not a Hurray container, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// No bytes at all.
    Empty,
    /// A directory.
    Directory,
    /// A Hurray file, where something else is wanted.
    Hurray,
    /// A safetensors file.
    Safetensors,
    /// A GGUF file.
    Gguf,
    /// The text stub that git-lfs leaves in place of a file that was not fetched.
    GitLfsPointer,
    /// A ZIP archive: npz, or what PyTorch saves.
    Zip,
    /// A pickle stream.
    Pickle,
    /// A NumPy array.
    Npy,
    /// An HDF5 file.
    Hdf5,
    /// A web page.
    Html,
    /// A JSON document.
    Json,
    /// A raw stream of Hurray tensor descriptors, without the container around it.
    DescriptorStream,
    /// Nothing known.
    Unknown,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "empty",
            Self::Directory => "a directory",
            Self::Hurray => "a Hurray file",
            Self::Safetensors => "a safetensors file",
            Self::Gguf => "a GGUF file",
            Self::GitLfsPointer => "a git-lfs pointer (fetch the file itself with `git lfs pull`)",
            Self::Zip => "a ZIP archive (npz or PyTorch)",
            Self::Pickle => "a Python pickle",
            Self::Npy => "a NumPy array",
            Self::Hdf5 => "an HDF5 file",
            Self::Html => "a web page",
            Self::Json => "a JSON document",
            Self::DescriptorStream => "a raw descriptor stream",
            Self::Unknown => "of an unknown kind",
        })
    }
}

/// The path, or words for bytes that have none.
struct DisplayPath<'a>(&'a Option<PathBuf>);

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => write!(f, "`{}`", path.display()),
            None => f.write_str("the slice"),
        }
    }
}

struct DisplayCut {
    needed: Option<u64>,
    have: u64,
}

impl fmt::Display for DisplayCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.needed {
            Some(needed) if needed > self.have => write!(f, "truncated: {} of {needed} bytes", self.have),
            Some(needed) => {
                write!(f, "too long: {} bytes, {} after its end", self.have, self.have.saturating_sub(needed))
            }
            None => write!(f, "truncated: it has {} bytes and no trailer", self.have),
        }
    }
}
