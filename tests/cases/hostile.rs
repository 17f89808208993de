//! C20: numbers in a file that promise what is not there. One field of a valid file is changed, the checksum
//! made right again; what comes is a typed error, soon, and without memory for what was promised.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use hurray::descriptor::TensorDescriptor;
use hurray::{
    ElementType, File, HurrayLoad, HurraySave, KvValue, LoadError, OpenOptions, Rule, SaveOptions, Tensor,
    Writer, WriterOptions,
};
use hurray_tests::{Patch, allocated_by};

/// 50 ms; four times that where nothing is optimised.
const LONGEST: Duration = Duration::from_millis(if cfg!(debug_assertions) { 200 } else { 50 });
const MOST_BYTES: usize = 10_000_000;

#[derive(HurraySave, HurrayLoad)]
struct Layer {
    weight: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad)]
struct Model {
    a: Tensor<f32>,
    b: Vec<Layer>,
    name: String,
    sizes: Vec<usize>,
}

fn valid() -> Patch {
    let tensor = || Tensor::from_vec(vec![0.5; 6], &[2, 3]).unwrap();
    let model = Model { a: tensor(), b: vec![Layer { weight: tensor() }], name: "n".into(), sizes: vec![1] };
    let options = SaveOptions::new().descriptor_table(false);
    Patch::of(&options.to_bytes(&model).unwrap())
}

/// The time that this thread had a processor for; the time that went by where that is not told.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// What a user may do with a file. Gives the rule that opening with every check refuses it by.
fn steps(bytes: &[u8], mut measure: impl FnMut(&str, &mut dyn FnMut())) -> Option<Rule> {
    let mut verdict = None;
    for (mode, options) in [("permissive", OpenOptions::new().permissive()), ("strict", OpenOptions::new())] {
        let mut file = None;
        measure(&format!("{mode} open"), &mut || file = options.clone().copy_from_slice(bytes).ok());
        let all = || options.clone().validate_descriptors(true).validate_data(true);
        measure(&format!("{mode} open with every check"), &mut || {
            verdict = all().copy_from_slice(bytes).err().and_then(|error| error.rule());
        });
        let Some(file) = file else { continue };
        measure(&format!("{mode} load"), &mut || match file.load::<Model>() {
            Ok(_) => {}
            Err(LoadError::Report(report)) => assert!(report.problem_count() > 0),
            Err(error) => panic!("opened already: {error}"),
        });
        measure(&format!("{mode} load of a map"), &mut || {
            let _ = file.load::<BTreeMap<String, Tensor<f32>>>().map_err(|error| error.to_string());
        });
        measure(&format!("{mode} composites"), &mut || drop(file.composites()));
        measure(&format!("{mode} views"), &mut || {
            for entry in file.tensors() {
                let _ = entry.buffers();
                let _ = entry.view::<f32>().map(|view| view.to_vec());
            }
        });
    }
    verdict
}

fn verdict(bytes: &[u8]) -> Option<Rule> {
    steps(bytes, |_, step| step())
}

/// The rule by which a hostile file is refused; no step may take long, or much memory.
#[track_caller]
fn refused(bytes: &[u8], name: &str) -> Rule {
    let rule = steps(bytes, |step, work| {
        let mut shortest = Duration::MAX;
        // Other processes get in the way even so: the best of a few counts.
        for _ in 0..5 {
            let start = processor_time();
            let ((), allocated) = allocated_by(&mut *work);
            assert!(allocated.bytes < MOST_BYTES, "{name}: {step}: {allocated:?}");
            shortest = shortest.min(processor_time().saturating_sub(start));
            if shortest < LONGEST {
                return;
            }
        }
        panic!("{name}: {step}: {shortest:?}");
    });
    rule.unwrap_or_else(|| panic!("{name}: nothing was refused"))
}

fn le(value: u64) -> [u8; 8] {
    value.to_le_bytes()
}

#[test]
fn c20_the_file_that_is_changed_is_valid() {
    let bytes = valid().sealed();
    assert_eq!(verdict(&bytes), None);
    assert!(File::copy_from_slice(&bytes).unwrap().load::<Model>().is_ok());
}

