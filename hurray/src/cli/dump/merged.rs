//! The whole that the members of a partition or an overlay make up (FORMAT §7.6).

use half::{bf16, f16};

use super::elements::reason_without_values;
use crate::bytes::to_usize;
use crate::composite::{Composite, Member};
use crate::descriptor::{CombineOp, CompositionRule, TensorDescriptor};
use crate::element::{ElementType, F128, Scalar};
use crate::limits::Limits;
use crate::reader::File;

/// Every element of a composite in row-major order and in the head's type, with the head; or why there are none.
pub(super) fn merge(file: &File, composite: &Composite) -> Result<(TensorDescriptor, Vec<Scalar>), String> {
    let head = descriptor(file, composite.head())?;
    match composite.rule() {
        CompositionRule::Group => return Err("a group has no merged view".to_owned()),
        CompositionRule::Private { .. } => return Err("private composition rule".to_owned()),
        CompositionRule::Partition | CompositionRule::Overlay(_) => {}
    }
    if !composite.is_complete() {
        return Err("incomplete".to_owned());
    }
    if let Some(reason) = reason_without_values(&head, file.size_bytes()) {
        return Err(reason);
    }
    let count =
        head.element_count().and_then(|count| usize::try_from(count).ok()).ok_or("too many elements")?;
    let element_type = head.element_type();
    let mut whole = vec![None; count];
    for (number, member) in composite.members().iter().enumerate() {
        let is_correction = number > 0 && composite.rule() != CompositionRule::Partition;
        let adds = is_correction && composite.rule() == CompositionRule::Overlay(CombineOp::Add);
        let part = Part::of(file, member, element_type, is_correction)?;
        part.each(head.shape(), |at, value| {
            let slot: &mut Option<Scalar> = whole.get_mut(at)?;
            *slot = Some(match slot {
                Some(under) if adds => add(under, value, element_type)?,
                _ => value.clone(),
            });
            Some(())
        })
        .ok_or("members that can't be combined")?;
    }
    let whole = whole.into_iter().collect::<Option<_>>().ok_or("a whole that is not covered")?;
    Ok((head, whole))
}

fn descriptor(file: &File, position: usize) -> Result<TensorDescriptor, String> {
    let entry = file.contents().entry(position).ok_or("no such tensor")?;
    entry.descriptor().map_err(|error| error.to_string())
}

/// The elements of one member in row-major order; `None` where it supplies none.
struct Part {
    offset: Vec<u64>,
    shape: Vec<u64>,
    values: Vec<Option<Scalar>>,
}

impl Part {
    /// Of a sparse correction only the stored entries count.
    fn of(file: &File, member: &Member, whole: ElementType, is_correction: bool) -> Result<Self, String> {
        let descriptor = descriptor(file, member.position())?;
        let shard = descriptor.shard().ok_or("a member without a box")?;
        let (offset, shape) = (shard.offset.to_vec(), descriptor.shape().to_vec());
        let values = match member {
            Member::Composite(nested) => merge(file, nested)?.1.into_iter().map(Some).collect(),
            Member::Tensor(position) => {
                if let Some(reason) = reason_without_values(&descriptor, file.size_bytes()) {
                    return Err(reason);
                }
                let is_sparse_correction = is_correction && descriptor.layout().nnz().is_some();
                Self::elements(file, *position, &descriptor, whole, is_sparse_correction)?
            }
        };
        Ok(Self { offset, shape, values })
    }

    fn elements(
        file: &File,
        position: usize,
        descriptor: &TensorDescriptor,
        whole: ElementType,
        stored_only: bool,
    ) -> Result<Vec<Option<Scalar>>, String> {
        let limits = Limits::default();
        let entry = file.contents().entry(position).ok_or("no such tensor")?;
        let shown = |error: crate::TensorError| error.to_string();
        let mut values: Vec<Option<Scalar>> = if descriptor.quantization().is_some() {
            let real = entry.dequantize(&limits).map_err(shown)?;
            real.into_iter().map(|value| from_f32(value, whole)).collect()
        } else {
            entry.values(&limits).map_err(shown)?.iter().map(Some).collect()
        };
        if stored_only {
            let stored = entry.stored_elements(&limits).map_err(shown)?;
            for (value, _) in values.iter_mut().zip(stored).filter(|(_, is_stored)| !*is_stored) {
                *value = None;
            }
        }
        Ok(values)
    }

