//! Broken bytes: an error at the most, never a panic.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use hurray::cli::{dump, problems};
use hurray::descriptor::{Layout, TensorDescriptor};
use hurray::{DynTensor, ElementType, Limits, Mode, OpenOptions, PrivateTags, SequentialReader};
use hurray_tests::manifest::vectors;

/// Opens, verifies and dumps in both modes, and reads in sequence. Whether that succeeds does not matter.
fn use_all(bytes: &[u8]) {
    for options in [OpenOptions::new(), OpenOptions::new().permissive()] {
        let Ok(file) = options.from_vec(bytes.to_vec()) else { continue };
        let _ = problems(&file, true);
        let _ = dump(&file, true);
    }
    for mode in [Mode::Strict, Mode::Permissive] {
        let Ok(mut reader) = SequentialReader::with(bytes, mode, Limits::default()) else { continue };
        while let Ok(Some(_)) = reader.next_tensor() {}
        let _ = reader.finish();
    }
}

fn survives(name: &str, bytes: &[u8]) {
    let used = catch_unwind(AssertUnwindSafe(|| use_all(bytes)));
    assert!(used.is_ok(), "{name} panics");
}

#[test]
fn invalid_files_are_no_reason_to_panic() {
    for vector in vectors("invalid") {
        survives(&vector.name, &vector.bytes());
    }
}

#[test]
fn cut_files_are_no_reason_to_panic() {
    for vector in vectors("valid") {
        let bytes = vector.bytes();
        let sizes = [0, 7, 8, 63, 64, 84, 111, 112, 4096].into_iter();
        let from_end = [1, 4, 39, 40, 41, 48, 100].into_iter().map(|cut| bytes.len().saturating_sub(cut));
        for size in sizes.chain(from_end).filter(|size| *size <= bytes.len()) {
            survives(&format!("{} cut to {size}", vector.name), &bytes[..size]);
        }
    }
}

#[test]
fn a_claim_of_many_elements_takes_no_memory() {
    use hurray::descriptor::{Layout, TensorDescriptor};
    use hurray::{ElementType, Writer, WriterOptions};

    let shape = [1 << 12, 1 << 12];
    let coo = Layout::Coo { nnz: 0, is_sorted: true };
    let descriptor = TensorDescriptor::builder(ElementType::Float32, shape).layout(coo).build().unwrap();
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    writer.tensor("zeros", &descriptor, &[&[], &[]]).unwrap();
    let (bytes, _) = writer.finish().unwrap();
    let dumped = dump(&hurray::File::from_vec(bytes).unwrap(), true);
    assert_eq!(dumped.value["tensors"][0]["values_omitted"], "16777216 elements");
}

/// Where a file has something other than data or padding: what is not zero, in short runs.
fn interesting(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|at| bytes[*at] != 0 || at % 8 == 0 && *at < 4096).collect()
}

#[test]
fn flipped_bits_are_no_reason_to_panic() {
    const FLIPS: usize = 16;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for vector in vectors("valid") {
        let mut bytes = vector.bytes();
        let places = interesting(&bytes);
        for _ in 0..FLIPS {
            let (at, bit) = (places[next(places.len())], next(8));
            let before = bytes[at];
            bytes[at] = [before ^ 1 << bit, 0xFF, 0x7F, 0][next(4)];
            survives(&format!("{} with byte {at} {:#04x}", vector.name, bytes[at]), &bytes);
            bytes[at] = before;
        }
    }
}

/// A file of which the tensor region holds `region`, and the index entries without data: name, where the descriptor
/// starts in the region, and its length.
fn container(region: &[u8], entries: impl ExactSizeIterator<Item = (String, u64, u32)>) -> Vec<u8> {
    container_with(region, &[], entries)
}

