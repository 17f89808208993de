//! Element types and their counterparts.

use ::safetensors::Dtype;

use crate::element::ElementType;

/// The element types that both formats have, bits alike but for `bool`.
const COUNTERPARTS: [(ElementType, Dtype); 20] = [
    (ElementType::Float16, Dtype::F16),
    (ElementType::BFloat16, Dtype::BF16),
    (ElementType::Float32, Dtype::F32),
    (ElementType::Float64, Dtype::F64),
    (ElementType::Int8, Dtype::I8),
    (ElementType::UInt8, Dtype::U8),
    (ElementType::Int16, Dtype::I16),
    (ElementType::UInt16, Dtype::U16),
    (ElementType::Int32, Dtype::I32),
    (ElementType::UInt32, Dtype::U32),
    (ElementType::Int64, Dtype::I64),
    (ElementType::UInt64, Dtype::U64),
    (ElementType::Bool, Dtype::BOOL),
    (ElementType::Float8E4M3, Dtype::F8_E4M3),
    (ElementType::Float8E5M2, Dtype::F8_E5M2),
    (ElementType::Float8E8M0, Dtype::F8_E8M0),
    (ElementType::Float4E2M1, Dtype::F4),
    (ElementType::Float6E2M3, Dtype::F6_E2M3),
    (ElementType::Float6E3M2, Dtype::F6_E3M2),
    (ElementType::Complex64, Dtype::C64),
];

/// The element type of a safetensors type.
pub(super) fn element_type_of(dtype: Dtype) -> Option<ElementType> {
    COUNTERPARTS.iter().find(|(_, known)| *known == dtype).map(|(element_type, _)| *element_type)
}

/// The safetensors type of an element type.
pub(super) fn dtype_of(element_type: ElementType) -> Option<Dtype> {
    COUNTERPARTS.iter().find(|(known, _)| *known == element_type).map(|(_, dtype)| *dtype)
}

/// The bytes that safetensors has for so many elements; `None` past `u64`, and where they do not fill whole
/// bytes, which it refuses.
pub(super) fn size_of(dtype: Dtype, elements: u64) -> Option<u64> {
    let bits = elements.checked_mul(u64::try_from(dtype.bitsize()).ok()?)?;
    bits.is_multiple_of(8).then_some(bits / 8)
}

/// The alignment in bytes that safetensors sorts by: the width of one element.
pub(super) fn alignment_of(dtype: Dtype) -> usize {
    dtype.bitsize().div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_agree_but_for_bool() {
        for (element_type, dtype) in COUNTERPARTS {
            assert_eq!(element_type_of(dtype), Some(element_type));
            assert_eq!(dtype_of(element_type), Some(dtype));
            let ours = element_type.bytes_for(24);
            let theirs = size_of(dtype, 24);
            match element_type {
                ElementType::Bool => assert_eq!((ours, theirs), (Some(3), Some(24))),
                _ => assert_eq!(ours, theirs, "{element_type}"),
            }
        }
        assert_eq!(size_of(Dtype::F4, 3), None);
        assert_eq!(size_of(Dtype::F6_E2M3, 2), None);
        assert_eq!(size_of(Dtype::F64, u64::MAX), None);
        assert_eq!(element_type_of(Dtype::F8_E4M3FNUZ), None);
        assert_eq!(dtype_of(ElementType::Int4), None);
    }
}
