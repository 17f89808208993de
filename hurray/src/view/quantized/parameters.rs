//! Scales and zero points, and which of them belong to an element (FORMAT §6.2, §6.3).

use half::{bf16, f16};
use smallvec::SmallVec;

use crate::bytes::to_usize;
use crate::descriptor::{Layout, Quantization, ScaleType};
use crate::element::F8E8M0;
use crate::error::TensorError;
use crate::view::axes::{Axes, Axis, Digit};
use crate::view::index;
use crate::view::paged::Pages;
use crate::view::raw::RawTensor;

/// What one element needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) scale: f32,
    pub(crate) zero_point: i32,
}

impl Parameter {
    /// `scale * f32(q - zero_point)`, the difference exact (FORMAT §6.4).
    #[inline]
    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "i64 holds the difference of any u32 and i32; rounding to f32 is the formula"
    )]
    pub(crate) fn affine(self, q: i64) -> f32 {
        self.scale * ((q - i64::from(self.zero_point)) as f32)
    }
}

/// The parameters of a quantized tensor, and which of them belongs to which element.
#[derive(Debug, Clone)]
pub(crate) struct Parameters<'a> {
    pub(crate) values: ParameterValues<'a>,
    pub(crate) index: ParameterIndex,
}

/// The parameters of a quantized tensor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParameterValues<'a> {
    scales: Scales<'a>,
    /// i32 each; `None` if symmetric.
    zero_points: Option<&'a [u8]>,
}

#[derive(Debug, Clone, Copy)]
enum Scales<'a> {
    One(f32, i32),
    Float16(&'a [u8]),
    BFloat16(&'a [u8]),
    Float32(&'a [u8]),
    E8M0(&'a [u8]),
}

/// Which parameter belongs to an element.
#[derive(Debug, Clone)]
pub(crate) enum ParameterIndex {
    /// The same for all.
    One,
    /// By the logical index: a sum over the dimensions.
    Logical { axes: Box<Axes>, shape: index::Extents },
    /// By the slot of the page pool: so many elements each (FORMAT §6.9).
    Slot { elements: usize },
}

/// The bytes of the scales and of the zero points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParameterBytes<'a> {
    pub(crate) scales: &'a [u8],
    /// i32 each; `None` if symmetric.
    pub(crate) zero_points: Option<&'a [u8]>,
    /// Of one scale, in bytes.
    pub(crate) width: usize,
}

/// The bytes of the parameters; `None` without parameter buffers.
pub(crate) fn parameter_bytes<'a>(raw: &RawTensor<'a>) -> Option<ParameterBytes<'a>> {
    let (scales, zero_points, width) = match raw.descriptor().quantization()? {
        Quantization::PerChannel { scales, zero_points, .. } => (*scales, *zero_points, 4),
        Quantization::PerBlock { scales, zero_points, scale_type, .. } => {
            (*scales, *zero_points, if matches!(scale_type, ScaleType::Float32) { 4 } else { 2 })
        }
        Quantization::Nf4 { scales, .. } => (*scales, None, 4),
        Quantization::Mxfp { scales, .. } => (*scales, None, 1),
        _ => return None,
    };
    let scale_bytes = raw.buffer(usize::try_from(scales).ok()?);
    let Some(zero_points) = zero_points else {
        return Some(ParameterBytes { scales: scale_bytes, zero_points: None, width });
    };
    if zero_points == scales {
        // One buffer: scales first, zero points after them.
        let count = scale_bytes.len().checked_div(width.checked_add(4)?)?;
        let (scales, zero_points) = scale_bytes.split_at_checked(count.checked_mul(width)?)?;
        return Some(ParameterBytes { scales, zero_points: Some(zero_points), width });
    }
    let zero_points = Some(raw.buffer(usize::try_from(zero_points).ok()?));
    Some(ParameterBytes { scales: scale_bytes, zero_points, width })
}

