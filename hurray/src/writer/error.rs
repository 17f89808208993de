//! Why a model or a tensor cannot be saved.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::FormatError;

/// An error of the application, from a source of bytes.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a model or a tensor cannot be saved.
///
/// [`Io`](Self::Io) and [`Source`](Self::Source) come while writing; everything else is found before the
/// first byte is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The operating system, or the sink written to, refused.
    #[error("cannot write {}", DisplayPath(path))]
    Io {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// What the system said.
        source: io::Error,
    },
    /// No tensor or KV entry can have that name.
    #[error("`{}` cannot be a name in the file: {reason}", Shortened(name))]
    Name {
        /// The name, of a tensor or a KV entry.
        name: Box<str>,
        /// Why not.
        reason: NameProblem,
    },
    /// Two tensors, or two KV entries, would have the same name.
    #[error("two {entries} are named `{}`: {first} and {second}", Shortened(name))]
    Collision {
        /// Which of the two name spaces.
        entries: NameSpace,
        /// The name that both have.
        name: Box<str>,
        /// Who was first to take the name.
        first: Box<str>,
        /// Who wants it as well.
        second: Box<str>,
    },
    /// A descriptor, a composite or a KV value would break a rule of the format.
    #[error("cannot be written by the rules of the format")]
    Format(#[from] FormatError),
    /// The bytes of a tensor could not be had when their turn came.
    #[error("the data of tensor `{}` cannot be had", Shortened(name))]
    Source {
        /// The tensor.
        name: Box<str>,
        /// What its source said.
        source: BoxError,
    },
    /// A bound of the format or of [`Limits`](crate::Limits) is exceeded.
    #[error("exceeds the limit `{limit}`: {found} of at most {allowed}")]
    Limit {
        /// What is bounded.
        limit: &'static str,
        /// How much is allowed.
        allowed: u64,
        /// How much it would be; saturated.
        found: u64,
    },
    /// Another number of tensors was written than declared up front (HDR-12).
    #[error("{written} tensors written, {declared} declared")]
    Count {
        /// The number declared.
        declared: u64,
        /// The number written.
        written: u64,
    },
    /// The root of a model is one tensor or value, which has no name: wrap it in a struct.
    #[error("the root of a model has no name, and {what} needs one: wrap it in a struct")]
    Root {
        /// What it was.
        what: &'static str,
    },
    /// A tensor inside a struct that is marked `#[hurray(metadata)]`.
    #[error("`{}` is a tensor, inside a struct that is marked `metadata`", Shortened(path))]
    TensorInMetadata {
        /// The path in the file.
        path: Box<str>,
    },
    /// The shape of a tensor breaks the `shape = [..]` of its field.
    #[error("`{}` has shape {found:?}, and its field wants {expected}", Shortened(path))]
    Shape {
        /// The path in the file.
        path: Box<str>,
        /// The rule, and what its names stand for.
        expected: Box<str>,
        /// The shape of the tensor.
        found: Box<[u64]>,
    },
    /// A field whose attributes describe a tensor (`shape`, `layout`, ..) saved something else.
    #[error("`{}` has attributes that describe a tensor, and is not one tensor", Shortened(path))]
    NoTensor {
        /// The path in the file.
        path: Box<str>,
    },
    /// A negative number where a size is meant.
    #[error("`{name}` in `{}` is negative, and names the size of a dimension", Shortened(path))]
    Dimension {
        /// The path in the file of the struct.
        path: Box<str>,
        /// The field.
        name: &'static str,
    },
    /// The model nests deeper than [`Limits::nesting`](crate::Limits::nesting) allows.
    #[error("`{}` lies deeper than {allowed} levels (`Limits::nesting`)", Shortened(path))]
    Nesting {
        /// The path in the file.
        path: Box<str>,
        /// The limit.
        allowed: usize,
    },
    /// A `VecDeque` of elements that does not lie in one piece.
    #[error("`{}` is a VecDeque in two pieces: call `make_contiguous` before saving", Shortened(path))]
    InPieces {
        /// The path in the file.
        path: Box<str>,
    },
    /// A field that is marked `tied` differs from the tensor or group that it names.
    #[error("`{}` is tied to `{}`, but {reason}", Shortened(path), Shortened(target))]
    Tie {
        /// The path in the file of the field.
        path: Box<str>,
        /// The name that it is tied to.
        target: Box<str>,
        /// How they differ.
        reason: TieProblem,
    },
    /// What a hand-written impl or a conversion refused.
    #[error("`{}` can't be saved", Shortened(path))]
    Refused {
        /// The path in the file.
        path: Box<str>,
        /// Why.
        source: BoxError,
    },
    /// An earlier error left the output without a valid end.
    #[error("an earlier error left the output incomplete")]
    Incomplete,
}

