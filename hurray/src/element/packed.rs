//! Element types of which several share a byte, as marker types.

use super::minifloat::MiniFloat;
use super::{ElementType, PackedSlice, Stored, bits, sealed::Sealed};

/// A marker for an element type of 1, 2, 4 or 6 bits, of which no slice can be borrowed.
///
/// Sealed: the types that have it are [`Bool`], [`I2`], [`U2`], [`I4`], [`U4`], [`F4E2M1`], [`F6E2M3`] and
/// [`F6E3M2`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a packed element type of the Hurray format",
    label = "not a packed element type",
    note = "packed element types are Bool, I2, U2, I4, U4, F4E2M1, F6E2M3 and F6E3M2; whole-byte types have \
            `TensorView`"
)]
pub trait PackedElement: Stored {
    /// Bits of one element: 1, 2, 4 or 6.
    const BITS: u32;

    /// The value of a raw pattern; bits above [`BITS`](Self::BITS) are ignored.
    fn unpack(code: u8) -> Self::Value;

    /// The raw pattern of a value: `None` for an integer out of range; floats round to nearest, ties to even,
    /// and saturate.
    fn pack(value: Self::Value) -> Option<u8>;
}

macro_rules! packed {
    ($($(#[doc = $doc:literal])* $name:ident $element:ident $bits:literal $value:ty,
       |$code:ident| $unpack:expr, |$given:ident| $pack:expr;)*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum $name {}

            impl Sealed for $name {}

            // A blanket impl over `PackedElement` would overlap with the one over `Element`.
            impl Stored for $name {
                const STORED_TYPE: ElementType = ElementType::$element;
                type Value = $value;
                type Values<'a> = PackedSlice<'a, Self>;

                #[inline]
                fn zero() -> Self::Value {
                    Self::Value::default()
                }

                fn zeros(count: usize) -> Vec<Self::Value> {
                    vec![Self::zero(); count]
                }

                #[inline]
                fn borrow(bytes: &[u8], count: usize) -> Option<Self::Values<'_>> {
                    PackedSlice::new(bytes, count)
                }

                #[inline]
                fn get(values: Self::Values<'_>, at: usize) -> Option<Self::Value> {
                    values.get(at)
                }

                #[inline]
                fn copy(values: Self::Values<'_>, from: usize, out: &mut [Self::Value]) -> Option<()> {
                    values.copy(from, out)
                }

                #[inline]
                fn decode(bytes: &[u8]) -> Option<Self::Value> {
                    bytes.first().map(|code| Self::unpack(*code))
                }

                fn collect<E>(
                    count: usize,
                    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
                ) -> Result<Vec<Self::Value>, E> {
                    let mut codes = vec![0; count];
                    fill(&mut codes)?;
                    Ok(codes.into_iter().map(Self::unpack).collect())
                }

                fn encode(values: &[Self::Value]) -> Result<Vec<u8>, usize> {
                    if let Some(at) = values.iter().position(|value| Self::pack(*value).is_none()) {
                        return Err(at);
                    }
                    let codes = values.iter().map(|value| Self::pack(*value).unwrap_or_default());
                    Ok(bits::pack(Self::BITS, codes))
                }
            }

            impl PackedElement for $name {
                const BITS: u32 = $bits;

                #[inline]
                fn unpack($code: u8) -> $value {
                    $unpack
                }

                #[inline]
                fn pack($given: $value) -> Option<u8> {
                    $pack
                }
            }
        )*
    };
}

packed! {
    /// bool: one bit.
    Bool Bool 1 bool, |code| code & 1 == 1, |value| Some(u8::from(value));
    /// int2: -2 to 1.
    I2 Int2 2 i8, |code| (code << 6).cast_signed() >> 6,
        |value| (-2..=1).contains(&value).then_some(value.cast_unsigned() & 3);
    /// uint2: 0 to 3.
    U2 UInt2 2 u8, |code| code & 3, |value| (value <= 3).then_some(value);
    /// int4: -8 to 7.
    I4 Int4 4 i8, |code| (code << 4).cast_signed() >> 4,
        |value| (-8..=7).contains(&value).then_some(value.cast_unsigned() & 15);
    /// uint4: 0 to 15.
    U4 UInt4 4 u8, |code| code & 15, |value| (value <= 15).then_some(value);
    /// float4_e2m1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
    F4E2M1 Float4E2M1 4 f32, |code| lookup(&E2M1, code & 15),
        |value| Some(MiniFloat::E2M1.encode(f64::from(value), true));
    /// float6_e2m3: steps of 0.125 to 2, at most 7.5.
    F6E2M3 Float6E2M3 6 f32, |code| lookup(&E2M3, code & 63),
        |value| Some(MiniFloat::E2M3.encode(f64::from(value), true));
    /// float6_e3m2: at most 28.
    F6E3M2 Float6E3M2 6 f32, |code| lookup(&E3M2, code & 63),
        |value| Some(MiniFloat::E3M2.encode(f64::from(value), true));
}

static E2M1: [f32; 16] = MiniFloat::E2M1.table();
static E2M3: [f32; 64] = MiniFloat::E2M3.table();
static E3M2: [f32; 64] = MiniFloat::E3M2.table();

#[inline]
fn lookup(table: &[f32], code: u8) -> f32 {
    table.get(usize::from(code)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_codes_survive<P: PackedElement>() {
        for code in 0..1_u8 << P::BITS {
            assert_eq!(P::pack(P::unpack(code)), Some(code), "{:?}", P::STORED_TYPE);
            assert_eq!(P::unpack(code | u8::MAX << P::BITS), P::unpack(code));
        }
        assert_eq!(P::STORED_TYPE.bits(), Some(P::BITS));
    }

    #[test]
    fn every_code_survives_the_round_trip() {
        all_codes_survive::<Bool>();
        all_codes_survive::<I2>();
        all_codes_survive::<U2>();
        all_codes_survive::<I4>();
        all_codes_survive::<U4>();
        all_codes_survive::<F4E2M1>();
        all_codes_survive::<F6E2M3>();
        all_codes_survive::<F6E3M2>();
    }

    #[test]
    fn integers_out_of_range_are_refused_and_floats_saturate() {
        assert_eq!((I2::pack(2), I2::pack(-3), U2::pack(4)), (None, None, None));
        assert_eq!((I4::pack(8), I4::pack(-9), U4::pack(16)), (None, None, None));
        assert_eq!(F4E2M1::pack(1e9).map(F4E2M1::unpack), Some(6.0));
        assert_eq!((I4::unpack(15), I4::unpack(8), I2::unpack(3), I2::unpack(2)), (-1, -8, -1, -2));
    }
}
