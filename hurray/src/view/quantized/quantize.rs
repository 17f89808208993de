//! The way in: f32 to quantized, rounding half to even.

use half::{bf16, f16};

use super::QuantizedTensor;
use super::encode::{Encoder, to_bytes};
use super::parameters::{Parameter, Parameters};
use crate::bytes::to_usize;
use crate::descriptor::{BufferHandle, Layout, Quantization, ScaleType, TensorDescriptor, storage_range};
use crate::element::ElementType;
use crate::error::{Rule, TensorError};
use crate::view::dense::{describe, expect_count};
use crate::view::geometry::Geometry;
use crate::view::index;
use crate::view::raw::{RawTensor, SharedTensor};
use crate::view::walk::Transfer;

/// Whether affine quantization has zero points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Symmetry {
    /// None: zero is stored as zero. The scale follows from the largest absolute value. With an unsigned
    /// storage type, negative numbers become zero.
    Symmetric,
    /// One per scale: the whole range of the storage type is used. Zero stays exact.
    Asymmetric,
}

impl QuantizedTensor {
    /// One scale and zero point for the whole tensor, row-major.
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] if there is not one value per element, [`TensorError::Value`] for one that is not
    /// finite, [`TensorError::Format`] for a storage type that the scheme does not have.
    pub fn quantize_per_tensor(
        values: &[f32],
        shape: &[usize],
        storage: ElementType,
        symmetry: Symmetry,
    ) -> Result<Self, TensorError> {
        let range = integer_range(storage, 32)?;
        check(values, shape, storage)?;
        let bounds = Bounds::default().over(values);
        let Parameter { scale, zero_point } =
            bounds.affine(range, symmetry, |scale, steps| scale_for(scale, steps, ScaleType::Float32));
        build(values, shape, storage, Quantization::PerTensor { scale, zero_point }, Vec::new())
    }

    /// One scale and zero point per index of `axis`, row-major.
    ///
    /// # Errors
    ///
    /// As [`quantize_per_tensor`](Self::quantize_per_tensor), and for an axis outside the rank.
    pub fn quantize_per_channel(
        values: &[f32],
        shape: &[usize],
        storage: ElementType,
        axis: usize,
        symmetry: Symmetry,
    ) -> Result<Self, TensorError> {
        let range = integer_range(storage, 32)?;
        check(values, shape, storage)?;
        let (axis, extent) = axis_of(shape, axis)?;
        let zero_points = (symmetry == Symmetry::Asymmetric).then_some(2);
        let scheme = Quantization::PerChannel { axis, scales: 1, zero_points };
        let bounds = bounds(values, shape, storage, &scheme, extent)?;
        let parameters: Vec<Parameter> = bounds
            .iter()
            .map(|bounds| {
                bounds.affine(range, symmetry, |scale, steps| scale_for(scale, steps, ScaleType::Float32))
            })
            .collect();
        let scales = parameters.iter().flat_map(|parameter| parameter.scale.to_le_bytes()).collect();
        build(values, shape, storage, scheme, affine_buffers(scales, &parameters, symmetry))
    }

    /// One scale and zero point per block of `block_size` elements along `axis`, row-major. The last block may
    /// be partial; whole ones are stored. Scales are rounded to `scale_type` before they are used.
    ///
    /// # Errors
    ///
    /// As [`quantize_per_channel`](Self::quantize_per_channel), and for a block size that is not a power of two
    /// from 2 to the extent of the axis.
    pub fn quantize_per_block(
        values: &[f32],
        shape: &[usize],
        storage: ElementType,
        (axis, block_size): (usize, u32),
        scale_type: ScaleType,
        symmetry: Symmetry,
    ) -> Result<Self, TensorError> {
        let range = integer_range(storage, 8)?;
        check(values, shape, storage)?;
        let (axis, extent) = axis_of(shape, axis)?;
        check_block(block_size, extent, [Rule::QntPb01, Rule::QntPb02], 2)?;
        let zero_points = (symmetry == Symmetry::Asymmetric).then_some(2);
        let scheme = Quantization::PerBlock { axis, block_size, scales: 1, zero_points, scale_type };
        let count = blocks(shape, axis, block_size);
        let bounds = bounds(values, shape, storage, &scheme, count)?;
        let parameters: Vec<Parameter> = bounds
            .iter()
            .map(|bounds| bounds.affine(range, symmetry, |scale, steps| scale_for(scale, steps, scale_type)))
            .collect();
        let scales =
            parameters.iter().flat_map(|parameter| scale_bytes(parameter.scale, scale_type)).collect();
        build(values, shape, storage, scheme, affine_buffers(scales, &parameters, symmetry))
    }

    /// 4-bit normal floats: one scale, the largest absolute value, per block along `axis`; row-major.
    ///
    /// # Errors
    ///
    /// As [`quantize_per_channel`](Self::quantize_per_channel), and for a block size that is not a power of two
    /// from 8 to the extent of the axis.
    pub fn quantize_nf4(
        values: &[f32],
        shape: &[usize],
        axis: usize,
        block_size: u32,
    ) -> Result<Self, TensorError> {
        let storage = ElementType::UInt4;
        check(values, shape, storage)?;
        let (axis, extent) = axis_of(shape, axis)?;
        check_block(block_size, extent, [Rule::QntNf01, Rule::QntNf02], 8)?;
        let scheme = Quantization::Nf4 { axis, block_size, scales: 1 };
        let bounds = bounds(values, shape, storage, &scheme, blocks(shape, axis, block_size))?;
        let scales = bounds.iter().flat_map(|bounds| bounds.largest().to_le_bytes()).collect();
        build(values, shape, storage, scheme, vec![scales])
    }

    /// Microscaling: a power of two per block along `axis`, row-major. `storage` is float8_e4m3, float8_e5m2,
    /// float4_e2m1, float6_e2m3, float6_e3m2, int8 or int4; elements saturate.
    ///
    /// # Errors
    ///
    /// As [`quantize_per_channel`](Self::quantize_per_channel), and for a block size that is not a power of two
    /// from 16 to 2048 that divides the extent of the axis.
    pub fn quantize_mxfp(
        values: &[f32],
        shape: &[usize],
        storage: ElementType,
        axis: usize,
        block_size: u32,
    ) -> Result<Self, TensorError> {
        let top = micro_exponent(storage).ok_or_else(|| wrong_storage(storage))?;
        check(values, shape, storage)?;
        let (axis, extent) = axis_of(shape, axis)?;
        check_block(block_size, extent, [Rule::QntMx01, Rule::QntMx02], 16)?;
        Rule::QntMx01.check(block_size <= 2048, |e| e.but_found(block_size))?;
        let whole =
            to_usize(block_size.into()).is_some_and(|block| extent > 0 && extent.is_multiple_of(block));
        Rule::QntMx02.check(whole, |e| e.but_found(extent))?;
        let scheme = Quantization::Mxfp { axis, block_size, scales: 1 };
        let bounds = bounds(values, shape, storage, &scheme, blocks(shape, axis, block_size))?;
        let scales = bounds.iter().map(|bounds| bounds.power(top)).collect();
        build(values, shape, storage, scheme, vec![scales])
    }

    /// A tensor that was quantized elsewhere, of any layout and scheme: the descriptor, and the bytes of each of
    /// its buffers in the order of its buffer table.
    ///
    /// # Errors
    ///
    /// [`TensorError::Parts`] if the buffers are not those of the descriptor, [`TensorError::NotUnderstood`]
    /// without a scheme that is understood, [`TensorError::Format`] for a descriptor or indices that break a rule.
    pub fn from_parts(
        descriptor: TensorDescriptor,
        buffers: &[impl AsRef<[u8]>],
    ) -> Result<Self, TensorError> {
        Self::made(SharedTensor::from_parts(descriptor, buffers)?)
    }
}

