//! An open file behind candle's `VarBuilder`.

use std::borrow::{Borrow, Cow};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use candle_core::{DType, Device, Error, Shape, Tensor};
use candle_nn::Init;
use candle_nn::var_builder::{SimpleBackend, VarBuilder};

use super::error::ReadError;
use super::read::{Cast, Source};
use crate::container::KvRef;
use crate::error::near_names as display_near;
use crate::model::{TIED, own_key};
use crate::reader::{File, TensorEntry, near_names};

/// A `VarBuilder` over an open file, for any model of candle-nn and candle-transformers.
///
/// Names in the file are what the model asks for, segments joined by dots. Each tensor is copied once when it
/// is asked for, and converted to `dtype`. The builder holds a clone of the file, so it may outlive it.
/// Use [`HurrayBackend`] to see afterwards what the model did not ask for.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use candle_nn::Module;
///
/// # let weight = Tensor::arange(0f32, 6., &Device::Cpu)?.reshape((3, 2))?;
/// # let tensors = [("head.weight", weight)].into();
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("head.hrry");
/// # hurray::candle::save(&path, &tensors)?;
/// let file = hurray::File::read(path)?;
/// let vb = hurray::candle::var_builder(&file, DType::F32, &Device::Cpu);
/// let head = candle_nn::linear_no_bias(2, 3, vb.pp("head"))?;
/// assert_eq!(head.forward(&Tensor::ones((1, 2), DType::F32, &Device::Cpu)?)?.to_vec2::<f32>()?, [[1., 5., 9.]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn var_builder(file: impl Borrow<File>, dtype: DType, device: &Device) -> VarBuilder<'static> {
    HurrayBackend::new(file).var_builder(dtype, device)
}

/// What a `VarBuilder` over an open file asks: gives tensors by name, and remembers which. Clones share the
/// memory.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use hurray::candle::HurrayBackend;
///
/// # let one = Tensor::ones((2, 2), DType::F32, &Device::Cpu)?;
/// # let tensors = [("head.weight", one.clone()), ("head.position_ids", one)].into();
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("head.hrry");
/// # hurray::candle::save(&path, &tensors)?;
/// let backend = HurrayBackend::new(hurray::File::read(path)?);
/// candle_nn::linear_no_bias(2, 2, backend.var_builder(DType::F32, &Device::Cpu).pp("head"))?;
/// assert_eq!(backend.unused(), ["head.position_ids"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct HurrayBackend(Arc<Inner>);

/// How many ties are followed for one name: a tied tensor in a tied group takes two, and nothing needs more
/// than there are levels of groups.
const MAX_TIES: usize = 16;

#[derive(Debug)]
struct Inner {
    file: File,
    /// One bit per tensor, by its position in the file.
    asked: Box<[AtomicU64]>,
}

impl HurrayBackend {
    /// Over a clone of an open file.
    #[must_use]
    pub fn new(file: impl Borrow<File>) -> Self {
        let file = file.borrow().clone();
        let words = file.tensors().len().div_ceil(64);
        let asked = std::iter::repeat_with(AtomicU64::default).take(words).collect();
        Self(Arc::new(Inner { file, asked }))
    }

    /// A `VarBuilder` at the root of the file.
    #[must_use]
    pub fn var_builder(&self, dtype: DType, device: &Device) -> VarBuilder<'static> {
        VarBuilder::from_backend(Box::new(self.clone()), dtype, device.clone())
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.0.file
    }

    /// The names of the tensors that nobody has asked for up to now, in the order of the file. Asking whether
    /// a tensor is there does not count.
    #[must_use]
    pub fn unused(&self) -> Vec<&str> {
        let was_asked = |entry: &TensorEntry<'_>| {
            let (word, bit) = place(entry.position());
            self.0.asked.get(word).is_some_and(|word| word.load(Ordering::Relaxed) & bit != 0)
        };
        let entries = self.file().tensors().filter(|entry| !was_asked(entry) && !is_head(entry));
        entries.map(|entry| entry.name()).collect()
    }

    /// The tensor of a name, or the one that the name is tied to.
    fn find(&self, name: &str) -> Option<TensorEntry<'_>> {
        let contents = self.file().contents();
        let mut name = Cow::Borrowed(name);
        for _ in 0..MAX_TIES {
            if let Some(position) = contents.find(&name) {
                return contents.entry(position).filter(|entry| !is_head(entry));
            }
            name = self.tied_to(&name)?.into();
        }
        None
    }

    /// The other name of a tensor, where it or a group around it is tied.
    fn tied_to(&self, name: &str) -> Option<String> {
        let groups = name.rmatch_indices('.').map(|(end, _)| end);
        std::iter::once(name.len()).chain(groups).find_map(|end| {
            let (path, rest) = name.split_at_checked(end)?;
            match self.file().contents().kv(&own_key(TIED, path))? {
                KvRef::String(target) => Some(format!("{target}{rest}")),
                _ => None,
            }
        })
    }

    fn entry(&self, name: &str) -> candle_core::Result<TensorEntry<'_>> {
        let entry = self.find(name).ok_or_else(|| self.missing(name))?;
        let (word, bit) = place(entry.position());
        if let Some(word) = self.0.asked.get(word) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(entry)
    }

    /// candle's own error for a missing tensor, with near names and the file around it.
    #[cold]
    fn missing(&self, name: &str) -> Error {
        let inner = Error::CannotFindTensor { path: name.to_owned() }.bt();
        let tensors = self.file().tensors().filter(|entry| !is_head(entry));
        let near = near_names(name, tensors.map(|entry| entry.name()));
        self.located(if near.is_empty() {
            inner
        } else {
            inner.context(format!("no tensor is named `{name}`{}", display_near(&near)))
        })
    }

    #[cold]
    fn located(&self, error: Error) -> Error {
        match self.file().path() {
            Some(path) => error.with_path(path),
            None => error,
        }
    }

    #[cold]
    fn failed(&self, name: &str, error: ReadError) -> Error {
        self.located(match error {
            ReadError::Candle(error) => error.context(format!("tensor `{name}`")),
            other => Error::Msg(format!("tensor `{name}`: {other}")).bt(),
        })
    }
}

/// The word and the bit of a position.
fn place(position: usize) -> (usize, u64) {
    (position / 64, 1_u64.rotate_left(u32::try_from(position % 64).unwrap_or(0)))
}

/// Composite heads have names, and are no tensors to candle. One that can't be decoded counts as a tensor, so
/// that asking for it says why.
pub(super) fn is_head(entry: &TensorEntry<'_>) -> bool {
    entry.known_descriptor().is_ok_and(|descriptor| descriptor.composite().is_some())
}

impl SimpleBackend for HurrayBackend {
    fn get(
        &self,
        shape: Shape,
        name: &str,
        _: Init,
        dtype: DType,
        device: &Device,
    ) -> candle_core::Result<Tensor> {
        let source = Source::of(&self.entry(name)?).map_err(|error| self.failed(name, error))?;
        if source.dims() != shape.dims() {
            let error = Error::UnexpectedShape {
                msg: format!("shape mismatch for {name}"),
                expected: shape,
                got: Shape::from(source.dims()),
            };
            return Err(self.located(error.bt()));
        }
        source.load(device, Cast::All(dtype)).map_err(|error| self.failed(name, error))
    }

    fn get_unchecked(&self, name: &str, dtype: DType, device: &Device) -> candle_core::Result<Tensor> {
        let source = Source::of(&self.entry(name)?).map_err(|error| self.failed(name, error))?;
        source.load(device, Cast::All(dtype)).map_err(|error| self.failed(name, error))
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.find(name).is_some()
    }
}
