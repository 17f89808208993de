//! Element types and candle's dtypes.

use candle_core::DType;

use crate::element::ElementType;

/// Element types and dtypes that are the same bytes.
const SAME: [(ElementType, DType); 14] = [
    (ElementType::Float16, DType::F16),
    (ElementType::BFloat16, DType::BF16),
    (ElementType::Float32, DType::F32),
    (ElementType::Float64, DType::F64),
    (ElementType::UInt8, DType::U8),
    (ElementType::UInt32, DType::U32),
    (ElementType::Int16, DType::I16),
    (ElementType::Int32, DType::I32),
    (ElementType::Int64, DType::I64),
    (ElementType::Float8E4M3, DType::F8E4M3),
    (ElementType::Float8E8M0, DType::F8E8M0),
    (ElementType::Float4E2M1, DType::F4),
    (ElementType::Float6E2M3, DType::F6E2M3),
    (ElementType::Float6E3M2, DType::F6E3M2),
];

/// The element type of a dtype; `None` for a dtype that candle got later.
pub(super) fn element_type_of(dtype: DType) -> Option<ElementType> {
    SAME.iter().find(|(_, same)| *same == dtype).map(|(element_type, _)| *element_type)
}

/// The dtype that holds every value of an element type, the same one where there is one.
pub(super) fn dtype_of(element_type: ElementType) -> Option<DType> {
    let same = SAME.iter().find(|(same, _)| *same == element_type).map(|(_, dtype)| *dtype);
    same.or(match element_type {
        ElementType::Bool | ElementType::UInt2 | ElementType::UInt4 => Some(DType::U8),
        ElementType::Int2 | ElementType::Int4 | ElementType::Int8 => Some(DType::I16),
        ElementType::UInt16 => Some(DType::U32),
        ElementType::Float8E5M2 => Some(DType::F16),
        _ => None,
    })
}

/// Whether candle knows the dtype as raw bytes only.
pub(super) fn is_raw(dtype: DType) -> bool {
    matches!(dtype, DType::F4 | DType::F6E2M3 | DType::F6E3M2 | DType::F8E8M0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_same_agree() {
        for (element_type, dtype) in SAME {
            assert_eq!(dtype_of(element_type), Some(dtype));
            assert_eq!(element_type_of(dtype), Some(element_type));
            if !is_raw(dtype) {
                let bits = dtype.size_in_bytes().checked_mul(8).unwrap();
                assert_eq!(element_type.bits().map(|bits| usize::try_from(bits).unwrap()), Some(bits));
            }
        }
    }
}
