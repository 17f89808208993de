//! Saving to a path: all of the new file, or the old one untouched.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::progress::Progress;
use super::{SaveError, SaveReport, SealedPlan};
use crate::sys::durable::{self, PacedFile};

/// How a file gets to its path.
pub(crate) struct FileOptions<'o> {
    /// Whether to wait until file and folder are on the disk.
    pub(crate) sync: bool,
    /// Whether to take the place of a file that is there.
    pub(crate) overwrite: bool,
    pub(crate) progress: Option<&'o Progress>,
}

/// More links than any system follows.
const MAX_LINKS: usize = 64;

/// From this size on, reserving the disk space pays for the call.
const RESERVE_FROM: u64 = 4 << 20;

/// Writes `plan` to `path` such that the path at all times has the old file or the whole new one, also if
/// the process is killed or (with `sync`) the machine stops.
///
/// The bytes go to a temporary file in the same folder, `.NAME.tmpXXXXXX`, which then takes the place of the
/// old one. An error or a panic removes it; a killed process leaves it behind. What follows from replacing
/// instead of overwriting:
///
/// - Who has the old file open or mapped keeps the old bytes.
/// - A symbolic link is followed and stays one.
/// - A hard link is severed: other names of the old file keep the old bytes.
/// - The mode of a replaced file is kept (permission bits only), its owner is not; a new file gets `0666` less the
///   process's umask, and its group from a set-group-id folder.
pub(crate) fn save_atomically(
    path: &Path,
    plan: SealedPlan<'_>,
    options: &FileOptions<'_>,
) -> Result<SaveReport, SaveError> {
    let report = SaveReport::new(&plan, Some(path));
    let size = plan.file_size_bytes();
    replace_file(path, size, options, |sink| {
        plan.write_to(sink, options.progress).map_err(|error| error.with_path(path))
    })?;
    Ok(report)
}

/// Gives `path` the `size` bytes that `write` writes, all or none of them; see [`save_atomically`].
pub(crate) fn replace_file<E>(
    path: &Path,
    size: u64,
    options: &FileOptions<'_>,
    write: impl FnOnce(&mut PacedFile<'_>) -> Result<(), E>,
) -> Result<(), E>
where
    E: From<SaveError>,
{
    let in_path = |source: io::Error| SaveError::Io { path: Some(path.to_owned()), source };
    let target = Target::resolve(path).map_err(in_path)?;
    if !options.overwrite && target.replaced.is_some() {
        return Err(in_path(io::ErrorKind::AlreadyExists.into()).into());
    }
    let temporary = target.create_temporary().map_err(in_path)?;

    if size >= RESERVE_FROM {
        durable::reserve(temporary.as_file(), size).map_err(in_path)?;
    }
    write(&mut PacedFile::new(temporary.as_file(), options.sync))?;

    if options.sync {
        temporary.as_file().sync_all().map_err(in_path)?;
    }
    let persisted = if options.overwrite {
        temporary.persist(&target.path)
    } else {
        temporary.persist_noclobber(&target.path)
    };
    persisted.map_err(|error| in_path(error.error))?;
    if options.sync {
        durable::sync_folder(&target.folder).map_err(in_path)?;
    }
    Ok(())
}

/// The file to replace or create, with symbolic links followed.
struct Target {
    path: PathBuf,
    folder: PathBuf,
    /// Of the file that is there already.
    replaced: Option<Metadata>,
}

impl Target {
    fn resolve(path: &Path) -> io::Result<Self> {
        // Asked first: the system notices loops of links.
        let replaced = match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Some(metadata),
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "not a regular file, so it cannot be replaced: use `to_writer`",
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            match fs::read_link(&path) {
                Ok(linked) => path = folder_of(&path).join(linked),
                Err(_) => break,
            }
        }
        if path.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
        }
        Ok(Self { folder: folder_of(&path), path, replaced })
    }

    fn create_temporary(&self) -> io::Result<NamedTempFile> {
        let prefix = self.temporary_prefix();
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::fs::Permissions;
            use std::os::unix::fs::PermissionsExt;

            // The system takes off the umask, so nobody has to ask for it, which only works by changing it.
            let mode = self.replaced.as_ref().map_or(0o666, |old| old.permissions().mode() & 0o777);
            builder.permissions(Permissions::from_mode(mode));
            let temporary = builder.tempfile_in(&self.folder)?;
            if self.replaced.is_some() {
                temporary.as_file().set_permissions(Permissions::from_mode(mode))?;
            }
            Ok(temporary)
        }
        #[cfg(not(unix))]
        builder.tempfile_in(&self.folder)
    }

    /// `.NAME.tmp`, with a long name cut so that the random part still fits.
    fn temporary_prefix(&self) -> String {
        const LONGEST: usize = 200;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let end = name.floor_char_boundary(LONGEST);
        format!(".{}.tmp", name.get(..end).unwrap_or_default())
    }
}

/// The folder that a path lies in; `.` for a bare name.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
