//! Parts of one plan in another: stand-ins that are copied, and second names that are held against the first.

use super::emit_source::read_source;
use super::error::SaveError;
use super::plan::{Item, Plan};
use super::source::TensorSource;
use crate::container::{KvArray, KvValue};
use crate::descriptor::TensorDescriptor;

/// How a second name differs from the tensor or group that it names.
#[derive(Debug)]
pub(crate) enum Difference {
    /// The target has no such tensor or entry.
    Missing(Box<str>),
    /// Another element type, shape or layout.
    Descriptor(Box<str>),
    /// The same descriptor, other bytes.
    Bytes(Box<str>),
    /// Bytes that are made when their turn comes can't be compared beforehand.
    NotComparable(Box<str>),
}

impl<'s> Plan<'s> {
    /// Appends all of `part`, whose sources live for a shorter time: their bytes are copied.
    pub(crate) fn append_copied(&mut self, part: Plan<'_>) -> Result<(), SaveError> {
        let Plan { items, sources, metadata, .. } = part;
        let mut sources = sources.into_iter();
        for Item { name, descriptor, sources: count } in items.iter() {
            let descriptor = TensorDescriptor::decode(descriptor, &super::composites::own_policy())?;
            let copied: Result<Vec<_>, SaveError> = sources
                .by_ref()
                .take(count)
                .map(|source| read_source(name, source).map(TensorSource::Owned))
                .collect();
            self.push(name, &descriptor, copied?)?;
        }
        for (key, value) in metadata.iter() {
            self.kv(key, value.clone())?;
        }
        Ok(())
    }

    /// Holds everything that `part` saved at or under `path` against what this plan has at or under `target`.
    pub(crate) fn compare(&self, part: &Plan<'_>, path: &str, target: &str) -> Result<(), Difference> {
        let renamed = |name: &str| format!("{target}{}", name.strip_prefix(path).unwrap_or_default());
        let mut start = 0usize;
        for item in part.items.iter() {
            let end = start.saturating_add(item.sources);
            let sources = part.sources.get(start..end).unwrap_or_default();
            start = end;
            let stored = renamed(item.name);
            let Some((descriptor, stored_sources)) = self.stored(&stored) else {
                return Err(Difference::Missing(stored.into()));
            };
            if descriptor != item.descriptor {
                return Err(Difference::Descriptor(stored.into()));
            }
            for (source, stored_source) in sources.iter().zip(stored_sources) {
                match (bytes_of(source), bytes_of(stored_source)) {
                    (Some(bytes), Some(stored_bytes)) if same_bytes(bytes, stored_bytes) => {}
                    (Some(_), Some(_)) => return Err(Difference::Bytes(stored.into())),
                    _ => return Err(Difference::NotComparable(stored.into())),
                }
            }
        }
        for (key, value) in part.metadata.iter() {
            let (note, name) = split_note(key);
            let stored = format!("{note}{}", renamed(name));
            match self.metadata.get(&stored) {
                None => return Err(Difference::Missing(stored.into())),
                Some(found) if !same_bits(found, value) => return Err(Difference::Bytes(stored.into())),
                Some(_) => {}
            }
        }
        // As much there as here: what only the target has would come back under the second name, too.
        let is_of = |name: &str| {
            name == target || name.strip_prefix(target).is_some_and(|rest| rest.starts_with('.'))
        };
        let tensors = self.items.iter().filter(|item| is_of(item.name)).count();
        let entries = self.metadata.iter().filter(|(key, _)| is_of(split_note(key).1)).count();
        if (tensors, entries) != (part.items.len(), part.metadata.len()) {
            return Err(Difference::Descriptor(target.into()));
        }
        Ok(())
    }

    fn stored(&self, name: &str) -> Option<(&[u8], &[TensorSource<'s>])> {
        let position = self.items.position(name)?;
        let (descriptor, sources) = self.items.parts(position)?;
        Some((descriptor, self.sources.get(sources)?))
    }
}

/// Splits a key of the library's own, `hurray.kind.path`, before the path; other keys are paths.
fn split_note(key: &str) -> (&str, &str) {
    let path = key.strip_prefix("hurray.").and_then(|rest| rest.split_once('.')).map(|(_, path)| path);
    match path {
        Some(path) => key.split_at(key.len().saturating_sub(path.len())),
        None => ("", key),
    }
}

/// The bytes of a source that has them already.
fn bytes_of<'b>(source: &'b TensorSource<'_>) -> Option<&'b [u8]> {
    match source {
        TensorSource::Borrowed(bytes) => Some(bytes),
        TensorSource::Owned(bytes) => Some(bytes),
        TensorSource::Lazy { .. } | TensorSource::Stream { .. } => None,
    }
}

/// Equal values bit for bit: a NaN is itself, and the zeros are two.
fn same_bits(left: &KvValue, right: &KvValue) -> bool {
    match (left, right) {
        (KvValue::Float64(left), KvValue::Float64(right)) => left.to_bits() == right.to_bits(),
        (KvValue::Array(KvArray::Float64s(left)), KvValue::Array(KvArray::Float64s(right))) => {
            left.iter().map(|value| value.to_bits()).eq(right.iter().map(|value| value.to_bits()))
        }
        _ => left == right,
    }
}

/// Equal bytes; the very same ones are not read.
fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    std::ptr::eq(left, right) || left == right
}
