//! candle's quantized tensors as fields: raw ggml blocks.
//!
//! In the file a quantized tensor of shape `[.., columns]` is a uint8 tensor of shape `[.., bytes per row]`,
//! block after block as ggml has them, and a KV entry `hurray.ggml.<name>` has ggml's name of the block type
//! (`q8_0`, `q4_K`, ...). Both together give the shape back, bit for bit. The three plain float types are plain
//! float tensors.

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};

use super::blocks::{block_type_of, known, name_of, shared_blocks};
use super::field::report;
use super::read::Source;
use super::target::Target;
use crate::container::{KvRef, KvValue};
use crate::descriptor::{Dims, TensorDescriptor};
use crate::element::ElementType;
use crate::model::{GGML, HurrayLoad, HurraySave, Loader, Problem, ProblemKind, Reported, Saver};
use crate::view::SharedBytes;
use crate::writer::{SaveError, TensorSource};

/// Raw blocks, written from where they are. A `shape` rule sees the uint8 tensor: rows of bytes.
impl HurraySave for QTensor {
    fn save<'s>(&'s self, mut saver: Saver<'_, 's>) -> Result<(), SaveError> {
        let dims: Dims =
            self.shape().dims().iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect();
        let Some((element_type, dims)) = stored_form(self.dtype(), dims) else {
            let source = "a size past what a file can have".into();
            return Err(SaveError::Refused { path: saver.path().into(), source });
        };
        if let Some(name) = name_of(self.dtype()) {
            saver.note(GGML, KvValue::String(name.to_owned()))?;
        }
        let count = dims.iter().try_fold(1_u64, |count, &dim| count.checked_mul(dim));
        let size = count.and_then(|count| element_type.bytes_for(count)).ok_or_else(SaveError::too_large)?;
        let source = TensorSource::lazy(size, move || self.data().map_err(Into::into));
        saver.tensor(&TensorDescriptor::row_major(element_type, dims, size), [source])
    }
}

/// Element type and shape in the file of a tensor of a ggml type.
fn stored_form(dtype: GgmlDType, mut dims: Dims) -> Option<(ElementType, Dims)> {
    let element_type = match dtype {
        GgmlDType::F32 => ElementType::Float32,
        GgmlDType::F16 => ElementType::Float16,
        GgmlDType::BF16 => ElementType::BFloat16,
        _ => {
            let columns = dims.last_mut()?;
            let (block, bytes) = block_sizes(dtype);
            *columns = columns.checked_div(block)?.checked_mul(bytes)?;
            ElementType::UInt8
        }
    };
    Some((element_type, dims))
}

/// Elements and bytes of one block.
fn block_sizes(dtype: GgmlDType) -> (u64, u64) {
    let as_u64 = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    (as_u64(dtype.block_size()), as_u64(dtype.type_size()))
}

/// On the CPU the blocks stay in the file's memory, which the tensor keeps open; candle computes with them
/// there. Bytes that belong to a caller ([`from_slice`](crate::from_slice())) are copied, and so are the three
/// plain float types. The device is that of the [`Target`] in the load's context.
impl<'f> HurrayLoad<'f> for QTensor {
    fn load(mut loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        let name = loader.note(GGML);
        let memory = loader.shared_memory();
        let entry = loader.by_ref().tensor()?;
        let source = Source::of(&entry).map_err(|error| report(&mut loader, error))?;
        let (dtype, dims) = match stored_type(name, &source) {
            Ok(stored) => stored,
            Err((expected, found)) => {
                return Err(loader.problem(Problem::new(ProblemKind::ElementType, expected, found)));
            }
        };
        let bytes = source.bytes().unwrap_or_default();
        let share = || {
            let shared = memory.and_then(|memory| SharedBytes::part_of(&memory, bytes));
            let aligned = shared.filter(|shared| shared_blocks(dtype, shared.clone()).is_some());
            aligned.unwrap_or_else(|| SharedBytes::copy_from(bytes))
        };
        let on_host = Target::default().device;
        let device = loader.context::<Target>().map_or(&on_host, |target| &target.device);
        let storage = match device {
            Device::Cpu if name_of(dtype).is_some() => shared_blocks(dtype, share())
                .map(QStorage::Cpu)
                .ok_or_else(|| candle_core::Error::msg("blocks that do not come out even")),
            device => {
                QStorage::from_data(Cow::Borrowed(SharedBytes::copy_from(bytes).as_slice()), device, dtype)
            }
        };
        storage
            .and_then(|storage| Self::new(storage, dims))
            .map_err(|error| report(&mut loader, error.into()))
    }

    const IS_LEAF: bool = true;
}

/// The ggml type and the shape of a stored tensor, or what was expected and found.
fn stored_type(
    name: Option<KvRef<'_>>,
    source: &Source<'_>,
) -> Result<(GgmlDType, Vec<usize>), (String, String)> {
    let mut dims = source.dims().to_vec();
    let found = source.element_type();
    let plain = source.bytes().is_some();
    let dtype = match name {
        None => match found {
            ElementType::Float32 if plain => GgmlDType::F32,
            ElementType::Float16 if plain => GgmlDType::F16,
            ElementType::BFloat16 if plain => GgmlDType::BF16,
            _ => return Err(("ggml blocks, with their type in `hurray.ggml`".into(), found.to_string())),
        },
        Some(KvRef::String(name)) => match block_type_of(name) {
            Some(dtype) if found == ElementType::UInt8 && plain => dtype,
            Some(_) => return Err(("ggml blocks as row-major uint8".into(), found.to_string())),
            None => return Err((format!("a ggml type: {}", known()), format!("{name:?}"))),
        },
        Some(_) => return Err(("the name of a ggml type".into(), "a value that is no text".into())),
    };
    if name_of(dtype).is_some() {
        let uneven = || {
            (format!("rows of whole blocks of {} bytes", dtype.type_size()), format!("{:?}", source.dims()))
        };
        let columns = dims.last_mut().ok_or_else(uneven)?;
        if !columns.is_multiple_of(dtype.type_size()) {
            return Err(uneven());
        }
        let blocks = columns.checked_div(dtype.type_size());
        *columns = blocks.and_then(|blocks| blocks.checked_mul(dtype.block_size())).ok_or_else(uneven)?;
    } else if dims.is_empty() {
        return Err(("a tensor of rank 1 or more".into(), "a scalar".into()));
    }
    Ok((dtype, dims))
}

/// As the tensor in it.
impl HurraySave for QMatMul {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        match self {
            Self::QTensor(tensor) => (**tensor).save(saver),
            Self::Tensor(tensor) | Self::TensorF16(tensor) => tensor.save(saver),
        }
    }
}

/// As a [`QTensor`]; candle itself dequantizes the plain float types at once.
impl<'f> HurrayLoad<'f> for QMatMul {
    fn load(mut loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        let tensor = QTensor::load(loader.by_ref())?;
        Self::from_arc(Arc::new(tensor)).map_err(|error| report(&mut loader, error.into()))
    }

    const IS_LEAF: bool = true;
}
