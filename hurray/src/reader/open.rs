//! How to open a file: what to check, and where its bytes are to be.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::backing::{Backing, check_alignment};
use super::{Contents, File, Source, default_policy};
use crate::bytes::AlignedBytes;
use crate::container::{Header, Parsed, Record};
use crate::error::OpenError;
use crate::limits::Limits;
use crate::policy::{Mode, Policy, PrivateTags};
use crate::sys;

/// How to open a file: what is checked and what is let through.
///
/// By default the reader is strict, understands no private tags, and checks header, trailer, index and
/// metadata; descriptors and data are checked when they are asked for.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct OpenOptions {
    policy: Policy,
    checks: Checks,
}

/// What opening checks beyond header, trailer, index and metadata.
#[derive(Debug, Clone, Copy, Default)]
struct Checks {
    descriptors: bool,
    data: bool,
}

impl OpenOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds the file to every rule of the format. The default.
    pub fn strict(mut self) -> Self {
        self.policy.mode = Mode::Strict;
        self
    }

    /// Lets through what the format allows a permissive reader (FORMAT §8.3): tensors that are not understood
    /// are there as raw bytes, composites that are cut short as independent tensors.
    pub fn permissive(mut self) -> Self {
        self.policy.mode = Mode::Permissive;
        self
    }

    /// Bounds what the file may make the reader do.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.policy.limits = limits;
        self
    }

    /// The implementation-private tags that the caller understands.
    pub fn private_tags(mut self, tags: PrivateTags) -> Self {
        self.policy.private_tags = tags;
        self
    }

    /// Leaves out of all descriptors what only applications know, for a reader that shows none of it.
    #[cfg(feature = "cli")]
    pub(crate) fn omit_private_fields(mut self) -> Self {
        self.policy.omits_private_fields = true;
        self
    }

    /// Whether opening checks every descriptor, where its buffers are, and every composite. Off by default:
    /// it reads a page per tensor.
    pub fn validate_descriptors(mut self, validate: bool) -> Self {
        self.checks.descriptors = validate;
        self
    }

    /// Whether opening checks all that depends on the bytes of tensors and padding, and that copies of descriptors
    /// are true. Off by default: it reads the whole file.
    pub fn validate_data(mut self, validate: bool) -> Self {
        self.checks.data = validate;
        self
    }

    /// Maps the file: its bytes are read when they are used.
    ///
    /// # Safety
    /// Nobody may change the file, or cut it short, as long as the `File`, a clone of it, or a tensor or view
    /// taken from it lives.
    ///
    /// # Errors
    /// [`OpenError`]: `Io` from the system, `NotHurray`, `Truncated`, and `Format` for a broken rule.
    pub unsafe fn map(self, path: impl AsRef<Path>) -> Result<File, OpenError> {
        let path = path.as_ref();
        // SAFETY: the caller keeps the file unchanged, as this function demands.
        let (backing, file) = unsafe { Backing::map(path) }?;
        let opened = self.open_mapped(backing, &file, path);
        opened.map_err(|error| error.with_path(path))
    }

    /// Reads the whole file into memory, once and in order.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn read(self, path: impl AsRef<Path>) -> Result<File, OpenError> {
        let path = path.as_ref();
        let backing = Backing::read(path, |head| head.starts_with(&Header::MAGIC))?;
        // All bytes were read anyhow.
        self.open(backing, Some(path), true)
    }

    /// Takes the bytes of a file. They are copied if the vector's memory does not start at a multiple of 8.
    ///
    /// # Errors
    /// [`OpenError`]: `NotHurray`, `Truncated`, and `Format` for a broken rule.
    pub fn from_vec(self, bytes: Vec<u8>) -> Result<File, OpenError> {
        self.open(Backing::from_vec(bytes), None, false)
    }

    /// Borrows bytes that live as long as the program.
    ///
    /// # Errors
    /// As [`from_vec`](Self::from_vec), and `Misaligned` if the bytes do not start at a multiple of 8, which
    /// `include_bytes!` alone does not see to.
    pub fn from_static(self, bytes: &'static [u8]) -> Result<File, OpenError> {
        check_alignment(bytes)?;
        self.open(Backing::Static(bytes), None, false)
    }

    /// Copies the bytes of a file.
    ///
    /// # Errors
    /// As [`from_vec`](Self::from_vec).
    pub fn copy_from_slice(self, bytes: &[u8]) -> Result<File, OpenError> {
        self.open(Backing::Aligned(AlignedBytes::copy_from(bytes)), None, false)
    }

    /// Parses bytes that a caller lends, for a load that borrows from them.
    pub(crate) fn open_slice<'a>(&'a self, bytes: &'a [u8]) -> Result<Source<'a>, OpenError> {
        check_alignment(bytes)?;
        let source = source_of(bytes, &self.policy)?;
        self.checks.run(source.contents(), false)?;
        Ok(source)
    }

    fn open(self, backing: Backing, path: Option<&Path>, compare: bool) -> Result<File, OpenError> {
        let parsed = Parsed::decode(backing.as_slice(), &self.policy);
        parsed.and_then(|parsed| self.checked(backing, parsed, path, compare)).map_err(|error| match path {
            Some(path) => error.with_path(path),
            None => error,
        })
    }

    fn open_mapped(self, backing: Backing, file: &fs::File, path: &Path) -> Result<File, OpenError> {
        let bytes = backing.as_slice();
        let mut parsed = match backing.ends(file) {
            Some(ends) => Parsed::decode_between(&ends, bytes, &self.policy)?,
            None => Parsed::decode(bytes, &self.policy)?,
        };
        if self.checks.descriptors && !parsed.table.is_in_file() {
            gather_descriptors(&mut parsed, file, bytes);
        }
        self.checked(backing, parsed, Some(path), false)
    }

    fn checked(
        self,
        backing: Backing,
        parsed: Parsed,
        path: Option<&Path>,
        compare: bool,
    ) -> Result<File, OpenError> {
        let file = File::new(backing, parsed, self.policy, path);
        self.checks.run(file.contents(), compare)?;
        Ok(file)
    }
}

