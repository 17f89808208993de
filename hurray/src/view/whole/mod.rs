//! Tensors that several tensors make up: partitions and overlays (FORMAT §7.6), whatever their element type.
//!
//! A [`Plan`] says which member lies where; it is made once, and shared by a view and its `'static` twin. The
//! tensors of all members, those of nested composites included, are one list beside it, in the order of the file.

mod build;
mod fill;
mod place_in;

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::bytes::SharedBytes;
use super::index::{self, Extents};
use super::quantized::{Place, QuantizedView};
use super::raw::{RawTensor, SharedTensor};
use super::twin::View;
use super::values::{ToBytes, Values};
use crate::composite::{BoxTree, Boxes};
use crate::descriptor::{CombineOp, CompositionRule, TensorDescriptor};
use crate::element::{self, ElementType};
use crate::error::TensorError;
use crate::limits::Limits;

pub(super) use build::built;
pub(crate) use build::{Member, shard_of, whole_head};

/// How the members make up the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    Partition,
    Overlay(CombineOp),
}

impl Rule {
    pub(crate) fn of(head: &TensorDescriptor) -> Option<Self> {
        match head.composite()?.rule {
            CompositionRule::Partition => Some(Self::Partition),
            CompositionRule::Overlay(op) => Some(Self::Overlay(op)),
            _ => None,
        }
    }
}

/// Which member of a whole lies where. Descriptors were checked by the rules of composites before.
#[derive(Debug)]
pub(crate) struct Plan {
    head: TensorDescriptor,
    shape: Extents,
    rule: Rule,
    /// Bytes of an element of the head's type, or its bits if several share a byte.
    unit: Result<usize, u32>,
    members: Vec<PlanMember>,
    /// Made when the first element is looked for.
    tree: OnceLock<BoxTree>,
}

/// A direct member.
#[derive(Debug)]
pub(crate) struct PlanMember {
    pub(crate) offset: Extents,
    pub(crate) shape: Extents,
    /// The first of its tensors among those of the plan.
    pub(crate) first: usize,
    pub(crate) kind: Kind,
}

/// What a member is.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A tensor of elements of the head's type.
    Plain(Place),
    /// A tensor whose real numbers are rounded to the head's type (FORMAT §7.5).
    Quantized(Place),
    /// A partition or an overlay of its own.
    Nested(Arc<Plan>),
}

impl PlanMember {
    /// How many tensors it has.
    pub(crate) fn tensors(&self) -> usize {
        match &self.kind {
            Kind::Nested(plan) => plan.tensors(),
            Kind::Plain(_) | Kind::Quantized(_) => 1,
        }
    }
}

impl Plan {
    pub(crate) fn head(&self) -> &TensorDescriptor {
        &self.head
    }

