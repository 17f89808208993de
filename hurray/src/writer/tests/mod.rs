//! Tests of the writer as a whole.

mod bytes;
mod composites;
mod file;
mod refusals;
mod sources;

use super::form::FileForm;
use super::plan::PlanOptions;
use super::{Plan, Profile, SaveError, SealedPlan, TensorSource};
use crate::descriptor::TensorDescriptor;
use crate::element::ElementType;
use crate::{File, SequentialReader};

const COMPACT: FileForm = FileForm { alignment: 4096, sorted_index: false, profile: Profile::Compact };

fn dense(element_type: ElementType, shape: &[u64], byte_size: u64) -> TensorDescriptor {
    TensorDescriptor::row_major(element_type, shape.iter().copied(), byte_size)
}

fn uint8(len: u64) -> TensorDescriptor {
    dense(ElementType::UInt8, &[len], len)
}

fn plan<'s>(form: FileForm) -> Plan<'s> {
    Plan::new(PlanOptions { form, ..PlanOptions::default() }).unwrap()
}

/// The tensors of the worked example of FORMAT §2.4.
fn example<'s>(form: FileForm) -> SealedPlan<'s> {
    let mut plan = plan(form);
    plan.push("weights", &dense(ElementType::Float32, &[2, 2], 16), [vec![0; 16].into()]).unwrap();
    plan.push("bias", &dense(ElementType::Int8, &[3], 3), [vec![0; 3].into()]).unwrap();
    plan.kv("producer", "hurray-conformance").unwrap();
    plan.kv("tensor_count", 2_i64).unwrap();
    plan.seal().unwrap()
}

fn written(plan: SealedPlan<'_>) -> Vec<u8> {
    let size = plan.file_size_bytes();
    let mut bytes = Vec::new();
    plan.write_to(&mut bytes, None).unwrap();
    assert_eq!(bytes.len() as u64, size);
    checked(bytes)
}

/// What strict readers, with and without seek, have nothing to say against.
fn checked(bytes: Vec<u8>) -> Vec<u8> {
    let mut reader = SequentialReader::new(&bytes[..]).unwrap();
    while reader.next_tensor().unwrap().is_some() {}
    reader.finish().unwrap();
    let file = File::from_vec(bytes.clone()).unwrap();
    assert_eq!(file.validate_structure(), []);
    assert_eq!(file.validate_padding(), []);
    bytes
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().unwrap())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*bytes[at..].first_chunk().unwrap())
}

fn rule_of(error: SaveError) -> crate::Rule {
    error.format().unwrap_or_else(|| panic!("{error:?}")).rule()
}

fn borrowed(bytes: &[u8]) -> [TensorSource<'_>; 1] {
    [TensorSource::Borrowed(bytes)]
}
