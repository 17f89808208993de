//! Floats of at most 8 bits, by their fields (FORMAT §4.3).

/// The fields of a float of at most 8 bits: sign, exponent, mantissa, from the top.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MiniFloat {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    specials: Specials,
}

/// What the codes at the top of the exponent range mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// Numbers, all of them: conversion to the type saturates.
    None,
    /// Numbers, but for the one code with all bits set.
    NanOnly,
    /// Infinity and NaN, as in IEEE 754.
    InfinityAndNan,
}

impl MiniFloat {
    pub(crate) const E4M3: Self = Self::new(4, 3, 7, Specials::NanOnly);
    pub(crate) const E5M2: Self = Self::new(5, 2, 15, Specials::InfinityAndNan);
    pub(crate) const E2M1: Self = Self::new(2, 1, 1, Specials::None);
    pub(crate) const E2M3: Self = Self::new(2, 3, 1, Specials::None);
    pub(crate) const E3M2: Self = Self::new(3, 2, 3, Specials::None);

    const fn new(exponent_bits: u32, mantissa_bits: u32, bias: i32, specials: Specials) -> Self {
        Self { exponent_bits, mantissa_bits, bias, specials }
    }

    /// The value of every code. Bits above the type's own are ignored.
    pub(crate) const fn table<const N: usize>(self) -> [f32; N] {
        let mut values = [0.0; N];
        let mut code = 0;
        while code < N {
            #[expect(
                clippy::as_conversions,
                clippy::arithmetic_side_effects,
                clippy::indexing_slicing,
                reason = "evaluated at compile time, where a mistake is a build error"
            )]
            {
                values[code] = self.decode(code as u8);
                code += 1;
            }
        }
        values
    }

    /// The value of a code: exact, since every such value is an f32.
    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "fields of at most 8 bits, far inside the range of i32; `From` is not const"
    )]
    pub(crate) const fn decode(self, code: u8) -> f32 {
        let exponent_mask = (1_u8 << self.exponent_bits) - 1;
        let mantissa_mask = (1_u8 << self.mantissa_bits) - 1;
        let mantissa = code & mantissa_mask;
        let exponent = (code >> self.mantissa_bits) & exponent_mask;
        let is_negative = (code >> (self.exponent_bits + self.mantissa_bits)) & 1 == 1;
        let is_top = exponent == exponent_mask;
        let magnitude = match self.specials {
            Specials::InfinityAndNan if is_top && mantissa == 0 => f32::INFINITY,
            Specials::InfinityAndNan if is_top => f32::NAN,
            Specials::NanOnly if is_top && mantissa == mantissa_mask => f32::NAN,
            _ => {
                let hidden = if exponent == 0 { 0 } else { mantissa_mask + 1 };
                let scale = if exponent == 0 { 1 } else { exponent as i32 };
                let power = scale - self.bias - self.mantissa_bits as i32;
                (hidden + mantissa) as f32 * f32::from_bits(((power + 127) as u32) << 23)
            }
        };
        if is_negative { -magnitude } else { magnitude }
    }

    /// The nearest code, ties to the even one. Past the largest finite value: that value if `saturates` or if
    /// the type has nothing beyond it, else infinity, or NaN where there is no infinity. NaN becomes NaN, and
    /// zero where the type has none.
    #[expect(
        clippy::as_conversions,
        clippy::arithmetic_side_effects,
        reason = "exponents of an f64 and codes of at most 8 bits: far inside the ranges of i32 and u32"
    )]
    pub(crate) fn encode(self, value: f64, saturates: bool) -> u8 {
        let sign = u8::from(value.is_sign_negative()) << (self.exponent_bits + self.mantissa_bits);
        let all = (1_u8 << (self.exponent_bits + self.mantissa_bits)) - 1;
        let mantissa_mask = (1_u8 << self.mantissa_bits) - 1;
        let (largest, beyond, nan) = match self.specials {
            Specials::None => (all, all, 0),
            Specials::NanOnly => (all - 1, all, all),
            Specials::InfinityAndNan => (all - mantissa_mask - 1, all - mantissa_mask, all),
        };
        let beyond = if saturates { largest } else { beyond };
        if value.is_nan() {
            return if nan == 0 { 0 } else { sign | nan };
        }
        let magnitude = value.abs();
        let least = 1 - self.bias;
        // The exponent of an f64; a subnormal one is far below `least` anyway.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least);
        if exponent > 1 << self.exponent_bits {
            return sign | beyond;
        }
        let steps = (magnitude * 2_f64.powi(self.mantissa_bits as i32 - exponent)).round_ties_even();
        let code = (((exponent - least) as u32) << self.mantissa_bits) + steps as u32;
        sign | u8::try_from(code).ok().filter(|code| *code <= largest).unwrap_or(beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::MiniFloat;

    const ALL: [(MiniFloat, u32); 5] = [
        (MiniFloat::E4M3, 8),
        (MiniFloat::E5M2, 8),
        (MiniFloat::E2M1, 4),
        (MiniFloat::E2M3, 6),
        (MiniFloat::E3M2, 6),
    ];

    /// FORMAT §4.3, written as directly as possible.
    fn reference(code: u8, mantissa_bits: i32, exponent_bits: i32, bias: i32) -> f64 {
        let mantissa = f64::from(code & ((1 << mantissa_bits) - 1)) / 2_f64.powi(mantissa_bits);
        let exponent = i32::from(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
        let sign = if code >> (mantissa_bits + exponent_bits) == 1 { -1.0 } else { 1.0 };
        sign * match exponent {
            0 => mantissa * 2_f64.powi(1 - bias),
            _ => (1.0 + mantissa) * 2_f64.powi(exponent - bias),
        }
    }

    #[test]
    fn every_code_has_the_value_of_the_table() {
        for code in 0..=255_u8 {
            let e4m3 = MiniFloat::E4M3.decode(code);
            match code & 0x7F {
                0x7F => assert!(e4m3.is_nan()),
                _ => assert_eq!(f64::from(e4m3), reference(code, 3, 4, 7)),
            }
            let e5m2 = MiniFloat::E5M2.decode(code);
            match code & 0x7F {
                0x7C => assert_eq!(e5m2, if code == 0x7C { f32::INFINITY } else { f32::NEG_INFINITY }),
                0x7D.. => assert!(e5m2.is_nan()),
                _ => assert_eq!(f64::from(e5m2), reference(code, 2, 5, 15)),
            }
        }
        for code in 0..64_u8 {
            assert_eq!(f64::from(MiniFloat::E2M3.decode(code)), reference(code, 3, 2, 1));
            assert_eq!(f64::from(MiniFloat::E3M2.decode(code)), reference(code, 2, 3, 3));
        }
        let e2m1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
        for code in 0..8_u8 {
            assert_eq!(MiniFloat::E2M1.decode(code), e2m1[usize::from(code)]);
            assert_eq!(MiniFloat::E2M1.decode(code | 8), -e2m1[usize::from(code)]);
        }
        assert!(MiniFloat::E2M1.decode(8).is_sign_negative());
        assert_eq!(MiniFloat::E2M3.decode(31), 7.5);
        assert_eq!(MiniFloat::E3M2.decode(31), 28.0);
        assert_eq!(MiniFloat::E4M3.decode(0x7E), 448.0);
        assert_eq!(MiniFloat::E5M2.decode(0x7B), 57344.0);
    }

    #[test]
    fn encoding_picks_the_nearest_code_and_the_even_one_of_two() {
        for (float, bits) in ALL {
            let finite: Vec<u8> = (0..1_u32 << (bits - 1))
                .map(|code| code as u8)
                .filter(|&c| float.decode(c).is_finite())
                .collect();
            for pair in finite.windows(2) {
                let (low, high) = (f64::from(float.decode(pair[0])), f64::from(float.decode(pair[1])));
                let sign = 1_u8 << (bits - 1);
                assert_eq!(float.encode(low, false), pair[0]);
                assert_eq!(float.encode(-high, false), pair[1] | sign);
                let middle = f64::midpoint(low, high);
                let even = if pair[0] % 2 == 0 { pair[0] } else { pair[1] };
                assert_eq!(float.encode(middle, false), even);
                assert_eq!(float.encode(middle.next_down(), false), pair[0]);
                assert_eq!(float.encode(middle.next_up(), false), pair[1]);
            }
        }
    }

    #[test]
    fn overflow_saturates_or_takes_the_special_code() {
        assert_eq!(MiniFloat::E2M1.encode(f64::INFINITY, false), 7);
        assert_eq!(MiniFloat::E2M1.encode(-100.0, false), 15);
        assert_eq!(MiniFloat::E3M2.encode(29.9, false), 31);
        assert_eq!(MiniFloat::E4M3.encode(463.9, false), 0x7E);
        assert_eq!(MiniFloat::E4M3.encode(1e30, false), 0x7F);
        assert_eq!(MiniFloat::E4M3.encode(f64::NEG_INFINITY, true), 0xFE);
        assert_eq!(MiniFloat::E5M2.encode(1e30, false), 0x7C);
        assert_eq!(MiniFloat::E5M2.encode(1e30, true), 0x7B);
        assert_eq!(MiniFloat::E5M2.encode(f64::NAN, true), 0x7F);
        assert_eq!(MiniFloat::E2M1.encode(f64::NAN, true), 0);
        assert_eq!(MiniFloat::E5M2.encode(-0.0, true), 0x80);
        assert_eq!(MiniFloat::E5M2.encode(f64::MIN_POSITIVE, true), 0);
    }
}
