//! A broken rule of the format: which, where, what was expected and what was found.

use std::borrow::Cow;
use std::fmt;

use crate::error::Rule;

/// Bytes that break a rule of the format.
///
/// Names the [`Rule`], and as far as they are known the tensor, the byte offset in the file, what the rule
/// wants there and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError(Box<Violation>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Violation {
    rule: Rule,
    tensor: Option<Box<str>>,
    offset: Option<u64>,
    expected: Option<Cow<'static, str>>,
    found: Option<Cow<'static, str>>,
}

impl Rule {
    /// Starts the report of this rule being broken.
    #[cold]
    pub(crate) fn broken(self) -> FormatError {
        FormatError(Box::new(Violation {
            rule: self,
            tensor: None,
            offset: None,
            expected: None,
            found: None,
        }))
    }

    /// Passes when `holds`, else reports the rule as broken, with `found` and `expected` told by `tell`.
    #[inline]
    pub(crate) fn check(
        self,
        holds: bool,
        tell: impl FnOnce(FormatError) -> FormatError,
    ) -> Result<(), FormatError> {
        if holds { Ok(()) } else { Err(tell(self.broken())) }
    }
}

impl FormatError {
    /// The rule that does not hold.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.0.rule
    }

    /// The tensor concerned, where there is one.
    #[must_use]
    pub fn tensor(&self) -> Option<&str> {
        self.0.tensor.as_deref()
    }

    /// Where in the file, in bytes from its start.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// What the rule wants there.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// What is there.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.0.found.as_deref()
    }

    /// Adds the byte offset in the file, unless one is known already.
    #[must_use]
    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Moves a known offset, relative to the start of some part, to be relative to the file.
    #[must_use]
    pub(crate) fn shifted(mut self, base: u64) -> Self {
        self.0.offset = self.0.offset.map(|offset| offset.saturating_add(base));
        self
    }

    /// Adds the tensor's name, unless one is known already.
    #[must_use]
    pub(crate) fn in_tensor(mut self, name: &str) -> Self {
        self.0.tensor.get_or_insert_with(|| name.into());
        self
    }

    #[must_use]
    pub(crate) fn expected_to_be(mut self, expected: impl Into<Cow<'static, str>>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    #[must_use]
    pub(crate) fn but_found(mut self, found: impl fmt::Display) -> Self {
        self.0.found = Some(Cow::Owned(found.to_string()));
        self
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, tensor, offset, expected, found } = &*self.0;
        write!(f, "{rule}")?;
        if let Some(tensor) = tensor {
            write!(f, " in tensor `{}`", tensor.escape_debug())?;
        }
        if let Some(offset) = offset {
            write!(f, " at byte {offset}")?;
        }
        match (expected, found) {
            (Some(expected), Some(found)) => write!(f, ": expected {expected}, found {found}"),
            (Some(expected), None) => write!(f, ": expected {expected}"),
            (None, Some(found)) => write!(f, ": {}: found {found}", rule.condition()),
            (None, None) => write!(f, ": {}", rule.condition()),
        }
    }
}

impl std::error::Error for FormatError {}
