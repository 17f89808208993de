//! Every element of a whole: member after member over zeros (FORMAT §7.6).

use super::place_in::{PlaceIn, Supply};
use super::{Kind, Plan, PlanMember, Rule};
use crate::descriptor::CombineOp;
use crate::element::{self, ElementType};
use crate::error::TensorError;
use crate::limits::Limits;
use crate::view::quantized::{Place, QuantizedView};
use crate::view::raw::RawTensor;
use crate::view::twin::View;
use crate::view::values::ToBytes;

impl Plan {
    /// Writes all elements over zeros: that at `[0, ..., 0]` to element `origin` of `to`, the others by
    /// `strides`.
    pub(super) fn fill(
        &self,
        tensors: &[RawTensor<'_>],
        to: &mut [u8],
        strides: &[usize],
        origin: usize,
        limits: &Limits,
    ) -> Result<(), TensorError> {
        for (number, member) in self.members.iter().enumerate() {
            let adds = number > 0 && self.rule == Rule::Overlay(CombineOp::Add);
            let own = tensors.get(member.first..).unwrap_or_default();
            let steps = member.offset.iter().zip(strides);
            let origin =
                steps.fold(origin, |at, (offset, stride)| at.wrapping_add(offset.wrapping_mul(*stride)));
            // Nothing is at an offset past the end of an empty member.
            if member.shape.contains(&0) {
                continue;
            }
            match (&member.kind, own.first()) {
                (Kind::Nested(plan), _) => plan.fill(own, to, strides, origin, limits)?,
                (Kind::Plain(place), Some(raw)) => {
                    let from = place.bytes(raw);
                    if adds {
                        let scratch = vec![0; self.width().saturating_mul(Sum::BLOCK)];
                        let sum =
                            Sum { unit: self.unit, element_type: self.element_type(), from, to, scratch };
                        walk(place, raw, member, strides, origin, sum)?;
                    } else {
                        let copy = Copy(ToBytes { unit: self.unit, from, to });
                        walk(place, raw, member, strides, origin, copy)?;
                    }
                }
                (Kind::Quantized(place), Some(raw)) => {
                    let real = QuantizedView::from_raw(raw.clone())?.dequantize_within(limits)?;
                    let rounded = Rounded { element_type: self.element_type(), real: &real, to, adds };
                    walk(place, raw, member, strides, origin, rounded)?;
                }
                (Kind::Plain(_) | Kind::Quantized(_), None) => {}
            }
        }
        Ok(())
    }
}

/// Hands over every element that a member supplies: of a sparse one only those that are stored.
fn walk(
    place: &Place,
    raw: &RawTensor<'_>,
    member: &PlanMember,
    strides: &[usize],
    origin: usize,
    supply: impl Supply,
) -> Result<(), TensorError> {
    place.walk(raw, &mut PlaceIn::new(supply, &member.shape, strides, origin))
}

/// Puts elements in the place of what is there.
struct Copy<'a, 'o>(ToBytes<'a, 'o>);

impl Supply for Copy<'_, '_> {
    fn supply(&mut self, from: usize, _: usize, to: usize, len: usize) {
        let _ = self.0.copy(from, to, len);
    }
}

/// Adds elements to what is there.
struct Sum<'a, 'o> {
    unit: Result<usize, u32>,
    element_type: ElementType,
    from: &'a [u8],
    to: &'o mut [u8],
    /// A block of elements on their way.
    scratch: Vec<u8>,
}

impl Sum<'_, '_> {
    /// In elements.
    const BLOCK: usize = 1024;

    fn add(&mut self, from: usize, to: usize, len: usize) -> Option<()> {
        let width = self.unit.unwrap_or(1);
        let mut done = 0_usize;
        while done < len {
            let count = Self::BLOCK.min(len.checked_sub(done)?);
            let block = self.scratch.get_mut(..count.checked_mul(width)?)?;
            ToBytes { unit: self.unit, from: self.from, to: block }.copy(
                from.checked_add(done)?,
                0,
                count,
            )?;
            let start = to.checked_add(done)?.checked_mul(width)?;
            let sums = self.to.get_mut(start..start.checked_add(block.len())?)?;
            element::add(self.element_type, sums, block)?;
            done = done.checked_add(count)?;
        }
        Some(())
    }
}

impl Supply for Sum<'_, '_> {
    fn supply(&mut self, from: usize, _: usize, to: usize, len: usize) {
        let _ = self.add(from, to, len);
    }
}

/// Puts or adds real numbers of a quantized member, rounded to the type of the whole.
struct Rounded<'r, 'o> {
    element_type: ElementType,
    /// All of the member, in row-major order.
    real: &'r [f32],
    to: &'o mut [u8],
    adds: bool,
}

impl Rounded<'_, '_> {
    fn put(&mut self, own: usize, to: usize, len: usize) -> Option<()> {
        let real = self.real.get(own..own.checked_add(len)?)?;
        for (at, value) in (to..).zip(real) {
            let bytes = element::from_f32(self.element_type, *value);
            let start = at.checked_mul(bytes.len())?;
            let slot = self.to.get_mut(start..start.checked_add(bytes.len())?)?;
            if self.adds {
                element::add(self.element_type, slot, &bytes)?;
            } else {
                slot.copy_from_slice(&bytes);
            }
        }
        Some(())
    }
}

impl Supply for Rounded<'_, '_> {
    fn supply(&mut self, _: usize, own: usize, to: usize, len: usize) {
        let _ = self.put(own, to, len);
    }
}
