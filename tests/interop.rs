//! The format's own crates, `hurray-core` and `hurray-io`, read what this library writes, and the other way round.
#![cfg(test)]

use std::io::Cursor;

use hurray::descriptor::ScaleType;
use hurray::{
    Composite, Coo, Csf, Csr, ElementType, File, HurrayLoad, HurraySave, KvArray, KvValue, Member,
    OpenOptions, Packed, Partition, Profile, QuantizedTensor, SaveOptions, Symmetry, Tensor, U4, Writer,
    WriterOptions,
};
use hurray_io::file::{FileComposite, FileItem, FileReader, FileTensor, FileWriter};
use hurray_tests::listing;

/// Tensors of most kinds, heads and entries.
#[derive(HurraySave, HurrayLoad)]
struct Model {
    name: String,
    step: u64,
    offset: i32,
    rate: f64,
    tied: bool,
    #[hurray(kv)]
    sizes: Vec<u32>,
    #[hurray(kv)]
    words: Vec<String>,
    layers: Vec<Layer>,
    #[hurray(partition(axis = 0, parts = 3))]
    split: Tensor<f32>,
    tiles: Partition<i32>,
    scalar: Tensor<f64>,
    empty: Vec<f32>,
    codes: Packed<U4>,
    mask: Vec<bool>,
    #[hurray(element_type = "bfloat16")]
    narrow: Vec<f32>,
    rows: Csr<f32>,
    coordinates: Coo<i16>,
    fibres: Csf<u8>,
    per_channel: QuantizedTensor,
    per_block: QuantizedTensor,
    nf4: QuantizedTensor,
}

#[derive(HurraySave, HurrayLoad)]
struct Layer {
    weight: Tensor<f32>,
    bias: Option<Vec<f32>>,
}

fn numbers(count: u16) -> Vec<f32> {
    (0..count).map(|number| (f32::from(number) * 0.7).sin()).collect()
}

fn model() -> Model {
    let weight = Tensor::from_vec(numbers(12), &[3, 4]).unwrap();
    let layer = |bias| Layer { weight: weight.clone(), bias };
    let sparse = |count: u16| (0..count).map(move |at| if at % 3 == 0 { at } else { 0 });
    let tile = |from: i32, shape: &[usize]| {
        Tensor::from_vec((from..).take(shape.iter().product()).collect(), shape).unwrap()
    };
    let int8 = ElementType::Int8;
    Model {
        name: "größer".into(),
        step: u64::MAX,
        offset: -7,
        rate: 1e-4,
        tied: true,
        sizes: vec![3, 4],
        words: vec!["a".into(), String::new()],
        layers: vec![layer(None), layer(Some(numbers(3)))],
        split: Tensor::from_vec(numbers(40), &[8, 5]).unwrap(),
        tiles: Partition::from_parts(&[2, 3], [([0, 0], tile(0, &[2, 1])), ([0, 1], tile(5, &[2, 2]))])
            .unwrap(),
        scalar: Tensor::from_vec(vec![0.5], &[]).unwrap(),
        empty: Vec::new(),
        codes: Packed::<U4>::from_values(&[1, 2, 3, 4, 15], &[5]).unwrap(),
        mask: vec![true, false, true],
        narrow: vec![1.0, -2.5],
        rows: Csr::from_dense(&sparse(20).map(f32::from).collect::<Vec<_>>(), &[4, 5]).unwrap(),
        coordinates: Coo::from_dense(&sparse(24).map(u16::cast_signed).collect::<Vec<_>>(), &[2, 3, 4])
            .unwrap(),
        fibres: Csf::from_dense(&(0..24).map(|at| at & 1).collect::<Vec<u8>>(), &[2, 3, 4]).unwrap(),
        per_channel: QuantizedTensor::quantize_per_channel(
            &numbers(20),
            &[4, 5],
            int8,
            1,
            Symmetry::Asymmetric,
        )
        .unwrap(),
        per_block: QuantizedTensor::quantize_per_block(
            &numbers(24),
            &[3, 8],
            int8,
            (1, 4),
            ScaleType::Float16,
            Symmetry::Symmetric,
        )
        .unwrap(),
        nf4: QuantizedTensor::quantize_nf4(&numbers(32), &[2, 16], 1, 8).unwrap(),
    }
}

/// In memory, every step of `hurray-io` is done at once.
fn wait<T>(work: impl Future<Output = hurray_io::Result<T>>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work).unwrap()
}

fn reader_of(bytes: &[u8]) -> FileReader<Cursor<&[u8]>> {
    wait(FileReader::open(Cursor::new(bytes)))
}

/// Every tensor in the order of the file, as `hurray-io` reads it.
fn tensors_of(bytes: &[u8]) -> Vec<FileTensor> {
    let mut reader = reader_of(bytes);
    let mut index = reader.index.clone();
    index.sort_by_key(|entry| entry.descriptor_offset);
    index.iter().map(|entry| wait(reader.read_tensor(&entry.name))).collect()
}

/// What `hurray-io` writes of tensors and entries.
fn written(tensors: &[FileTensor], metadata: Vec<(String, hurray_io::file::KvValue)>) -> Vec<u8> {
    let mut writer = wait(FileWriter::new(Vec::new()));
    for FileTensor { name, descriptor, buffers } in tensors {
        let buffers: Vec<&[u8]> = buffers.iter().map(|buffer| &buffer[..]).collect();
        wait(writer.write_tensor(name, descriptor, &buffers));
    }
    wait(writer.finish(metadata))
}

