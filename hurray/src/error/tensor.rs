//! Why one tensor of an open file can't be given as asked.

use crate::element::ElementType;
use crate::error::FormatError;

/// Why a tensor of an open file can't be viewed as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// No tensor has that name.
    #[error("no tensor is named `{}`{}", name.escape_debug(), crate::error::tensor::near(near))]
    NotFound {
        /// The name asked for.
        name: Box<str>,
        /// Names in the file that look alike.
        near: Vec<Box<str>>,
    },
    /// The descriptor or the data break a rule of the format.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The elements are of another type.
    #[error("element type {found}, expected {expected}")]
    ElementType {
        /// What was asked for.
        expected: ElementType,
        /// What the tensor has.
        found: ElementType,
    },
    /// The tensor has another rank.
    #[error("rank {found}, expected {expected}")]
    Rank {
        /// What was asked for.
        expected: usize,
        /// What the tensor has.
        found: usize,
    },
    /// The rank is above what typed views hold inline; `DynTensorView` takes any.
    #[error("rank {found} is above 8: use `DynTensorView`")]
    RankTooHigh {
        /// The tensor's rank.
        found: usize,
    },
    /// The tensor has another shape.
    #[error("shape {found:?}, expected {expected:?}")]
    Shape {
        /// What was asked for.
        expected: Vec<u64>,
        /// What the tensor has.
        found: Vec<u64>,
    },
    /// The tensor lies in memory in a way that the view asked for can't show.
    #[error("layout {found}, expected {expected}")]
    Layout {
        /// What the view can show.
        expected: &'static str,
        /// What the tensor has.
        found: &'static str,
    },
    /// The tensor is quantized, and the view asked for shows plain elements.
    #[error("quantized ({scheme}): use `QuantizedView`")]
    Quantized {
        /// The scheme's name.
        scheme: &'static str,
    },
    /// An index lies outside the shape, or has another rank.
    #[error("index {index:?} is outside shape {shape:?}")]
    Index {
        /// The index asked for.
        index: Vec<usize>,
        /// The shape, in elements.
        shape: Vec<usize>,
    },
    /// The elements do not start at an address that the element type needs.
    #[error("the elements start at an address aligned to {have}, the element type needs {need}")]
    Misaligned {
        /// The alignment in bytes that is needed.
        need: usize,
        /// The alignment in bytes that the address has.
        have: usize,
    },
    /// A dimension is not resolved (`DYN`), so elements can't be addressed.
    #[error("dimension {dimension} is dynamic")]
    Dynamic {
        /// The dimension, from 0.
        dimension: usize,
    },
    /// Parts that should make up a tensor do not fit each other.
    #[error("{what}: {found}, expected {expected}")]
    Parts {
        /// Which part, and in what unit.
        what: &'static str,
        /// What the other parts ask for.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// A paged tensor says how many pages each sequence has, and that does not tell how many tokens.
    #[error("the file does not determine how many tokens each sequence has: give the counts to the view")]
    TokenCounts,
    /// A value does not fit in the element type.
    #[error("value {position} does not fit in {element_type}")]
    Value {
        /// The element type.
        element_type: ElementType,
        /// The position among the values given.
        position: usize,
    },
    /// The result would be larger than [`Limits`](crate::Limits) allows.
    #[error("the result exceeds the limit `{limit}`: {found} of at most {allowed}")]
    Limit {
        /// The field of `Limits`.
        limit: &'static str,
        /// The value of that field.
        allowed: u64,
        /// What would be needed; saturated at `u128::MAX`.
        found: u128,
    },
    /// The tensor is understood only in part: its raw buffers are there, typed access is not.
    #[error("{what} is not understood: only raw buffers")]
    NotUnderstood {
        /// The part that is not understood, such as `layout 0x0c`.
        what: Box<str>,
    },
}

impl TensorError {
    /// The broken rule, where one is broken.
    #[must_use]
    pub fn format(&self) -> Option<&FormatError> {
        match self {
            Self::Format(source) => Some(source),
            _ => None,
        }
    }
}

/// `; near names: a, b`, or nothing.
pub(crate) fn near<N: AsRef<str>>(names: &[N]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref().escape_debug())).collect();
    format!("; near: {}", names.join(", "))
}
