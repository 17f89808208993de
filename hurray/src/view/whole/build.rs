//! Plans of wholes: from the members of a file, and from tensors in memory.

use std::borrow::Borrow;
use std::sync::{Arc, OnceLock};

use super::{Kind, Plan, PlanMember, Rule, SharedWhole, Whole, as_u64, wide};
use crate::composite::{self, Descriptors};
use crate::descriptor::{
    CombineOp, CompositeHead, CompositionRule, Dims, Layout, MemberRole, Shard, TensorDescriptor,
};
use crate::element::{ElementType, has_sum};
use crate::error::{self, FormatError, TensorError};
use crate::policy::Policy;
use crate::view::geometry::width;
use crate::view::index::{self, Extents};
use crate::view::quantized::{Place, QuantizedView};
use crate::view::raw::{RawTensor, SharedTensor};
use crate::view::twin::View;

/// A member as it is found: a tensor, or a head with members of its own.
pub(crate) enum Member<'a> {
    Tensor(RawTensor<'a>),
    Whole(Box<TensorDescriptor>, Vec<Member<'a>>),
}

impl<'a> Whole<'a> {
    /// A whole of a head and its direct members, which satisfy the rules of composites.
    pub(crate) fn new(head: TensorDescriptor, members: Vec<Member<'a>>) -> Result<Self, TensorError> {
        let mut tensors = Vec::with_capacity(members.len());
        let plan = Plan::new(head, members, &mut tensors)?;
        Ok(Self { plan: Arc::new(plan), tensors })
    }
}

impl<'a> Whole<'a> {
    /// A whole that is one tensor, at its own start.
    pub(crate) fn of_one(element_type: ElementType, raw: RawTensor<'a>) -> Result<Self, TensorError> {
        let shape = index::extents(raw.descriptor().shape())?;
        let head = whole_head(Rule::Partition, element_type, as_u64(&shape), 1)?;
        let head = TensorDescriptor { extension_type: raw.descriptor().extension_type, ..head };
        let unit = width(&head)?;
        let kind = kind_of(&head, &raw, unit)?;
        let offset = Extents::from_elem(0, shape.len());
        let members = vec![PlanMember { offset, shape: shape.clone(), first: 0, kind }];
        let plan = Plan { head, shape, rule: Rule::Partition, unit, members, tree: OnceLock::new() };
        Ok(Self { plan: Arc::new(plan), tensors: vec![raw] })
    }
}

impl Plan {
    fn new<'a>(
        head: TensorDescriptor,
        found: Vec<Member<'a>>,
        tensors: &mut Vec<RawTensor<'a>>,
    ) -> Result<Self, TensorError> {
        let rule = Rule::of(&head)
            .ok_or_else(|| TensorError::layout("a partition or an overlay", "a composite of another rule"))?;
        let unit = width(&head)?;
        let first_of_all = tensors.len();
        let mut members = Vec::with_capacity(found.len());
        for member in found {
            let first = tensors.len();
            let (descriptor, kind) = match member {
                Member::Tensor(raw) => {
                    let kind = kind_of(&head, &raw, unit)?;
                    let descriptor = raw.descriptor().clone();
                    tensors.push(raw);
                    (descriptor, kind)
                }
                Member::Whole(inner, found) => {
                    let plan = Self::new((*inner).clone(), found, tensors)?;
                    if plan.element_type() != head.element_type() {
                        return Err(other_type(&head, &inner));
                    }
                    (*inner, Kind::Nested(Arc::new(plan)))
                }
            };
            let shard = descriptor.shard().ok_or_else(|| error::Rule::Cmp15.broken())?;
            members.push(PlanMember {
                offset: index::extents(&shard.offset)?,
                shape: index::extents(descriptor.shape())?,
                first: first.saturating_sub(first_of_all),
                kind,
            });
        }
        let plan =
            Self { shape: index::extents(head.shape())?, head, rule, unit, members, tree: OnceLock::new() };
        if rule == Rule::Overlay(CombineOp::Add) && !has_sum(plan.element_type()) {
            return Err(plan.no_sum());
        }
        Ok(plan)
    }
}

