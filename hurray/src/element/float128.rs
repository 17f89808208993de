//! float128: the bits of an IEEE 754 binary128, and its value as an f64.

use std::fmt;

/// float128, as its bits. Equality is that of the bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct F128(u128);

/// Bits of the mantissa as stored.
const MANTISSA_BITS: u32 = 112;
const BIAS: i32 = 16383;

impl F128 {
    /// The number with these bits: the sign is bit 127.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits: the sign is bit 127.
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// The nearest f64, ties to even: infinity past its range, subnormal or zero below it. The top bits of a
    /// NaN's payload are kept.
    #[must_use]
    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "fields are cut out by masks and shifts that fit their types"
    )]
    pub fn to_f64(self) -> f64 {
        let sign = ((self.0 >> 127) as u64) << 63;
        let exponent = (self.0 >> MANTISSA_BITS) as i32 & 0x7FFF;
        let mantissa = self.0 & ((1 << MANTISSA_BITS) - 1);
        if exponent == 0x7FFF {
            let payload = (mantissa >> 60) as u64;
            let quiet = if mantissa == 0 { 0 } else { 1 << 51 };
            return f64::from_bits(sign | 0x7FF0_0000_0000_0000 | payload | quiet);
        }
        if exponent == 0 {
            // At most 2^-16382: far below the least f64.
            return f64::from_bits(sign);
        }
        // The significand has 113 bits; an f64 keeps 53 of them, fewer when it is subnormal.
        let power = exponent - BIAS;
        if power > 1023 {
            return f64::from_bits(sign | 0x7FF0_0000_0000_0000);
        }
        let lost = 60 + (-1022 - power).clamp(0, 60) as u32;
        let significand = mantissa | 1 << MANTISSA_BITS;
        let kept = (significand >> lost) as u64;
        let rest = significand & ((1 << lost) - 1);
        let half = 1_u128 << (lost - 1);
        let up = u64::from(rest > half || (rest == half && kept & 1 == 1));
        // A carry out of the mantissa moves into the exponent, as it should.
        let base = if power < -1022 { 0 } else { ((power + 1022) as u64) << 52 };
        f64::from_bits(sign | (base + kept + up))
    }

    /// The f128 of an f64, which is always exact.
    #[must_use]
    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "fields are cut out by masks and shifts that fit their types"
    )]
    pub fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let sign = u128::from(bits >> 63) << 127;
        let exponent = (bits >> 52) & 0x7FF;
        let mantissa = bits & ((1 << 52) - 1);
        let (exponent, mantissa) = match (exponent, mantissa) {
            (0x7FF, _) => (0x7FFF, mantissa),
            (0, 0) => (0, 0),
            (0, _) => {
                let shift = mantissa.leading_zeros() - 11;
                ((BIAS - 1022) as u32 - shift, (mantissa << shift) & ((1 << 52) - 1))
            }
            _ => (exponent as u32 + (BIAS - 1023) as u32, mantissa),
        };
        Self(sign | u128::from(exponent) << MANTISSA_BITS | u128::from(mantissa) << 60)
    }

    /// The sum, rounded to nearest, ties to even. NaN if either is, or for infinities of opposite signs.
    #[must_use]
    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "significands have 113 bits and 3 guard bits, exponents 15: far inside the ranges of their types"
    )]
    pub(crate) fn plus(self, other: Self) -> Self {
        const SIGN: u128 = 1 << 127;
        const INFINITY: u128 = 0x7FFF << MANTISSA_BITS;
        const NAN: u128 = INFINITY | 1 << 111;
        // Exponent and significand, with the hidden bit and below it three more: guard, round, sticky.
        let parts = |bits: u128| {
            let exponent = (bits >> MANTISSA_BITS) as u32 & 0x7FFF;
            let mantissa = bits & ((1 << MANTISSA_BITS) - 1);
            let hidden = u128::from(exponent > 0) << MANTISSA_BITS;
            (exponent.max(1), (hidden | mantissa) << 3)
        };
        // What falls out at the low end stays noticed in the lowest bit.
        let shifted = |value: u128, by: u32| match value.checked_shr(by) {
            Some(kept) => kept | u128::from(kept << by != value),
            None => u128::from(value != 0),
        };
        let (mut large, mut small) = (self.0, other.0);
        if large & !SIGN < small & !SIGN {
            std::mem::swap(&mut large, &mut small);
        }
        if large & !SIGN >= INFINITY {
            let is_nan = large & !SIGN > INFINITY || small == large ^ SIGN;
            return Self(if is_nan { NAN } else { large });
        }
        let ((mut exponent, a), (lower, b)) = (parts(large), parts(small));
        let b = shifted(b, exponent - lower);
        let mut sum = if (large ^ small) & SIGN == 0 { a + b } else { a - b };
        if sum == 0 {
            // Two zeros of one sign keep it; everything else that cancels is +0.
            return Self(large & small & SIGN);
        }
        let top = MANTISSA_BITS + 3;
        if sum >> (top + 1) != 0 {
            sum = shifted(sum, 1);
            exponent += 1;
        }
        let up = (sum.leading_zeros() - (127 - top)).min(exponent - 1);
        sum <<= up;
        exponent -= up;
        let (kept, rest) = (sum >> 3, sum & 7);
        let round_up = u128::from(rest > 4 || (rest == 4 && kept & 1 == 1));
        // Without its hidden bit a number is subnormal: its exponent field is 0. A carry moves into the exponent.
        let magnitude = (u128::from(exponent - 1) << MANTISSA_BITS) + kept + round_up;
        Self(large & SIGN | magnitude.min(INFINITY))
    }
}

