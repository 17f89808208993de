//! A burn tensor as a descriptor and a source of bytes, which reads it from its device when its turn comes.

use std::io::Write;

use burn_core::tensor::{DType, Shape};
use burn_store::burn_pack;

use super::dtype::element_type_of;
use crate::descriptor::{Dims, TensorDescriptor};
use crate::element::{ElementType, bits};
use crate::writer::{BoxError, TensorSource};

/// How a tensor is saved; its data stay where they are. A plan owns its sources, so the tensor in burn's transport form is taken.
pub(super) fn plan_of<'s>(
    tensor: burn_pack::Tensor,
) -> Result<(TensorDescriptor, TensorSource<'s>), BoxError> {
    let dtype = tensor.dtype;
    let element_type = element_type_of(dtype)
        .ok_or_else(|| format!("no element type is burn's {dtype:?}: dequantize the tensor first"))?;
    let dims = dims_of(&tensor.shape);
    let size = element_type
        .bytes_for(dims.iter().try_fold(1_u64, |count, dim| count.checked_mul(*dim)).unwrap_or(u64::MAX))
        .unwrap_or(u64::MAX);
    let source = TensorSource::stream(size, move |writer| {
        let bytes = tensor.into_bytes()?;
        write(&bytes, dtype, writer)
    });
    Ok((TensorDescriptor::row_major(element_type, dims, size), source))
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

fn dims_of(shape: &Shape) -> Dims {
    shape.iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect()
}
