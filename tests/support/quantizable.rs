//! The element types of the quantization schemes (FORMAT §6).

use hurray::ElementType;

/// Of the affine schemes.
pub const AFFINE: [ElementType; 10] = [
    ElementType::Int2,
    ElementType::UInt2,
    ElementType::Int4,
    ElementType::UInt4,
    ElementType::Int8,
    ElementType::UInt8,
    ElementType::Int16,
    ElementType::UInt16,
    ElementType::Int32,
    ElementType::UInt32,
];

/// Of MXFP.
pub const MICRO: [ElementType; 7] = [
    ElementType::Float8E4M3,
    ElementType::Float8E5M2,
    ElementType::Float4E2M1,
    ElementType::Float6E2M3,
    ElementType::Float6E3M2,
    ElementType::Int8,
    ElementType::Int4,
];
