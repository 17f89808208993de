//! A tensor of a file as burn's bytes: where they lie if they lie as burn wants them, else decoded.

use burn_core::tensor::{AllocationProperty, Bytes, DType};

use super::dtype::{dtype_of, same_dtype};
use super::error::ReadError;
use crate::bytes::to_usize;
use crate::descriptor::Layout;
use crate::element::{ElementType, Scalar};
use crate::error::TensorError;
use crate::reader::{File, TensorEntry};
use crate::view::{Index, RawTensor, SharedBytes};

/// A tensor of a file that burn can hold: descriptor and sizes are checked, elements not looked at.
pub(super) struct Stored<'f> {
    entry: TensorEntry<'f>,
    dtype: DType,
    dims: Index,
    byte_len: usize,
    /// The elements, if burn can take them as they lie.
    plain: Option<&'f [u8]>,
}

impl<'f> Stored<'f> {
    pub(super) fn of(entry: TensorEntry<'f>) -> Result<Self, ReadError> {
        let raw = entry.raw_tensor()?;
        let descriptor = raw.descriptor();
        if let Layout::Composite(_) = descriptor.layout() {
            let found = descriptor.layout().name();
            return Err(TensorError::layout("a tensor", found).into());
        }
        let element_type = descriptor.element_type();
        let is_quantized = descriptor.quantization().is_some();
        let dtype = if is_quantized { Some(DType::F32) } else { dtype_of(element_type) };
        let dtype = dtype.ok_or(ReadError::ElementType(element_type))?;
        let dims = raw.extents()?;
        let byte_len = byte_len(&dims, dtype)?;
        let is_plain =
            !is_quantized && same_dtype(element_type).is_some() && *descriptor.layout() == Layout::RowMajor;
        let plain = if is_plain { Some(elements(&raw, byte_len)?) } else { None };
        Ok(Self { entry, dtype, dims, byte_len, plain })
    }

    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(super) fn dims(&self) -> &[usize] {
        &self.dims
    }

    pub(super) fn byte_len(&self) -> usize {
        self.byte_len
    }

    /// Whether burn takes the elements as they lie: nothing can fail, and nothing is computed.
    pub(super) fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    /// The elements in burn's form. They share the file's memory if they lie as they should; burn copies them
    /// before it writes to them.
    pub(super) fn bytes(&self) -> Result<Bytes, ReadError> {
        match self.plain {
            Some(bytes) => Ok(self.shared(bytes)),
            None => self.decoded(),
        }
    }

    /// burn panics at its first use of elements that are not aligned.
    fn shared(&self, bytes: &[u8]) -> Bytes {
        let is_aligned = bytes.as_ptr().addr().is_multiple_of(self.dtype.size());
        let memory = self.entry.owner().map(File::shared_memory).filter(|_| is_aligned);
        let shared = memory.and_then(|memory| SharedBytes::part_of(&memory, bytes));
        let shared = shared.unwrap_or_else(|| SharedBytes::copy_from(bytes));
        Bytes::from_shared(bytes::Bytes::from_owner(shared), AllocationProperty::File)
    }

    fn decoded(&self) -> Result<Bytes, ReadError> {
        let limits = &self.entry.policy().limits;
        let descriptor = self.entry.known_descriptor()?;
        if descriptor.quantization().is_some() {
            return Ok(Bytes::from_elems(self.entry.dequantize(limits)?));
        }
        let values = self.entry.values(limits)?;
        Ok(match descriptor.element_type() {
            ElementType::Int2 | ElementType::Int4 => Bytes::from_elems::<i8>(
                values.iter().map(|value| small_int(&value).unwrap_or_default()).collect(),
            ),
            _ if self.dtype == DType::F32 && descriptor.element_type() != ElementType::Float32 => {
                Bytes::from_elems::<f32>(
                    values.iter().map(|value| value.to_f32().unwrap_or_default()).collect(),
                )
            }
            // A byte each below 8 bits, as burn has bools.
            _ => Bytes::from_bytes_vec(values.into_bytes()),
        })
    }
}

fn small_int(value: &Scalar) -> Option<i8> {
    match value {
        Scalar::Int(value) => i8::try_from(*value).ok(),
        _ => None,
    }
}

/// The size of a burn tensor in bytes. burn multiplies dimensions without looking, zeros or not.
fn byte_len(dims: &[usize], dtype: DType) -> Result<usize, TensorError> {
    let most = dims.iter().try_fold(dtype.size(), |product, &dim| product.checked_mul(dim.max(1)));
    let most = most.filter(|most| isize::try_from(*most).is_ok());
    let most = most.ok_or_else(|| {
        TensorError::limit("isize::MAX", u64::try_from(isize::MAX).unwrap_or(u64::MAX), u128::MAX)
    })?;
    Ok(if dims.contains(&0) { 0 } else { most })
}

/// Exactly the bytes of a row-major tensor.
fn elements<'f>(raw: &RawTensor<'f>, byte_len: usize) -> Result<&'f [u8], TensorError> {
    if byte_len == 0 {
        return Ok(&[]);
    }
    let start = to_usize(raw.descriptor().byte_offset());
    let bytes = start.and_then(|start| raw.buffer(0).get(start..start.checked_add(byte_len)?));
    bytes.ok_or_else(|| raw.too_small(0, u64::try_from(byte_len).unwrap_or(u64::MAX)))
}
