//! Byte for byte.

use super::*;
use crate::writer::{Writer, WriterOptions};
use crate::{KvValue, Metadata};

/// The example again, by the low-level writer.
fn example_by_writer(form: FileForm, count: Option<u64>) -> Vec<u8> {
    let mut metadata = Metadata::new();
    metadata.insert("producer", "hurray-conformance").unwrap();
    metadata.insert("tensor_count", 2_i64).unwrap();
    let options = WriterOptions {
        metadata: Some(metadata),
        tensor_count: count,
        profile: form.profile,
        sorted_index: form.sorted_index,
        ..WriterOptions::default()
    };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    let weights = dense(ElementType::Float32, &[2, 2], 16);
    writer.tensor("weights", &weights, &[&[0; 16]]).unwrap();
    writer.tensor("bias", &dense(ElementType::Int8, &[3], 3), &[&[0; 3]]).unwrap();
    let (bytes, report) = writer.finish().unwrap();
    assert_eq!((report.bytes, report.tensors), (bytes.len() as u64, 2));
    bytes
}

/// FORMAT appendix A, from the table there; checked against the published file in the integration tests.
fn golden() -> Vec<u8> {
    let descriptor = |len: u32, tag: u8, shape: &[u64], size: u64| {
        let mut bytes = b"HRRY\x01\x00".to_vec();
        bytes.extend(len.to_le_bytes());
        bytes.extend([0, 0, 0, 0, tag, 1]);
        bytes.extend((shape.len() as u32).to_le_bytes());
        shape.iter().for_each(|dim| bytes.extend(dim.to_le_bytes()));
        bytes.extend([0; 8]);
        bytes.push(1);
        bytes.extend(size.to_le_bytes());
        bytes.extend([64, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes.len(), len as usize);
        bytes
    };
    let mut file = b"HRRYFILE\x01\0\0\0\x04\0\0\0\0\x10\0\0\x40\0\0\0\0\0\0\0".to_vec();
    file.extend([0xFF; 8]);
    file.resize(64, 0);
    file.extend(descriptor(61, 0x03, &[2, 2], 16));
    file.resize(4112, 0);
    file.extend(descriptor(53, 0x10, &[3], 3));
    file.resize(8200, 0);
    file.extend(b"\x02\0\0\0\x08\0producer\x01\x12\0\0\0hurray-conformance");
    file.extend(b"\x0c\0tensor_count\x02\x02\0\0\0\0\0\0\0");
    file.resize(8264, 0);
    file.extend(2_u64.to_le_bytes());
    for (name, places) in [("weights", [64_u64, 4096, 16]), ("bias", [4112, 8192, 3])] {
        file.extend((name.len() as u16).to_le_bytes());
        file.extend(name.as_bytes());
        file.extend(places[0].to_le_bytes());
        file.extend(if name == "bias" { 53_u32 } else { 61 }.to_le_bytes());
        file.extend(places[1].to_le_bytes());
        file.extend(places[2].to_le_bytes());
        file.extend([0; 4]);
    }
    for field in [8264_u64, 87, 8200] {
        file.extend(field.to_le_bytes());
    }
    file.extend(60_u32.to_le_bytes());
    file.extend(0x5134_9F72_u32.to_le_bytes());
    file.extend(b"\0\0\0\0HRRY");
    assert_eq!(file.len(), 8391);
    file
}

#[test]
fn the_compact_profile_gives_the_published_bytes() {
    assert!(written(example(COMPACT)) == golden());
    assert!(example_by_writer(COMPACT, None) == golden());
}

#[test]
fn the_padded_profile_gives_the_worked_example() {
    let bytes = written(example(FileForm::default()));
    assert_eq!(bytes.len(), 16575);
    // All three but the sorted index; the count is announced.
    assert_eq!((u32_at(&bytes, 12), u64_at(&bytes, 28)), (5, 2));
    assert_eq!(&bytes[8192..8196], b"HRRY");
    assert_eq!([16535, 16543, 16551].map(|at| u64_at(&bytes, at)), [16448, 87, 16384]);
    assert_eq!(u32_at(&bytes, 16559), 60);
    assert_eq!(u32_at(&bytes, 16563), crc32c::crc32c(&bytes[16448..16535]));
    assert!(example_by_writer(FileForm::default(), Some(2)) == bytes);
}

#[test]
fn the_same_plan_gives_the_same_bytes() {
    assert!(written(example(FileForm::default())) == written(example(FileForm::default())));
}

#[test]
fn a_file_without_tensors_is_the_smallest() {
    let bytes = written(plan(FileForm::default()).seal().unwrap());
    assert_eq!(bytes.len(), 112);
    assert_eq!(u32_at(&bytes, 12), 4);
    let (bytes, _) = Writer::new(Vec::new(), WriterOptions::default()).unwrap().finish().unwrap();
    assert_eq!(bytes.len(), 112);
}

#[test]
fn a_declared_but_empty_section_is_written() {
    let options = WriterOptions { metadata: Some(Metadata::new()), ..WriterOptions::default() };
    let (bytes, _) = Writer::new(Vec::new(), options).unwrap().finish().unwrap();
    assert_eq!((u32_at(&bytes, 12) & 1, u64_at(&bytes, 80 + 16), u32_at(&bytes, 80 + 24)), (1, 64, 4));
}

#[test]
fn the_sorted_index_leaves_the_data_in_their_order() {
    let form = FileForm { sorted_index: true, ..FileForm::default() };
    let bytes = written(example(form));
    assert_eq!(u32_at(&bytes, 12), 7);
    let entries = &bytes[16448 + 8..];
    assert_eq!((&entries[2..6], u64_at(entries, 6)), (&b"bias"[..], 8192));
    assert_eq!(&entries[38 + 2..38 + 9], b"weights");
    assert!(example_by_writer(form, Some(2)) == bytes);
}

#[test]
fn large_alignment_places_data_at_its_multiples() {
    let form = FileForm { alignment: 2 << 20, ..FileForm::default() };
    let mut plan = plan(form);
    plan.push("a", &uint8(3), borrowed(b"abc")).unwrap();
    plan.push("b", &uint8(3), borrowed(b"def")).unwrap();
    let bytes = written(plan.seal().unwrap());
    assert_eq!(&bytes[2 << 20..][..4], b"abc\0");
    assert_eq!(&bytes[6 << 20..][..4], b"def\0");
}

#[test]
fn checksums_are_of_the_data_in_file_order() {
    let options = PlanOptions { checksums: true, ..PlanOptions::default() };
    let mut plan = Plan::new(options).unwrap();
    plan.kv("x", KvValue::Bool(true)).unwrap();
    plan.push_group("g").unwrap();
    plan.set_member_count(0, 1).unwrap();
    plan.push("g.a", &uint8(9), borrowed(b"123456789")).unwrap();
    plan.push("b", &uint8(0), borrowed(b"")).unwrap();
    let bytes = written(plan.seal().unwrap());
    let trailer = bytes.len() - 40;
    let kv_end = (u64_at(&bytes, trailer + 16) + u64::from(u32_at(&bytes, trailer + 24))) as usize;
    let sums = [12, 8, 4].map(|before| u32_at(&bytes, kv_end - before));
    assert_eq!(sums, [0, 0xE306_9283, 0]);
    assert_eq!(u32_at(&bytes, kv_end - 16), 12);
}