impl Checks {
    /// Reports the first thing that is wrong. With `compare`, copies of the descriptors are held against these in
    /// any case.
    fn run(self, contents: Contents<'_, '_>, compare: bool) -> Result<(), OpenError> {
        if (self.descriptors || self.data || compare) && contents.parsed.table.is_in_file() {
            contents.check_descriptor_table()?;
        }
        // Copies that are there now are true: just compared, or gathered from where the descriptors lie.
        if self.descriptors
            && let Some(error) = contents.structure_errors(true).into_iter().next()
        {
            return Err(error.into());
        }
        if self.data
            && let Some(error) = contents.data_errors().into_iter().next()
        {
            return Err(error.into());
        }
        Ok(())
    }
}

/// Parses bytes that a caller lends, with the default options.
pub(crate) fn open_strict(bytes: &[u8]) -> Result<Source<'_>, OpenError> {
    check_alignment(bytes)?;
    source_of(bytes, default_policy())
}

fn source_of<'a>(bytes: &'a [u8], policy: &'a Policy) -> Result<Source<'a>, OpenError> {
    let parsed = Arc::new(Parsed::decode(bytes, policy)?);
    let copies = parsed.table.copies_of_file(bytes);
    Ok(Source::new(bytes, parsed, policy, None, copies))
}

