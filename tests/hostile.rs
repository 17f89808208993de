//! Broken bytes: an error at the most, never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hurray::cli::{dump, problems};
use hurray::{Limits, Mode, OpenOptions, SequentialReader};
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
