//! The rules that only the bytes of a tensor can break (kind *data* in FORMAT §9).

mod elements;
mod paged;
mod sparse;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::Display;

use super::paged::Pages;
use super::raw::RawTensor;
use super::sparse::{Compressed, Coordinates, Fibres};
use crate::descriptor::Layout;
use crate::error::{FormatError, Rule};

/// The first rule that the indices in the data break, which all access goes by.
pub(crate) fn indices(raw: &RawTensor<'_>) -> Result<(), FormatError> {
    let mut findings = Findings { raw, found: Vec::new() };
    findings.indices();
    match findings.found.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// All that breaks a rule of kind *data*: each rule once, where it is broken first. Offsets are those in the file,
/// if the tensor knows where its buffers lie.
pub(crate) fn validate_data(raw: &RawTensor<'_>) -> Vec<FormatError> {
    let mut findings = Findings { raw, found: Vec::new() };
    findings.indices();
    elements::e8m0(&mut findings);
    elements::unused_bits(&mut findings);
    elements::parameters(&mut findings);
    findings.found
}

/// What breaks the rules: each rule at most once, where it is broken first.
struct Findings<'r, 'a> {
    raw: &'r RawTensor<'a>,
    found: Vec<FormatError>,
}

impl Findings<'_, '_> {
    fn has(&self, rule: Rule) -> bool {
        self.found.iter().any(|error| error.rule() == rule)
    }

    fn push(&mut self, error: FormatError) {
        if !self.has(error.rule()) {
            self.found.push(error);
        }
    }

    /// A rule is broken by a byte of a buffer.
    fn byte(
        &mut self,
        rule: Rule,
        buffer: usize,
        byte: usize,
        expected: impl Into<Cow<'static, str>>,
        found: impl Display,
    ) {
        if self.has(rule) {
            return;
        }
        let error = rule.broken().expected_to_be(expected).but_found(found);
        let byte = u64::try_from(byte).unwrap_or(u64::MAX);
        self.found.push(match self.raw.file_offset(buffer, byte) {
            Some(offset) => error.at(offset),
            None => error,
        });
    }

    /// A rule is broken by one of the u64 of a buffer.
    fn index(
        &mut self,
        rule: Rule,
        buffer: usize,
        number: usize,
        expected: impl Into<Cow<'static, str>>,
        found: impl Display,
    ) {
        self.byte(rule, buffer, number.saturating_mul(8), expected, found);
    }

    fn indices(&mut self) {
        let raw = self.raw;
        match raw.descriptor().layout() {
            Layout::Coo { .. } => match Coordinates::of(raw) {
                Ok(parts) => sparse::coo(&parts, self),
                Err(error) => sparse::format_of(error, self),
            },
            Layout::Csr { .. } | Layout::Csc { .. } => match Compressed::of(raw) {
                Ok(parts) => sparse::compressed(&parts, self),
                Err(error) => sparse::format_of(error, self),
            },
            Layout::Csf { .. } => match Fibres::of(raw) {
                Ok(parts) => sparse::csf(&parts, self),
                Err(error) => sparse::format_of(error, self),
            },
            Layout::BlockPaged(_) => match Pages::of(raw) {
                Ok(parts) => paged::paged(&parts, self),
                Err(error) => sparse::format_of(error, self),
            },
            _ => {}
        }
    }
}