#[test]
fn c20_counts_and_extents_of_the_index() {
    let patch = valid();
    let (index, trailer) = (patch.index(), patch.trailer());
    for count in [1 << 63, u64::MAX, 1 << 32, 5, 3, 0] {
        let rule = refused(&patch.clone().put(index.start, &le(count)).sealed(), "index entry count");
        assert!(rule.to_string().starts_with("IDX"), "{count}: {rule}");
    }
    for (offset, length) in [
        (u64::MAX - 7, 16),
        (8, u64::MAX),
        (u64::MAX - 7, u64::MAX - 7),
        (1 << 63, 1 << 63),
        (index.start as u64, u64::MAX - index.start as u64 + 1),
    ] {
        let bytes = patch.clone().put(trailer, &le(offset)).put(trailer + 8, &le(length)).sealed();
        assert_eq!(refused(&bytes, "index offset and length"), Rule::Trl02, "{offset} {length}");
    }
    // A name longer than the section.
    let (entry, _) = patch.entry("b.0.weight");
    let rule = refused(&patch.clone().put(entry, &u16::MAX.to_le_bytes()).sealed(), "name length");
    assert!(rule.to_string().starts_with("IDX"), "{rule}");
}

#[test]
fn c20_dimensions_whose_product_wraps() {
    let patch = valid();
    let shape = patch.descriptor("a") + 20;
    for dims in
        [[1 << 32, 1 << 32], [(1 << 63) + 2, 2], [u64::MAX, 2], [u64::MAX - 1, 2], [1 << 63, 2], [6, 1 << 62]]
    {
        let bytes = patch.clone().put(shape, &le(dims[0])).put(shape + 8, &le(dims[1])).sealed();
        // `DYN` is structurally allowed (FORMAT §3.4): its elements are out of reach, and the load says so.
        if dims.contains(&u64::MAX) {
            assert_eq!(verdict(&bytes), None);
            assert!(File::copy_from_slice(&bytes).unwrap().load::<Model>().is_err());
        } else {
            assert_eq!(refused(&bytes, "dimensions"), Rule::Buf14, "{dims:?}");
        }
    }
}

#[test]
fn c20_ranks_and_lengths_of_a_descriptor() {
    let patch = valid();
    let descriptor = patch.descriptor("a");
    for rank in [65u32, u32::MAX, 64, 3, 1, 0] {
        let rule = refused(&patch.clone().put(descriptor + 16, &rank.to_le_bytes()).sealed(), "rank");
        if rank > 64 {
            assert_eq!(rule, Rule::Dsc08, "{rank}");
        }
    }
    let (_, fields) = patch.entry("a");
    for length in [0u32, 19, u32::MAX, 1 << 20] {
        refused(&patch.clone().put(descriptor + 6, &length.to_le_bytes()).sealed(), "descriptor length");
        let both =
            patch.clone().put(descriptor + 6, &length.to_le_bytes()).put(fields + 8, &length.to_le_bytes());
        refused(&both.sealed(), "descriptor length, in both places");
    }
}

#[test]
fn c20_sizes_and_places_of_data() {
    let patch = valid();
    // Fixed header, two dimensions, byte offset, count of buffers.
    let buffer = patch.descriptor("a") + 20 + 16 + 8 + 1;
    let (_, fields) = patch.entry("a");
    let (_, other) = patch.entry("b.0.weight");
    let end = patch.trailer() as u64;
    for size in [u64::MAX, 1 << 63, 25, 0] {
        refused(&patch.clone().put(buffer, &le(size)).sealed(), "buffer size");
        // One byte more is allowed, if descriptor and index agree.
        if size != 25 {
            let both = patch.clone().put(buffer, &le(size)).put(fields + 20, &le(size));
            refused(&both.sealed(), "buffer size, in both places");
        }
    }
    let bytes = patch.clone().sealed();
    let data_of_other = u64::from_le_bytes(bytes[other + 12..other + 20].try_into().unwrap());
    for offset in [0, 8, 64, data_of_other, end, end + 4096, u64::MAX, u64::MAX - 4095] {
        refused(&patch.clone().put(fields + 12, &le(offset)).sealed(), "data offset");
    }
    for offset in [0, 8, 4096, end, u64::MAX - 7] {
        refused(&patch.clone().put(fields, &le(offset)).sealed(), "descriptor offset");
    }
}

#[test]
fn c20_alignments() {
    for alignment in [0u32, 1, 3, 2048, 4097, 1 << 22, 1 << 31, u32::MAX] {
        let rule = refused(&valid().put(16, &alignment.to_le_bytes()).sealed(), "alignment");
        assert!(matches!(rule, Rule::Hdr05 | Rule::Hdr06), "{alignment}: {rule}");
    }
}

