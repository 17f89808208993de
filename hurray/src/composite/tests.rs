//! Whole walks over descriptors made by hand.

use super::{Composite, Descriptors, Member, assemble, assemble_at};
use crate::descriptor::{CompositeHead, CompositionRule, Layout, Shard, TensorDescriptor};
use crate::element::ElementType;
use crate::error::{FormatError, Rule};
use crate::policy::{Mode, Policy};

struct Listed<'d>(&'d [TensorDescriptor]);

impl<'d> Descriptors for Listed<'d> {
    type Descriptor = &'d TensorDescriptor;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn descriptor(&mut self, position: usize) -> Result<&'d TensorDescriptor, FormatError> {
        Ok(&self.0[position])
    }

    fn blame(&self, position: usize, error: FormatError) -> FormatError {
        error.in_tensor(&position.to_string())
    }
}

fn tensor() -> TensorDescriptor {
    TensorDescriptor::builder(ElementType::UInt8, [1]).buffer_sizes([1]).build().unwrap()
}

fn group(members: u32) -> TensorDescriptor {
    TensorDescriptor::group(members)
}

fn partition(members: u32, shape: &[u64]) -> TensorDescriptor {
    let head = CompositeHead { rule: CompositionRule::Partition, member_count: members };
    let builder = TensorDescriptor::builder(ElementType::UInt8, shape.iter().copied());
    builder.layout(Layout::Composite(head)).build().unwrap()
}

fn part(parent: &[u64], offset: &[u64], shape: &[u64]) -> TensorDescriptor {
    let shard = Shard { parent_shape: parent.into(), offset: offset.into() };
    let builder = TensorDescriptor::builder(ElementType::UInt8, shape.iter().copied());
    builder.shard(shard).buffer_sizes([shape.iter().product()]).build().unwrap()
}

fn in_mode(mode: Mode) -> Policy {
    Policy { mode, ..Policy::default() }
}

fn strict(descriptors: &[TensorDescriptor]) -> Result<Vec<Composite>, FormatError> {
    assemble(&mut Listed(descriptors), &in_mode(Mode::Strict)).into_result()
}

fn permissive(descriptors: &[TensorDescriptor]) -> Result<Vec<Composite>, FormatError> {
    assemble(&mut Listed(descriptors), &in_mode(Mode::Permissive)).into_result()
}

fn positions(composite: &Composite) -> Vec<usize> {
    composite.members().iter().map(Member::position).collect()
}

#[test]
fn binds_nested_members_in_the_order_of_the_file() {
    let file = [tensor(), group(3), tensor(), group(1), tensor(), group(0), tensor()];
    let composites = strict(&file).unwrap();
    let [outer] = composites.as_slice() else { panic!("one composite at the top: {composites:?}") };
    assert_eq!((outer.head(), outer.depth(), positions(outer)), (1, 1, vec![2, 3, 5]));
    let Member::Composite(inner) = &outer.members()[1] else { panic!("a nested head") };
    assert_eq!((inner.depth(), positions(inner), inner.is_complete()), (2, vec![4], true));
}

#[test]
fn one_head_can_be_taken_as_the_top() {
    let file = [group(2), tensor(), group(1), tensor(), group(9)];
    let policy = in_mode(Mode::Strict);
    let inner = assemble_at(&mut Listed(&file), &policy, 2).unwrap();
    assert_eq!((inner.depth(), positions(&inner)), (1, vec![3]));
    // What follows is not looked at, a tensor is no head, and this one is torn.
    assert_eq!(assemble_at(&mut Listed(&file), &policy, 1).unwrap_err().rule(), Rule::Cmp12);
    assert_eq!(assemble_at(&mut Listed(&file), &policy, 4).unwrap_err().rule(), Rule::Cmp12);
}

#[test]
fn nothing_is_looked_at_behind_what_breaks_the_one_that_is_taken() {
    struct Counted(Vec<TensorDescriptor>, usize);
    impl Descriptors for Counted {
        type Descriptor = TensorDescriptor;

        fn len(&self) -> usize {
            self.0.len()
        }

        fn descriptor(&mut self, position: usize) -> Result<TensorDescriptor, FormatError> {
            self.1 += 1;
            Ok(self.0[position].clone())
        }

        fn blame(&self, _: usize, error: FormatError) -> FormatError {
            error
        }
    }
    for (mode, levels) in [(Mode::Strict, 8), (Mode::Permissive, 64)] {
        let mut policy = in_mode(mode);
        policy.limits.composite_depth = levels;
        let mut heads = Counted(vec![group(u32::MAX - 1); 1000], 0);
        assert_eq!(assemble_at(&mut heads, &policy, 0).unwrap_err().rule(), Rule::Cmp13);
        assert_eq!(heads.1, levels + 1);
    }
}

#[test]
fn a_torn_composite_is_refused_or_shown_as_incomplete() {
    let file = [group(u32::MAX - 1), group(2), tensor()];
    assert_eq!(strict(&file).unwrap_err().rule(), Rule::Cmp12);
    let composites = permissive(&file).unwrap();
    assert!(!composites[0].is_complete());
    let Member::Composite(inner) = &composites[0].members()[0] else { panic!("a nested head") };
    assert!(!inner.is_complete());
}

#[test]
fn nesting_is_bounded_and_takes_no_stack() {
    let nested = |depth: usize| -> Vec<_> { vec![group(1); depth].into_iter().chain([tensor()]).collect() };
    assert!(strict(&nested(8)).is_ok());
    assert_eq!(strict(&nested(9)).unwrap_err().rule(), Rule::Cmp13);
    let mut policy = in_mode(Mode::Permissive);
    policy.limits.composite_depth = 1000;
    let assembled = |depth| assemble(&mut Listed(&nested(depth)), &policy).into_result();
    assert!(assembled(64).is_ok());
    assert_eq!(assembled(65).unwrap_err().rule(), Rule::Cmp13);
    assert_eq!(assembled(100_000).unwrap_err().rule(), Rule::Cmp13);
}

#[test]
fn a_partition_is_covered_exactly_or_incomplete() {
    let whole = [4];
    let exact = [partition(2, &whole), part(&whole, &[0], &[1]), part(&whole, &[1], &[3])];
    assert!(strict(&exact).unwrap()[0].is_complete());
    let gap = [partition(2, &whole), part(&whole, &[0], &[1]), part(&whole, &[2], &[2])];
    let error = strict(&gap).unwrap_err();
    assert_eq!((error.rule(), error.tensor()), (Rule::Cmp26, Some("0")));
    assert!(!permissive(&gap).unwrap()[0].is_complete());
}

#[test]
fn a_broken_member_is_blamed_and_breaks_what_is_around_it() {
    let whole = [4];
    let file = [group(1), partition(2, &whole), tensor(), part(&whole, &[0], &[4])];
    for composites in [strict(&file), permissive(&file)] {
        let error = composites.unwrap_err();
        assert_eq!((error.rule(), error.tensor()), (Rule::Cmp15, Some("2")));
    }
}
