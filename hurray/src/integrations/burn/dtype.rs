//! Element types and burn's dtypes.

use burn_core::tensor::kind::Kind;
use burn_core::tensor::{BoolStore, DType};

use crate::element::ElementType;

/// Element types and dtypes that are the same bytes.
const SAME: [(ElementType, DType); 12] = [
    (ElementType::Float16, DType::F16),
    (ElementType::BFloat16, DType::BF16),
    (ElementType::Float32, DType::F32),
    (ElementType::Float64, DType::F64),
    (ElementType::Int8, DType::I8),
    (ElementType::Int16, DType::I16),
    (ElementType::Int32, DType::I32),
    (ElementType::Int64, DType::I64),
    (ElementType::UInt8, DType::U8),
    (ElementType::UInt16, DType::U16),
    (ElementType::UInt32, DType::U32),
    (ElementType::UInt64, DType::U64),
];

/// The dtype that is the same bytes.
pub(super) fn same_dtype(element_type: ElementType) -> Option<DType> {
    SAME.iter().find(|(same, _)| *same == element_type).map(|(_, dtype)| *dtype)
}

/// The element type that a dtype is saved as; `None` for quantized ones.
pub(super) fn element_type_of(dtype: DType) -> Option<ElementType> {
    match dtype {
        DType::Bool(_) => Some(ElementType::Bool),
        // Only computing with it is less exact.
        DType::Flex32 => Some(ElementType::Float32),
        other => SAME.iter().find(|(_, same)| *same == other).map(|(element_type, _)| *element_type),
    }
}

/// The dtype that holds every value of an element type, the same one where there is one.
pub(super) fn dtype_of(element_type: ElementType) -> Option<DType> {
    same_dtype(element_type).or(match element_type {
        ElementType::Bool => Some(DType::Bool(BoolStore::Native)),
        ElementType::Int2 | ElementType::Int4 => Some(DType::I8),
        ElementType::UInt2 | ElementType::UInt4 => Some(DType::U8),
        ElementType::Float8E4M3
        | ElementType::Float8E5M2
        | ElementType::Float8E8M0
        | ElementType::Float4E2M1
        | ElementType::Float6E2M3
        | ElementType::Float6E3M2 => Some(DType::F32),
        _ => None,
    })
}

/// Whether a tensor of `kind` may hold elements of `dtype`: what burn's own stores accept, too.
pub(super) fn fits(kind: Kind, dtype: DType) -> bool {
    match kind {
        Kind::Float => dtype.is_float() || matches!(dtype, DType::QFloat(_)),
        Kind::Int => dtype.is_int() || dtype.is_uint(),
        // A format without bools keeps them as integers.
        Kind::Bool => dtype.is_bool() || matches!(dtype, DType::U8 | DType::U32),
    }
}

/// What a tensor of `kind` holds, in words.
pub(super) const fn elements_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Float => "floats",
        Kind::Int => "integers",
        Kind::Bool => "bools",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_same_agree() {
        for (element_type, dtype) in SAME {
            assert_eq!(dtype_of(element_type), Some(dtype));
            assert_eq!(element_type_of(dtype), Some(element_type));
            assert_eq!(element_type.bits().map(u64::from), u64::try_from(dtype.size() * 8).ok());
        }
    }
}