#[test]
fn c20_counts_and_lengths_of_metadata() {
    let patch = valid();
    let (kv, trailer) = (patch.kv(), patch.trailer());
    for count in [u32::MAX, 1 << 31, 3, 1, 0] {
        let rule = refused(&patch.clone().put(kv, &count.to_le_bytes()).sealed(), "kv count");
        assert!(rule.to_string().starts_with("KV"), "{count}: {rule}");
    }
    // `name`, then tag and length of its string; `sizes`, then tag, element tag and count.
    let name = kv + 4 + 2 + 4;
    refused(&patch.clone().put(name + 1, &u32::MAX.to_le_bytes()).sealed(), "string length");
    let sizes = name + 1 + 4 + 1 + 2 + 5;
    for count in [u32::MAX, 1 << 29, 2] {
        refused(&patch.clone().put(sizes + 2, &count.to_le_bytes()).sealed(), "array count");
    }
    for length in [u32::MAX, 4, 1] {
        refused(&patch.clone().put(trailer + 24, &length.to_le_bytes()).sealed(), "kv length");
    }
    refused(&patch.clone().put(trailer + 16, &le(u64::MAX - 7)).sealed(), "kv offset");
}

#[test]
fn c20_member_counts_of_a_group() {
    let patch = valid();
    let head = patch.descriptor("b");
    // Shape at 20 (rank 1), byte offset at 28, rule and count at 36.
    for count in [u32::MAX, u32::MAX - 1, 1 << 31, 1000, 2] {
        for shape_too in [false, true] {
            let mut changed = patch.clone().put(head + 40, &count.to_le_bytes());
            if shape_too {
                changed = changed.put(head + 20, &le(count.into()));
            }
            let bytes = changed.sealed();
            refused(&bytes, "member count");
            let error = File::copy_from_slice(&bytes).unwrap().load::<Model>().err().expect("a torn group");
            assert!(error.to_string().contains("`b`"), "{error}");
        }
    }
}

/// `count` heads, each the only member of the one before.
fn nest(count: usize) -> Vec<u8> {
    let head = |members: u32| {
        use hurray::descriptor::{CompositeHead, CompositionRule, Layout};
        let layout = Layout::Composite(CompositeHead { rule: CompositionRule::Group, member_count: members });
        TensorDescriptor::builder(ElementType::UInt8, [u64::from(members)]).layout(layout).build().unwrap()
    };
    // Written as empty groups, then given one member each: the writer itself refuses such a nest.
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    for position in 0..count {
        writer.tensor(&format!("g{position:05}"), &head(0), &[]).unwrap();
    }
    let mut patch = Patch::of(&writer.finish().unwrap().0);
    let size = 20 + 8 + 8 + 8 + 1;
    let stride = usize::next_multiple_of(size, 8);
    for position in 0..count - 1 {
        let at = 64 + position * stride;
        patch = patch.put(at + 20, &le(1)).put(at + 40, &1u32.to_le_bytes());
    }
    patch.sealed()
}

#[test]
fn c20_nests_of_9_and_10_000_groups() {
    for count in [9, 10_000] {
        let bytes = nest(count);
        let rule = refused(&bytes, "nesting");
        assert!(rule.to_string().starts_with("CMP"), "{count}: {rule}");
    }
}

#[test]
fn c20_a_path_of_10_000_segments_does_not_overflow_the_stack() {
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "never loads")]
    struct Tree {
        k: Option<Box<Tree>>,
        w: Option<Tensor<f32>>,
    }
    let name = format!("{}w", "k.".repeat(10_000));
    let descriptor = TensorDescriptor::builder(ElementType::Float32, [1]).build().unwrap();
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    writer.tensor(&name, &descriptor, &[&[0; 4]]).unwrap();
    let file = File::from_vec(writer.finish().unwrap().0).unwrap();
    let error = file.load::<Tree>().unwrap_err();
    assert!(error.to_string().contains("Limits::nesting"), "{error}");
}

#[test]
fn c20_our_own_entries_are_not_trusted_either() {
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "never loads")]
    struct Units {
        units: Vec<()>,
    }
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "never loads")]
    struct Map {
        map: BTreeMap<String, Tensor<f32>>,
    }
    let with = |key: &str, value: KvValue| -> File {
        let mut metadata = hurray::Metadata::new();
        metadata.insert(key, value).unwrap();
        let options = WriterOptions { metadata: Some(metadata), ..WriterOptions::default() };
        File::from_vec(Writer::new(Vec::new(), options).unwrap().finish().unwrap().0).unwrap()
    };
    // A length of another type, keys of another type.
    assert!(with("hurray.seq.units", KvValue::UInt64(u64::MAX)).load::<Units>().is_err());
    assert!(with("hurray.keys.map", KvValue::UInt64(3)).load::<Map>().is_err());
    let keys = vec!["a".to_owned(), "a".to_owned()];
    assert!(with("hurray.keys.map", keys.into()).load::<Map>().is_err());
    // The head of an empty `Vec<()>` may promise at most what `Limits::sequence` allows.
    let file = hurray_tests::file_of(&Vec::<()>::new());
    assert!(file.load::<Vec<()>>().is_ok());
}
