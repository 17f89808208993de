//! Whole composites, or nothing of them.

use super::*;
use crate::Rule;
use crate::descriptor::{CombineOp, CompositeHead, CompositionRule, Layout, MemberRole, Shard};
use crate::writer::{Writer, WriterItem, WriterOptions};

/// A plan of groups (by their number of members) and tensors, in file order.
fn sealed(items: &[Option<u32>]) -> Result<SealedPlan<'static>, SaveError> {
    let mut plan = plan(FileForm::default());
    for (position, item) in items.iter().enumerate() {
        let name = position.to_string();
        match item {
            Some(members) => {
                let head = plan.push_group(&name).unwrap();
                plan.set_member_count(head, *members).unwrap();
            }
            None => drop(plan.push(&name, &uint8(0), borrowed(b"")).unwrap()),
        }
    }
    plan.seal()
}

#[test]
fn groups_nest_and_follow_each_other() {
    assert!(sealed(&[Some(2), Some(1), None, None, Some(0), None]).is_ok());
    assert!(sealed(&[Some(1), Some(1), Some(0)]).is_ok());
}

#[test]
fn refuses_a_torn_group() {
    assert_eq!(rule_of(sealed(&[Some(2), None]).err().unwrap()), Rule::Cmp12);
    assert_eq!(rule_of(sealed(&[Some(2), Some(1), None]).err().unwrap()), Rule::Cmp12);
    assert_eq!(rule_of(sealed(&[Some(1), Some(1)]).err().unwrap()), Rule::Cmp12);
}

#[test]
fn refuses_more_than_eight_levels() {
    let mut items = vec![Some(1); 8];
    items.push(None);
    assert!(sealed(&items).is_ok());
    items.insert(0, Some(1));
    assert_eq!(rule_of(sealed(&items).err().unwrap()), Rule::Cmp13);
}

#[test]
fn a_head_has_its_members_in_shape_and_count_and_no_data() {
    let mut plan = plan(FileForm::default());
    plan.push_group("g").unwrap();
    plan.push("g.w", &uint8(1), borrowed(b"x")).unwrap();
    plan.set_member_count(0, 1).unwrap();
    assert_eq!(rule_of(plan.set_member_count(1, 1).unwrap_err()), Rule::Cmp27);
    let bytes = written(plan.seal().unwrap());
    let head = &bytes[64..];
    assert_eq!((u64_at(head, 20), head[36], u32_at(head, 40)), (1, 3, 1));
    let len = u32_at(head, 6) as usize;
    // The member follows at the next multiple of 8, not of `A` (PLC-07).
    let member = (64 + len).next_multiple_of(8);
    assert_eq!(&bytes[member..member + 4], b"HRRY");
    let index = u64_at(&bytes, bytes.len() - 40) as usize;
    assert_eq!((u64_at(&bytes, index + 8 + 3 + 12), u64_at(&bytes, index + 8 + 3 + 20)), (member as u64, 0));
}

#[test]
fn the_writer_takes_composites_whole() {
    let (head, tensor) = (TensorDescriptor::group(1), uint8(1));
    let head = WriterItem { name: "g", descriptor: &head, buffers: &[] };
    let member = WriterItem { name: "g.w", descriptor: &tensor, buffers: &[b"x"] };
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    assert_eq!(rule_of(writer.tensor("g", head.descriptor, &[]).unwrap_err()), Rule::Cmp12);
    assert_eq!(rule_of(writer.composite(&[head]).unwrap_err()), Rule::Cmp12);
    let twice = writer.composite(&[head, WriterItem { name: "g", ..member }]);
    assert!(matches!(twice, Err(SaveError::Collision { .. })));
    writer.composite(&[head, member]).unwrap();
    let (bytes, report) = writer.finish().unwrap();
    assert_eq!(report.tensors, 2);

    let mut plan = plan(FileForm { profile: Profile::Padded, ..FileForm::default() });
    plan.push_group("g").unwrap();
    plan.push("g.w", &tensor, borrowed(b"x")).unwrap();
    plan.set_member_count(0, 1).unwrap();
    let mut planned = written(plan.seal().unwrap());
    // The writer was not told the count.
    planned[28..36].fill(0xFF);
    assert!(planned == bytes);
}