impl<'a> Parameters<'a> {
    /// The parameters of a tensor, whose buffers have one for every element of the shape.
    pub(crate) fn of(raw: &RawTensor<'a>, shape: &[usize]) -> Result<Self, TensorError> {
        let quantization =
            raw.descriptor().quantization().ok_or_else(|| TensorError::not_understood("no quantization"))?;
        let unknown =
            || TensorError::not_understood(format!("quantization scheme {:#04x}", quantization.tag()));
        let values = ParameterValues::of(raw).ok_or_else(unknown)?;
        let is_paged = matches!(raw.descriptor().layout(), Layout::BlockPaged(_));
        let (axis, block) = match *quantization {
            Quantization::PerTensor { .. } => return Ok(Self { values, index: ParameterIndex::One }),
            Quantization::PerChannel { axis, .. } => (axis, None),
            Quantization::PerBlock { axis, block_size, .. } => (axis, Some(block_size)),
            Quantization::Nf4 { axis, block_size, .. } | Quantization::Mxfp { axis, block_size, .. }
                if !is_paged =>
            {
                (axis, Some(block_size))
            }
            _ => return Err(unknown()),
        };
        let axis = usize::try_from(axis).ok().filter(|axis| *axis < shape.len()).ok_or_else(unknown)?;
        let (index, needed) = match block {
            Some(_) if is_paged => {
                let pages = Pages::of(raw)?;
                let slots =
                    pages.fields.num_pages.checked_mul(pages.fields.page_size.into()).and_then(to_usize);
                (Some(ParameterIndex::Slot { elements: pages.token_elements() }), slots)
            }
            Some(block) => by_block(shape, axis, block),
            None => by_channel(shape, axis),
        };
        let index = index.ok_or_else(|| TensorError::not_understood("more blocks than memory"))?;
        let needed = needed.ok_or_else(|| TensorError::not_understood("more blocks than memory"))?;
        if let Some(size) = values.lacks(needed) {
            return Err(raw.too_small(first_parameter_buffer(quantization), size));
        }
        Ok(Self { values, index })
    }
}

impl<'a> ParameterValues<'a> {
    /// Those of a tensor; `None` if it has no scheme that is understood.
    #[inline]
    pub(crate) fn of(raw: &RawTensor<'a>) -> Option<Self> {
        let quantization = raw.descriptor().quantization()?;
        if let Quantization::PerTensor { scale, zero_point } = *quantization {
            return Some(Self { scales: Scales::One(scale, zero_point), zero_points: None });
        }
        let ParameterBytes { scales: bytes, zero_points, .. } = parameter_bytes(raw)?;
        let scales = match quantization {
            Quantization::PerBlock { scale_type: ScaleType::Float16, .. } => Scales::Float16(bytes),
            Quantization::PerBlock { scale_type: ScaleType::BFloat16, .. } => Scales::BFloat16(bytes),
            Quantization::PerChannel { .. }
            | Quantization::PerBlock { scale_type: ScaleType::Float32, .. }
            | Quantization::Nf4 { .. } => Scales::Float32(bytes),
            Quantization::Mxfp { .. } => Scales::E8M0(bytes),
            _ => return None,
        };
        Some(Self { scales, zero_points })
    }

    /// The bytes of scales that `needed` parameters take, if there are fewer.
    fn lacks(&self, needed: usize) -> Option<u64> {
        let (bytes, width) = match self.scales {
            Scales::One(..) => return None,
            Scales::Float16(bytes) | Scales::BFloat16(bytes) => (bytes, 2),
            Scales::Float32(bytes) => (bytes, 4),
            Scales::E8M0(bytes) => (bytes, 1),
        };
        let has =
            |bytes: &[u8], width: usize| needed.checked_mul(width).is_some_and(|size| size <= bytes.len());
        let is_enough = has(bytes, width) && self.zero_points.is_none_or(|bytes| has(bytes, 4));
        (!is_enough).then(|| u64::try_from(needed.saturating_mul(width)).unwrap_or(u64::MAX))
    }

    /// The number of parameters that the buffers hold.
    pub(crate) fn count(&self) -> usize {
        match self.scales {
            Scales::One(..) => 1,
            Scales::Float16(bytes) | Scales::BFloat16(bytes) => bytes.len() >> 1,
            Scales::Float32(bytes) => bytes.len() >> 2,
            Scales::E8M0(bytes) => bytes.len(),
        }
    }

