//! The stored elements of a quantized tensor.

use crate::element::{ElementType, F8E4M3, F8E5M2, I2, I4, PackedElement, bits};
use crate::element::{F4E2M1, F6E2M3, F6E3M2};
use crate::error::TensorError;
use crate::view::raw::RawTensor;

use super::parameters::Parameter;

/// The stored elements: integers, or codes that stand for reals before scaling.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elements<'a> {
    bytes: &'a [u8],
    element_type: ElementType,
    kind: Kind,
}

/// How an element becomes what is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer of at most 16 bits, less the zero point.
    Small,
    /// An integer of 32 bits, less the zero point.
    Large,
    /// A real number: from the table of NF4, a small float, or the integer itself.
    Real,
}

/// The table of FORMAT §6.7, by its bit patterns.
#[expect(clippy::excessive_precision, reason = "the decimals are those of the format, the bits are tested")]
static NF4: [f32; 16] = [
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
];

/// The table of FORMAT §6.7.
pub(super) fn nf4() -> &'static [f32; 16] {
    &NF4
}

impl<'a> Elements<'a> {
    pub(crate) fn of(raw: &RawTensor<'_>, bytes: &'a [u8]) -> Result<Self, TensorError> {
        use crate::descriptor::Quantization as Q;
        use ElementType as Type;
        let element_type = raw.descriptor().element_type();
        let kind = match (raw.descriptor().quantization(), element_type) {
            (
                Some(Q::PerTensor { .. } | Q::PerChannel { .. } | Q::PerBlock { .. }),
                Type::Int2
                | Type::UInt2
                | Type::Int4
                | Type::UInt4
                | Type::Int8
                | Type::UInt8
                | Type::Int16
                | Type::UInt16,
            ) => Kind::Small,
            (Some(Q::PerTensor { .. } | Q::PerChannel { .. }), Type::Int32 | Type::UInt32) => Kind::Large,
            (Some(Q::Nf4 { .. }), Type::UInt4)
            | (
                Some(Q::Mxfp { .. }),
                Type::Float8E4M3
                | Type::Float8E5M2
                | Type::Float4E2M1
                | Type::Float6E2M3
                | Type::Float6E3M2
                | Type::Int8
                | Type::Int4,
            ) => Kind::Real,
            (scheme, _) => {
                let scheme = scheme.map_or("no", Q::name);
                let what = format!("{scheme} quantization of {element_type}");
                return Err(TensorError::not_understood(what));
            }
        };
        Ok(Self { bytes, element_type, kind })
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Integers `from..from + out.len()` of kind [`Kind::Small`].
    #[inline]
    pub(crate) fn small(&self, from: usize, out: &mut [i32]) -> Option<()> {
        use ElementType as Type;
        match self.element_type {
            Type::Int8 => self.each(from, out, |[byte]: [u8; 1]| byte.cast_signed().into()),
            Type::UInt8 => self.each(from, out, |[byte]: [u8; 1]| byte.into()),
            Type::Int16 => self.each(from, out, |bytes| i16::from_le_bytes(bytes).into()),
            Type::UInt16 => self.each(from, out, |bytes| u16::from_le_bytes(bytes).into()),
            Type::Int4 => self.codes(4, from, out, |code| I4::unpack(code).into()),
            Type::UInt4 => self.codes(4, from, out, i32::from),
            Type::Int2 => self.codes(2, from, out, |code| I2::unpack(code).into()),
            Type::UInt2 => self.codes(2, from, out, i32::from),
            _ => None,
        }
    }

    /// Integers `from..from + out.len()` of kind [`Kind::Large`].
    #[inline]
    pub(crate) fn large(&self, from: usize, out: &mut [i64]) -> Option<()> {
        match self.element_type {
            ElementType::Int32 => self.each(from, out, |bytes| i32::from_le_bytes(bytes).into()),
            ElementType::UInt32 => self.each(from, out, |bytes| u32::from_le_bytes(bytes).into()),
            _ => None,
        }
    }

    /// Reals `from..from + out.len()` of kind [`Kind::Real`].
    #[inline]
    pub(crate) fn real(&self, from: usize, out: &mut [f32]) -> Option<()> {
        use ElementType as Type;
        match self.element_type {
            Type::UInt4 => {
                self.codes(4, from, out, |code| NF4.get(usize::from(code & 15)).copied().unwrap_or(0.0))
            }
            Type::Int4 => self.codes(4, from, out, |code| f32::from(I4::unpack(code))),
            Type::Int8 => self.each(from, out, |[byte]: [u8; 1]| f32::from(byte.cast_signed())),
            Type::Float4E2M1 => self.codes(4, from, out, F4E2M1::unpack),
            Type::Float6E2M3 => self.codes(6, from, out, F6E2M3::unpack),
            Type::Float6E3M2 => self.codes(6, from, out, F6E3M2::unpack),
            Type::Float8E4M3 => self.each(from, out, |[byte]: [u8; 1]| F8E4M3::from_bits(byte).to_f32()),
            Type::Float8E5M2 => self.each(from, out, |[byte]: [u8; 1]| F8E5M2::from_bits(byte).to_f32()),
            _ => None,
        }
    }

    /// One element as a real number.
    pub(crate) fn dequantize(&self, at: usize, parameter: Parameter) -> Option<f32> {
        match self.kind {
            Kind::Small => {
                let mut value = [0; 1];
                self.small(at, &mut value)?;
                let [value] = value;
                Some(parameter.affine(value.into()))
            }
            Kind::Large => {
                let mut value = [0; 1];
                self.large(at, &mut value)?;
                let [value] = value;
                Some(parameter.affine(value))
            }
            Kind::Real => {
                let mut value = [0.0; 1];
                self.real(at, &mut value)?;
                let [value] = value;
                Some(parameter.scale * value)
            }
        }
    }

    #[inline]
    fn each<const N: usize, V>(&self, from: usize, out: &mut [V], of: impl Fn([u8; N]) -> V) -> Option<()> {
        let start = from.checked_mul(N)?;
        let bytes = self.bytes.get(start..start.checked_add(out.len().checked_mul(N)?)?)?;
        for (value, bytes) in out.iter_mut().zip(bytes.as_chunks::<N>().0) {
            *value = of(*bytes);
        }
        Some(())
    }

    #[inline]
    fn codes<V>(&self, bits: u32, from: usize, out: &mut [V], of: impl Fn(u8) -> V) -> Option<()> {
        if let [value] = out {
            *value = of(bits::code_at(self.bytes, bits, from)?);
            return Some(());
        }
        let mut codes = [0_u8; super::transfer::CHUNK];
        let codes = codes.get_mut(..out.len())?;
        bits::unpack(self.bytes, bits, from, codes)?;
        for (value, code) in out.iter_mut().zip(codes) {
            *value = of(*code);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nf4_has_the_bit_patterns_of_the_format() {
        let bits = [
            0xBF80_0000,
            0xBF32_39B1,
            0xBF06_6B30,
            0xBECA_32A0,
            0xBE91_A24D,
            0xBE3D_353F,
            0xBDBA_7871,
            0,
            0x3DA2_FAFF,
            0x3E24_CAE3,
            0x3E7C_04DD,
            0x3EAD_033A,
            0x3EE1_A4B8,
            0x3F10_07AB,
            0x3F39_13B3,
            0x3F80_0000,
        ];
        assert_eq!(super::NF4.map(f32::to_bits), bits);
    }
}
