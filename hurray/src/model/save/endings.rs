//! Where a plan goes: a file, a writer, a vector.

use std::io::Write;
use std::path::Path;

use crate::model::HurraySave;
use crate::model::save::{Save, SaveWalk, Saver};
use crate::writer::{SaveError, SaveOptions, SaveReport, SealedPlan};

/// Saves a model to a file: atomically, and durably.
///
/// The file appears under its name only when it is whole: it is written to a temporary sibling, flushed to the
/// disk, and renamed over `path`; a file that was there before stays as it was on any error. A file that is
/// mapped may be saved over: its old views keep the old values.
///
/// # Errors
///
/// [`SaveError`]; nothing is written unless the whole plan of the file stands.
///
/// ```
/// use hurray::{HurraySave, TensorView};
///
/// #[derive(HurraySave)]
/// struct Linear<'a> {
///     weight: TensorView<'a, f32>,
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("linear.hrry");
/// let weight = [0.5f32; 6];
/// let report = hurray::save(path, &Linear { weight: TensorView::from_slice(&weight, &[2, 3])? })?;
/// assert_eq!(report.tensors, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save<M: HurraySave + ?Sized>(path: impl AsRef<Path>, model: &M) -> Result<SaveReport, SaveError> {
    SaveOptions::new().save(path, model)
}

/// Writes a model to `writer`, in one forward pass.
///
/// # Errors
///
/// [`SaveError`]; nothing is written unless the whole plan of the file stands.
pub fn to_writer<M: HurraySave + ?Sized>(writer: impl Write, model: &M) -> Result<SaveReport, SaveError> {
    SaveOptions::new().to_writer(writer, model)
}

/// The bytes of a file that holds a model. The same model gives the same bytes on every run and machine.
///
/// # Errors
///
/// [`SaveError`].
///
/// ```
/// use hurray::HurraySave;
///
/// #[derive(HurraySave)]
/// struct Bias {
///     bias: Vec<f32>,
/// }
///
/// let bytes = hurray::to_bytes(&Bias { bias: vec![1.0, 2.0] })?;
/// assert_eq!(&bytes[..8], b"HRRYFILE");
/// # Ok::<(), hurray::SaveError>(())
/// ```
pub fn to_bytes<M: HurraySave + ?Sized>(model: &M) -> Result<Vec<u8>, SaveError> {
    SaveOptions::new().to_bytes(model)
}

impl SaveOptions {
    /// Saves a model to a file: atomically, and durably unless [`sync`](Self::sync) is off.
    ///
    /// # Errors
    ///
    /// [`SaveError`]; nothing is written unless the whole plan of the file stands.
    pub fn save<M: HurraySave + ?Sized>(
        &self,
        path: impl AsRef<Path>,
        model: &M,
    ) -> Result<SaveReport, SaveError> {
        self.save_by(path.as_ref(), &|saver| model.save(saver))
    }

    /// Writes a model to `writer`, in one forward pass.
    ///
    /// # Errors
    ///
    /// [`SaveError`]; nothing is written unless the whole plan of the file stands.
    pub fn to_writer<M: HurraySave + ?Sized>(
        &self,
        writer: impl Write,
        model: &M,
    ) -> Result<SaveReport, SaveError> {
        self.write_to(writer, self.plan_by(&|saver| model.save(saver))?)
    }

    /// The bytes of a file that holds a model.
    ///
    /// # Errors
    ///
    /// [`SaveError`].
    pub fn to_bytes<M: HurraySave + ?Sized>(&self, model: &M) -> Result<Vec<u8>, SaveError> {
        self.to_bytes_by(&|saver| model.save(saver))
    }

    fn save_by<'s>(&self, path: &Path, save: Save<'_, 's>) -> Result<SaveReport, SaveError> {
        self.write_file(path, self.plan_by(save)?)
    }

    fn to_bytes_by<'s>(&self, save: Save<'_, 's>) -> Result<Vec<u8>, SaveError> {
        let plan = self.plan_by(save)?;
        let mut bytes = Vec::with_capacity(usize::try_from(plan.file_size_bytes()).unwrap_or(0));
        self.write_to(&mut bytes, plan)?;
        Ok(bytes)
    }

    fn plan_by<'s>(&self, save: Save<'_, 's>) -> Result<SealedPlan<'s>, SaveError> {
        let mut walk = SaveWalk::new(self.plan()?, self.limits.clone());
        save(Saver::root(&mut walk))?;
        walk.into_plan()?.seal()
    }
}
