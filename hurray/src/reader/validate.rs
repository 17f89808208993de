//! Checks of a whole file: structure, and what depends on the bytes of tensors and padding.

use std::rc::Rc;

use super::{Contents, File, padding};
use crate::bytes::is_same;
use crate::composite::{self, Assembly, Descriptors};
use crate::container::Record;
use crate::descriptor::{MAX_COMPARED, TensorDescriptor};
use crate::error::{FormatError, OpenError, Rule};

/// How many errors one check reports; a hostile file may hold one per tensor.
const MAX_ERRORS: usize = 1000;

impl File {
    /// Holds the copies of the descriptors, which the file may keep for fast opening, against the descriptors.
    ///
    /// # Errors
    /// [`OpenError::DescriptorTable`] for the first that differs.
    pub fn validate_descriptor_table(&self) -> Result<(), OpenError> {
        self.contents().check_descriptor_table()
    }

    /// Checks every descriptor, where its buffers are, and every composite. Reports all that is wrong, at
    /// most a thousand errors; empty if nothing is.
    #[must_use]
    pub fn validate_structure(&self) -> Vec<FormatError> {
        self.contents().structure_errors(self.parsed().table.is_gathered())
    }

    /// Checks that all bytes of the file outside of its parts are zero (PAD-01, IDX-17). Reports the first
    /// byte of each stretch that is not; empty if all are zero, and in permissive mode.
    #[must_use]
    pub fn validate_padding(&self) -> Vec<FormatError> {
        self.contents().padding_errors()
    }

    /// Checks all that depends on the bytes of tensors and padding: rules of kind *data*. Reports each rule
    /// once per tensor, at most a thousand errors; empty if nothing is wrong, and in permissive mode.
    #[must_use]
    pub fn validate_data(&self) -> Vec<FormatError> {
        self.contents().data_errors()
    }

    pub(super) fn assemble(&self) -> Assembly {
        let policy = self.policy().for_all_descriptors();
        composite::assemble(&mut Contents { policy: &policy, ..self.contents() }, &policy)
    }
}

impl Contents<'_, '_> {
    /// The first copy of a descriptor that differs from the descriptor is an error.
    pub(super) fn check_descriptor_table(self) -> Result<(), OpenError> {
        let agrees = |record: &Record<'_>| match self.copy_of(record) {
            Some(copy) => {
                record.descriptor().and_then(|at| at.of(self.bytes)).is_some_and(|it| is_same(it, copy))
            }
            None => true,
        };
        match self.parsed.index.records(self.bytes.into()).find(|record| !agrees(record)) {
            Some(record) => Err(OpenError::DescriptorTable {
                path: self.owner.and_then(File::path).map(ToOwned::to_owned),
                tensor: record.name().into(),
            }),
            None => Ok(()),
        }
    }

    /// What is wrong with descriptors, places of buffers and composites. With `by_copies` the copies of the
    /// descriptors are gone by: they are known to be true.
    pub(super) fn structure_errors(self, by_copies: bool) -> Vec<FormatError> {
        let policy = self.policy.for_all_descriptors();
        let contents = Contents { policy: &policy, ..self };
        let mut checked = CheckedDescriptors {
            contents,
            by_copies,
            recent: Recent::default(),
            by_kind: Vec::new(),
            errors: Vec::new(),
        };
        let assembly = composite::assemble(&mut checked, &policy);
        let mut errors = checked.errors;
        errors.extend(assembly.into_errors());
        errors.truncate(MAX_ERRORS);
        errors
    }

    fn padding_errors(self) -> Vec<FormatError> {
        if self.policy.is_permissive() { Vec::new() } else { padding::check(self, MAX_ERRORS) }
    }

    /// What is wrong with the bytes of tensors and padding.
    pub(super) fn data_errors(self) -> Vec<FormatError> {
        if self.policy.is_permissive() {
            return Vec::new();
        }
        let tensors = self.entries().flat_map(|entry| entry.validate_data());
        tensors.chain(self.padding_errors()).take(MAX_ERRORS).collect()
    }
}

impl Descriptors for Contents<'_, '_> {
    type Descriptor = TensorDescriptor;

    fn len(&self) -> usize {
        Contents::len(self)
    }