/// The least and the largest of some values, and zero.
#[derive(Debug, Clone, Copy, Default)]
struct Bounds {
    low: f32,
    high: f32,
}

impl Bounds {
    fn add(&mut self, value: f32) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    fn over(mut self, values: &[f32]) -> Self {
        values.iter().for_each(|value| self.add(*value));
        self
    }

    fn largest(self) -> f32 {
        self.high.max(-self.low)
    }

    /// The scale and zero point that put these values into `range`. `round` takes a scale to its type, and how
    /// many steps of it the largest value is, if it is a whole number of them.
    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "float arithmetic; the clamped zero point lies in the range, which is i32 or u32, the latter symmetric or at 0"
    )]
    fn affine(
        self,
        (least, most): (i64, i64),
        symmetry: Symmetry,
        round: impl Fn(f64, f64) -> f32,
    ) -> Parameter {
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        let (exact, steps) = match symmetry {
            Symmetry::Symmetric if least < 0 => (high.max(-low) / most as f64, most as f64),
            Symmetry::Symmetric => (high / most as f64, most as f64),
            Symmetry::Asymmetric => ((high - low) / (most - least) as f64, 0.0),
        };
        let scale = if exact == 0.0 { 1.0 } else { round(exact, steps) };
        let zero_point = match symmetry {
            Symmetry::Symmetric => 0,
            Symmetry::Asymmetric => {
                let zero = (least as f64 - low / f64::from(scale)).round_ties_even();
                (zero as i64).clamp(least, most).clamp(i32::MIN.into(), i32::MAX.into()) as i32
            }
        };
        Parameter { scale, zero_point }
    }

    /// The e8m0 code of the power of two that brings the largest value to an exponent of `top`.
    fn power(self, top: i32) -> u8 {
        let largest = f64::from(self.largest());
        if largest == 0.0 {
            return 127;
        }
        // The exponent of an f32 as an f64, where it is always normal.
        let exponent = i32::try_from(largest.to_bits() >> 52).unwrap_or(0).saturating_sub(1023);
        let biased = exponent.saturating_sub(top).saturating_add(127).clamp(1, 254);
        u8::try_from(biased).unwrap_or(127)
    }
}