/// The same with a table of descriptors, unless that is empty.
fn container_with(
    region: &[u8],
    table: &[u8],
    entries: impl ExactSizeIterator<Item = (String, u64, u32)>,
) -> Vec<u8> {
    const FIRST: u64 = 64;
    const KEY: &[u8] = b"hurray.descriptors";
    const BYTES_TAG: u8 = 6;
    let mut bytes = b"HRRYFILE\x01\0\0\0".to_vec();
    bytes.extend(u32::from(!table.is_empty()).to_le_bytes());
    bytes.extend(4096u32.to_le_bytes());
    bytes.extend(FIRST.to_le_bytes());
    bytes.extend(u64::MAX.to_le_bytes());
    bytes.resize(64, 0);
    bytes.extend(region);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let kv = bytes.len();
    if !table.is_empty() {
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(u16::try_from(KEY.len()).unwrap().to_le_bytes());
        bytes.extend(KEY);
        bytes.push(BYTES_TAG);
        bytes.extend(u32::try_from(table.len()).unwrap().to_le_bytes());
        bytes.extend(table);
    }
    let kv_length = u32::try_from(bytes.len() - kv).unwrap();
    let kv_offset = if kv_length == 0 { 0 } else { kv as u64 };
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let index = bytes.len() as u64;
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (name, offset, length) in entries {
        bytes.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        bytes.extend(name.bytes());
        bytes.extend((FIRST + offset).to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend([0; 20]);
    }
    let index_length = bytes.len() as u64 - index;
    bytes.extend(index.to_le_bytes());
    bytes.extend(index_length.to_le_bytes());
    bytes.extend(kv_offset.to_le_bytes());
    bytes.extend(kv_length.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(b"HRRY");
    bytes
}

/// `count` tensors whose descriptors are all the same `length` bytes, of a layout that nobody knows: what permissive
/// mode lets through.
fn with_shared_descriptors(count: u32, length: u32) -> Vec<u8> {
    container(&shared_descriptor(length), (0..count).map(|number| (number.to_string(), 0, length)))
}

/// `length` bytes of a descriptor of a layout that nobody knows.
fn shared_descriptor(length: u32) -> Vec<u8> {
    let mut region = b"HRRY\x01\0".to_vec();
    region.extend(length.to_le_bytes());
    // No flags, float32, a layout without meaning, one dimension of one element.
    region.extend([0, 0, 0, 0, 3, 100, 1, 0, 0, 0, 1]);
    region.resize(usize::try_from(length).unwrap(), 0);
    region
}

#[test]
fn descriptors_that_lie_on_each_other_are_not_compared_byte_by_byte() {
    #[derive(hurray::HurrayLoad)]
    struct Wanted {
        #[expect(dead_code, reason = "never loads")]
        group: BTreeMap<String, hurray::Tensor<f32>>,
    }
    let bytes = with_shared_descriptors(20_000, 16 << 20);
    // More than 300 GB, if each were compared with the one before.
    let start = Instant::now();
    let file = OpenOptions::new().permissive().copy_from_slice(&bytes).unwrap();
    assert_eq!(file.tensors().len(), 20_000);
    assert!(file.tensors().all(|entry| entry.descriptor().is_ok()));
    assert!(file.load::<Wanted>().is_err());
    let checked = OpenOptions::new().permissive().validate_descriptors(true).validate_data(true);
    assert!(checked.copy_from_slice(&bytes).is_ok());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn descriptors_that_lie_on_each_other_are_not_all_compared_with_their_copy() {
    const COUNT: u32 = 20_000;
    const LENGTH: u32 = 16 << 20;
    let region = shared_descriptor(LENGTH);
    let mut table = 2u32.to_le_bytes().to_vec();
    // One copy, which every tensor has.
    let rest = [&1u32.to_le_bytes()[..], &vec![0; COUNT as usize * 4], &region].concat();
    table.extend(crc32c::crc32c(&rest).to_le_bytes());
    table.extend(rest);
    let bytes = container_with(&region, &table, (0..COUNT).map(|number| (number.to_string(), 0, LENGTH)));
    // More than 300 GB, if each were compared.
    let start = Instant::now();
    let file = OpenOptions::new().permissive().copy_from_slice(&bytes).unwrap();
    assert!(file.validate_descriptor_table().is_ok());
    let checked = OpenOptions::new().permissive().validate_descriptors(true).validate_data(true);
    assert!(checked.copy_from_slice(&bytes).is_ok());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// The same of a private layout, whose own fields of `length` bytes fill the descriptor.
fn with_shared_private_fields(count: u32, length: usize) -> Vec<u8> {
    let layout = Layout::Extension { tag: 0xF0, id: 0, data: vec![0; length].into() };
    let descriptor = TensorDescriptor::builder(ElementType::Float32, [1]).layout(layout).buffer_sizes([0]);
    let tensor = DynTensor::from_parts(descriptor.build().unwrap(), &[[]]).unwrap();
    let region = descriptor_of(&BTreeMap::from([("group".to_owned(), tensor)]));
    let length = u32::try_from(region.len()).unwrap();
    container(&region, (0..count).map(|number| (number.to_string(), 0, length)))
}

#[test]
fn private_fields_that_lie_on_each_other_are_not_copied_for_each_of_them() {
    #[derive(hurray::HurrayLoad)]
    struct Wanted {
        #[expect(dead_code, reason = "never loads")]
        group: BTreeMap<String, hurray::Tensor<f32>>,
    }
    let bytes = with_shared_private_fields(20_000, 16 << 20);
    let mut tags = PrivateTags::default();
    tags.layouts.push((0xF0, 0));
    // More than 300 GB, if each were copied.
    let start = Instant::now();
    let file = OpenOptions::new().permissive().private_tags(tags).copy_from_slice(&bytes).unwrap();
    // The buffer, of no bytes, is said to lie at the start of the file.
    assert!(file.validate_structure().iter().all(|error| error.rule() == hurray::Rule::Plc02));
    assert_eq!(file.composites().unwrap().len(), 0);
    assert!(file.load::<Wanted>().is_err());
    // Whoever asks for one gets it whole.
    let descriptor = file.tensor("7").unwrap().descriptor().unwrap();
    assert!(matches!(descriptor.layout(), Layout::Extension { data, .. } if data.len() == 16 << 20));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[derive(hurray::HurraySave)]
struct Saved {
    group: BTreeMap<String, Vec<f32>>,
}

/// The descriptor of a group of `members`.
fn group(members: u32) -> Vec<u8> {
    let group = (0..members).map(|member| (member.to_string(), vec![1.0])).collect();
    descriptor_of(&Saved { group })
}

/// The bytes of the descriptor of what is saved as `group`.
fn descriptor_of(model: &impl hurray::HurraySave) -> Vec<u8> {
    let bytes = hurray::to_bytes(model).unwrap();
    let file = OpenOptions::new().permissive().copy_from_slice(&bytes).unwrap();
    let entry = file.tensor("group").unwrap();
    let start = usize::try_from(entry.descriptor_offset()).unwrap();
    bytes[start..start + usize::try_from(entry.descriptor_length()).unwrap()].to_vec()
}

#[test]
fn groups_within_groups_are_not_searched_once_for_each_of_them() {
    #[derive(hurray::HurrayLoad)]
    struct Wanted {
        maps: Vec<BTreeMap<String, hurray::Tensor<f32>>>,
    }
    const COUNT: u32 = 20_000;
    let (outer, innermost) = (group(1), group(0));
    let length = u32::try_from(outer.len()).unwrap();
    let step = outer.len().next_multiple_of(8);
    let mut region = Vec::new();
    for number in 1..=COUNT {
        region.extend(if number < COUNT { &outer } else { &innermost });
        region.resize(region.len().next_multiple_of(step), 0);
    }
    let entries =
        (0..COUNT).map(|number| (format!("maps.{number}"), u64::from(number) * step as u64, length));
    let file = OpenOptions::new().copy_from_slice(&container(&region, entries)).unwrap();
    let start = Instant::now();
    let wanted: Wanted = file.load().unwrap();
    assert_eq!(wanted.maps.len(), 20_000);
    assert!(wanted.maps.iter().all(BTreeMap::is_empty));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
