//! Numbers and bytes as text that is exact.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The SHA-256 of bytes, in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}

/// Two hexadecimal digits per byte.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A C99 hexadecimal float with all 13 digits: `-0x1.8000000000000p+1`, `0x0.0p+0`, `nan`, `inf`.
pub(super) fn hex_float(value: f64) -> String {
    const MANTISSA_BITS: u32 = 52;
    if value.is_nan() {
        return "nan".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    if value == 0.0 {
        return format!("{sign}0x0.0p+0");
    }
    let bits = value.to_bits();
    let exponent = i64::try_from((bits >> MANTISSA_BITS) & 0x7FF).unwrap_or_default();
    let mantissa = bits & 0x000F_FFFF_FFFF_FFFF;
    let (first, power) = if exponent == 0 { (0, -1022) } else { (1, exponent.saturating_sub(1023)) };
    format!("{sign}0x{first}.{mantissa:013x}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::hex_float;

    #[test]
    fn hex_floats_are_those_of_c99() {
        let shown =
            [1.0, -3.0, 0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 0.1].map(hex_float);
        let expected = [
            "0x1.0000000000000p+0",
            "-0x1.8000000000000p+1",
            "0x0.0p+0",
            "-0x0.0p+0",
            "nan",
            "inf",
            "-inf",
            "0x0.0000000000001p-1022",
            "0x1.999999999999ap-4",
        ];
        assert_eq!(shown, expected);
    }
}
