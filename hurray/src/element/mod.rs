//! Element types: the tag table of FORMAT §4, and the Rust types that stand for them.

pub(crate) mod bits;
mod cast;
mod complex;
mod float128;
mod float8;
mod minifloat;
mod packed;
mod pod;
mod scalar;
mod stored;
mod sum;
mod types;

pub use complex::{Complex64, Complex128};
pub use float8::{F8E4M3, F8E5M2, F8E8M0};
pub use float128::F128;
pub(crate) use minifloat::MiniFloat;
pub use packed::{Bool, F4E2M1, F6E2M3, F6E3M2, I2, I4, PackedElement, U2, U4};
pub use pod::Element;
pub use scalar::Scalar;
pub use stored::{PackedSlice, Stored};
pub use types::ElementType;

pub(crate) use cast::FloatCast;
pub(crate) use sum::{add, from_f32, has_sum};
pub(crate) mod sealed {
    /// Keeps the element traits to the types of the format.
    pub trait Sealed {}
}