/// The integers that a storage type of at most `bits` bits holds.
fn integer_range(storage: ElementType, bits: u32) -> Result<(i64, i64), TensorError> {
    use ElementType as Type;
    let is_integer = matches!(
        storage,
        Type::Int2
            | Type::UInt2
            | Type::Int4
            | Type::UInt4
            | Type::Int8
            | Type::UInt8
            | Type::Int16
            | Type::UInt16
            | Type::Int32
            | Type::UInt32
    );
    let fits = storage.bits().is_some_and(|own| own <= bits);
    if is_integer && fits { Ok(storage_range(storage)) } else { Err(wrong_storage(storage)) }
}

#[cold]
fn wrong_storage(storage: ElementType) -> TensorError {
    Rule::Qnt13.broken().but_found(storage).into()
}

/// The exponent of the largest value of a microscaling element, as a power of two.
fn micro_exponent(storage: ElementType) -> Option<i32> {
    Some(match storage {
        ElementType::Float8E4M3 => 8,
        ElementType::Float8E5M2 => 15,
        ElementType::Float4E2M1 | ElementType::Float6E2M3 | ElementType::Int4 => 2,
        ElementType::Float6E3M2 => 4,
        ElementType::Int8 => 6,
        _ => return None,
    })
}

fn check(values: &[f32], shape: &[usize], element_type: ElementType) -> Result<(), TensorError> {
    expect_count(values.len(), shape)?;
    match values.iter().position(|value| !value.is_finite()) {
        Some(position) => Err(TensorError::Value { element_type, position }),
        None => Ok(()),
    }
}

