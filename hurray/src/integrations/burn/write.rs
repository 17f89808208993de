//! A burn tensor as a descriptor and a source of bytes, which reads it from its device when its turn comes.

use std::io::Write;

use burn_core::tensor::kind::Basic;
use burn_core::tensor::{DType, Shape, Tensor};
use burn_store::{bridge, burn_pack};

use super::dtype::element_type_of;
use crate::descriptor::{Dims, TensorDescriptor};
use crate::element::{ElementType, bits};
use crate::writer::{BoxError, TensorSource};

/// How a tensor is saved, and where its bytes come from.
pub(super) type Planned<'s> = (TensorDescriptor, TensorSource<'s>);

/// How many bytes are read from a device at a time. burn itself copies what it reads twice.
const PIECE: usize = 4 << 20;

/// A tensor, read in pieces.
pub(super) fn plan_tensor<'s, const D: usize, K: Basic + 'static>(
    tensor: Tensor<D, K>,
) -> Result<Planned<'s>, BoxError> {
    let (dtype, shape) = (tensor.dtype(), tensor.shape());
    let (descriptor, size) = describe(dtype, &shape)?;
    let source = TensorSource::stream(size, move |writer| {
        // Neither product can overflow: the tensor is in memory.
        let count = shape.iter().fold(1_usize, |count, &dim| count.saturating_mul(dim));
        // A multiple of 8, so that bools fill their last byte.
        let piece = PIECE.checked_div(dtype.size()).unwrap_or(PIECE);
        if count <= piece {
            return write(&read(&tensor)?, dtype, writer);
        }
        let flat: Tensor<1, K> = tensor.reshape([count]);
        for start in (0..count).step_by(piece) {
            let end = start.saturating_add(piece).min(count);
            write(&read(&flat.clone().slice(start..end))?, dtype, writer)?;
        }
        Ok(())
    });
    Ok((descriptor, source))
}

/// A tensor in burn's transport form, as adapters leave it: read as a whole.
pub(super) fn plan_transport<'s>(tensor: burn_pack::Tensor) -> Result<Planned<'s>, BoxError> {
    let dtype = tensor.dtype;
    let (descriptor, size) = describe(dtype, &tensor.shape)?;
    let source = TensorSource::stream(size, move |writer| write(&tensor.into_bytes()?, dtype, writer));
    Ok((descriptor, source))
}

/// burn's own wrapper makes an error of a panic while a device is read.
fn read<const D: usize, K: Basic + 'static>(
    tensor: &Tensor<D, K>,
) -> Result<burn_core::tensor::Bytes, BoxError> {
    Ok(bridge::from_tensor(tensor, String::new(), None).into_bytes()?)
}

fn describe(dtype: DType, shape: &Shape) -> Result<(TensorDescriptor, u64), BoxError> {
    let element_type = element_type_of(dtype)
        .ok_or_else(|| format!("no element type is burn's {dtype:?}: dequantize the tensor first"))?;
    let dims: Dims = shape.iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect();
    let count = dims.iter().try_fold(1_u64, |count, dim| count.checked_mul(*dim));
    let size = count.and_then(|count| element_type.bytes_for(count)).unwrap_or(u64::MAX);
    Ok((TensorDescriptor::row_major(element_type, dims, size), size))
}

fn write(bytes: &[u8], dtype: DType, writer: &mut dyn Write) -> Result<(), BoxError> {
    if element_type_of(dtype) == Some(ElementType::Bool) {
        let values = bytes.chunks(dtype.size().max(1));
        let bits = values.map(|value| u8::from(value.iter().any(|byte| *byte != 0)));
        writer.write_all(&bits::pack(1, bits))?;
    } else {
        writer.write_all(bytes)?;
    }
    Ok(())
}