    /// A parameter.
    #[inline]
    pub(crate) fn at(&self, at: usize) -> Option<Parameter> {
        let scale = match self.scales {
            Scales::One(scale, zero_point) => return Some(Parameter { scale, zero_point }),
            Scales::Float16(bytes) => f16::from_le_bytes(*bytes.as_chunks().0.get(at)?).to_f32(),
            Scales::BFloat16(bytes) => bf16::from_le_bytes(*bytes.as_chunks().0.get(at)?).to_f32(),
            Scales::Float32(bytes) => f32::from_le_bytes(*bytes.as_chunks().0.get(at)?),
            Scales::E8M0(bytes) => F8E8M0::from_bits(*bytes.get(at)?).to_f32(),
        };
        let zero_point = match self.zero_points {
            Some(bytes) => i32::from_le_bytes(*bytes.as_chunks().0.get(at)?),
            None => 0,
        };
        Some(Parameter { scale, zero_point })
    }

    pub(crate) fn scales(&self) -> impl Iterator<Item = f32> + '_ {
        (0..self.count()).filter_map(|at| Some(self.at(at)?.scale))
    }

    pub(crate) fn zero_points(&self) -> impl Iterator<Item = i32> + '_ {
        (0..self.count()).filter_map(|at| Some(self.at(at)?.zero_point))
    }
}

impl ParameterIndex {
    /// Which parameter an element has, by its position in the buffer and its index.
    #[inline]
    pub(crate) fn of(&self, position: usize, index: &[usize]) -> usize {
        match self {
            Self::One => 0,
            Self::Logical { axes, .. } => {
                axes.iter().zip(index).fold(0, |sum, (axis, at)| axis.offset(*at).wrapping_add(sum))
            }
            Self::Slot { elements } => position.checked_div(*elements).unwrap_or(0),
        }
    }
}

fn first_parameter_buffer(quantization: &Quantization) -> usize {
    let index = match quantization {
        Quantization::PerChannel { scales, .. }
        | Quantization::PerBlock { scales, .. }
        | Quantization::Nf4 { scales, .. }
        | Quantization::Mxfp { scales, .. } => *scales,
        _ => 0,
    };
    usize::try_from(index).unwrap_or(0)
}

/// One parameter per index of `axis`, and how many there are.
fn by_channel(shape: &[usize], axis: usize) -> (Option<ParameterIndex>, Option<usize>) {
    let axes: Axes = (0..).zip(shape).map(|(k, n)| Axis::linear(*n, isize::from(k == axis))).collect();
    (Some(ParameterIndex::Logical { axes: Box::new(axes), shape: shape.into() }), shape.get(axis).copied())
}

/// One parameter per block along `axis`, and how many there are: block `outer * nb + i / K` (FORMAT §6.3).
fn by_block(shape: &[usize], axis: usize, block: u32) -> (Option<ParameterIndex>, Option<usize>) {
    let make = || {
        let block = usize::try_from(block).ok()?;
        let along = shape.get(axis)?.checked_add(block.checked_sub(1)?)?.checked_div(block)?;
        let mut stride = along;
        let mut axes: SmallVec<[Axis; 4]> = SmallVec::new();
        for (k, n) in (0..shape.len()).zip(shape).rev() {
            if k == axis {
                let digits = [Digit { extent: block, stride: 0 }, Digit { extent: along, stride: 1 }];
                axes.push(Axis { digits: SmallVec::from_slice(&digits) });
            } else {
                axes.push(Axis::linear(*n, isize::try_from(stride).ok()?));
                stride = stride.checked_mul(*n)?;
            }
        }
        axes.reverse();
        Some((ParameterIndex::Logical { axes: Box::new(axes), shape: shape.into() }, stride))
    };
    if shape.contains(&0) {
        let axes = shape.iter().map(|n| Axis::linear(*n, 0)).collect();
        return (Some(ParameterIndex::Logical { axes: Box::new(axes), shape: shape.into() }), Some(0));
    }
    make().map_or((None, None), |(index, count)| (Some(index), Some(count)))
}