    pub(crate) fn element_type(&self) -> ElementType {
        self.head.element_type()
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(crate) fn rule(&self) -> Rule {
        self.rule
    }

    pub(crate) fn members(&self) -> &[PlanMember] {
        &self.members
    }

    /// How many tensors there are, those of nested composites included.
    pub(crate) fn tensors(&self) -> usize {
        self.members.last().map_or(0, |last| last.first.saturating_add(last.tensors()))
    }

    /// Bytes of one element; elements below 8 bits have a byte each.
    pub(crate) fn width(&self) -> usize {
        self.unit.unwrap_or(1)
    }

    fn tree(&self) -> &BoxTree {
        self.tree.get_or_init(|| {
            let mut boxes = Boxes::new(self.shape.len());
            for member in &self.members {
                boxes.push(&as_u64(&member.offset), &as_u64(&member.shape));
            }
            BoxTree::new(boxes)
        })
    }

    /// The first of the members whose boxes hold an index.
    pub(crate) fn member_at(&self, index: &[usize]) -> Result<Option<usize>, TensorError> {
        index::check(index, &self.shape)?;
        Ok(self.tree().holding(&as_u64(index)).next())
    }

    /// The members that share an element with a box, in the order of the file.
    pub(crate) fn members_in(&self, ranges: &[std::ops::Range<usize>]) -> Result<Vec<usize>, TensorError> {
        let is_inside = |(range, extent): (&std::ops::Range<usize>, &usize)| {
            range.start <= range.end && range.end <= *extent
        };
        if ranges.len() != self.shape.len() || !ranges.iter().zip(&self.shape).all(is_inside) {
            let ends: Vec<usize> = ranges.iter().map(|range| range.end).collect();
            return Err(index::outside(&ends, &self.shape));
        }
        let sides: Vec<(u64, u64)> =
            ranges.iter().map(|range| (wide(range.start), wide(range.end))).collect();
        Ok(self.tree().meeting(&sides))
    }

    /// Writes the element at an index, whose bytes are zero so far.
    fn get(&self, tensors: &[RawTensor<'_>], at: &[usize], out: &mut [u8]) -> Result<(), TensorError> {
        index::check(at, &self.shape)?;
        let wide = as_u64(at);
        let mut holding = self.tree().holding(&wide);
        match self.rule {
            Rule::Partition => {
                if let Some(member) = holding.next() {
                    self.supply(tensors, member, at, out)?;
                }
            }
            Rule::Overlay(CombineOp::Replace) => {
                for member in holding.rev() {
                    if self.supply(tensors, member, at, out)? {
                        break;
                    }
                }
            }
            Rule::Overlay(CombineOp::Add) => {
                let mut more: SmallVec<[u8; 16]> = SmallVec::from_elem(0, out.len());
                for (number, member) in holding.enumerate() {
                    if number == 0 {
                        self.supply(tensors, member, at, out)?;
                        continue;
                    }
                    more.fill(0);
                    if self.supply(tensors, member, at, &mut more)? {
                        element::add(self.element_type(), out, &more).ok_or_else(|| self.no_sum())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the element that a member supplies at an index of the whole, if it does.
    fn supply(
        &self,
        tensors: &[RawTensor<'_>],
        member: usize,
        at: &[usize],
        out: &mut [u8],
    ) -> Result<bool, TensorError> {
        let Some(member) = self.members.get(member) else { return Ok(false) };
        let local: Extents =
            at.iter().zip(&member.offset).map(|(at, offset)| at.saturating_sub(*offset)).collect();
        let own = tensors.get(member.first..).unwrap_or_default();
        let (place, is_quantized) = match &member.kind {
            Kind::Nested(plan) => return plan.get(own, &local, out).map(|()| true),
            Kind::Plain(place) => (place, false),
            Kind::Quantized(place) => (place, true),
        };
        let Some(raw) = own.first() else { return Ok(false) };
        let Some(position) = place.position(raw, &local)? else { return Ok(false) };
        if is_quantized {
            let real = QuantizedView::from_raw(raw.clone())?.get(&local)?;
            out.copy_from_slice(&element::from_f32(self.element_type(), real));
        } else {
            let mut copy = ToBytes { unit: self.unit, from: place.bytes(raw), to: out };
            copy.copy(position, 0, 1).ok_or_else(|| raw.too_small(0, u64::MAX))?;
        }
        Ok(true)
    }

    #[cold]
    fn no_sum(&self) -> TensorError {
        TensorError::not_understood(format!("a sum of {} elements", self.element_type()))
    }
}

/// A whole whose members are borrowed.
#[derive(Debug, Clone)]
pub(crate) struct Whole<'a> {
    pub(crate) plan: Arc<Plan>,
    pub(crate) tensors: Vec<RawTensor<'a>>,
}

/// A whole whose members are owned or shared.
#[derive(Debug, Clone)]
pub(crate) struct SharedWhole {
    pub(crate) plan: Arc<Plan>,
    pub(crate) tensors: Vec<SharedTensor>,
}

impl<'a> Whole<'a> {
    /// Refuses elements of another type.
    pub(crate) fn expect(&self, expected: ElementType) -> Result<(), TensorError> {
        let found = self.plan.element_type();
        if found == expected { Ok(()) } else { Err(TensorError::element_type(expected, found)) }
    }

    /// The bytes of the element at an index; a byte with the pattern in its low bits below 8 bits.
    pub(crate) fn get(&self, at: &[usize]) -> Result<SmallVec<[u8; 16]>, TensorError> {
        let mut out = SmallVec::from_elem(0, self.plan.width());
        self.plan.get(&self.tensors, at, &mut out)?;
        Ok(out)
    }

    /// The number of elements, if the limits let them be in memory all at once.
    pub(crate) fn count_within(&self, bytes_each: usize, limits: &Limits) -> Result<usize, TensorError> {
        index::count_within(self.plan.shape(), bytes_each, limits.dense_bytes)
    }

    /// Writes every element in row-major order over zeros.
    pub(crate) fn fill(&self, to: &mut [u8], limits: &Limits) -> Result<(), TensorError> {
        let strides = index::row_major(self.plan.shape());
        self.plan.fill(&self.tensors, to, &strides, 0, limits)
    }

    /// Every element in row-major order, in the head's type.
    pub(crate) fn values(&self, limits: &Limits) -> Result<Values, TensorError> {
        let width = self.plan.width();
        let count = self.count_within(width, limits)?;
        let mut bytes = bytemuck::allocation::zeroed_vec(count.saturating_mul(width));
        self.fill(&mut bytes, limits)?;
        Ok(Values::from_bytes(self.plan.element_type(), width, bytes))
    }

    /// The tensors of a member.
    pub(crate) fn tensors_of(&self, member: &PlanMember) -> &[RawTensor<'a>] {
        let end = member.first.saturating_add(member.tensors());
        self.tensors.get(member.first..end).unwrap_or_default()
    }

    /// The same with every buffer kept alive by what `share` makes of it.
    pub(crate) fn share(&self, share: &dyn Fn(&'a [u8]) -> SharedBytes) -> SharedWhole {
        let tensors = self.tensors.iter().map(|tensor| tensor.share(share)).collect();
        SharedWhole { plan: Arc::clone(&self.plan), tensors }
    }
}

impl SharedWhole {
    pub(crate) fn as_whole(&self) -> Whole<'_> {
        let tensors = self.tensors.iter().map(SharedTensor::as_raw).collect();
        Whole { plan: Arc::clone(&self.plan), tensors }
    }
}

fn wide(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn as_u64(index: &[usize]) -> crate::descriptor::Dims {
    index.iter().map(|at| wide(*at)).collect()
}
