//! Bytes that belong to nothing must be zero (PAD-01, IDX-17).

use smallvec::SmallVec;

use super::{Contents, TensorEntry};
use crate::bytes::to_usize;
use crate::container::{Header, Section};
use crate::descriptor::MAGIC;
use crate::error::{FormatError, Rule};

/// The first byte that is not zero of each stretch of padding from the header to the index, at most
/// `max_errors`.
pub(super) fn check(contents: Contents<'_, '_>, max_errors: usize) -> Vec<FormatError> {
    let mut padding = Padding { file: contents.bytes, at: Header::END, max_errors, errors: Vec::new() };
    for entry in contents.entries() {
        for part in parts(&entry) {
            padding.skip(part, Some(entry.name()));
        }
    }
    let trailer = &contents.parsed.trailer;
    for part in trailer.kv.into_iter().chain([trailer.index]) {
        padding.skip(part, None);
    }
    padding.errors
}

/// What of the region belongs to a tensor: the descriptor and its buffers. Where the buffers can't be told,
/// all that the index gives, since nothing can be said of what lies between them.
fn parts(entry: &TensorEntry<'_>) -> impl Iterator<Item = Section> {
    let placed = entry.descriptor().and_then(|descriptor| entry.extents_of(&descriptor));
    let buffers: SmallVec<[Section; 1]> = match placed {
        Ok(extents) => extents.iter().filter_map(|extent| Section::new(extent.offset, extent.len)).collect(),
        Err(_) => Section::new(entry.data_offset(), entry.data_length()).into_iter().collect(),
    };
    let head = Section::new(entry.descriptor_offset(), u64::from(entry.descriptor_length()));
    head.into_iter().chain(buffers)
}

struct Padding<'f> {
    file: &'f [u8],
    /// All before this was looked at.
    at: u64,
    max_errors: usize,
    errors: Vec<FormatError>,
}

impl Padding<'_> {
    /// Looks at what lies before `part`, and goes on behind it.
    fn skip(&mut self, part: Section, tensor: Option<&str>) {
        if part.length() == 0 {
            return;
        }
        let gap = Section::new(self.at, part.offset().saturating_sub(self.at));
        let bytes = gap.and_then(|gap| gap.of(self.file)).unwrap_or_default();
        if let Some(found) = first_nonzero(bytes)
            && self.errors.len() < self.max_errors
        {
            let (distance, byte) = found;
            // A tensor that the index does not have, rather than stray bytes.
            let is_tensor =
                to_usize(distance).and_then(|at| bytes.get(at..)).is_some_and(|b| b.starts_with(&MAGIC));
            let rule = if is_tensor { Rule::Idx17 } else { Rule::Pad01 };
            let error = rule.broken().at(self.at.saturating_add(distance)).expected_to_be("0");
            let error = error.but_found(format_args!("{byte:#04x}"));
            self.errors.push(match tensor {
                Some(name) => error.in_tensor(name),
                None => error,
            });
        }
        self.at = self.at.max(part.end());
    }
}

/// How far it is, and which byte.
fn first_nonzero(bytes: &[u8]) -> Option<(u64, u8)> {
    // In chunks that the compiler can compare at once.
    let (chunks, _) = bytes.as_chunks::<64>();
    let zeros = chunks.iter().take_while(|chunk| **chunk == [0; 64]).count().saturating_mul(64);
    let rest = bytes.get(zeros..)?.iter().enumerate().find(|(_, byte)| **byte != 0)?;
    let distance = u64::try_from(zeros.saturating_add(rest.0)).ok()?;
    Some((distance, *rest.1))
}
