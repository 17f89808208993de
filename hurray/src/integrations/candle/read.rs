//! A tensor of a file as one of candle's: the bytes are copied once, into candle's own storage.

use bytemuck::{AnyBitPattern, NoUninit};
use candle_core::{DType, Device, Var, WithDType};
use half::{bf16, f16};

use super::dtype::{dtype_of, is_raw};
use super::error::ReadError;
use crate::bytes::to_usize;
use crate::descriptor::Layout;
use crate::element::{
    Bool, Element, ElementType, F4E2M1, F6E2M3, F6E3M2, F8E4M3, F8E5M2, F8E8M0, I2, I4, Stored, U2, U4,
};
use crate::error::TensorError;
use crate::limits::Limits;
use crate::reader::TensorEntry;
use crate::view::{
    BlockPagedView, CooView, CscView, CsfView, CsrView, Dense, QuantizedView, RawTensor, View,
};

/// What the tensor is to be converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cast {
    Keep,
    /// Floats only.
    Floats(DType),
    All(DType),
}

impl Cast {
    /// The dtype to convert to from `dtype`.
    fn from(self, dtype: DType) -> Option<DType> {
        match self {
            Self::Keep => None,
            Self::Floats(_) if dtype.is_int() => None,
            Self::Floats(wanted) | Self::All(wanted) => (wanted != dtype).then_some(wanted),
        }
    }
}

/// What candle makes of elements: a tensor, or at once a variable.
pub(super) trait Make: Sized {
    fn from_slice<T: WithDType>(elements: &[T], dims: &[usize], on: &Device) -> candle_core::Result<Self>;
    fn from_vec<T: WithDType>(elements: Vec<T>, dims: &[usize], on: &Device) -> candle_core::Result<Self>;
    fn from_tensor(tensor: candle_core::Tensor) -> candle_core::Result<Self>;
}

impl Make for candle_core::Tensor {
    fn from_slice<T: WithDType>(elements: &[T], dims: &[usize], on: &Device) -> candle_core::Result<Self> {
        Self::from_slice(elements, dims, on)
    }

    fn from_vec<T: WithDType>(elements: Vec<T>, dims: &[usize], on: &Device) -> candle_core::Result<Self> {
        Self::from_vec(elements, dims, on)
    }

    fn from_tensor(tensor: candle_core::Tensor) -> candle_core::Result<Self> {
        Ok(tensor)
    }
}

impl Make for Var {
    fn from_slice<T: WithDType>(elements: &[T], dims: &[usize], on: &Device) -> candle_core::Result<Self> {
        Self::from_slice(elements, dims, on)
    }

    fn from_vec<T: WithDType>(elements: Vec<T>, dims: &[usize], on: &Device) -> candle_core::Result<Self> {
        Self::from_vec(elements, dims, on)
    }

    fn from_tensor(tensor: candle_core::Tensor) -> candle_core::Result<Self> {
        Self::from_tensor(&tensor)
    }
}

/// A tensor of a file that candle can hold: descriptor and sizes are checked, elements not looked at.
pub(super) struct Source<'f> {
    raw: RawTensor<'f>,
    dims: Vec<usize>,
    /// The elements as they lie, if that is row-major.
    row_major: Option<&'f [u8]>,
    limits: &'f Limits,
}

impl<'f> Source<'f> {
    pub(super) fn of(entry: &TensorEntry<'f>) -> Result<Self, ReadError> {
        let raw = entry.raw_tensor().map_err(TensorError::from)?;
        let limits = &entry.policy().limits;
        if let Layout::Composite(_) = raw.descriptor().layout() {
            let found = raw.descriptor().layout().name();
            return Err(TensorError::layout("a tensor", found).into());
        }
        let dims = raw.extents()?.to_vec();
        check_product(&dims)?;
        let mut source = Self { raw, dims, row_major: None, limits };
        if source.dtype().is_none() {
            return Err(ReadError::ElementType(source.element_type()));
        }
        if !source.is_quantized() && *source.raw.descriptor().layout() == Layout::RowMajor {
            source.row_major = Some(source.row_major_bytes()?);
        }
        Ok(source)
    }

