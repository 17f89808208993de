//! candle's tensors and variables as fields.

use candle_core::{Device, Tensor, Var};

use super::error::ReadError;
use super::read::{Cast, Make, read};
use super::target::Target;
use super::write::plan_of;
use crate::model::{HurrayLoad, HurraySave, Loader, Problem, ProblemKind, Reported, Saver};
use crate::writer::SaveError;

/// Saved in row-major order from where the elements lie, whatever the strides; a tensor on another device is
/// fetched when its turn comes. All dtypes can be saved; of those that candle keeps as raw bytes only whole
/// tensors.
impl HurraySave for Tensor {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        match plan_of(self) {
            Ok((descriptor, source)) => saver.tensor(&descriptor, [source]),
            Err(source) => Err(SaveError::Refused { path: saver.path().into(), source }),
        }
    }
}

/// As the tensor in it.
impl HurraySave for Var {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        self.as_tensor().save(saver)
    }
}

/// Copied once, to the [`Target`] in the load's context, by default on the CPU.
impl<'f> HurrayLoad<'f> for Tensor {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        load_made(loader)
    }

    const IS_LEAF: bool = true;
}

/// A variable of its own, copied once.
impl<'f> HurrayLoad<'f> for Var {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        load_made(loader)
    }

    const IS_LEAF: bool = true;
}

fn load_made<M: Make>(mut loader: Loader<'_, '_>) -> Result<M, Reported> {
    let entry = loader.by_ref().tensor()?;
    let made = match loader.context::<Target>() {
        None => read(&entry, &Device::Cpu, Cast::Keep),
        Some(Target { device, dtype }) => read(&entry, device, dtype.map_or(Cast::Keep, Cast::Floats)),
    };
    made.map_err(|error| report(&mut loader, error))
}

/// Puts what is wrong with the tensor at the loader's path into the report.
#[cold]
pub(super) fn report(loader: &mut Loader<'_, '_>, error: ReadError) -> Reported {
    const WANTED: &str = "a candle tensor";
    match error {
        ReadError::Tensor(error) => loader.refuse(&error, WANTED),
        ReadError::ElementType(found) => loader.problem(Problem::new(
            ProblemKind::ElementType,
            "an element type that candle has",
            found.to_string(),
        )),
        ReadError::Candle(error) => {
            loader.problem(Problem::new(ProblemKind::Refused, WANTED, error.to_string()))
        }
    }
}