/// Reads all descriptors from where they lie; not where the system has no cheap way, and not if they claim more
/// than the file has.
fn gather_descriptors(parsed: &mut Parsed, file: &fs::File, bytes: &[u8]) {
    if !parsed.index.descriptors_fit(bytes.len()) {
        return;
    }
    let piece = |record: Record<'_>| Some((record.descriptor_offset, record.descriptor_len()?));
    let Some(pieces) = parsed.index.records(bytes.into()).map(piece).collect::<Option<Vec<_>>>() else {
        return;
    };
    // Whatever went wrong, touching the mapping will tell.
    if let Ok(gathered) = sys::gather(file, &pieces) {
        let mut rest = gathered.as_slice();
        parsed.keep_gathered(pieces.iter().map_while(|(_, length)| rest.split_off(..*length)));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::OpenOptions;
    use crate::error::{FileKind, OpenError};
    use crate::reader::File;

    /// The smallest file: no tensors, no metadata.
    fn smallest() -> Vec<u8> {
        let mut bytes = b"HRRYFILE\x01".to_vec();
        bytes.resize(64, 0);
        bytes[17] = 0x10;
        bytes[20] = 64;
        bytes.extend([0; 8]);
        bytes.extend(64_u64.to_le_bytes());
        bytes.extend(8_u64.to_le_bytes());
        bytes.extend([0; 20]);
        bytes.extend(b"HRRY");
        bytes
    }

    fn map(path: &std::path::Path) -> Result<File, OpenError> {
        // SAFETY: the files of these tests are in a folder of their own, and not changed.
        unsafe { File::map(path) }
    }

    #[test]
    fn all_routes_open_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("smallest.hrry");
        fs::write(&path, smallest()).unwrap();
        let from_static: &'static [u8] =
            Box::leak(Box::new(crate::bytes::AlignedBytes::copy_from(&smallest()))).as_slice();
        for file in [
            map(&path),
            File::read(&path),
            File::from_vec(smallest()),
            File::copy_from_slice(&smallest()),
            File::from_static(from_static),
        ] {
            let file = file.unwrap();
            assert_eq!((file.tensors().len(), file.metadata().len(), file.size_bytes()), (0, 0, 112));
            assert!(file.composites().unwrap().is_empty());
            assert!(file.tensor("a").is_err());
        }
    }

    #[test]
    fn a_file_is_shown_without_its_bytes() {
        let file = File::from_vec(smallest()).unwrap();
        assert_eq!(format!("{file:?}"), "File { path: None, size_bytes: 112, tensors: 0, .. }");
    }

    #[test]
    fn an_empty_file_is_called_empty_by_every_route_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty.hrry");
        fs::write(&path, b"").unwrap();
        for opened in [map(&path), File::read(&path)] {
            match opened {
                Err(OpenError::NotHurray { path: Some(named), found: FileKind::Empty }) => {
                    assert_eq!(named, path)
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn directories_and_missing_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for opened in [map(folder.path()), File::read(folder.path())] {
            assert!(matches!(opened, Err(OpenError::NotHurray { found: FileKind::Directory, .. })));
        }
        let missing = folder.path().join("missing.hrry");
        for opened in [map(&missing), File::read(&missing)] {
            let error = opened.unwrap_err();
            assert!(matches!(error, OpenError::Io { .. }));
            assert_eq!(error.path(), Some(&*missing));
        }
    }

    #[test]
    fn static_bytes_at_an_odd_address_are_refused_with_the_remedy() {
        let bytes: &'static [u8] = Box::leak(Box::new(crate::bytes::AlignedBytes::zeroed(200))).as_slice();
        let error = File::from_static(&bytes[4..]).unwrap_err();
        assert!(matches!(error, OpenError::Misaligned { need: 8, have: 4 }), "{error:?}");
        assert!(error.to_string().contains("copy_from_slice"));
    }

    #[test]
    fn options_can_check_everything_at_once() {
        let options = OpenOptions::new().validate_descriptors(true).validate_data(true);
        assert!(options.clone().from_vec(smallest()).is_ok());
        let mut bytes = smallest();
        // Eight more bytes before the index, one of them not zero.
        bytes.splice(64..64, [0, 0, 0, 1, 0, 0, 0, 0]);
        bytes[80] = 72;
        assert!(OpenOptions::new().from_vec(bytes.clone()).is_ok());
        let error = options.from_vec(bytes).unwrap_err();
        assert_eq!(
            (error.rule(), error.format().and_then(|e| e.offset())),
            (Some(crate::Rule::Pad01), Some(67))
        );
    }
}
