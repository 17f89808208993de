//! An open file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::backing::Backing;
use super::{ContainerInfo, Contents, OpenOptions, Source, TensorEntry, near_names};
use crate::composite::Composite;
use crate::container::{Metadata, Parsed};
use crate::error::{FormatError, OpenError, TensorError};
use crate::policy::Policy;

/// An open file: its bytes, mapped or in memory, and what header, trailer and index say of them.
///
/// Cheap to clone: all clones share the bytes, which live as long as any of them, or any
/// `Tensor` taken from one.
#[derive(Clone)]
pub struct File(Arc<Inner>);

struct Inner {
    backing: Backing,
    parsed: Arc<Parsed>,
    policy: Policy,
    path: Option<PathBuf>,
    metadata: OnceLock<Metadata>,
    composites: OnceLock<Result<Vec<Composite>, FormatError>>,
}

/// Not the bytes, which may be many.
impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("path", &self.path())
            .field("size_bytes", &self.size_bytes())
            .field("tensors", &self.contents().len())
            .finish_non_exhaustive()
    }
}

impl AsRef<[u8]> for Inner {
    fn as_ref(&self) -> &[u8] {
        self.backing.as_slice()
    }
}

impl File {
    /// Maps the file: its bytes are read when they are used.
    ///
    /// # Safety
    /// Nobody may change the file, or cut it short, as long as the `File`, a clone of it, or a tensor or view
    /// taken from it lives.
    ///
    /// # Errors
    /// [`OpenError`]: `Io` from the system, `NotHurray`, `Truncated`, and `Format` for a broken rule.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        // SAFETY: the contract is the same.
        unsafe { OpenOptions::new().map(path) }
    }

    /// Reads the whole file into memory, once and in order.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        OpenOptions::new().read(path)
    }

    /// Takes the bytes of a file. They are copied if the vector's memory does not start at a multiple of 8.
    ///
    /// # Errors
    /// [`OpenError`]: `NotHurray`, `Truncated`, and `Format` for a broken rule.
    pub fn from_vec(bytes: Vec<u8>) -> Result<Self, OpenError> {
        OpenOptions::new().from_vec(bytes)
    }

    /// Borrows bytes that live as long as the program.
    ///
    /// # Errors
    /// As [`from_vec`](Self::from_vec), and `Misaligned` if the bytes do not start at a multiple of 8, which
    /// `include_bytes!` alone does not see to.
    pub fn from_static(bytes: &'static [u8]) -> Result<Self, OpenError> {
        OpenOptions::new().from_static(bytes)
    }

    /// Copies the bytes of a file.
    ///
    /// # Errors
    /// As [`from_vec`](Self::from_vec).
    pub fn copy_from_slice(bytes: &[u8]) -> Result<Self, OpenError> {
        OpenOptions::new().copy_from_slice(bytes)
    }

    pub(super) fn new(backing: Backing, parsed: Parsed, policy: Policy, path: Option<&Path>) -> Self {
        Self(Arc::new(Inner {
            backing,
            parsed: Arc::new(parsed),
            policy,
            path: path.map(Path::to_owned),
            metadata: OnceLock::new(),
            composites: OnceLock::new(),
        }))
    }

    /// What a load reads from.
    #[inline]
    pub(crate) fn contents(&self) -> Contents<'_, '_> {
        let (bytes, parsed) = (self.bytes(), &*self.0.parsed);
        let copies = parsed.table.copies(bytes);
        Contents { bytes, parsed, policy: &self.0.policy, owner: Some(self), copies }
    }

    /// The same for a walk, which keeps a hold of its own on what was parsed.
    pub(crate) fn source(&self) -> Source<'_> {
        let Inner { parsed, policy, .. } = &*self.0;
        Source::new(self.bytes(), Arc::clone(parsed), policy, Some(self), parsed.table.copies(self.bytes()))
    }

    /// The bytes of the file as memory that tensors can share; keeps the file open.
    pub(crate) fn shared_memory(&self) -> Arc<dyn AsRef<[u8]> + Send + Sync> {
        let inner: Arc<Inner> = Arc::clone(&self.0);
        inner
    }

    /// All bytes of the file.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.backing.as_slice()
    }

    #[inline]
    pub(super) fn parsed(&self) -> &Parsed {
        &self.0.parsed
    }

    #[inline]
    pub(crate) fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// All tensors, composite heads included, in the order of the file.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = TensorEntry<'_>> {
        self.contents().entries()
    }

    /// The tensor of that name.
    ///
    /// # Errors
    /// [`TensorError::NotFound`], with names in the file that look alike.
    #[inline]
    pub fn tensor(&self, name: &str) -> Result<TensorEntry<'_>, TensorError> {
        let contents = self.contents();
        match contents.look_up(name) {
            Some(entry) => Ok(entry),
            None => Err(self.not_found(name)),
        }
    }

    #[cold]
    fn not_found(&self, name: &str) -> TensorError {
        let contents = self.contents();
        let names = (0..contents.len()).map(|position| contents.name(position));
        TensorError::NotFound { name: name.into(), near: near_names(name, names) }
    }

    /// The metadata, in the order of the file; empty if there is none.
    pub fn metadata(&self) -> &Metadata {
        self.0.metadata.get_or_init(|| self.0.parsed.kv.to_metadata(self.bytes().into()))
    }

    /// The top-level composites, in the order of the file. Decodes every descriptor the first time.
    ///
    /// # Errors
    /// [`FormatError`] for the first composite that breaks a rule. In permissive mode a composite that is cut
    /// short or whose members do not cover it is there, but not [complete](Composite::is_complete).
    pub fn composites(&self) -> Result<&[Composite], FormatError> {
        self.0.composites.get_or_init(|| self.assemble().into_result()).as_deref().map_err(Clone::clone)
    }

    /// Header and trailer.
    #[must_use]
    pub fn container(&self) -> ContainerInfo {
        ContainerInfo::new(&self.0.parsed)
    }

    /// The path that it was opened by; `None` for bytes in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The size of the file in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        u64::try_from(self.bytes().len()).unwrap_or(u64::MAX)
    }
}
