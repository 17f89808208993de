//! burn's tensors and parameters as fields.

use burn_core::module::{Param, ParamId, Parameter};
use burn_core::tensor::kind::{Basic, Kind};
use burn_core::tensor::{DType, Shape, Tensor, TensorData};

use super::dtype::{elements_of, fits};
use super::read::Stored;
use super::target::Target;
use super::write::plan_tensor;
use crate::container::{KvRef, KvValue};
use crate::model::{HurrayLoad, HurraySave, Loader, PARAM_ID, Problem, ProblemKind, Reported, Saver};
use crate::writer::SaveError;

/// Saved in row-major order, and read from its device in pieces when its turn comes.
impl<const D: usize, K: Basic + 'static> HurraySave for Tensor<D, K> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        save_tensor(self.clone(), saver)
    }
}

/// As the tensor in it, in the form that burn's own stores save: without its id, see [`with_id`].
impl<const D: usize, K: Basic + 'static> HurraySave for Param<Tensor<D, K>>
where
    Tensor<D, K>: Parameter,
{
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        save_tensor(self.transform_for_save().val(), saver)
    }
}

fn save_tensor<const D: usize, K: Basic + 'static>(
    tensor: Tensor<D, K>,
    saver: Saver<'_, '_>,
) -> Result<(), SaveError> {
    match plan_tensor(tensor) {
        Ok((descriptor, source)) => saver.tensor(&descriptor, [source]),
        Err(source) => Err(SaveError::Refused { path: saver.path().into(), source }),
    }
}

/// On the [`Target`] in the load's context, by default on burn's default device. On the Flex backend the tensor
/// lies in the file's memory until it is written to.
impl<'f, const D: usize, K: Basic> HurrayLoad<'f> for Tensor<D, K> {
    fn load(mut loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        load_tensor(&mut loader)
    }

    const IS_LEAF: bool = true;
}

/// A parameter, trainable if it holds floats; with the id that it was saved with, or a new one.
impl<'f, const D: usize, K: Basic> HurrayLoad<'f> for Param<Tensor<D, K>>
where
    Tensor<D, K>: Parameter,
{
    fn load(mut loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        let id = match loader.note(PARAM_ID) {
            Some(KvRef::UInt64(id)) => ParamId::from(id),
            _ => ParamId::new(),
        };
        let tensor = load_tensor(&mut loader)?;
        Ok(Self::initialized(id, tensor).set_require_grad(K::KIND == Kind::Float))
    }

    const IS_LEAF: bool = true;
}

/// Everything that makes burn panic is checked before burn is asked.
fn load_tensor<const D: usize, K: Basic>(loader: &mut Loader<'_, '_>) -> Result<Tensor<D, K>, Reported> {
    let entry = loader.by_ref().tensor()?;
    let stored = Stored::of(entry).map_err(|error| loader.problem(error.to_problem()))?;
    if stored.dims().len() != D {
        let found = format!("rank {}", stored.dims().len());
        return Err(loader.problem(Problem::new(ProblemKind::Rank, format!("rank {D}"), found)));
    }
    if !fits(K::KIND, stored.dtype()) {
        let found = format!("{:?}", stored.dtype());
        return Err(loader.problem(Problem::new(ProblemKind::ElementType, elements_of(K::KIND), found)));
    }
    let bytes = stored.bytes().map_err(|error| loader.problem(error.to_problem()))?;
    let data = TensorData::try_from_bytes(bytes, Shape::from(stored.dims().to_vec()), stored.dtype());
    let data = data.map_err(|error| {
        loader.problem(Problem::new(ProblemKind::Refused, "a burn tensor", error.to_string()))
    })?;
    let target = loader.context::<Target>().cloned().unwrap_or_default();
    let wanted = target.dtype.filter(|_| K::KIND == Kind::Float);
    Ok(Tensor::from_data(data, (&target.device, wanted.map_or(stored.dtype(), DType::from))))
}

/// For `#[hurray(with = "hurray::burn::with_id")]` on a field that is a parameter: its id is saved, too, as the
/// KV entry `hurray.param_id.<path>`. An optimizer keeps its state by these ids, so that one whose record was
/// saved can go on. Loading takes the id also without this attribute.
pub mod with_id {
    use super::*;

    /// Saves a parameter with its id.
    ///
    /// # Errors
    ///
    /// As its tensor.
    pub fn save<'s, const D: usize, K: Basic + 'static>(
        param: &'s Param<Tensor<D, K>>,
        mut saver: Saver<'_, 's>,
    ) -> Result<(), SaveError>
    where
        Tensor<D, K>: Parameter,
    {
        saver.note(PARAM_ID, KvValue::UInt64(param.id.val()))?;
        param.save(saver)
    }

    /// Loads a parameter with its id.
    ///
    /// # Errors
    ///
    /// [`Reported`]: the problem is in the report already.
    pub fn load<'f, const D: usize, K: Basic>(loader: Loader<'_, 'f>) -> Result<Param<Tensor<D, K>>, Reported>
    where
        Tensor<D, K>: Parameter,
    {
        Param::load(loader)
    }
}