impl fmt::Debug for F128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F128({:#034x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::F128;

    #[test]
    fn every_f64_survives_the_round_trip() {
        let mut bits = 0x0123_4567_89AB_CDEF_u64;
        let special = [0.0, -0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, -5e-324, f64::INFINITY, 2.5e-320];
        let random = (0..20_000).map(|_| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(bits ^ bits >> 29)
        });
        for value in special.into_iter().chain(random).filter(|value| !value.is_nan()) {
            assert_eq!(F128::from_f64(value).to_f64().to_bits(), value.to_bits(), "{value:e}");
        }
        assert!(F128::from_f64(f64::NAN).to_f64().is_nan());
    }

    #[test]
    fn sums_are_exact_where_they_can_be() {
        let mut bits = 0x0123_4567_89AB_CDEF_u64;
        let mut next = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Exponents near each other, so that 113 bits hold the sum.
            f64::from_bits((bits ^ bits >> 29) & !(0x7FF << 52) | (1000 + bits % 40) << 52)
        };
        let of = F128::from_f64;
        for _ in 0..20_000 {
            let (a, b) = (next(), next());
            // The exact sum, rounded once.
            assert_eq!(of(a).plus(of(b)).to_f64(), a + b, "{a:e} + {b:e}");
            assert_eq!(of(a).plus(of(b)), of(b).plus(of(a)));
            assert_eq!(of(a).plus(of(b)).plus(of(-b)), of(a));
        }
    }

    #[test]
    fn sums_round_half_to_even_and_keep_the_edges() {
        let of = F128::from_f64;
        let one = of(1.0).to_bits();
        let half_unit = of(2_f64.powi(-113));
        assert_eq!(of(1.0).plus(half_unit).to_bits(), one);
        assert_eq!(F128::from_bits(one + 1).plus(half_unit).to_bits(), one + 2);
        let above = F128::from_bits(half_unit.to_bits() + 1);
        assert_eq!(of(1.0).plus(above).to_bits(), one + 1);
        // A quarter of a unit below 1, where the units are half as large: a tie there.
        assert_eq!(of(1.0).plus(of(-(2_f64.powi(-114)))).to_bits(), one);
        assert_eq!(of(1.0).plus(of(-(2_f64.powi(-113)))).to_bits(), one - 1);
        let least = F128::from_bits(1);
        assert_eq!(least.plus(least).to_bits(), 2);
        let most = F128::from_bits((0x7FFF << 112) - 1);
        assert_eq!(most.plus(most).to_bits(), 0x7FFF << 112);
        assert_eq!(F128::from_bits((1 << 112) - 1).plus(least).to_bits(), 1 << 112);
        assert_eq!(of(0.0).plus(of(-0.0)).to_bits(), 0);
        assert_eq!(of(-0.0).plus(of(-0.0)), of(-0.0));
        assert_eq!(of(1.5).plus(of(-1.5)).to_bits(), 0);
        assert!(of(f64::INFINITY).plus(of(f64::NEG_INFINITY)).to_f64().is_nan());
        assert_eq!(of(f64::INFINITY).plus(of(-1.0)), of(f64::INFINITY));
        assert!(of(f64::NAN).plus(of(1.0)).to_f64().is_nan());
    }

    #[test]
    fn rounds_half_to_even_and_over_the_edges() {
        let one = F128::from_f64(1.0).to_bits();
        assert_eq!(F128::from_bits(one + (1 << 59)).to_f64(), 1.0);
        assert_eq!(F128::from_bits(one + (1 << 59) + 1).to_f64(), 1.0_f64.next_up());
        assert_eq!(F128::from_bits(one + (3 << 59)).to_f64(), 1.0_f64.next_up().next_up());
        assert_eq!(F128::from_bits(one - 1).to_f64(), 1.0);
        let max = F128::from_f64(f64::MAX).to_bits();
        assert_eq!(F128::from_bits(max + (1 << 59)).to_f64(), f64::INFINITY);
        assert_eq!(F128::from_bits(max + (1 << 59) - 1).to_f64(), f64::MAX);
        // Half of the least subnormal is a tie, and zero is even.
        let least = F128::from_f64(5e-324).to_bits();
        assert_eq!(F128::from_bits(least - (1 << 112)).to_f64(), 0.0);
        assert_eq!(F128::from_bits(least - (1 << 112) + 1).to_f64(), 5e-324);
        assert_eq!(F128::from_bits(least - (2 << 112)).to_f64(), 0.0);
        assert_eq!(F128::from_bits(1).to_f64(), 0.0);
        assert_eq!(F128::from_bits(0x7FFE << 112).to_f64(), f64::INFINITY);
    }
}
