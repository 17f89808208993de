//! The Rust types that stand for an element type and are plain old data.

use half::{bf16, f16};

use super::{Complex64, Complex128, ElementType, F8E4M3, F8E5M2, F8E8M0, F128, sealed};

/// A scalar that has a Hurray element type and is plain old data, so that a slice of it can be borrowed
/// straight from a file.
///
/// Sealed: the types that have it are listed here. The packed types (bool, 2, 4 and 6 bits) can't be borrowed
/// as slices and have `PackedView`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of the Hurray format",
    label = "not an element type",
    note = "element types are f32, f64, half::f16, half::bf16, i8 to i64, u8 to u64, the 8-bit floats, F128, \
            Complex64 and Complex128",
    note = "bool is packed in a file: `Vec<bool>` and `Packed<Bool>` own it, `PackedView<Bool>` borrows it",
    note = "structs and strings are no bytes: `Vec<{Self}>` takes these, a borrowed slice can't"
)]
pub trait Element: sealed::Sealed + bytemuck::Pod + PartialEq + std::fmt::Debug + Send + Sync {
    /// The element type in the file.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($rust:ty => $element:ident,)*) => {
        $(
            impl sealed::Sealed for $rust {}

            impl Element for $rust {
                const TYPE: ElementType = ElementType::$element;
            }
        )*
    };
}

elements! {
    f16 => Float16,
    bf16 => BFloat16,
    f32 => Float32,
    f64 => Float64,
    i8 => Int8,
    u8 => UInt8,
    i16 => Int16,
    u16 => UInt16,
    i32 => Int32,
    u32 => UInt32,
    i64 => Int64,
    u64 => UInt64,
    F8E4M3 => Float8E4M3,
    F8E5M2 => Float8E5M2,
    F8E8M0 => Float8E8M0,
    F128 => Float128,
    Complex64 => Complex64,
    Complex128 => Complex128,
}

// The format is little-endian, and slices are borrowed as they lie in the file.
#[cfg(target_endian = "big")]
compile_error!(
    "hurray lends the bytes of a little-endian format as they are: big-endian hosts are not supported yet"
);
