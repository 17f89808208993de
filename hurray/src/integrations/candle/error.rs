//! Why candle and a file do not come together.

use crate::element::ElementType;
use crate::error::{OpenError, TensorError};

/// Why a tensor of a file can't become one of candle's.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CandleError {
    /// The file does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The tensor is not there, or breaks a rule, or is too large.
    #[error("tensor `{}` can't be read", name.escape_debug())]
    Tensor {
        /// The tensor.
        name: Box<str>,
        /// Why.
        source: TensorError,
    },
    /// No dtype of candle holds the elements.
    #[error("tensor `{}`: candle has no dtype for {found}", name.escape_debug())]
    ElementType {
        /// The tensor.
        name: Box<str>,
        /// What it has.
        found: ElementType,
    },
    /// What candle said.
    #[error("tensor `{}`: candle refuses", name.escape_debug())]
    Candle {
        /// The tensor.
        name: Box<str>,
        /// What candle said.
        source: candle_core::Error,
    },
}

/// The same, for code that knows the tensor.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Tensor(#[from] TensorError),
    #[error("candle has no dtype for {0}")]
    ElementType(ElementType),
    #[error(transparent)]
    Candle(#[from] candle_core::Error),
}

impl ReadError {
    #[cold]
    pub(super) fn of(self, name: &str) -> CandleError {
        let name = name.into();
        match self {
            Self::Tensor(source) => CandleError::Tensor { name, source },
            Self::ElementType(found) => CandleError::ElementType { name, found },
            Self::Candle(source) => CandleError::Candle { name, source },
        }
    }
}