fn kind_of(
    head: &TensorDescriptor,
    raw: &RawTensor<'_>,
    unit: Result<usize, u32>,
) -> Result<Kind, TensorError> {
    let own = raw.descriptor();
    if own.quantization().is_some() {
        // Checks scheme, parameters and sizes; elements are dequantized when they are asked for.
        QuantizedView::from_raw(raw.clone())?;
        return match head.element_type().is_wide_float() {
            true => Ok(Kind::Quantized(Place::of(raw)?)),
            false => Err(other_type(head, own)),
        };
    }
    if own.element_type() != head.element_type() || width(own)? != unit {
        return Err(other_type(head, own));
    }
    Ok(Kind::Plain(Place::of(raw)?))
}

#[cold]
fn other_type(head: &TensorDescriptor, member: &TensorDescriptor) -> TensorError {
    TensorError::element_type(head.element_type(), member.element_type())
}

/// A head of a composite of so many members.
pub(crate) fn whole_head(
    rule: Rule,
    element_type: ElementType,
    shape: Dims,
    members: usize,
) -> Result<TensorDescriptor, FormatError> {
    let rule = match rule {
        Rule::Partition => CompositionRule::Partition,
        Rule::Overlay(op) => CompositionRule::Overlay(op),
    };
    // A count that is not one breaks CMP-06, as the largest does.
    let member_count = u32::try_from(members).unwrap_or(u32::MAX);
    TensorDescriptor::builder(element_type, shape)
        .layout(Layout::Composite(CompositeHead { rule, member_count }))
        .build()
}

/// The box of a whole that a member is.
pub(crate) fn shard_of(whole: &[usize], offset: &[usize]) -> Shard {
    Shard { parent_shape: as_u64(whole), offset: as_u64(offset) }
}

/// A whole of tensors in memory, each with its offset; checked as one from a file is.
pub(in crate::view) fn built(
    rule: Rule,
    element_type: ElementType,
    shape: &[usize],
    members: Vec<(Extents, SharedTensor)>,
) -> Result<SharedWhole, TensorError> {
    let head = whole_head(rule, element_type, as_u64(shape), members.len())?;
    let mut tensors = Vec::with_capacity(members.len());
    for (number, (offset, tensor)) in members.into_iter().enumerate() {
        if offset.len() != shape.len() {
            return Err(TensorError::Rank { expected: shape.len(), found: offset.len() });
        }
        let role = match rule {
            Rule::Partition => None,
            Rule::Overlay(_) if number == 0 => Some(MemberRole::Base),
            Rule::Overlay(_) => Some(MemberRole::Correction),
        };
        tensors.push(tensor.as_member(shard_of(shape, &offset), role)?);
    }
    let descriptors = std::iter::once(&head).chain(tensors.iter().map(SharedTensor::descriptor));
    composite::assemble_at(&mut InMemory(descriptors.collect()), &Policy::default(), 0)?;
    let raw = tensors.iter().map(|tensor| Member::Tensor(tensor.as_raw())).collect();
    let plan = Whole::new(head, raw)?.plan;
    Ok(SharedWhole { plan, tensors })
}

/// Descriptors that are all there.
struct InMemory<'d>(Vec<&'d TensorDescriptor>);

impl<'d> Descriptors for InMemory<'d> {
    type Descriptor = Ref<'d>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn descriptor(&mut self, position: usize) -> Result<Ref<'d>, FormatError> {
        self.0.get(position).copied().map(Ref).ok_or_else(|| error::Rule::Cmp12.broken())
    }

    fn blame(&self, position: usize, error: FormatError) -> FormatError {
        match position.checked_sub(1) {
            Some(member) => error.in_tensor(&format!("member {}", wide(member))),
            None => error,
        }
    }
}

/// A descriptor that someone else has.
struct Ref<'d>(&'d TensorDescriptor);

impl Borrow<TensorDescriptor> for Ref<'_> {
    fn borrow(&self) -> &TensorDescriptor {
        self.0
    }
}
