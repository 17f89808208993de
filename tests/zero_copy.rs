//! No tensor byte is copied: views point into the mapping, and what is allocated depends on the number of
//! tensors alone.

use hurray::{File, HurrayLoad, HurraySave, Tensor, TensorView};
use hurray_tests::{Allocated, Counting, allocated_by};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(HurraySave, HurrayLoad)]
struct Layer<'a> {
    weight: TensorView<'a, f32>,
    bias: &'a [f32],
}

#[derive(HurraySave, HurrayLoad)]
struct Model<'a> {
    name: &'a str,
    layers: Vec<Layer<'a>>,
}

const MIB: usize = 1 << 20;

/// A model of two layers with so many bytes.
fn model(data: &[f32]) -> Model<'_> {
    let half = data.len() / 2;
    let layer =
        |data| Layer { weight: TensorView::from_slice(data, &[2, half / 2]).unwrap(), bias: &data[..3] };
    Model { name: "sizes", layers: vec![layer(&data[..half]), layer(&data[half..])] }
}

fn data(bytes: usize) -> Vec<f32> {
    vec![0.25; bytes / size_of::<f32>()]
}

/// The memory maps of this process that show a file, as ranges of addresses.
#[cfg(target_os = "linux")]
fn mappings_of(path: &std::path::Path) -> Vec<std::ops::Range<usize>> {
    let name = path.to_str().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let hex = |text: &str| usize::from_str_radix(text, 16).unwrap();
    maps.lines()
        .filter(|line| line.ends_with(name))
        .map(|line| {
            let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
            hex(start)..hex(end)
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn views_point_into_the_mapping() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("model.hrry");
    hurray::save(&path, &model(&data(MIB))).unwrap();
    // SAFETY: nobody changes the file in the test's own folder.
    let file = unsafe { File::map(&path) }.unwrap();
    let loaded: Model<'_> = file.load().unwrap();
    let mappings = mappings_of(&path);
    let is_mapped = |slice: &[f32]| {
        let range = slice.as_ptr_range();
        mappings.iter().any(|map| map.start <= range.start.addr() && range.end.addr() <= map.end)
    };
    assert_eq!(loaded.layers.len(), 2);
    for layer in &loaded.layers {
        assert!(is_mapped(layer.weight.as_slice().unwrap()));
        assert!(is_mapped(layer.bias));
    }
    assert!(!is_mapped(&[0.0; 4]), "the check can fail");

    let shared: std::collections::BTreeMap<String, Tensor<f32>> =
        File::clone(&file).load_at("layers.0").unwrap();
    drop(file);
    assert!(is_mapped(shared["weight"].as_slice().unwrap()), "mapped as long as a tensor lives");
    drop(shared);
    assert!(mappings_of(&path).is_empty(), "and no longer");
}

#[test]
fn a_load_of_views_allocates_the_same_for_1_and_for_256_mib() {
    let load = |bytes: usize| -> Allocated {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.hrry");
        hurray::SaveOptions::new().sync(false).save(&path, &model(&data(bytes))).unwrap();
        let ((), allocated) = allocated_by(|| {
            // SAFETY: nobody changes the file in the test's own folder.
            let file = unsafe { File::map(&path) }.unwrap();
            let loaded: Model<'_> = file.load().unwrap();
            assert_eq!(loaded.layers.iter().map(|layer| layer.weight.len() * 4).sum::<usize>(), bytes);
        });
        allocated
    };
    // Once for what is allocated only once in a process.
    load(MIB);
    let (small, large) = (load(MIB), load(256 * MIB));
    assert_eq!(small, large);
    assert!(small.bytes < 16 << 10, "{small:?}");
}

#[test]
fn a_save_to_a_sink_allocates_the_same_for_1_and_for_256_mib() {
    let save = |bytes: usize| -> Allocated {
        let data = data(bytes);
        let model = model(&data);
        allocated_by(|| hurray::to_writer(std::io::sink(), &model).unwrap()).1
    };
    save(MIB);
    let (small, large) = (save(MIB), save(256 * MIB));
    assert_eq!(small, large);
    assert!(small.bytes < MIB, "{small:?}");
}

#[test]
fn a_save_to_a_file_allocates_the_same_for_1_and_for_256_mib() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    let save = |bytes: usize| -> Allocated {
        let data = data(bytes);
        let model = model(&data);
        allocated_by(|| hurray::SaveOptions::new().sync(false).save(&path, &model).unwrap()).1
    };
    save(MIB);
    let (small, large) = (save(MIB), save(256 * MIB));
    assert_eq!(small, large);
    assert!(small.bytes < MIB, "{small:?}");
}

#[test]
fn a_strided_tensor_is_gathered_in_blocks() {
    #[derive(HurraySave)]
    struct Strided<'a> {
        weight: TensorView<'a, f32>,
    }
    let save = |bytes: usize| -> Allocated {
        let data = data(bytes);
        let rows = data.len() / 1024;
        let weight = TensorView::from_strided(&data, 0, &[1024, rows], &[1, 1024]).unwrap();
        allocated_by(|| hurray::to_writer(std::io::sink(), &Strided { weight }).unwrap()).1
    };
    save(MIB);
    // One block is filled before it is written: 2 MiB, as long as a write.
    let (small, large) = (save(4 * MIB), save(64 * MIB));
    assert_eq!(small, large);
    assert!(small.bytes < 8 * MIB, "{small:?}");
}
