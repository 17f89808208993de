//! Where a model comes from: bytes in memory, a file read or mapped, an open file.

use std::path::Path;

use crate::model::load::{LoadError, LoadOptions, LoadWalk, Loader};
use crate::model::{HurrayLoad, HurrayLoadOwned, LoadReport};
use crate::reader::{File, OpenOptions, Source, open_strict};

/// Loads a model from bytes in memory, and borrows straight from them.
///
/// # Errors
///
/// [`LoadError::Open`] when the bytes are not a Hurray file, or start at an address that views can't borrow
/// from ([`OpenError::Misaligned`](crate::OpenError::Misaligned)); [`LoadError::Report`] when they do not fit
/// the model.
///
/// ```
/// use hurray::{HurrayLoad, HurraySave, TensorView};
///
/// #[derive(HurraySave, HurrayLoad)]
/// struct Linear<'a> {
///     weight: TensorView<'a, f32>,
/// }
///
/// let weight = [1.0f32, 2.0];
/// let bytes = hurray::to_bytes(&Linear { weight: TensorView::from_slice(&weight, &[2, 1])? })?;
/// let linear: Linear<'_> = hurray::from_slice(&bytes)?;
/// assert_eq!(linear.weight.get(&[1, 0]), Some(2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_slice<'a, M: HurrayLoad<'a>>(bytes: &'a [u8]) -> Result<M, LoadError> {
    match open_strict(bytes) {
        Ok(source) => load_from(source, ""),
        Err(error) => Err(LoadError::Open(error)),
    }
}

/// Loads a model that borrows nothing: reads the file into memory, which the model's tensors share.
///
/// # Errors
///
/// [`LoadError::Open`] when the file does not open, [`LoadError::Report`] when it does not fit the model.
pub fn load<M: HurrayLoadOwned>(path: impl AsRef<Path>) -> Result<M, LoadError> {
    File::read(path)?.load()
}

/// Loads a model that borrows nothing: maps the file, and the model's tensors share the mapping.
///
/// # Errors
///
/// [`LoadError::Open`] when the file does not open, [`LoadError::Report`] when it does not fit the model.
///
/// # Safety
///
/// As for [`File::map`]: nobody changes or truncates the file as long as the model, or any tensor of it, lives.
pub unsafe fn map<M: HurrayLoadOwned>(path: impl AsRef<Path>) -> Result<M, LoadError> {
    // SAFETY: the caller promises what `File::map` asks for.
    let file = unsafe { File::map(path) }?;
    file.load()
}

impl File {
    /// Loads a model whose views borrow from the file. The whole model is checked, and every field is loaded,
    /// before it is built.
    ///
    /// # Errors
    ///
    /// [`LoadError::Report`] lists everything that is missing, unexpected or different.
    pub fn load<'f, M: HurrayLoad<'f>>(&'f self) -> Result<M, LoadError> {
        self.load_at("")
    }

    /// Loads the part of a model that was saved under a path, such as `encoder.layers.3`. What lies elsewhere
    /// in the file is not looked at.
    ///
    /// # Errors
    ///
    /// [`LoadError::Report`] as for [`load`](Self::load).
    pub fn load_at<'f, M: HurrayLoad<'f>>(&'f self, path: &str) -> Result<M, LoadError> {
        load_from(self.source(), path)
    }

    /// Loads a model and tells what the load did on its own.
    ///
    /// # Errors
    ///
    /// [`LoadError::Report`] as for [`load`](Self::load), as far as `options` do not allow it.
    pub fn load_with<'f, M: HurrayLoad<'f>>(
        &'f self,
        options: &LoadOptions,
    ) -> Result<(M, LoadReport), LoadError> {
        let mut walk = begin(self.source(), "", options);
        match M::load(Loader::root(&mut walk)) {
            Ok(model) => end(&mut walk, "").map(|report| (model, report)),
            Err(_reported) => Err(fail(&mut walk, "")),
        }
    }

    /// Loads into a model that is there already: all of it, or on any error nothing.
    ///
    /// # Errors
    ///
    /// [`LoadError::Report`] as for [`load`](Self::load); the model is as it was.
    pub fn load_into<'f, M: HurrayLoad<'f>>(&'f self, model: &mut M) -> Result<(), LoadError> {
        *model = self.load()?;
        Ok(())
    }
}

impl OpenOptions {
    /// Loads a model from bytes in memory, and borrows straight from them.
    ///
    /// # Errors
    ///
    /// As for [`from_slice`](crate::from_slice()).
    pub fn from_slice<'a, M: HurrayLoad<'a>>(&'a self, bytes: &'a [u8]) -> Result<M, LoadError> {
        load_from(self.open_slice(bytes)?, "")
    }
}

// What is around a load is there once, not for each type of model. What is there for each is without `?` and closures: a
// program may load hundreds of types, and its compiler goes through each line as often.

/// Loads a model from what lies at or under a path.
fn load_from<'f, M: HurrayLoad<'f>>(source: Source<'f>, path: &str) -> Result<M, LoadError> {
    let mut walk = begin_plain(source, path);
    match M::load(Loader::root(&mut walk)) {
        Ok(model) => match end_plain(&mut walk, path) {
            None => Ok(model),
            Some(error) => Err(error),
        },
        Err(_reported) => Err(fail(&mut walk, path)),
    }
}

/// With default options.
fn begin_plain<'f>(source: Source<'f>, path: &str) -> LoadWalk<'f> {
    begin(source, path, &LoadOptions::new())
}

fn begin<'f>(source: Source<'f>, path: &str, options: &LoadOptions) -> LoadWalk<'f> {
    let mut walk = LoadWalk::new(source, options);
    walk.start_at(path);
    walk
}

/// Ends the load of a model that has all its fields: it fits, unless the file has more.
fn end(walk: &mut LoadWalk<'_>, path: &str) -> Result<LoadReport, LoadError> {
    let file = walk.source.path();
    match walk.finish(path) {
        (report, true) => Ok(report.of_file(file)),
        (report, false) => Err(refused(report, file)),
    }
}

/// The same where nobody asks for the report: what is wrong.
fn end_plain(walk: &mut LoadWalk<'_>, path: &str) -> Option<LoadError> {
    let file = walk.source.path();
    let (report, fits) = walk.finish(path);
    (!fits).then(|| refused(report, file))
}

/// Ends the load of a model that lacks a field: why.
#[cold]
fn fail(walk: &mut LoadWalk<'_>, path: &str) -> LoadError {
    let file = walk.source.path();
    let (report, _) = walk.finish(path);
    refused(report, file)
}

#[cold]
fn refused(report: LoadReport, file: Option<&Path>) -> LoadError {
    LoadError::Report(Box::new(report.of_file(file)))
}
