//! Impls for the types of std and of this library, by family.

mod array;
mod element;
mod map;
mod option;
mod parts;
mod scalar;
mod sequence;
mod slice;
mod tensor;
mod tuple;
mod unit_enum;
mod views;
mod wholes;
mod wrapper;

pub use parts::{LoadWhole, SaveParts};
pub use slice::SliceElement;
pub use unit_enum::{LoadUnitEnum, SaveUnitEnum};

#[cfg(feature = "ndarray")]
pub(crate) use element::{pack_bools, unpack_bools};
pub(crate) use scalar::scalar_of;
pub(crate) use unit_enum::{
    known, load_unit_enum, load_unit_enums, save_unit_enum, save_unit_enums, skipped, unit_enum_from_value,
    unit_enum_value, unit_enum_values, unit_enums_from_value, unknown_variant,
};