fn axis_of(shape: &[usize], axis: usize) -> Result<(u32, usize), TensorError> {
    match (u32::try_from(axis), shape.get(axis)) {
        (Ok(number), Some(extent)) => Ok((number, *extent)),
        _ => {
            let error = Rule::Qnt11.broken().expected_to_be(format!("below {}", shape.len()));
            Err(error.but_found(axis).into())
        }
    }
}

fn check_block(
    block_size: u32,
    extent: usize,
    [size, fits]: [Rule; 2],
    least: u32,
) -> Result<(), TensorError> {
    size.check(block_size.is_power_of_two() && block_size >= least, |e| e.but_found(block_size))?;
    let is_within = extent == 0 || to_usize(block_size.into()).is_some_and(|block| block <= extent);
    fits.check(is_within, |e| e.expected_to_be(format!("at most {extent}")).but_found(block_size))?;
    Ok(())
}

/// How many blocks there are. The values exist, so that the product fits; 0 if there are none.
fn blocks(shape: &[usize], axis: u32, block_size: u32) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    let axis = usize::try_from(axis).unwrap_or(usize::MAX);
    let block = usize::try_from(block_size).unwrap_or(usize::MAX).max(1);
    let extents = shape.iter().enumerate().map(|(k, n)| if k == axis { n.div_ceil(block) } else { *n });
    extents.fold(1, usize::saturating_mul)
}

/// The bounds of the values that share each parameter.
fn bounds(
    values: &[f32],
    shape: &[usize],
    storage: ElementType,
    scheme: &Quantization,
    count: usize,
) -> Result<Vec<Bounds>, TensorError> {
    let mut bounds = vec![Bounds::default(); count];
    // Parameters that do not exist yet: only their number matters for who has which.
    let zeros = vec![0_u8; count.saturating_mul(4)];
    let descriptor = descriptor(shape, storage, scheme.clone(), &[]);
    let raw = RawTensor::new(descriptor, [&[][..], &zeros, &zeros]);
    let parameters = Parameters::of(&raw, shape)?;
    let mut values = values.iter();
    index::each(shape, |at| {
        if let (Some(bounds), Some(value)) = (bounds.get_mut(parameters.index.of(0, at)), values.next()) {
            bounds.add(*value);
        }
    });
    Ok(bounds)
}

fn descriptor(
    shape: &[usize],
    storage: ElementType,
    scheme: Quantization,
    sizes: &[u64],
) -> TensorDescriptor {
    let mut descriptor = describe(storage, shape, Layout::RowMajor, sizes.iter().copied());
    descriptor.quantization = Some(scheme);
    descriptor
}

fn affine_buffers(scales: Vec<u8>, parameters: &[Parameter], symmetry: Symmetry) -> Vec<Vec<u8>> {
    let mut buffers = vec![scales];
    if symmetry == Symmetry::Asymmetric {
        buffers.push(parameters.iter().flat_map(|parameter| parameter.zero_point.to_le_bytes()).collect());
    }
    buffers
}

/// The least scale of a type that reaches as far as `exact`, which is positive, so that no value of a block is
/// out of reach; the one before it where that many steps of it leave f32, the largest finite one past its range.
fn scale_for(exact: f64, steps: f64, scale_type: ScaleType) -> f32 {
    // The bits of positive floats ascend with their values.
    let (nearest, before, next, largest) = match scale_type {
        ScaleType::Float16 => {
            let at = |bits: u16| f16::from_bits(bits).to_f32();
            let nearest = f16::from_f64(exact).to_bits();
            (at(nearest), at(nearest.saturating_sub(1)), at(nearest.saturating_add(1)), f16::MAX.to_f32())
        }
        ScaleType::BFloat16 => {
            let at = |bits: u16| bf16::from_bits(bits).to_f32();
            let nearest = bf16::from_f64(exact).to_bits();
            (at(nearest), at(nearest.saturating_sub(1)), at(nearest.saturating_add(1)), bf16::MAX.to_f32())
        }
        ScaleType::Float32 => {
            let nearest = nearest_f32(exact);
            (nearest, nearest.next_down(), nearest.next_up(), f32::MAX)
        }
    };
    let [below, above] = if f64::from(nearest) < exact { [nearest, next] } else { [before, nearest] };
    let leaves = f64::from(above) * steps > f64::from(f32::MAX);
    if leaves { below.min(largest) } else { above.min(largest) }
}

