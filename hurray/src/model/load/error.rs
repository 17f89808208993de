//! Why a load gives no model.

use crate::error::OpenError;
use crate::model::LoadReport;

/// Why a load gives no model.
#[derive(Debug, thiserror::Error)]
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