    /// Hands every element that the part supplies to `visit`, with its place in the whole.
    fn each(&self, whole: &[u64], mut visit: impl FnMut(usize, &Scalar) -> Option<()>) -> Option<()> {
        let mut index = vec![0_u64; self.shape.len()];
        for value in &self.values {
            if let Some(value) = value {
                let place = index.iter().zip(&self.offset).zip(whole).try_fold(
                    0_u64,
                    |at, ((index, offset), size)| {
                        at.checked_mul(*size)?.checked_add(index.checked_add(*offset)?)
                    },
                )?;
                visit(to_usize(place)?, value)?;
            }
            for (at, size) in index.iter_mut().zip(&self.shape).rev() {
                *at = at.checked_add(1)?;
                if *at < *size {
                    break;
                }
                *at = 0;
            }
        }
        Some(())
    }
}

/// A dequantized element in the type of the head (FORMAT §7.5); `None` for types that a head of quantized
/// members does not have.
fn from_f32(value: f32, whole: ElementType) -> Option<Scalar> {
    Some(match whole {
        ElementType::Float16 => Scalar::decode(whole, &f16::from_f32(value).to_le_bytes()),
        ElementType::BFloat16 => Scalar::decode(whole, &bf16::from_f32(value).to_le_bytes()),
        ElementType::Float32 => Scalar::decode(whole, &value.to_le_bytes()),
        ElementType::Float64 => Scalar::decode(whole, &f64::from(value).to_le_bytes()),
        ElementType::Float128 => Scalar::Float128(F128::from_f64(f64::from(value))),
        _ => return None,
    })
}

/// The sum in the type of the head, rounded once, wrapped for integers; `None` for types without sums here.
#[expect(
    clippy::as_conversions,
    reason = "floats are rounded to nearest, as the format has it; a float64 has more than twice their digits"
)]
fn add(a: &Scalar, b: &Scalar, whole: ElementType) -> Option<Scalar> {
    let decode = |bytes: &[u8]| Some(Scalar::decode(whole, bytes));
    match (a, b) {
        (Scalar::Float { value: a, .. }, Scalar::Float { value: b, .. }) => match whole {
            ElementType::Float16 => decode(&f16::from_f64(a + b).to_le_bytes()),
            ElementType::BFloat16 => decode(&bf16::from_f64(a + b).to_le_bytes()),
            ElementType::Float32 => decode(&((a + b) as f32).to_le_bytes()),
            ElementType::Float64 => decode(&(a + b).to_le_bytes()),
            _ => None,
        },
        (Scalar::Int(a), Scalar::Int(b)) => decode(&wrapped(a.wrapping_add(*b).to_le_bytes(), whole)?),
        (Scalar::UInt(a), Scalar::UInt(b)) => decode(&wrapped(a.wrapping_add(*b).to_le_bytes(), whole)?),
        _ => None,
    }
}

/// The low bits of a sum, as many as the type has.
fn wrapped(sum: [u8; 8], whole: ElementType) -> Option<Vec<u8>> {
    let bits = whole.bits()?;
    match usize::try_from(bits).ok()? / 8 {
        0 => {
            let mask = 1_u8.checked_shl(bits)?.checked_sub(1)?;
            Some(vec![sum.first()? & mask])
        }
        width => sum.get(..width).map(<[u8]>::to_vec),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f64) -> Scalar {
        Scalar::Float { value, bits: 0 }
    }

    #[test]
    fn sums_are_rounded_once_in_the_type_of_the_head() {
        let sum = |a, b, whole| add(&float(a), &float(b), whole).and_then(|sum| sum.to_f64());
        assert_eq!(sum(2048.0, 1.0, ElementType::Float16), Some(2048.0), "ties to even");
        assert_eq!(sum(2048.0, 3.0, ElementType::Float16), Some(2052.0));
        assert_eq!(sum(1.0, 2_f64.powi(-25), ElementType::Float32), Some(1.0));
        assert_eq!(sum(1.0, 2.0, ElementType::Float8E4M3), None);
    }

    #[test]
    fn sums_of_integers_wrap() {
        let sum = |a, b, whole| add(&Scalar::Int(a), &Scalar::Int(b), whole);
        assert_eq!(sum(127, 1, ElementType::Int8), Some(Scalar::Int(-128)));
        assert_eq!(sum(7, 1, ElementType::Int4), Some(Scalar::Int(-8)));
        assert_eq!(sum(i64::MAX, 1, ElementType::Int64), Some(Scalar::Int(i64::MIN)));
        let sum = add(&Scalar::UInt(255), &Scalar::UInt(2), ElementType::UInt8);
        assert_eq!(sum, Some(Scalar::UInt(1)));
    }
}
