//! Sums in an element type, as an overlay that adds makes them (FORMAT §7.6): floats are rounded to nearest even,
//! integers wrap around.

use half::{bf16, f16};

use super::{Complex64, Complex128, ElementType, F128, MiniFloat};

/// Whether [`add`] knows the type. It does not know bool, which the format excludes, float8_e8m0, which has no
/// sign and no zero, and types that are not built in.
pub(crate) fn has_sum(element_type: ElementType) -> bool {
    let excluded = matches!(element_type, ElementType::Bool | ElementType::Float8E8M0);
    element_type.bits().is_some() && !excluded
}

/// Adds elements to others in place. Elements below 8 bits have one byte each. `None` for types without a sum.
pub(crate) fn add(element_type: ElementType, to: &mut [u8], from: &[u8]) -> Option<()> {
    use ElementType as Type;
    match element_type {
        // Rounded twice, from the exact sum to float64 and on: harmless, since that has more than twice as many digits.
        Type::Float16 => each(to, from, |a: f16, b| f16::from_f64(a.to_f64() + b.to_f64())),
        Type::BFloat16 => each(to, from, |a: bf16, b| bf16::from_f64(a.to_f64() + b.to_f64())),
        Type::Float32 => each(to, from, |a: f32, b: f32| a + b),
        Type::Float64 => each(to, from, |a: f64, b: f64| a + b),
        Type::Float128 => each(to, from, F128::plus),
        Type::Int8 | Type::UInt8 => each(to, from, u8::wrapping_add),
        Type::Int16 | Type::UInt16 => each(to, from, u16::wrapping_add),
        Type::Int32 | Type::UInt32 => each(to, from, u32::wrapping_add),
        Type::Int64 | Type::UInt64 => each(to, from, u64::wrapping_add),
        Type::Int2 | Type::UInt2 => each(to, from, |a: u8, b| a.wrapping_add(b) & 3),
        Type::Int4 | Type::UInt4 => each(to, from, |a: u8, b| a.wrapping_add(b) & 15),
        Type::Float8E4M3 => mini(to, from, MiniFloat::E4M3),
        Type::Float8E5M2 => mini(to, from, MiniFloat::E5M2),
        Type::Float4E2M1 => mini(to, from, MiniFloat::E2M1),
        Type::Float6E2M3 => mini(to, from, MiniFloat::E2M3),
        Type::Float6E3M2 => mini(to, from, MiniFloat::E3M2),
        Type::Complex64 => {
            each(to, from, |a: Complex64, b: Complex64| Complex64 { re: a.re + b.re, im: a.im + b.im })
        }
        Type::Complex128 => {
            each(to, from, |a: Complex128, b: Complex128| Complex128 { re: a.re + b.re, im: a.im + b.im })
        }
        Type::Bool | Type::Float8E8M0 | Type::Private(_) | Type::Unknown(_) => return None,
    }
    Some(())
}

fn each<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    to: &mut [u8],
    from: &[u8],
    sum: impl Fn(T, T) -> T,
) {
    let size = size_of::<T>().max(1);
    for (to, from) in to.chunks_exact_mut(size).zip(from.chunks_exact(size)) {
        let read = bytemuck::pod_read_unaligned;
        to.copy_from_slice(bytemuck::bytes_of(&sum(read(to), read(from))));
    }
}

fn mini(to: &mut [u8], from: &[u8], float: MiniFloat) {
    let value = |code| f64::from(float.decode(code));
    each(to, from, |a: u8, b| float.encode(value(a) + value(b), false));
}

/// The bytes of a real number, rounded to a floating type of at least 16 bits (FORMAT §7.5); empty for others.
pub(crate) fn from_f32(element_type: ElementType, value: f32) -> smallvec::SmallVec<[u8; 16]> {
    match element_type {
        ElementType::Float16 => f16::from_f32(value).to_le_bytes().as_slice().into(),
        ElementType::BFloat16 => bf16::from_f32(value).to_le_bytes().as_slice().into(),
        ElementType::Float32 => value.to_le_bytes().as_slice().into(),
        ElementType::Float64 => f64::from(value).to_le_bytes().as_slice().into(),
        ElementType::Float128 => F128::from_f64(value.into()).to_bits().to_le_bytes().as_slice().into(),
        _ => smallvec::SmallVec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_small_ones_stay_small() {
        let mut bytes = [0xFF, 0x7F, 0xFF, 0xFF];
        add(ElementType::Int16, &mut bytes, &[1, 0, 2, 0]).unwrap();
        assert_eq!(bytes, [0, 0x80, 1, 0]);
        let mut codes = [7, 15];
        add(ElementType::Int4, &mut codes, &[1, 2]).unwrap();
        assert_eq!(codes, [8, 1]);
    }

    #[test]
    fn floats_round_to_nearest_even_in_their_own_type() {
        let mut bytes = f16::from_f32(2048.0).to_le_bytes();
        for (more, expected) in [(1.0, 2048.0), (3.0, 2052.0)] {
            add(ElementType::Float16, &mut bytes, &f16::from_f32(more).to_le_bytes()).unwrap();
            assert_eq!(f16::from_le_bytes(bytes).to_f32(), expected);
        }
        let mut codes = [0x7E];
        add(ElementType::Float8E4M3, &mut codes, &[0x7E]).unwrap();
        assert_eq!(codes, [0x7F], "past the largest finite value there is only NaN");
        let mut codes = [7];
        add(ElementType::Float4E2M1, &mut codes, &[7]).unwrap();
        assert_eq!(codes, [7], "4-bit floats saturate");
    }

    #[test]
    fn what_has_no_sum_is_refused() {
        for &built_in in ElementType::BUILT_IN {
            let width = usize::try_from(built_in.bits().unwrap()).unwrap().div_ceil(8);
            let added = add(built_in, &mut vec![0; width], &vec![0; width]);
            assert_eq!(added.is_some(), has_sum(built_in), "{built_in}");
        }
        assert!(!has_sum(ElementType::Bool) && !has_sum(ElementType::Private(0xF0)));
    }
}