#[expect(clippy::as_conversions, reason = "rounding to nearest is what is wanted")]
fn nearest_f32(value: f64) -> f32 {
    value as f32
}

fn scale_bytes(scale: f32, scale_type: ScaleType) -> Vec<u8> {
    match scale_type {
        ScaleType::Float16 => f16::from_f32(scale).to_le_bytes().to_vec(),
        ScaleType::BFloat16 => bf16::from_f32(scale).to_le_bytes().to_vec(),
        ScaleType::Float32 => scale.to_le_bytes().to_vec(),
    }
}

/// Quantizes the values with their parameters, and lays them out row-major. `buffers` are the parameters.
fn build(
    values: &[f32],
    shape: &[usize],
    storage: ElementType,
    scheme: Quantization,
    buffers: Vec<Vec<u8>>,
) -> Result<QuantizedTensor, TensorError> {
    let beyond = || TensorError::limit("isize::MAX", u64::MAX, u128::MAX);
    let mut described = descriptor(shape, storage, scheme, &[0]);
    described.buffers.extend(buffers.iter().map(|bytes| BufferHandle::host(length(bytes))));
    let all = std::iter::once(&[][..]).chain(buffers.iter().map(Vec::as_slice));
    let raw = RawTensor::new(described.clone(), all);
    let parameters = Parameters::of(&raw, shape)?;
    let encode = Encoder::of(&described);
    let mut codes = Vec::with_capacity(values.len());
    let mut rest = values.iter();
    index::each(shape, |at| {
        if let (Some(value), Some(parameter)) =
            (rest.next(), parameters.values.at(parameters.index.of(0, at)))
        {
            codes.push(encode.code(*value, parameter));
        }
    });
    drop(parameters);
    drop(raw);
    let group = storage.group().ok_or_else(beyond)?;
    let geometry = Geometry::plan(&described, shape.into(), group).and_then(Result::ok).ok_or_else(beyond)?;
    let slots = slots(&described, shape).ok_or_else(beyond)?;
    let mut stored = vec![encode.zero(); slots];
    geometry.walk(&mut Place { from: &codes, to: &mut stored });
    let bytes = to_bytes(storage, &stored);
    if let Some(handle) = described.buffers.first_mut() {
        *handle = BufferHandle::host(length(&bytes));
    }
    let all: Vec<Vec<u8>> = std::iter::once(bytes).chain(buffers).collect();
    QuantizedTensor::from_parts(described, &all)
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Elements of the buffer: partial blocks are stored whole (FORMAT §6.3).
fn slots(descriptor: &TensorDescriptor, shape: &[usize]) -> Option<usize> {
    let stored = crate::view::axes::storage_shape(descriptor, shape)?;
    usize::try_from(index::element_count(&stored)).ok()
}

/// Moves codes to where they are stored.
struct Place<'a> {
    from: &'a [i64],
    to: &'a mut [i64],
}

impl Transfer for Place<'_> {
    fn run(&mut self, stored: usize, logical: usize, len: usize) {
        let from = logical.checked_add(len).and_then(|end| self.from.get(logical..end));
        let to = stored.checked_add(len).and_then(|end| self.to.get_mut(stored..end));
        if let (Some(from), Some(to)) = (from, to) {
            to.copy_from_slice(from);
        }
    }
}
