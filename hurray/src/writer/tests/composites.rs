//! Whole composites, or nothing of them.

use super::*;
use crate::Rule;
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