fn open(bytes: Vec<u8>) -> File {
    OpenOptions::new().strict().validate_descriptors(true).validate_data(true).from_vec(bytes).unwrap()
}

fn value(theirs: &hurray_io::file::KvValue) -> KvValue {
    use hurray_io::file::KvValue as Theirs;
    let text = |value: &Theirs| match value {
        Theirs::String(text) => text.clone(),
        other => panic!("{other:?} among texts"),
    };
    let number = |value: &Theirs| match value {
        Theirs::Uint64(number) => *number,
        other => panic!("{other:?} among numbers"),
    };
    match theirs {
        Theirs::String(value) => KvValue::String(value.clone()),
        Theirs::Int64(value) => KvValue::Int64(*value),
        Theirs::Uint64(value) => KvValue::UInt64(*value),
        Theirs::Float64(value) => KvValue::Float64(*value),
        Theirs::Bool(value) => KvValue::Bool(*value),
        Theirs::Bytes(value) => KvValue::Bytes(value.clone()),
        Theirs::Array(values) => KvValue::Array(match values.first() {
            Some(Theirs::String(_)) => KvArray::Strings(values.iter().map(text).collect()),
            _ => KvArray::UInt64s(values.iter().map(number).collect()),
        }),
        other => panic!("{other:?}: no type of the format"),
    }
}

#[test]
fn hurray_io_reads_every_tensor_and_entry_of_a_saved_model() {
    for options in [SaveOptions::new(), SaveOptions::new().sorted_index(true).alignment(1 << 16)] {
        let bytes = options.to_bytes(&model()).unwrap();
        let (ours, reader) = (open(bytes.clone()), reader_of(&bytes));
        assert_eq!(reader.index.len(), ours.tensors().len());
        for (entry, theirs) in ours.tensors().zip(tensors_of(&bytes)) {
            let name = entry.name();
            assert_eq!(theirs.name, name);
            let descriptor = entry.descriptor().unwrap().to_bytes();
            assert_eq!(theirs.descriptor.encode().unwrap(), descriptor, "{name}");
            let buffers = entry.buffers().unwrap();
            assert!(theirs.buffers.iter().eq(buffers.iter()), "{name}");
        }
        let metadata = reader.kv().iter().map(|(key, theirs)| (key.as_str(), value(theirs)));
        assert!(metadata.eq(ours.metadata().iter().map(|(key, value)| (key, value.clone()))));
    }
}

#[test]
fn hurray_io_puts_the_composites_of_a_saved_model_together() {
    fn tree(composite: &Composite, names: &[&str], lines: &mut Vec<String>) {
        lines.push(format!("{} {}", composite.depth(), names[composite.head()]));
        for member in composite.members() {
            match member {
                Member::Tensor(position) => lines.push(names[*position].into()),
                Member::Composite(composite) => tree(composite, names, lines),
            }
        }
    }
    fn their_tree(composite: &FileComposite, depth: usize, lines: &mut Vec<String>) {
        lines.push(format!("{depth} {}", composite.name));
        for member in &composite.members {
            match member {
                FileItem::Tensor(tensor) => lines.push(tensor.name.clone()),
                FileItem::Composite(composite) => their_tree(composite, depth + 1, lines),
            }
        }
    }
    let bytes = hurray::to_bytes(&model()).unwrap();
    let (ours, mut reader) = (open(bytes.clone()), reader_of(&bytes));
    let names: Vec<&str> = ours.tensors().map(|entry| entry.name()).collect();
    let composites = ours.composites().unwrap();
    let heads: Vec<&str> = composites.iter().map(|composite| names[composite.head()]).collect();
    assert_eq!(heads, ["layers", "split", "tiles"]);
    for composite in composites {
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        tree(composite, &names, &mut expected);
        their_tree(&wait(reader.read_composite(names[composite.head()])), 1, &mut found);
        assert_eq!(found, expected);
    }
}

#[test]
fn what_hurray_io_writes_opens_strictly_and_loads() {
    let bytes = SaveOptions::new().descriptor_table(false).to_bytes(&model()).unwrap();
    let (ours, copy) = (open(bytes.clone()), written(&tensors_of(&bytes), reader_of(&bytes).kv));
    assert_ne!(copy, bytes, "it pads in its own way");
    let copy = open(copy);
    assert_eq!(listing(&copy), listing(&ours));
    for (copied, entry) in copy.tensors().zip(ours.tensors()) {
        assert_eq!(copied.buffers().unwrap(), entry.buffers().unwrap(), "{}", entry.name());
    }
    let loaded: Model = copy.load().unwrap();
    assert_eq!(hurray::to_bytes(&loaded).unwrap(), hurray::to_bytes(&model()).unwrap());
}

#[test]
fn compact_files_are_the_very_bytes_of_hurray_io() {
    let saved = open(SaveOptions::new().descriptor_table(false).to_bytes(&model()).unwrap());
    let metadata = Some(saved.metadata().clone());
    let options = WriterOptions { profile: Profile::Compact, metadata, ..WriterOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    // Heads have no buffers, and are padded differently.
    for entry in saved.tensors().filter(|entry| !entry.buffers().unwrap().is_empty()) {
        let (descriptor, buffers) = (entry.descriptor().unwrap(), entry.buffers().unwrap());
        writer.tensor(entry.name(), &descriptor, &buffers).unwrap();
    }
    let (ours, _) = writer.finish().unwrap();
    let theirs = written(&tensors_of(&ours), reader_of(&ours).kv);
    assert_eq!(ours.len(), theirs.len());
    let difference = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
    assert_eq!(difference, None);
}
