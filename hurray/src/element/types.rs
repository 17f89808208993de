//! The tag table (FORMAT §4.1).

use std::fmt;

macro_rules! element_types {
    ($($name:ident $rust:literal $text:literal $tag:literal $bits:literal $alignment:literal,)*) => {
        /// What one element of a tensor is: 26 built-in types, and the tags that only applications know.
        #[doc(alias = "dtype")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ElementType {
            $(#[doc = concat!("`", $text, "`, ", $bits, " bits.")] $name,)*
            /// A tag of the private range `0xF0..=0xFE`; its width is in the descriptor's extension type section.
            Private(u8),
            /// A tag that is reserved or not assigned: raw buffers only, in permissive mode.
            Unknown(u8),
        }

        impl ElementType {
            /// The built-in types, by tag.
            pub const BUILT_IN: &'static [Self] = &[$(Self::$name,)*];

            /// The type of a tag. `0x00` and `0xFF` come back as `Unknown`, too; decoding refuses them.
            #[must_use]
            pub const fn from_tag(tag: u8) -> Self {
                match tag {
                    $($tag => Self::$name,)*
                    0xF0..=0xFE => Self::Private(tag),
                    _ => Self::Unknown(tag),
                }
            }

            /// The tag in the file.
            #[must_use]
            pub const fn tag(self) -> u8 {
                match self {
                    $(Self::$name => $tag,)*
                    Self::Private(tag) | Self::Unknown(tag) => tag,
                }
            }

            /// The format's name: `float32`, `int4`, ...; `private` and `unknown` for the rest.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                    Self::Private(_) => "private",
                    Self::Unknown(_) => "unknown",
                }
            }

            /// The name of the Rust type that stands for it, or marks it if it is packed; `None` unless built in.
            pub(crate) const fn rust_name(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some($rust),)*
                    Self::Private(_) | Self::Unknown(_) => None,
                }
            }

            /// The built-in type of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::BUILT_IN.iter().copied().find(|built_in| built_in.name() == name)
            }

            /// Bits of one element as stored; `None` unless built in.
            #[must_use]
            pub const fn bits(self) -> Option<u32> {
                match self {
                    $(Self::$name => Some($bits),)*
                    Self::Private(_) | Self::Unknown(_) => None,
                }
            }

            /// The alignment in bytes that one element has in memory by nature; 1 unless built in.
            #[must_use]
            pub const fn natural_alignment(self) -> usize {
                match self {
                    $(Self::$name => $alignment,)*
                    Self::Private(_) | Self::Unknown(_) => 1,
                }
            }
        }
    };
}

element_types! {
    Float16 "f16" "float16" 0x01 16 2,
    BFloat16 "bf16" "bfloat16" 0x02 16 2,
    Float32 "f32" "float32" 0x03 32 4,
    Float64 "f64" "float64" 0x04 64 8,
    Int8 "i8" "int8" 0x10 8 1,
    UInt8 "u8" "uint8" 0x11 8 1,
    Int16 "i16" "int16" 0x12 16 2,
    UInt16 "u16" "uint16" 0x13 16 2,
    Int32 "i32" "int32" 0x14 32 4,
    UInt32 "u32" "uint32" 0x15 32 4,
    Int64 "i64" "int64" 0x16 64 8,
    UInt64 "u64" "uint64" 0x17 64 8,
    Bool "Bool" "bool" 0x20 1 1,
    Float8E4M3 "F8E4M3" "float8_e4m3" 0x40 8 1,
    Float8E5M2 "F8E5M2" "float8_e5m2" 0x41 8 1,
    Float8E8M0 "F8E8M0" "float8_e8m0" 0x42 8 1,
    Float4E2M1 "F4E2M1" "float4_e2m1" 0x43 4 1,
    Float6E2M3 "F6E2M3" "float6_e2m3" 0x44 6 1,
    Float6E3M2 "F6E3M2" "float6_e3m2" 0x45 6 1,
    Float128 "F128" "float128" 0x46 128 16,
    Int4 "I4" "int4" 0x48 4 1,
    UInt4 "U4" "uint4" 0x49 4 1,
    Int2 "I2" "int2" 0x4A 2 1,
    UInt2 "U2" "uint2" 0x4B 2 1,
    Complex64 "Complex64" "complex64" 0x50 64 4,
    Complex128 "Complex128" "complex128" 0x51 128 8,
}

