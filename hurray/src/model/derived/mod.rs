//! What derived code calls: one function per kind of field, the user's type in its turbofish.
//!
//! Re-exported as `hurray::__private`; not part of the public interface.

mod convert;
mod enums;
mod load;
mod save;

pub use convert::{load_from, load_try_from, save_into};
pub use enums::{
    load_newtype_variant, load_newtype_variant_as, load_unit_enum, load_unit_enum_vec, load_variant,
    no_variant, save_newtype_variant, save_newtype_variant_as, save_skipped_variant, save_unit_enum,
    save_unit_enum_slice, save_unit_variant, save_variant, unit_enum_from_kv, unit_enum_from_value,
    unit_enum_slice_to_kv, unit_enum_to_kv, unit_enum_vec_from_value,
};
pub use load::{
    bind_load, close_group, finish_validated, holds_whole, load_field, load_field_or, load_field_with,
    load_field_with_or, load_flattened, load_group, load_group_versioned, load_kv, load_kv_or, load_metadata,
    load_shared, no_migration, skip_field, validate_field,
};
pub use save::{
    bind_save, save_field, save_field_with, save_flattened, save_group, save_kv, save_metadata, save_parts,
    save_version,
};
