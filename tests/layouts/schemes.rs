//! The formulas of FORMAT §6 written down as they stand, in f32, and random parameters for them.

use hurray::ElementType;
use hurray::descriptor::{Layout, Quantization, ScaleType, TensorDescriptor};

use super::reference;

/// A stored pattern as the signed or unsigned integer that it is.
fn integer(element_type: ElementType, pattern: u64) -> i64 {
    let bits = reference::bits(element_type) as u32;
    let is_signed = matches!(
        element_type,
        ElementType::Int2 | ElementType::Int4 | ElementType::Int8 | ElementType::Int16 | ElementType::Int32
    );
    let value = pattern as i64;
    if is_signed && value >= 1 << (bits - 1) { value - (1 << bits) } else { value }
}

/// A float of so many bits of exponent and mantissa; the specials of the type are its caller's.
fn float(pattern: u64, exponent_bits: u32, mantissa_bits: u32, bias: i32) -> f32 {
    let sign = pattern >> (exponent_bits + mantissa_bits) & 1;
    let exponent = (pattern >> mantissa_bits) as i32 & ((1 << exponent_bits) - 1);
    let mantissa = (pattern & ((1 << mantissa_bits) - 1)) as f64 / f64::from(1u32 << mantissa_bits);
    let magnitude = match exponent {
        0 => mantissa * 2f64.powi(1 - bias),
        _ => (1.0 + mantissa) * 2f64.powi(exponent - bias),
    };
    (if sign == 1 { -magnitude } else { magnitude }) as f32
}

/// `value(q)` of the microscaling scheme (§6.8, §4.3).
fn micro(element_type: ElementType, q: u64) -> f32 {
    match element_type {
        ElementType::Float8E4M3 if q & 0x7F == 0x7F => f32::NAN,
        ElementType::Float8E4M3 => float(q, 4, 3, 7),
        ElementType::Float8E5M2 if q & 0x7F > 0x7C => f32::NAN,
        ElementType::Float8E5M2 if q & 0x7F == 0x7C => {
            if q & 0x80 == 0 {
                f32::INFINITY
            } else {
                -f32::INFINITY
            }
        }
        ElementType::Float8E5M2 => float(q, 5, 2, 15),
        ElementType::Float4E2M1 => float(q, 2, 1, 1),
        ElementType::Float6E2M3 => float(q, 2, 3, 1),
        ElementType::Float6E3M2 => float(q, 3, 2, 3),
        _ => integer(element_type, q) as f32,
    }
}

/// The table of §6.7, by its bit patterns.
const NF4: [u32; 16] = [
    0xBF80_0000,
    0xBF32_39B1,
    0xBF06_6B30,
    0xBECA_32A0,
    0xBE91_A24D,
    0xBE3D_353F,
    0xBDBA_7871,
    0x0000_0000,
    0x3DA2_FAFF,
    0x3E24_CAE3,
    0x3E7C_04DD,
    0x3EAD_033A,
    0x3EE1_A4B8,
    0x3F10_07AB,
    0x3F39_13B3,
    0x3F80_0000,
];

fn f32_at(buffer: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(buffer[4 * at..4 * at + 4].try_into().unwrap())
}

fn scale_at(buffer: &[u8], scale_type: ScaleType, at: usize) -> f32 {
    let half = |exponent_bits, mantissa_bits, bias| {
        let pattern = u16::from_le_bytes(buffer[2 * at..2 * at + 2].try_into().unwrap());
        float(pattern.into(), exponent_bits, mantissa_bits, bias)
    };
    match scale_type {
        ScaleType::Float16 => half(5, 10, 15),
        ScaleType::BFloat16 => half(8, 7, 127),
        _ => f32_at(buffer, at),
    }
}

/// A zero point: in a buffer of its own, or after the `scale_bytes` bytes of the scales.
fn zero_point(buffers: &[&[u8]], index: Option<u32>, scales: u32, scale_bytes: usize, at: usize) -> i64 {
    let Some(index) = index else { return 0 };
    let start = if index == scales { scale_bytes } else { 0 } + 4 * at;
    i32::from_le_bytes(buffers[index as usize][start..start + 4].try_into().unwrap()).into()
}

/// The number of parameters of a scheme (§6.3, §6.5, §6.9).
pub(crate) fn parameters(scheme: &Quantization, layout: &Layout, shape: &[usize]) -> usize {
    match (scheme, layout) {
        (Quantization::PerTensor { .. }, _) => 0,
        (Quantization::PerChannel { axis, .. }, _) => shape[*axis as usize],
        (Quantization::PerBlock { .. }, Layout::BlockPaged(fields)) => {
            fields.num_pages as usize * fields.page_size as usize
        }
        (
            Quantization::PerBlock { axis, block_size, .. }
            | Quantization::Nf4 { axis, block_size, .. }
            | Quantization::Mxfp { axis, block_size, .. },
            _,
        ) => {
            let (axis, size) = (*axis as usize, *block_size as usize);
            let others = shape.iter().enumerate().filter(|(j, _)| *j != axis);
            shape[axis].div_ceil(size) * others.map(|(_, dim)| dim).product::<usize>()
        }
        _ => panic!("no test has this scheme"),
    }
}