    fn descriptor(&mut self, position: usize) -> Result<TensorDescriptor, FormatError> {
        self.entry(position).ok_or_else(|| Rule::Cmp12.broken())?.known_descriptor()
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
    by_copies: bool,
    recent: Recent<'f>,
    /// By the number of the kind, where copies are gone by, with the length that the index has for it.
    by_kind: Vec<Option<(u32, Rc<TensorDescriptor>)>>,
    errors: Vec<FormatError>,
}

/// The descriptors that were decoded last. A model has few kinds of tensors: many descriptors are alike to the byte.
#[derive(Default)]
struct Recent<'f> {
    decoded: Vec<(&'f [u8], Rc<TensorDescriptor>)>,
    next: usize,
}

impl<'f> Recent<'f> {
    const COUNT: usize = 8;

    fn find(&self, bytes: &[u8]) -> Option<Rc<TensorDescriptor>> {
        self.decoded.iter().find(|(known, _)| *known == bytes).map(|(_, descriptor)| Rc::clone(descriptor))
    }

    fn keep(&mut self, bytes: &'f [u8], descriptor: &Rc<TensorDescriptor>) {
        if bytes.len() > MAX_COMPARED {
            return;
        }
        let kept = (bytes, Rc::clone(descriptor));
        match self.decoded.get_mut(self.next) {
            Some(oldest) => *oldest = kept,
            None => self.decoded.push(kept),
        }
        self.next = self.next.saturating_add(1) % Self::COUNT;
    }
}

impl<'f> CheckedDescriptors<'_, 'f> {
    fn check(&mut self, position: usize) -> Result<Rc<TensorDescriptor>, FormatError> {
        let record = self.contents.record(position).ok_or_else(|| Rule::Cmp12.broken())?;
        let descriptor = match self.of_kind(&record) {
            Some(descriptor) => descriptor,
            None => self.decode(position, &record)?,
        };
        let is_in_place = match descriptor.buffers() {
            [only] if only.byte_size > 0 => self.contents.has_only_buffer(&record, only.byte_size),
            _ => false,
        };
        if !is_in_place
            && let Some(entry) = self.contents.entry(position)
            && let Err(error) = entry.extents_of(&descriptor)
        {
            self.report(&error);
        }
        Ok(descriptor)
    }

    /// What an entry's descriptor was found to be when another tensor of its kind was checked.
    #[inline]
    fn of_kind(&self, record: &Record<'f>) -> Option<Rc<TensorDescriptor>> {
        let (length, descriptor) =
            self.by_kind.get(usize::try_from(record.kind_number()?).ok()?)?.as_ref()?;
        (*length == record.descriptor_length).then(|| Rc::clone(descriptor))
    }

    #[cold]
    fn decode(&mut self, position: usize, record: &Record<'f>) -> Result<Rc<TensorDescriptor>, FormatError> {
        let entry = self.contents.entry(position).ok_or_else(|| Rule::Cmp12.broken())?;
        let bytes = if self.by_copies { entry.descriptor_at_hand() } else { entry.descriptor_bytes() }?;
        let descriptor = match self.recent.find(bytes) {
            Some(descriptor) => descriptor,
            None => {
                let descriptor = Rc::new(entry.decode(bytes)?);
                self.recent.keep(bytes, &descriptor);
                descriptor
            }
        };
        if self.by_copies
            && let Some(kind) = record.kind_number().and_then(|kind| usize::try_from(kind).ok())
        {
            if self.by_kind.is_empty() {
                self.by_kind = vec![None; self.contents.parsed.table.len()];
            }
            if let Some(known) = self.by_kind.get_mut(kind) {
                *known = Some((record.descriptor_length, Rc::clone(&descriptor)));
            }
        }
        Ok(descriptor)
    }

    fn report(&mut self, error: &FormatError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error.clone());
        }
    }
}

impl Descriptors for CheckedDescriptors<'_, '_> {
    type Descriptor = Rc<TensorDescriptor>;

    fn len(&self) -> usize {
        self.contents.len()
    }

    fn descriptor(&mut self, position: usize) -> Result<Rc<TensorDescriptor>, FormatError> {
        let checked = self.check(position);
        if let Err(error) = &checked {
            self.report(error);
        }
        checked
    }

    fn blame(&self, position: usize, error: FormatError) -> FormatError {
        self.contents.blame(position, error)
    }
}
