//! `hurray verify`: every rule of the format, on whole files.

use std::io::{self, Write};
use std::path::Path;

use super::Outcome;
use super::args;
use super::source::{explain, open};
use super::text::{Bytes, counted, report};
use crate::error::FormatError;
use crate::reader::{File, OpenOptions};

/// All broken rules of an open file: those of descriptors and composites; with `data`, those that depend on the
/// bytes of tensors and padding, too.
#[must_use]
pub fn problems(file: &File, data: bool) -> Vec<FormatError> {
    let mut problems = file.validate_structure();
    if data {
        // A descriptor that does not decode was reported already.
        let found = file.validate_data();
        problems.extend(found.into_iter().filter(|error| !problems.contains(error)).collect::<Vec<_>>());
    }
    problems
}

pub(super) fn run(arguments: &args::Verify, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Outcome> {
    let mut outcome = Outcome::Good;
    for path in &arguments.files {
        match verify(path, arguments.data) {
            Ok(line) => match writeln!(out, "{line}") {
                // The files that follow decide the outcome all the same.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
                _ => {}
            },
            Err(lines) => {
                out.flush().or_else(|error| match error.kind() {
                    io::ErrorKind::BrokenPipe => Ok(()),
                    _ => Err(error),
                })?;
                lines.iter().for_each(|line| report(err, line));
                outcome = Outcome::Bad;
            }
        }
    }
    Ok(outcome)
}

/// One line if every rule holds, else one line per broken rule.
fn verify(path: &Path, data: bool) -> Result<String, Vec<String>> {
    let file = open(path, OpenOptions::new()).map_err(|error| vec![explain(&error)])?;
    let shown = path.display();
    let mut problems: Vec<String> = problems(&file, data).iter().map(ToString::to_string).collect();
    if let Err(error) = file.validate_descriptor_table() {
        problems.push(error.to_string());
    }
    if problems.is_empty() {
        let tensors = u64::try_from(file.tensors().len()).unwrap_or(u64::MAX);
        let checked = if data { ", data checked" } else { "" };
        return Ok(format!(
            "{shown}: ok ({}, {}{checked})",
            counted(tensors, "tensor"),
            Bytes(file.size_bytes())
        ));
    }
    Err(problems.iter().map(|problem| format!("`{shown}`: {problem}")).collect())
}