/// The real number at an index.
pub(crate) fn real(
    descriptor: &TensorDescriptor,
    buffers: &[&[u8]],
    tokens: &[usize],
    index: &[usize],
) -> f32 {
    let Some(q) = reference::pattern(descriptor, buffers, tokens, index) else { return 0.0 };
    let storage = descriptor.element_type();
    let shape: Vec<usize> = descriptor.shape().iter().map(|dim| *dim as usize).collect();
    let scheme = descriptor.quantization().unwrap();
    let count = parameters(scheme, descriptor.layout(), &shape);
    let block = || {
        if let Layout::BlockPaged(fields) = descriptor.layout() {
            let (page, slot) = reference::page_of(descriptor, buffers, tokens, index[0]);
            return page as usize * fields.page_size as usize + slot as usize;
        }
        let (axis, size, nb) = reference::blocks(descriptor).unwrap();
        let others = (0..shape.len()).filter(|j| *j != axis);
        let outer = others.fold(0, |outer, j| outer * shape[j] + index[j]);
        outer * nb as usize + index[axis] / size as usize
    };
    match *scheme {
        Quantization::PerTensor { scale, zero_point } => {
            scale * ((integer(storage, q) - i64::from(zero_point)) as f32)
        }
        Quantization::PerChannel { axis, scales, zero_points } => {
            let c = index[axis as usize];
            let zero = zero_point(buffers, zero_points, scales, 4 * count, c);
            f32_at(buffers[scales as usize], c) * ((integer(storage, q) - zero) as f32)
        }
        Quantization::PerBlock { scales, zero_points, scale_type, .. } => {
            let b = block();
            let zero = zero_point(buffers, zero_points, scales, scale_type.byte_size() as usize * count, b);
            scale_at(buffers[scales as usize], scale_type, b) * ((integer(storage, q) - zero) as f32)
        }
        Quantization::Nf4 { scales, .. } => {
            f32_at(buffers[scales as usize], block()) * f32::from_bits(NF4[q as usize])
        }
        Quantization::Mxfp { scales, .. } => {
            let e = i32::from(buffers[scales as usize][block()]);
            2f64.powi(e - 127) as f32 * micro(storage, q)
        }
        ref other => panic!("no test has {}", other.name()),
    }
}

/// A stream of numbers from a seed.
#[derive(Debug, Clone)]
pub(crate) struct Numbers(pub u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 29 ^ self.0 << 31
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Any scale that is finite and not zero: subnormal, negative and huge ones among them.
    fn scale(&mut self, scale_type: ScaleType) -> Vec<u8> {
        let (exponent, mantissa) = match scale_type {
            ScaleType::Float16 => (0x7C00u32, 10),
            ScaleType::BFloat16 => (0x7F80, 7),
            _ => (0x7F80_0000, 23),
        };
        loop {
            let bits = self.next() as u32;
            let bits = if scale_type == ScaleType::Float32 { bits } else { bits & 0xFFFF };
            let is_zero = bits & (exponent | ((1 << mantissa) - 1)) == 0;
            if bits & exponent != exponent && !is_zero {
                return bits.to_le_bytes()[..scale_type.byte_size() as usize].to_vec();
            }
        }
    }

    pub(crate) fn float(&mut self) -> f32 {
        f32::from_le_bytes(self.scale(ScaleType::Float32).try_into().unwrap())
    }

    /// A zero point inside the range of a storage type.
    pub(crate) fn zero_point(&mut self, storage: ElementType) -> i32 {
        let bits = reference::bits(storage) as u32;
        let value = integer(storage, self.next() & ((1 << bits) - 1));
        i32::try_from(value).unwrap_or(i32::MAX)
    }

    /// The parameter buffers of a scheme: scales, and zero points if it has any.
    pub(crate) fn parameters(
        &mut self,
        scheme: &Quantization,
        storage: ElementType,
        count: usize,
    ) -> Vec<Vec<u8>> {
        let scale_type = match scheme {
            Quantization::PerTensor { .. } => return vec![],
            Quantization::PerBlock { scale_type, .. } => *scale_type,
            Quantization::Mxfp { .. } => {
                return vec![(0..count).map(|_| 1 + self.below(254) as u8).collect()];
            }
            _ => ScaleType::Float32,
        };
        let is_nf4 = matches!(scheme, Quantization::Nf4 { .. });
        let mut scales: Vec<u8> = (0..count).flat_map(|_| self.scale(scale_type)).collect();
        if is_nf4 {
            // The largest absolute value is not negative.
            scales.iter_mut().skip(3).step_by(4).for_each(|byte| *byte &= 0x7F);
        }
        let has_zero_points = matches!(
            scheme,
            Quantization::PerChannel { zero_points: Some(_), .. }
                | Quantization::PerBlock { zero_points: Some(_), .. }
        );
        if !has_zero_points {
            return vec![scales];
        }
        // Readers let any zero point of a block pass.
        let is_free = matches!(scheme, Quantization::PerBlock { .. }) && self.below(2) == 0;
        let zero_point = |_| if is_free { self.next() as i32 } else { self.zero_point(storage) };
        vec![scales, (0..count).map(zero_point).flat_map(i32::to_le_bytes).collect()]
    }
}
