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
    let mut model = None;
    load_slice(bytes, &mut model)?;
    model.ok_or_else(not_loaded)
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
        let mut model = None;
        load_unreported(self.source(), path, &mut model)?;
        model.ok_or_else(not_loaded)
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
        let mut model = None;
        let report = load_reported(self.source(), "", options, &mut model)?;
        model.map(|model| (model, report)).ok_or_else(not_loaded)
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
        let mut model = None;
        load_unreported(self.open_slice(bytes)?, "", &mut model)?;
        model.ok_or_else(not_loaded)
    }
}

/// Where a model goes. What is behind it there is once, not for each type of model.
trait Target<'f> {
    /// Loads the model; whether that worked.
    fn fill(&mut self, loader: Loader<'_, 'f>) -> bool;
}

impl<'f, M: HurrayLoad<'f>> Target<'f> for Option<M> {
    fn fill(&mut self, loader: Loader<'_, 'f>) -> bool {
        *self = M::load(loader).ok();
        self.is_some()
    }
}

/// Never: a load that succeeds has a model.
#[cold]
fn not_loaded() -> LoadError {
    LoadError::Report(Box::new(LoadReport::new(None)))
}

fn load_slice<'f>(bytes: &'f [u8], target: &mut dyn Target<'f>) -> Result<(), LoadError> {
    load_unreported(open_strict(bytes)?, "", target)
}

fn load_unreported<'f>(source: Source<'f>, path: &str, target: &mut dyn Target<'f>) -> Result<(), LoadError> {
    let file = source.path();
    match fill(source, path, &LoadOptions::new(), target) {
        (_, true) => Ok(()),
        (report, false) => Err(LoadError::Report(Box::new(report.of_file(file)))),
    }
}

fn load_reported<'f>(
    source: Source<'f>,
    path: &str,
    options: &LoadOptions,
    target: &mut dyn Target<'f>,
) -> Result<LoadReport, LoadError> {
    let file = source.path();
    let (report, is_loaded) = fill(source, path, options, target);
    let report = report.of_file(file);
    match is_loaded {
        true => Ok(report),
        false => Err(LoadError::Report(Box::new(report))),
    }
}

/// Walks the model; what there is to report, and whether the model is loaded and fits.
fn fill<'f>(
    source: Source<'f>,
    path: &str,
    options: &LoadOptions,
    target: &mut dyn Target<'f>,
) -> (LoadReport, bool) {
    let mut walk = LoadWalk::new(source, options);
    walk.start_at(path);
    let is_loaded = target.fill(Loader::root(&mut walk));
    let (report, fits) = walk.finish(path);
    (report, is_loaded && fits)
}