impl ElementType {
    /// Whether several elements share a byte (bool and the 2-, 4- and 6-bit types).
    #[must_use]
    pub const fn is_packed(self) -> bool {
        matches!(self.bits(), Some(1 | 2 | 4 | 6))
    }

    /// Elements and bytes of the smallest whole unit: `(1, 4)` for float32, `(8, 1)` for bool, `(4, 3)` for
    /// the 6-bit types. `None` unless built in.
    #[must_use]
    pub const fn group(self) -> Option<(u64, u64)> {
        match self.bits() {
            Some(1) => Some((8, 1)),
            Some(2) => Some((4, 1)),
            Some(4) => Some((2, 1)),
            Some(6) => Some((4, 3)),
            Some(8) => Some((1, 1)),
            Some(16) => Some((1, 2)),
            Some(32) => Some((1, 4)),
            Some(64) => Some((1, 8)),
            Some(128) => Some((1, 16)),
            _ => None,
        }
    }

    /// Bytes that `elements` contiguous elements take. `None` unless built in, and past `u64`.
    #[must_use]
    pub const fn bytes_for(self, elements: u64) -> Option<u64> {
        match self.group() {
            Some((per_group, bytes)) => elements.div_ceil(per_group).checked_mul(bytes),
            None => None,
        }
    }

    /// Whether the type is a real floating type with at least 16 bits.
    #[must_use]
    pub const fn is_wide_float(self) -> bool {
        matches!(self, Self::Float16 | Self::BFloat16 | Self::Float32 | Self::Float64 | Self::Float128)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Private(tag) | Self::Unknown(tag) => write!(f, "{} {tag:#04x}", self.name()),
            _ => f.pad(self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::ElementType;
    use crate::element::*;

    #[test]
    fn tags_names_and_sizes_agree_with_the_table() {
        assert_eq!(ElementType::BUILT_IN.len(), 26);
        for &built_in in ElementType::BUILT_IN {
            assert_eq!(ElementType::from_tag(built_in.tag()), built_in);
            assert_eq!(ElementType::from_name(built_in.name()), Some(built_in));
            assert_eq!(built_in.bytes_for(0), Some(0));
        }
        assert_eq!(ElementType::Float6E2M3.bytes_for(1), Some(3));
        assert_eq!(ElementType::Float6E2M3.bytes_for(5), Some(6));
        assert_eq!(ElementType::Bool.bytes_for(9), Some(2));
        assert_eq!(ElementType::Int4.bytes_for(3), Some(2));
        assert_eq!(ElementType::Float64.bytes_for(u64::MAX), None);
        assert_eq!(ElementType::from_tag(0x47), ElementType::Unknown(0x47));
        assert_eq!(ElementType::from_tag(0xF0), ElementType::Private(0xF0));
    }

    #[test]
    fn rust_names_are_those_of_the_types() {
        fn named<T: Stored>() -> ElementType {
            let name = std::any::type_name::<T>().rsplit("::").next();
            assert_eq!(T::STORED_TYPE.rust_name(), name);
            T::STORED_TYPE
        }
        macro_rules! named {
            ($($name:ty,)*) => { [$(named::<$name>(),)*] };
        }
        let all = named![
            f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, Bool, F8E4M3, F8E5M2, F8E8M0, F4E2M1,
            F6E2M3, F6E3M2, F128, I4, U4, I2, U2, Complex64, Complex128,
        ];
        assert_eq!(all, ElementType::BUILT_IN);
    }
}
