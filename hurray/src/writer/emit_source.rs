//! The bytes of one source, on their way.

use std::borrow::Cow;
use std::io::{self, Write};

use super::SaveError;
use super::emitter::Emitter;
use super::source::{TensorSource, len};
use crate::error::Rule;

/// Fetches and writes the bytes of one buffer of the tensor `name`.
pub(super) fn emit_source<'s, W: Write>(
    emitter: &mut Emitter<'s, W>,
    name: &str,
    source: TensorSource<'s>,
) -> Result<(), SaveError> {
    let failed = |source| SaveError::Source { name: name.into(), source };
    let wrong_length = |expected: u64, found: &dyn std::fmt::Display| {
        let error = Rule::Plc10.broken().expected_to_be(format!("{expected} bytes")).but_found(found);
        SaveError::Source { name: name.into(), source: error.into() }
    };
    match source {
        TensorSource::Borrowed(bytes) => emitter.borrow(bytes)?,
        TensorSource::Owned(bytes) => emitter.copy(&bytes)?,
        TensorSource::Lazy { len: expected, fetch } => {
            let bytes = fetch().map_err(failed)?;
            if len(&bytes) != expected {
                return Err(wrong_length(expected, &bytes.len()));
            }
            match bytes {
                Cow::Borrowed(bytes) => emitter.borrow(bytes)?,
                Cow::Owned(bytes) => emitter.copy(&bytes)?,
            }
        }
        TensorSource::Stream { len: expected, write } => {
            let mut bounded = Bounded { emitter, left: expected, overrun: false, failure: None };
            let result = write(&mut bounded);
            let Bounded { left, overrun, failure, .. } = bounded;
            // The sink's own failure comes first: what the source made of it says less.
            if let Some(error) = failure {
                return Err(error.into());
            }
            if overrun {
                return Err(wrong_length(expected, &"more"));
            }
            result.map_err(failed)?;
            if left > 0 {
                return Err(wrong_length(expected, &expected.saturating_sub(left)));
            }
        }
    }
    Ok(())
}

/// All bytes of a source, in memory.
pub(super) fn read_source(name: &str, source: TensorSource<'_>) -> Result<Vec<u8>, SaveError> {
    let expected = source.len();
    let failed = |source| SaveError::Source { name: name.into(), source };
    let bytes = match source {
        TensorSource::Borrowed(bytes) => bytes.to_vec(),
        TensorSource::Owned(bytes) => bytes,
        TensorSource::Lazy { fetch, .. } => fetch().map_err(failed)?.into_owned(),
        TensorSource::Stream { write, .. } => {
            let mut bytes = Vec::new();
            write(&mut bytes).map_err(failed)?;
            bytes
        }
    };
    if len(&bytes) == expected {
        return Ok(bytes);
    }
    let error = Rule::Plc10.broken().expected_to_be(format!("{expected} bytes")).but_found(bytes.len());
    Err(SaveError::Source { name: name.into(), source: error.into() })
}

/// Takes as many bytes as were announced, and remembers why it could not.
struct Bounded<'e, 's, W> {
    emitter: &'e mut Emitter<'s, W>,
    left: u64,
    overrun: bool,
    failure: Option<io::Error>,
}

impl<W: Write> Write for Bounded<'_, '_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failure.is_some() {
            return Err(io::Error::other("an earlier write failed"));
        }
        match self.left.checked_sub(len(bytes)) {
            Some(left) => self.left = left,
            None => {
                self.overrun = true;
                return Err(io::Error::other("more bytes than announced"));
            }
        }
        match self.emitter.copy(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                let kind = error.kind();
                self.failure = Some(error);
                Err(kind.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
