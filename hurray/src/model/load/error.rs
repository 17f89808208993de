//! Why a load gives no model.

use std::fmt;

use crate::error::OpenError;
use crate::model::LoadReport;

/// Why a load gives no model.
///
/// Where `main` returns it, or `unwrap` meets it, the report shows as it reads; `{:#?}` shows all of its parts.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file opens, and does not fit the model: the report lists all that is wrong.
    #[error("{0}")]
    Report(Box<LoadReport>),
}

impl LoadError {
    /// All that is wrong, when the file opened.
    #[must_use]
    pub fn report(&self) -> Option<&LoadReport> {
        match self {
            Self::Report(report) => Some(report),
            Self::Open(_) => None,
        }
    }
}

impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => f.debug_tuple("Open").field(error).finish(),
            Self::Report(report) if f.alternate() => f.debug_tuple("Report").field(report).finish(),
            Self::Report(report) => write!(f, "{report}"),
        }
    }
}
