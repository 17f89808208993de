//! Opening the file that a command is about.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use crate::error::OpenError;
use crate::reader::{File, OpenOptions};

/// Maps the file, so that a look at a large model reads no more of it than it shows; what can't be mapped, a
/// pipe say, is read.
pub(super) fn open(path: &Path, options: OpenOptions) -> Result<File, OpenError> {
    if !path.metadata().is_ok_and(|facts| facts.is_file()) {
        return options.read(path);
    }
    // SAFETY: the mapping lives as long as this command, which changes no file. That nobody else changes it
    // meanwhile is up to the user, as with every tool that maps its input.
    unsafe { options.map(path) }
}

/// The error and all that caused it, in one line; the broken rule first where only the kind of error tells it.
pub(super) fn explain(error: &OpenError) -> String {
    let mut text = match (error.format(), error.rule()) {
        (None, Some(rule)) => format!("{rule}: {error}"),
        _ => error.to_string(),
    };
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
