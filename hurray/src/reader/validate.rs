//! Checks of a whole file: structure, and what depends on the bytes of tensors and padding.

use super::{Contents, File, padding};
use crate::composite::{self, Assembly, Descriptors};
use crate::descriptor::TensorDescriptor;
use crate::error::{FormatError, OpenError, Rule};

/// How many errors one check reports; a hostile file may hold one per tensor.
const MAX_ERRORS: usize = 1000;

impl File {
    /// Holds the copies of the descriptors, which the file may keep for fast opening, against the descriptors.
    ///
    /// # Errors
    /// [`OpenError::DescriptorTable`] for the first that differs.
    pub fn validate_descriptor_table(&self) -> Result<(), OpenError> {
        match self.tensors().find(|entry| !entry.copy_agrees()) {
            Some(entry) => Err(OpenError::DescriptorTable {
                path: self.path().map(ToOwned::to_owned),
                tensor: entry.name().into(),
            }),
            None => Ok(()),
        }
    }

    /// Checks every descriptor, where its buffers are, and every composite. Reports all that is wrong, at
    /// most a thousand errors; empty if nothing is.
    #[must_use]
    pub fn validate_structure(&self) -> Vec<FormatError> {
        let mut checked = CheckedDescriptors { contents: self.contents(), errors: Vec::new() };
        let assembly = composite::assemble(&mut checked, self.policy());
        let mut errors = checked.errors;
        errors.extend(assembly.into_errors());
        errors.truncate(MAX_ERRORS);
        errors
    }

    /// Checks that all bytes of the file outside of its parts are zero (PAD-01, IDX-17). Reports the first
    /// byte of each stretch that is not; empty if all are zero, and in permissive mode.
    #[must_use]
    pub fn validate_padding(&self) -> Vec<FormatError> {
        if self.policy().is_permissive() { Vec::new() } else { padding::check(self, MAX_ERRORS) }
    }

    pub(super) fn assemble(&self) -> Assembly {
        composite::assemble(&mut self.contents(), self.policy())
    }
}

impl Descriptors for Contents<'_, '_> {
    type Descriptor = TensorDescriptor;

    fn len(&self) -> usize {
        Contents::len(self)
    }

    fn descriptor(&mut self, position: usize) -> Result<TensorDescriptor, FormatError> {
        self.entry(position).ok_or_else(|| Rule::Cmp12.broken())?.descriptor()
    }

    fn blame(&self, position: usize, error: FormatError) -> FormatError {
        match self.entry(position) {
            Some(entry) => entry.blamed(error),
            None => error,
        }
    }
}

/// Descriptors that are checked on their own, with their buffers, while composites are put together.
struct CheckedDescriptors<'c, 'f> {
    contents: Contents<'c, 'f>,
    errors: Vec<FormatError>,
}

impl Descriptors for CheckedDescriptors<'_, '_> {
    type Descriptor = TensorDescriptor;

    fn len(&self) -> usize {
        self.contents.len()
    }

    fn descriptor(&mut self, position: usize) -> Result<TensorDescriptor, FormatError> {
        let decoded = self.contents.descriptor(position);
        let error = match (&decoded, self.contents.entry(position)) {
            (Ok(descriptor), Some(entry)) => entry.extents_of(descriptor).err(),
            (decoded, _) => decoded.as_ref().err().cloned(),
        };
        if self.errors.len() < MAX_ERRORS {
            self.errors.extend(error);
        }
        decoded
    }

    fn blame(&self, position: usize, error: FormatError) -> FormatError {
        self.contents.blame(position, error)
    }
}
