//! Why burn and a file do not come together.

use std::path::PathBuf;

use crate::element::ElementType;
use crate::error::{FormatError, OpenError, TensorError};
use crate::model::{LoadError, Problem, ProblemKind, problem_of};
use crate::writer::SaveError;

/// Why a [`HurrayStore`](super::HurrayStore) could not save or load.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HurrayStoreError {
    /// The file does not open, or does not fit the module: the report lists all that is wrong.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The module could not be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// There is a file already, and [`overwrite`](super::HurrayStore::overwrite) is off.
    #[error("`{}` is there already: allow it with `.overwrite(true)`", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The store was made from an open file, which is only read.
    #[error("a store over an open file only loads: save through `HurrayStore::from_file`")]
    ReadOnly,
    /// Nothing was saved yet into the store's memory.
    #[error("the store's memory is empty: save first, or make it with `from_bytes(Some(..))`")]
    Empty,
}

impl From<OpenError> for HurrayStoreError {
    fn from(error: OpenError) -> Self {
        Self::Load(error.into())
    }
}

/// Why a tensor of a file can't become one of burn's.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Tensor(#[from] TensorError),
    #[error("burn has no dtype for {0}")]
    ElementType(ElementType),
}

impl From<FormatError> for ReadError {
    fn from(error: FormatError) -> Self {
        Self::Tensor(error.into())
    }
}

impl ReadError {
    #[cold]
    pub(super) fn to_problem(&self) -> Problem {
        match self {
            Self::Tensor(error) => problem_of(error, "a burn tensor"),
            Self::ElementType(found) => {
                Problem::new(ProblemKind::ElementType, "an element type that burn has", found.to_string())
            }
        }
    }
}