/// A composite of one dimension of 4 bytes.
fn head(rule: CompositionRule, member_count: u32) -> TensorDescriptor {
    TensorDescriptor::builder(ElementType::UInt8, [4])
        .layout(Layout::Composite(CompositeHead { rule, member_count }))
        .build()
        .unwrap()
}

/// `len` of the 4 bytes.
fn part(offset: u64, len: u64, role: Option<MemberRole>) -> TensorDescriptor {
    let parent_shape = [4].into_iter().collect();
    let builder = TensorDescriptor::builder(ElementType::UInt8, [len])
        .shard(Shard { parent_shape, offset: [offset].into_iter().collect() });
    match role {
        Some(role) => builder.member_role(role),
        None => builder,
    }
    .build()
    .unwrap()
}

/// By plan and by writer; both say the same.
fn composed(items: &[TensorDescriptor]) -> Result<(), Rule> {
    let names: Vec<_> = (0..items.len()).map(|position| position.to_string()).collect();
    let mut plan = plan(FileForm::default());
    let mut data: Vec<Vec<&[u8]>> = Vec::new();
    for (name, descriptor) in names.iter().zip(items) {
        data.push(descriptor.buffers().iter().map(|handle| &[0; 4][..handle.byte_size as usize]).collect());
        plan.push(name, descriptor, data.last().unwrap().iter().map(|bytes| TensorSource::Borrowed(bytes)))
            .unwrap();
    }
    let items = names.iter().zip(items).zip(&data);
    let by_writer: Vec<_> =
        items.map(|((name, descriptor), buffers)| WriterItem { name, descriptor, buffers }).collect();
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    let written = writer.composite(&by_writer).map_err(rule_of);
    let planned = plan.seal().map_err(rule_of);
    assert_eq!(planned.as_ref().err(), written.as_ref().err());
    if written.is_ok() {
        checked(writer.finish().unwrap().0);
    }
    planned.map(|plan| drop(super::written(plan)))
}

#[test]
fn partitions_are_checked_before_they_are_written() {
    let partition = |members| head(CompositionRule::Partition, members);
    assert_eq!(composed(&[partition(2), part(0, 1, None), part(1, 3, None)]), Ok(()));
    assert_eq!(composed(&[partition(2), part(0, 2, None), part(1, 3, None)]), Err(Rule::Cmp25));
    assert_eq!(composed(&[partition(2), part(0, 1, None), part(2, 2, None)]), Err(Rule::Cmp26));
    assert_eq!(composed(&[partition(1), uint8(4)]), Err(Rule::Cmp15));
    assert_eq!(composed(&[partition(1), part(0, 4, Some(MemberRole::Base))]), Err(Rule::Cmp19));
}

#[test]
fn overlays_are_checked_before_they_are_written() {
    let overlay = |members| head(CompositionRule::Overlay(CombineOp::Replace), members);
    let (base, correction) = (Some(MemberRole::Base), Some(MemberRole::Correction));
    assert_eq!(composed(&[overlay(2), part(0, 4, base), part(1, 2, correction)]), Ok(()));
    assert_eq!(composed(&[overlay(1), part(0, 4, correction)]), Err(Rule::Cmp22));
    assert_eq!(composed(&[overlay(1), part(1, 3, base)]), Err(Rule::Cmp23));
    assert_eq!(composed(&[overlay(1), part(0, 4, None)]), Err(Rule::Cmp20));
}

#[test]
fn refuses_a_members_role_outside_of_overlays() {
    let base = part(0, 4, Some(MemberRole::Base));
    let overlay = head(CompositionRule::Overlay(CombineOp::Add), 1);
    assert_eq!(composed(std::slice::from_ref(&base)), Err(Rule::Cmp32));
    assert_eq!(composed(&[overlay, base.clone(), base.clone()]), Err(Rule::Cmp32));
    assert_eq!(composed(&[TensorDescriptor::group(1), base]), Err(Rule::Cmp19));
}
