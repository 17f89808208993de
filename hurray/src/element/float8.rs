//! The 8-bit floats as Rust types.

use std::fmt;

use super::minifloat::MiniFloat;

macro_rules! float8 {
    ($(#[doc = $doc:literal])* $name:ident $float:ident) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(transparent)]
        pub struct $name(u8);

        impl $name {
            /// The number with these bits.
            #[must_use]
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits)
            }

            /// The bits as they lie in a file.
            #[must_use]
            pub const fn to_bits(self) -> u8 {
                self.0
            }

            /// The value, which is always exact.
            #[must_use]
            pub fn to_f32(self) -> f32 {
                const VALUES: [f32; 256] = MiniFloat::$float.table();
                VALUES.get(usize::from(self.0)).copied().unwrap_or_default()
            }

            /// The value, which is always exact.
            #[must_use]
            pub fn to_f64(self) -> f64 {
                f64::from(self.to_f32())
            }

            /// The nearest value, ties to even; past the largest finite one infinity, or NaN where the type
            /// has no infinity.
            #[must_use]
            pub fn from_f32(value: f32) -> Self {
                Self(MiniFloat::$float.encode(f64::from(value), false))
            }

            /// The nearest finite value, ties to even.
            #[must_use]
            pub fn from_f32_saturating(value: f32) -> Self {
                Self(MiniFloat::$float.encode(f64::from(value), true))
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }

        float_fmt!($name);
    };
}

macro_rules! float_fmt {
    ($name:ident) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_f32(), f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_f32(), f)
            }
        }

        impl From<$name> for f32 {
            fn from(value: $name) -> f32 {
                value.to_f32()
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                f64::from(value.to_f32())
            }
        }
    };
}

float8! {
    /// float8_e4m3: 4 bits of exponent, 3 of mantissa, NaN but no infinity; at most 448.
    F8E4M3 E4M3
}

float8! {
    /// float8_e5m2: 5 bits of exponent, 2 of mantissa, infinity and NaN; at most 57344.
    F8E5M2 E5M2
}

/// float8_e8m0: a power of two from 2^-126 to 2^127, the scale of a microscaling block. The bits 0x00 and 0xFF
/// are not allowed as data (rule TYP-05); both read as NaN here.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct F8E8M0(u8);

impl F8E8M0 {
    /// 2^0.
    pub const ONE: Self = Self(127);

    /// The power of two with these bits.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// The bits as they lie in a file.
    #[must_use]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Whether the bits are allowed as data.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        !matches!(self.0, 0x00 | 0xFF)
    }

    /// The value, which is always exact; NaN for the bits that are not allowed.
    #[must_use]
    pub fn to_f32(self) -> f32 {
        if self.is_valid() { f32::from_bits(u32::from(self.0) << 23) } else { f32::NAN }
    }

    /// The value, which is always exact; NaN for the bits that are not allowed.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        f64::from(self.to_f32())
    }
}

impl PartialEq for F8E8M0 {
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for F8E8M0 {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}

float_fmt!(F8E8M0);

#[cfg(test)]
mod tests {
    use super::{F8E4M3, F8E5M2, F8E8M0};

    #[test]
    fn every_code_survives_the_round_trip_through_f32() {
        for bits in 0..=255_u8 {
            let (e4m3, e5m2) = (F8E4M3::from_bits(bits), F8E5M2::from_bits(bits));
            if !e4m3.to_f32().is_nan() {
                assert_eq!(F8E4M3::from_f32(e4m3.to_f32()).to_bits(), bits);
            }
            if !e5m2.to_f32().is_nan() {
                assert_eq!(F8E5M2::from_f32(e5m2.to_f32()).to_bits(), bits);
            }
            let e8m0 = F8E8M0::from_bits(bits);
            match bits {
                0 | 255 => assert!(e8m0.to_f32().is_nan()),
                _ => assert_eq!(e8m0.to_f64(), 2_f64.powi(i32::from(bits) - 127)),
            }
        }
    }
}
