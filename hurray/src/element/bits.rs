//! Sub-byte elements: packing, least significant bits first (FORMAT §4.2).
//!
//! A *code* is the raw pattern of one element in the low bits of a `u8`.

/// The code of element `at`; `bits` is 1, 2, 4 or 6. `None` past the end of `bytes`.
#[inline]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "bits is at most 6, so products stay far below the shifted-out range"
)]
pub(crate) fn code_at(bytes: &[u8], bits: u32, at: usize) -> Option<u8> {
    match bits {
        1 => Some(bytes.get(at >> 3)? >> (at & 7) & 1),
        2 => Some(bytes.get(at >> 2)? >> ((at & 3) * 2) & 3),
        4 => Some(bytes.get(at >> 1)? >> ((at & 1) * 4) & 15),
        _ => {
            let group = (at >> 2).checked_mul(3)?;
            let word = word_of(bytes.get(group..)?.first_chunk()?);
            u8::try_from(word >> ((at & 3) * 6) & 63).ok()
        }
    }
}

fn word_of(&[low, middle, high]: &[u8; 3]) -> u32 {
    u32::from_le_bytes([low, middle, high, 0])
}

/// The codes of elements `start..start + out.len()`. `None`, with `out` in part written, past the end of `bytes`.
pub(crate) fn unpack(bytes: &[u8], bits: u32, start: usize, out: &mut [u8]) -> Option<()> {
    let per_unit = if bits == 6 { 4 } else { 8_usize.checked_div(usize::try_from(bits).ok()?)? };
    let unit_bytes = if bits == 6 { 3 } else { 1 };
    // One by one up to a whole unit, whole units, and the rest one by one.
    let head = start.wrapping_neg().checked_rem(per_unit)?.min(out.len());
    let (first, rest) = out.split_at_mut_checked(head)?;
    one_by_one(bytes, bits, start, first)?;
    let start = start.checked_add(head)?;
    let units = rest.len().checked_div(per_unit)?;
    let (whole, tail) = rest.split_at_mut_checked(units.checked_mul(per_unit)?)?;
    let first_byte = start.checked_div(per_unit)?.checked_mul(unit_bytes)?;
    let last_byte = first_byte.checked_add(units.checked_mul(unit_bytes)?)?;
    unpack_units(bytes.get(first_byte..last_byte)?, bits, whole);
    one_by_one(bytes, bits, start.checked_add(whole.len())?, tail)
}

fn one_by_one(bytes: &[u8], bits: u32, start: usize, out: &mut [u8]) -> Option<()> {
    for (at, code) in (start..).zip(out) {
        *code = code_at(bytes, bits, at)?;
    }
    Some(())
}

fn unpack_units(bytes: &[u8], bits: u32, out: &mut [u8]) {
    match bits {
        1 => {
            for (codes, byte) in out.as_chunks_mut::<8>().0.iter_mut().zip(bytes) {
                // Byte k of `spread` keeps bit k of `byte`; adding 0x7F carries it into bit 7.
                let spread = u64::from(*byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
                let ones = spread.wrapping_add(0x7F7F_7F7F_7F7F_7F7F) >> 7 & 0x0101_0101_0101_0101;
                *codes = ones.to_le_bytes();
            }
        }
        2 => {
            for (codes, byte) in out.as_chunks_mut::<4>().0.iter_mut().zip(bytes) {
                *codes = [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6];
            }
        }
        4 => {
            for (codes, byte) in out.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
                *codes = [byte & 15, byte >> 4];
            }
        }
        _ => {
            for (codes, group) in out.as_chunks_mut::<4>().0.iter_mut().zip(bytes.as_chunks::<3>().0) {
                let [low, middle, high] = *group;
                *codes = [low & 63, low >> 6 | (middle & 15) << 2, middle >> 4 | (high & 3) << 4, high >> 2];
            }
        }
    }
}

/// Packs codes; the unused bits after the last one are zero. Bits of a code above `bits` are dropped.
pub(crate) fn pack(bits: u32, codes: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let codes = codes.into_iter();
    let (mut word, mut filled) = (0_u32, 0_u32);
    let (unit_bits, unit_bytes) = if bits == 6 { (24, 3) } else { (8, 1) };
    let mut packed = Vec::new();
    let mut flush = |word: u32| packed.extend(word.to_le_bytes().into_iter().take(unit_bytes));
    let mask = !(u32::MAX << bits);
    for code in codes {
        word |= (u32::from(code) & mask) << filled;
        filled = filled.wrapping_add(bits);
        if filled == unit_bits {
            flush(word);
            (word, filled) = (0, 0);
        }
    }
    if filled > 0 {
        flush(word);
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::{code_at, pack, unpack};

    #[test]
    fn packs_the_examples_of_the_format() {
        assert_eq!(pack(1, [1, 0, 1, 1, 0]), [0x0D]);
        assert_eq!(pack(4, [5, 12, 3]), [0xC5, 0x03]);
        assert_eq!(pack(2, [3, 1, 2]), [0x27]);
        assert_eq!(pack(4, [15, 8]), [0x8F]);
        assert_eq!(pack(2, [0, 1, 2, 3]), [0xE4]);
        assert_eq!(pack(6, [1, 2, 4, 8]), [0x81, 0x40, 0x20]);
        assert_eq!(pack(6, [1]), [1, 0, 0]);
        assert!(pack(6, []).is_empty());
    }

    #[test]
    fn packing_unpacking_and_single_access_agree() {
        for bits in [1, 2, 4, 6] {
            for len in 0..40_usize {
                let codes: Vec<u8> = (0..len).map(|i| (i * 37 + len) as u8 & ((1 << bits) - 1)).collect();
                let packed = pack(bits, codes.iter().copied());
                for (at, &code) in codes.iter().enumerate() {
                    assert_eq!(code_at(&packed, bits, at), Some(code));
                }
                for start in 0..=len {
                    let mut out = vec![0xFF; len - start];
                    unpack(&packed, bits, start, &mut out).unwrap();
                    assert_eq!(out, codes[start..]);
                }
                assert_eq!(unpack(&packed, bits, len, &mut [0; 32]), None);
            }
        }
    }
}
