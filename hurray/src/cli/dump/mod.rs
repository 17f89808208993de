//! `hurray dump`: all facts about a file as one JSON object.
//!
//! The keys and the form of values are those of the manifests of the test vectors (`tests/vectors/README.md`).
//! What is too large to be exact as a JSON number elsewhere, all floats for one, is text.

mod composites;
mod descriptor;
mod elements;
mod layout;
mod merged;
mod metadata;
mod number;
mod tensors;

use std::io::{self, Write};

use serde_json::{Map, Value};

use super::source::{explain, open};
use super::text::report;
use super::{Outcome, args};
use crate::error::FormatError;
use crate::reader::{File, OpenOptions};

/// A file as JSON, and what could not be told.
#[derive(Debug, Clone)]
pub struct Dump {
    /// One object with the keys `size`, `sha256`, `container`, `kv`, `tensors` and `composites`. A tensor that
    /// can't be read has an `error` in place of its properties; `composites` is null if one is broken.
    pub value: Value,
    /// Why tensors or composites can't be read.
    pub errors: Vec<FormatError>,
}

/// All facts about a file; `values` adds the values of all elements.
#[must_use]
pub fn dump(file: &File, values: bool) -> Dump {
    let mut errors = Vec::new();
    let mut value: Map<String, Value> =
        facts(file).into_iter().map(|(key, fact)| (key.into(), fact)).collect();
    let tensors = file.tensors().map(|entry| tensors::tensor(&entry, values, &mut errors)).collect();
    value.insert("tensors".into(), Value::Array(tensors));
    value.insert("composites".into(), composites::composites(file, values, &mut errors));
    Dump { value: Value::Object(value), errors }
}

/// What is known without looking at tensors, in the order in which it is shown.
fn facts(file: &File) -> [(&'static str, Value); 4] {
    [
        ("size", file.size_bytes().into()),
        ("sha256", number::sha256(file.bytes()).into()),
        ("container", metadata::container(file)),
        ("kv", metadata::kv(file)),
    ]
}

pub(super) fn run(arguments: &args::Dump, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Outcome> {
    let options = if arguments.permissive { OpenOptions::new().permissive() } else { OpenOptions::new() };
    let file = match open(&arguments.file, options) {
        Ok(file) => file,
        Err(error) => {
            report(err, explain(&error));
            return Ok(Outcome::Bad);
        }
    };
    let errors = write(&file, arguments.values, out)?;
    out.flush()?;
    for error in &errors {
        report(err, format_args!("`{}`: {error}", arguments.file.display()));
    }
    Ok(if errors.is_empty() { Outcome::Good } else { Outcome::Bad })
}

/// The same as [`dump`], one tensor at a time and each on a line of its own.
fn write(file: &File, values: bool, out: &mut dyn Write) -> io::Result<Vec<FormatError>> {
    let mut errors = Vec::new();
    write!(out, "{{")?;
    for (key, fact) in facts(file) {
        writeln!(out, "\"{key}\": {fact},")?;
    }
    write!(out, "\"tensors\": [")?;
    for (number, entry) in file.tensors().enumerate() {
        let separator = if number == 0 { "\n" } else { ",\n" };
        write!(out, "{separator}{}", tensors::tensor(&entry, values, &mut errors))?;
    }
    writeln!(out, "],\n\"composites\": {}}}", composites::composites(file, values, &mut errors))?;
    Ok(errors)
}