impl SaveError {
    /// The broken rule, where one is broken.
    #[must_use]
    pub fn format(&self) -> Option<&FormatError> {
        match self {
            Self::Format(source) => Some(source),
            _ => None,
        }
    }

    /// The file concerned, where that is known.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. } => path.as_deref(),
            _ => None,
        }
    }

    /// Names the file in an error made by a sink that has no path.
    #[must_use]
    pub(crate) fn with_path(mut self, file: &Path) -> Self {
        if let Self::Io { path, .. } = &mut self {
            path.get_or_insert_with(|| file.to_owned());
        }
        self
    }

    /// A size that no file can have.
    #[cold]
    pub(crate) fn too_large() -> Self {
        Self::Limit { limit: "file size in bytes", allowed: u64::MAX, found: u64::MAX }
    }
}

impl From<io::Error> for SaveError {
    fn from(source: io::Error) -> Self {
        Self::Io { path: None, source }
    }
}

/// Why a name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameProblem {
    /// It has no bytes (IDX-04, KV-04).
    Empty,
    /// It is empty between two dots, at its start or at its end.
    EmptySegment,
    /// It is longer than a file can say (IDX-19, KV-13).
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// It belongs to the library.
    Reserved,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::EmptySegment => f.write_str("a segment of it is empty"),
            Self::TooLong { bytes } => write!(f, "{bytes} bytes, at most {} are possible", u16::MAX),
            Self::Reserved => f.write_str("it is reserved for the library"),
        }
    }
}

/// Where a name has to be unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameSpace {
    /// Among the tensors, heads of composites included.
    Tensors,
    /// Among the KV entries.
    Metadata,
}

impl fmt::Display for NameSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tensors => "tensors",
            Self::Metadata => "KV entries",
        })
    }
}

/// Passes a name that the index or the KV section can hold (IDX-04, IDX-19, KV-04, KV-13).
pub(super) fn check_name(name: &str) -> Result<(), SaveError> {
    let reason = match name.len() {
        0 => NameProblem::Empty,
        1..=0xFFFF => return Ok(()),
        bytes => NameProblem::TooLong { bytes },
    };
    Err(SaveError::Name { name: name.into(), reason })
}

struct DisplayPath<'a>(&'a Option<PathBuf>);

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => write!(f, "`{}`", path.display()),
            None => f.write_str("to the sink"),
        }
    }
}

/// A name with its control characters escaped, cut where it would fill the screen.
struct Shortened<'a>(&'a str);

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        match self.0.char_indices().nth(SHOWN) {
            Some((end, _)) => {
                write!(f, "{}...", self.0.get(..end).unwrap_or_default().escape_debug())
            }
            None => write!(f, "{}", self.0.escape_debug()),
        }
    }
}

/// Why one name can't stand for another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TieProblem {
    /// Nothing is stored under the target's name, or under a name inside it.
    #[error("nothing is saved as `{0}`")]
    Missing(Box<str>),
    /// The target is itself another name of something, or lies around the field.
    #[error("that is not a stored tensor or group outside of it")]
    NotStored,
    /// Element type, shape or layout differ.
    #[error("`{0}` has another element type, shape or layout")]
    Descriptor(Box<str>),
    /// The bytes differ.
    #[error("`{0}` has other values")]
    Values(Box<str>),
    /// The bytes are made while saving, so they can't be compared.
    #[error("the values of `{0}` are made while saving and can't be compared: share them in an `Arc`")]
    NotComparable(Box<str>),
}