    /// Exactly the bytes of the elements: candle neither minds a ragged rest nor checks raw ones.
    fn row_major_bytes(&self) -> Result<&'f [u8], TensorError> {
        let count =
            self.dims.iter().try_fold(1_u64, |count, &dim| count.checked_mul(u64::try_from(dim).ok()?));
        let size = if self.dims.contains(&0) {
            Some(0)
        } else {
            count.and_then(|n| self.element_type().bytes_for(n))
        };
        let start = to_usize(self.raw.descriptor().byte_offset());
        let bytes = (|| {
            let (start, size) = (start?, to_usize(size?)?);
            self.raw.buffer(0).get(start..start.checked_add(size)?)
        })();
        bytes.ok_or_else(|| self.raw.too_small(0, size.unwrap_or(u64::MAX)))
    }

    pub(super) fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// The bytes of the elements, if they lie in row-major order.
    pub(super) fn bytes(&self) -> Option<&'f [u8]> {
        self.row_major
    }

    pub(super) fn element_type(&self) -> ElementType {
        self.raw.descriptor().element_type()
    }

    fn is_quantized(&self) -> bool {
        self.raw.descriptor().quantization().is_some()
    }

    /// The dtype that the tensor has without a cast.
    pub(super) fn dtype(&self) -> Option<DType> {
        if self.is_quantized() { Some(DType::F32) } else { dtype_of(self.element_type()) }
    }

    /// Whether nothing but memory can be missing when it is loaded.
    pub(super) fn is_plain(&self) -> bool {
        self.row_major.is_some()
    }

    pub(super) fn load<M: Make>(&self, device: &Device, cast: Cast) -> Result<M, ReadError> {
        let dtype = self.dtype().ok_or(ReadError::ElementType(self.element_type()))?;
        let Some(wanted) = cast.from(dtype) else { return self.as_it_is(device) };
        let tensor: candle_core::Tensor =
            if is_raw(dtype) { self.decoded(device)? } else { self.as_it_is(device)? };
        Ok(M::from_tensor(tensor.to_dtype(wanted)?)?)
    }

    fn as_it_is<M: Make>(&self, device: &Device) -> Result<M, ReadError> {
        if self.is_quantized() {
            let elements = QuantizedView::from_raw(self.raw.clone())?.dequantize_within(self.limits)?;
            return Ok(M::from_vec(elements, &self.dims, device)?);
        }
        match self.element_type() {
            ElementType::Float16 => self.same::<f16, f16, M>(device),
            ElementType::BFloat16 => self.same::<bf16, bf16, M>(device),
            ElementType::Float32 => self.same::<f32, f32, M>(device),
            ElementType::Float64 => self.same::<f64, f64, M>(device),
            ElementType::UInt8 => self.same::<u8, u8, M>(device),
            ElementType::UInt32 => self.same::<u32, u32, M>(device),
            ElementType::Int16 => self.same::<i16, i16, M>(device),
            ElementType::Int32 => self.same::<i32, i32, M>(device),
            ElementType::Int64 => self.same::<i64, i64, M>(device),
            ElementType::Float8E4M3 => self.same::<F8E4M3, float8::F8E4M3, M>(device),
            ElementType::Int8 => self.converted::<i8, i16, M>(device, i16::from),
            ElementType::UInt16 => self.converted::<u16, u32, M>(device, u32::from),
            ElementType::Bool => self.converted::<Bool, u8, M>(device, u8::from),
            ElementType::UInt2 => self.converted::<U2, u8, M>(device, |value| value),
            ElementType::UInt4 => self.converted::<U4, u8, M>(device, |value| value),
            ElementType::Int2 => self.converted::<I2, i16, M>(device, i16::from),
            ElementType::Int4 => self.converted::<I4, i16, M>(device, i16::from),
            // The 8-bit type is the upper half of float16.
            ElementType::Float8E5M2 => self.converted::<F8E5M2, f16, M>(device, |value| {
                f16::from_bits(u16::from_be_bytes([value.to_bits(), 0]))
            }),
            raw @ (ElementType::Float8E8M0
            | ElementType::Float4E2M1
            | ElementType::Float6E2M3
            | ElementType::Float6E3M2) => self.raw(raw, device),
            other => Err(ReadError::ElementType(other)),
        }
    }

    /// Elements that candle has as raw bytes only, as float32.
    fn decoded<M: Make>(&self, device: &Device) -> Result<M, ReadError> {
        match self.element_type() {
            ElementType::Float8E8M0 => self.converted::<F8E8M0, f32, M>(device, F8E8M0::to_f32),
            ElementType::Float4E2M1 => self.converted::<F4E2M1, f32, M>(device, |value| value),
            ElementType::Float6E2M3 => self.converted::<F6E2M3, f32, M>(device, |value| value),
            ElementType::Float6E3M2 => self.converted::<F6E3M2, f32, M>(device, |value| value),
            other => Err(ReadError::ElementType(other)),
        }
    }

    /// Elements that are the same bytes in candle: one copy.
    fn same<S: Element, T, M: Make>(&self, device: &Device) -> Result<M, ReadError>
    where
        T: WithDType + AnyBitPattern + NoUninit,
    {
        const { assert!(size_of::<S>() == size_of::<T>() && align_of::<S>() == align_of::<T>()) };
        let made = match self.row_major {
            Some([]) => M::from_slice::<T>(&[], &self.dims, device),
            Some(bytes) => match bytemuck::try_cast_slice::<u8, T>(bytes) {
                Ok(elements) => M::from_slice(elements, &self.dims, device),
                Err(_) => M::from_vec(bytemuck::pod_collect_to_vec::<u8, T>(bytes), &self.dims, device),
            },
            None => {
                let elements: Vec<S> = self.to_dense::<S>()?;
                let elements = bytemuck::allocation::try_cast_vec::<S, T>(elements)
                    .unwrap_or_else(|(_, elements)| bytemuck::cast_slice::<S, T>(&elements).to_vec());
                M::from_vec(elements, &self.dims, device)
            }
        };
        Ok(made?)
    }

    /// Elements that candle has in another form.
    fn converted<S: Stored, T: WithDType, M: Make>(
        &self,
        device: &Device,
        convert: impl Fn(S::Value) -> T,
    ) -> Result<M, ReadError> {
        let count = self.dims.iter().fold(1_usize, |count, &dim| count.saturating_mul(dim));
        let values = self.row_major.and_then(|bytes| S::borrow(bytes, count));
        let elements: Vec<T> = match values {
            Some(values) => (0..count).filter_map(|at| S::get(values, at)).map(convert).collect(),
            None => self.to_dense::<S>()?.into_iter().map(convert).collect(),
        };
        Ok(M::from_vec(elements, &self.dims, device)?)
    }

    /// Bytes that candle does not look into.
    fn raw<M: Make>(&self, element_type: ElementType, device: &Device) -> Result<M, ReadError> {
        let found = self.raw.descriptor().layout().name();
        let bytes = self.row_major.ok_or_else(|| TensorError::layout("row_major", found))?;
        let dtype = dtype_of(element_type).ok_or(ReadError::ElementType(element_type))?;
        let tensor = candle_core::Tensor::from_raw_buffer(bytes, dtype, &self.dims, device)?;
        Ok(M::from_tensor(tensor)?)
    }

    /// All elements in row-major order, from any layout.
    fn to_dense<S: Stored>(&self) -> Result<Vec<S::Value>, TensorError> {
        let (raw, limits) = (&self.raw, self.limits);
        match raw.descriptor().layout() {
            Layout::Coo { .. } => CooView::<S>::from_raw(raw.clone())?.to_dense_within(limits),
            Layout::Csr { .. } => CsrView::<S>::from_raw(raw.clone())?.to_dense_within(limits),
            Layout::Csc { .. } => CscView::<S>::from_raw(raw.clone())?.to_dense_within(limits),
            Layout::Csf { .. } => CsfView::<S>::from_raw(raw.clone())?.to_dense_within(limits),
            Layout::BlockPaged(_) => BlockPagedView::<S>::from_raw(raw.clone())?.to_dense_within(limits),
            _ => Dense::<S>::of(raw)?.to_dense(raw, limits),
        }
    }
}

/// candle multiplies dimensions without looking, zeros or not.
fn check_product(dims: &[usize]) -> Result<(), TensorError> {
    let product = dims.iter().try_fold(1_usize, |product, &dim| product.checked_mul(dim.max(1)));
    match product.and_then(|product| isize::try_from(product).ok()) {
        Some(_) => Ok(()),
        None => {
            Err(TensorError::limit("isize::MAX", u64::try_from(isize::MAX).unwrap_or(u64::MAX), u128::MAX))
        }
    }
}

/// Loads a tensor: checks everything, then copies once.
pub(super) fn read<M: Make>(entry: &TensorEntry<'_>, device: &Device, cast: Cast) -> Result<M, ReadError> {
    Source::of(entry)?.load(device, cast)
}
