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
    #[error("{}element type {found}, expected {expected}{}", of(tensor), advice(tensor, *found))]
    ElementType {
        /// What was asked for.
        expected: ElementType,
        /// What the tensor has.
        found: ElementType,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
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
    #[error("{}rank {found} is above 8: use `DynTensorView`", of(tensor))]
    RankTooHigh {
        /// The tensor's rank.
        found: usize,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
    },
    /// A stride is past what typed views hold inline, 32 bits at rank 7 and 8 and those of memory at any; `DynTensorView`
    /// takes all.
    #[error(
        "{}the stride {stride} of dimension {dimension} is too large for a view of its rank: use `DynTensorView`",
        of(tensor)
    )]
    StrideTooLarge {
        /// The dimension, from 0.
        dimension: usize,
        /// Its stride, in elements.
        stride: i64,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
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
    #[error("{}layout {found}, expected {expected}", of(tensor))]
    Layout {
        /// What the view can show.
        expected: &'static str,
        /// What the tensor has.
        found: &'static str,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
    },
    /// The tensor is quantized, and the view asked for shows plain elements.
    #[error("{}quantized ({scheme}): use `QuantizedView`", of(tensor))]
    Quantized {
        /// The scheme's name.
        scheme: &'static str,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
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
    #[error(
        "{}the elements start at an address aligned to {have}, the element type needs {need}",
        of(tensor)
    )]
    Misaligned {
        /// The alignment in bytes that is needed.
        need: usize,
        /// The alignment in bytes that the address has.
        have: usize,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
    },
    /// A dimension is not resolved (`DYN`), so elements can't be addressed.
    #[error("{}dimension {dimension} is dynamic", of(tensor))]
    Dynamic {
        /// The dimension, from 0.
        dimension: usize,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
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
    #[error("{}the result exceeds the limit `{limit}`: {found} of at most {allowed}", of(tensor))]
    Limit {
        /// The field of `Limits`.
        limit: &'static str,
        /// The value of that field.
        allowed: u64,
        /// What would be needed; saturated at `u128::MAX`.
        found: u128,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
    },
    /// The tensor is understood only in part: its raw buffers are there, typed access is not.
    #[error("{}{what} is not understood: only raw buffers", of(tensor))]
    NotUnderstood {
        /// The part that is not understood, such as `layout 0x0c`.
        what: Box<str>,
        /// The tensor's name, where it is one of a file.
        tensor: Option<Box<str>>,
    },
}

/// The errors of a tensor that may have a name, as a pattern that binds it.
macro_rules! named {
    ($tensor:ident) => {
        Self::ElementType { tensor: $tensor, .. }
            | Self::RankTooHigh { tensor: $tensor, .. }
            | Self::StrideTooLarge { tensor: $tensor, .. }
            | Self::Layout { tensor: $tensor, .. }
            | Self::Quantized { tensor: $tensor, .. }
            | Self::Misaligned { tensor: $tensor, .. }
            | Self::Dynamic { tensor: $tensor, .. }
            | Self::Limit { tensor: $tensor, .. }
            | Self::NotUnderstood { tensor: $tensor, .. }
    };
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

    /// The tensor concerned, where it is one of a file.
    #[must_use]
    pub fn tensor(&self) -> Option<&str> {
        match self {
            Self::NotFound { name, .. } => Some(name),
            Self::Format(source) => source.tensor(),
            named!(tensor) => tensor.as_deref(),
            _ => None,
        }
    }

    /// Adds the tensor's name, unless one is known already.
    #[cold]
    #[must_use]
    pub(crate) fn in_tensor(mut self, name: &str) -> Self {
        if let Self::Format(source) = self {
            return Self::Format(source.in_tensor(name));
        }
        if let Some(tensor) = self.tensor_mut() {
            tensor.get_or_insert_with(|| name.into());
        }
        self
    }

    /// The same without the tensor's name, for where it is said already.
    #[must_use]
    pub(crate) fn unnamed(&self) -> Self {
        let mut unnamed = self.clone();
        if let Some(tensor) = unnamed.tensor_mut() {
            *tensor = None;
        }
        unnamed
    }

    fn tensor_mut(&mut self) -> Option<&mut Option<Box<str>>> {
        match self {
            named!(tensor) => Some(tensor),
            _ => None,
        }
    }
}

/// Errors of a tensor whose name whoever knows it adds.
impl TensorError {
    pub(crate) const fn element_type(expected: ElementType, found: ElementType) -> Self {
        Self::ElementType { expected, found, tensor: None }
    }

    pub(crate) const fn rank_too_high(found: usize) -> Self {
        Self::RankTooHigh { found, tensor: None }
    }

    pub(crate) const fn stride_too_large(dimension: usize, stride: i64) -> Self {
        Self::StrideTooLarge { dimension, stride, tensor: None }
    }

    pub(crate) const fn layout(expected: &'static str, found: &'static str) -> Self {
        Self::Layout { expected, found, tensor: None }
    }

    pub(crate) const fn quantized(scheme: &'static str) -> Self {
        Self::Quantized { scheme, tensor: None }
    }

    pub(crate) const fn misaligned(need: usize, have: usize) -> Self {
        Self::Misaligned { need, have, tensor: None }
    }

    pub(crate) const fn dynamic(dimension: usize) -> Self {
        Self::Dynamic { dimension, tensor: None }
    }

    pub(crate) const fn limit(limit: &'static str, allowed: u64, found: u128) -> Self {
        Self::Limit { limit, allowed, found, tensor: None }
    }

    pub(crate) fn not_understood(what: impl Into<Box<str>>) -> Self {
        Self::NotUnderstood { what: what.into(), tensor: None }
    }
}

/// How an error of a tensor starts.
fn of(tensor: &Option<Box<str>>) -> String {
    tensor.as_ref().map_or_else(String::new, |name| format!("tensor `{}`: ", name.escape_debug()))
}

/// What to write instead, for a tensor that is in a file as it is.
fn advice(tensor: &Option<Box<str>>, found: ElementType) -> String {
    match (tensor, found.rust_name()) {
        (Some(_), Some(name)) if found.is_packed() => {
            format!("; ask for `{name}`, as in `PackedView<{name}>`")
        }
        (Some(_), Some(name)) => format!("; ask for `{name}`, as in `view::<{name}>()`"),
        _ => String::new(),
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
