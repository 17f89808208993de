//! What derived code names; not part of the public interface.

pub use core::clone::Clone;
pub use core::convert::{From, Into, TryFrom};
pub use core::default::Default;
pub use core::marker::PhantomData;
pub use core::option::Option::{self, None, Some};
pub use core::result::Result::{self, Err, Ok};
pub use std::sync::Arc;
pub use std::vec::Vec;

pub use crate::container::KvValue;
pub use crate::descriptor::Dims;
pub use crate::model::derived::*;
pub use crate::model::{
    AsDimension, Dim, Field, GroupLoader, GroupSaver, HurrayLoad, HurraySave, KvEntry, KvLoad, KvSave,
    LoadUnitEnum, LoadWhole, Loader, Next, Reported, SaveParts, SaveUnitEnum, Saver, Variant,
};
pub use crate::writer::SaveError;

/// What a save returns.
pub type Saved = Result<(), SaveError>;

/// What a load returns.
pub type Loaded<T> = Result<T, Reported>;

/// What a struct returns that lacks a field: why is in the report.
pub const REPORTED: Reported = Reported::WAS_CHECKED;

/// What `?` does with loaded fields, without a trait: less to check and to compile, for each field of each struct. `__p` is
/// what derived code calls this module.
#[doc(hidden)]
#[macro_export]
macro_rules! __hurray_taken {
    ($($field:ident)*) => {
        $(let __p::Ok($field) = $field else { return __p::Err(__p::REPORTED) };)*
    };
}

pub use crate::__hurray_taken as taken;
