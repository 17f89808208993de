//! What both formats can hold, bit for bit.

use std::fs;

use hurray::descriptor::{Layout, TensorDescriptor};
use hurray::safetensors::{ExportOptions, ImportOptions, export, import};
use hurray::{Bool, ElementType, File, Hilbert, HurrayLoad, HurraySave, KvValue, Morton, SaveOptions, Tiled};
use safetensors::SafeTensors;
use safetensors::tensor::Dtype;

use crate::common::{Folder, Listed, f32s, there_and_back, written};

/// A tensor of every type that has a counterpart.
fn every_type() -> Vec<Listed<'static>> {
    let bytes = |count: u8| (1..=count).map(|byte| byte.wrapping_mul(37)).collect::<Vec<u8>>();
    vec![
        ("bool", Dtype::BOOL, vec![3, 3], vec![1, 0, 1, 1, 0, 0, 0, 1, 1]),
        ("f4", Dtype::F4, vec![2, 3], bytes(3)),
        ("f6a", Dtype::F6_E2M3, vec![8], bytes(6)),
        ("f6b", Dtype::F6_E3M2, vec![2, 2], bytes(3)),
        ("u8", Dtype::U8, vec![5], bytes(5)),
        ("i8", Dtype::I8, vec![5], bytes(5)),
        ("e5m2", Dtype::F8_E5M2, vec![3], vec![0xFF, 0x80, 0x7C]),
        ("e4m3", Dtype::F8_E4M3, vec![3], vec![0xFF, 0x7F, 0x80]),
        ("e8m0", Dtype::F8_E8M0, vec![2], vec![0x01, 0xFE]),
        ("i16", Dtype::I16, vec![2], bytes(4)),
        ("u16", Dtype::U16, vec![2], bytes(4)),
        // A signalling NaN keeps its payload.
        ("f16", Dtype::F16, vec![1], vec![0x01, 0x7D]),
        ("bf16", Dtype::BF16, vec![1], vec![0x81, 0xFF]),
        ("i32", Dtype::I32, vec![1, 1], bytes(4)),
        ("u32", Dtype::U32, vec![1], bytes(4)),
        ("f32", Dtype::F32, vec![1], vec![0x01, 0x00, 0x80, 0x7F]),
        ("c64", Dtype::C64, vec![1], bytes(8)),
        ("f64", Dtype::F64, vec![1], bytes(8)),
        ("i64", Dtype::I64, vec![], bytes(8)),
        ("u64", Dtype::U64, vec![1], bytes(8)),
        ("none", Dtype::F32, vec![0, 10], vec![]),
        ("no bools", Dtype::BOOL, vec![0], vec![]),
    ]
}

#[test]
fn every_type_with_a_counterpart_survives_there_and_back() {
    let folder = Folder::new();
    let from = folder.write("a.safetensors", &written(&every_type(), &[("format", "pt")]));
    let (before, after) = there_and_back(&folder, &from);
    let (before, after) =
        (SafeTensors::deserialize(&before).unwrap(), SafeTensors::deserialize(&after).unwrap());
    assert_eq!(after.len(), every_type().len());
    for (name, tensor) in before.iter() {
        let again = after.tensor(name).unwrap();
        assert_eq!((again.dtype(), again.shape()), (tensor.dtype(), tensor.shape()), "{name}");
        assert_eq!(again.data(), tensor.data(), "{name}");
    }
}

#[test]
fn c23_u16_and_c64_are_carried() {
    let folder = Folder::new();
    let from = folder.write("a.safetensors", &written(&every_type(), &[]));
    import(from, folder.path("b.hrry")).unwrap();
    let file = File::read(folder.path("b.hrry")).unwrap();
    let entry = |name: &str| file.tensor(name).unwrap();
    assert_eq!(entry("u16").view::<u16>().unwrap().shape(), [2]);
    assert_eq!(entry("u16").buffer(0).unwrap(), [37, 74, 111, 148]);
    assert_eq!(entry("c64").descriptor().unwrap().element_type(), ElementType::Complex64);
    assert_eq!(entry("c64").buffer(0).unwrap().len(), 8);
}

#[test]
fn a_bool_is_a_byte_there_and_a_bit_here() {
    let folder = Folder::new();
    let from = folder.write("a.safetensors", &written(&every_type(), &[]));
    import(from, folder.path("b.hrry")).unwrap();
    let file = File::read(folder.path("b.hrry")).unwrap();
    assert_eq!(file.tensor("bool").unwrap().buffer(0).unwrap(), [0b1000_1101, 0b1]);
}

#[test]
fn more_bools_than_fit_a_block_keep_their_places() {
    let folder = Folder::new();
    let count = (1 << 20) + 13;
    let bools: Vec<u8> =
        (0..count).map(|i: u32| u8::from(i.wrapping_mul(2_654_435_761) >> 31 == 1)).collect();
    let tensors = [("mask", Dtype::BOOL, vec![count as usize], bools)];
    let from = folder.write("a.safetensors", &written(&tensors, &[]));
    let (before, after) = there_and_back(&folder, &from);
    assert!(before == after);
}

#[test]
fn bytes_of_types_without_a_counterpart_are_kept_on_request() {
    let folder = Folder::new();
    let tensors = [
        ("fnuz", Dtype::F8_E4M3FNUZ, vec![2, 2], vec![0x80, 1, 2, 3]),
        ("other", Dtype::F8_E5M2FNUZ, vec![1], vec![0x80]),
        ("scale", Dtype::F8_E8M0, vec![3], vec![0, 127, 255]),
        ("fine", Dtype::F8_E8M0, vec![1], vec![127]),
        ("mask", Dtype::BOOL, vec![3], vec![0, 1, 2]),
    ];
    let original = written(&tensors, &[("format", "pt")]);
    let from = folder.write("a.safetensors", &original);
    let ours = folder.path("b.hrry");
    let report = ImportOptions::new().keep_bytes(true).import(&from, &ours).unwrap();
    assert_eq!(report.skipped, []);
    let file = File::read(&ours).unwrap();
    let element_type = |name: &str| file.tensor(name).unwrap().descriptor().unwrap().element_type();
    assert_eq!((element_type("mask"), element_type("fine")), (ElementType::UInt8, ElementType::Float8E8M0));
    assert_eq!(file.metadata().get("hurray.safetensors.fnuz"), Some(&KvValue::from("F8_E4M3FNUZ")));
    assert_eq!(file.metadata().get("hurray.safetensors.fine"), None);
    let back = folder.path("c.safetensors");
    export(ours, &back).unwrap();
    assert!(fs::read(back).unwrap() == original);
}

#[derive(Debug, PartialEq, HurraySave, HurrayLoad)]
struct Typed {
    epochs: u32,
    rate: f64,
    classes: Vec<String>,
    few: Option<Option<bool>>,
    weight: Vec<f32>,
}

#[test]
fn metadata_with_types_survive_as_texts_on_request() {
    let folder = Folder::new();
    let model = Typed {
        epochs: 40,
        rate: 1e-3,
        classes: vec!["cat".to_owned(), "dog".to_owned()],
        few: Some(None),
        weight: vec![1.0],
    };
    let (ours, theirs, back) = (folder.path("a.hrry"), folder.path("b.safetensors"), folder.path("c.hrry"));
    hurray::save(&ours, &model).unwrap();
    ExportOptions::new().typed_metadata(true).export(&ours, &theirs).unwrap();
    let bytes = fs::read(&theirs).unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    let metadata = metadata.metadata().clone().unwrap();
    assert_eq!((metadata["epochs"].as_str(), metadata["hurray.type.epochs"].as_str()), ("40", "uint64"));
    assert_eq!(metadata["classes"], r#"["cat","dog"]"#);
    import(&theirs, &back).unwrap();
    assert_eq!(hurray::load::<Typed>(back).unwrap(), model);
}

#[test]
fn metadata_are_kept_in_order() {
    let folder = Folder::new();
    let json = r#"{"__metadata__":{"z":"1","a":"two \"words\"","format":"pt","ü":"é"},"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#;
    let padded = format!("{json}{}", " ".repeat((8 - json.len() % 8) % 8));
    let from = folder.write("a.safetensors", &crate::common::with_header(&padded, &[7]));
    let (before, after) = there_and_back(&folder, &from);
    assert_eq!(before, after);
    let file = File::read(folder.path("ours.hrry")).unwrap();
    let keys: Vec<&str> =
        file.metadata().iter().map(|(key, _)| key).filter(|key| !key.starts_with("hurray.")).collect();
    assert_eq!(keys, ["z", "a", "format", "ü"]);
    assert_eq!(file.metadata().get("a"), Some(&KvValue::from("two \"words\"")));
}

#[test]
fn mapped_files_give_the_same_bytes() {
    let folder = Folder::new();
    let from = folder.write("a.safetensors", &written(&every_type(), &[("format", "pt")]));
    import(&from, folder.path("read.hrry")).unwrap();
    // SAFETY: nobody else knows the folder.
    unsafe { hurray::safetensors::import_mapped(&from, folder.path("mapped.hrry")) }.unwrap();
    assert!(fs::read(folder.path("read.hrry")).unwrap() == fs::read(folder.path("mapped.hrry")).unwrap());
    export(folder.path("read.hrry"), folder.path("read.safetensors")).unwrap();
    let mapped = folder.path("mapped.safetensors");
    // SAFETY: nobody else knows the folder.
    unsafe { hurray::safetensors::export_mapped(folder.path("mapped.hrry"), &mapped) }.unwrap();
    assert!(fs::read(folder.path("read.safetensors")).unwrap() == fs::read(mapped).unwrap());
}

#[test]
fn options_of_the_save_are_obeyed() {
    let folder = Folder::new();
    let from = folder.write("a.safetensors", &written(&every_type(), &[]));
    let save = SaveOptions::new().alignment(1 << 16).metadata("by", "a test").sync(false);
    let report = ImportOptions::new().save(save).import(from, folder.path("b.hrry")).unwrap();
    assert_eq!(report.saved.tensors, every_type().len() as u64);
    let file = File::read(folder.path("b.hrry")).unwrap();
    assert_eq!(file.container().alignment, 1 << 16);
    assert_eq!(file.metadata().get("by"), Some(&KvValue::from("a test")));
}

/// A tensor of `layout` and the bytes of its buffer.
struct Raw(TensorDescriptor, Vec<u8>);

impl HurraySave for Raw {
    fn save<'s>(&'s self, saver: hurray::Saver<'_, 's>) -> Result<(), hurray::SaveError> {
        saver.tensor(&self.0, [self.1.as_slice().into()])
    }
}

#[derive(HurraySave)]
struct Layouts {
    byte: u8s::Small,
    column_major: Raw,
    reversed: Raw,
}

mod u8s {
    use hurray::HurraySave;

    #[derive(HurraySave)]
    pub(crate) struct Small {
        pub(crate) odd: Vec<u8>,
    }
}

#[test]
fn other_dense_layouts_are_brought_into_order_and_all_are_aligned() {
    let raw = |layout, byte_offset, values: &[f32]| {
        let descriptor = TensorDescriptor::builder(ElementType::Float32, [2, 3]).layout(layout);
        let descriptor = descriptor.byte_offset(byte_offset).buffer_sizes([24]).build().unwrap();
        Raw(descriptor, f32s(values))
    };
    let strides = [-3, 1].into_iter().collect();
    let model = Layouts {
        byte: u8s::Small { odd: vec![1, 2, 3] },
        column_major: raw(Layout::ColumnMajor, 0, &[11., 21., 12., 22., 13., 23.]),
        reversed: raw(Layout::Strided { strides }, 12, &[21., 22., 23., 11., 12., 13.]),
    };
    let folder = Folder::new();
    let file = File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap();
    let to = folder.path("a.safetensors");
    let report = ExportOptions::new().export_file(&file, &to).unwrap();
    assert_eq!(report.reordered, ["column_major", "reversed"]);
    assert_eq!(report.skipped, []);
    let bytes = fs::read(to).unwrap();
    let (header, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(metadata.offset_keys(), ["column_major", "reversed", "byte.odd"]);
    assert_eq!(header % 8, 0);
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    for name in ["column_major", "reversed"] {
        assert_eq!(tensors.tensor(name).unwrap().data(), f32s(&[11., 12., 13., 21., 22., 23.]), "{name}");
    }
    assert_eq!(tensors.tensor("byte.odd").unwrap().data(), [1, 2, 3]);
}

#[derive(HurraySave)]
struct Rearranged {
    bools: Raw,
    float4: Raw,
    float6: Raw,
    morton: Morton<f32>,
    hilbert: Hilbert<u16>,
    tiled: Tiled<Bool>,
}

#[test]
fn elements_below_a_byte_and_blocked_layouts_are_brought_into_order_too() {
    let raw = |element_type, shape: [u64; 2], bytes: &[u8]| {
        let descriptor = TensorDescriptor::builder(element_type, shape).layout(Layout::ColumnMajor);
        Raw(descriptor.buffer_sizes([bytes.len() as u64]).build().unwrap(), bytes.to_vec())
    };
    let floats: Vec<f32> = (0..12).map(|value| value as f32).collect();
    let words: Vec<u16> = (0..16).collect();
    let bools: Vec<bool> = (0..15).map(|at| at % 4 == 0).collect();
    let model = Rearranged {
        // [[1, 0, 1], [0, 1, 1]], [[1, 2], [3, 4]] and [[1, 2], [4, 8]].
        bools: raw(ElementType::Bool, [2, 3], &[0b11_10_01]),
        float4: raw(ElementType::Float4E2M1, [2, 2], &[0x31, 0x42]),
        float6: raw(ElementType::Float6E2M3, [2, 2], &[0x01, 0x21, 0x20]),
        morton: Morton::from_dense(&floats, &[3, 4]).unwrap(),
        hilbert: Hilbert::from_dense(&words, &[4, 4]).unwrap(),
        tiled: Tiled::from_dense(&bools, &[5, 3], &[2, 2]).unwrap(),
    };
    let folder = Folder::new();
    let file = File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap();
    let to = folder.path("a.safetensors");
    let report = ExportOptions::new().export_file(&file, &to).unwrap();
    assert_eq!(report.reordered.len(), 6);
    let bytes = fs::read(to).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let data = |name: &str| tensors.tensor(name).unwrap().data();
    assert_eq!(data("bools"), [1, 0, 1, 0, 1, 1]);
    assert_eq!(data("float4"), [0x21, 0x43]);
    assert_eq!(data("float6"), [0x81, 0x40, 0x20]);
    assert_eq!(data("morton"), f32s(&floats));
    assert_eq!(data("hilbert"), bytemuck::cast_slice::<u16, u8>(&words));
    assert_eq!(data("tiled"), bytemuck::cast_slice::<bool, u8>(&bools));
}

#[test]
fn tensors_of_a_safetensors_file_lend_themselves_to_a_model() {
    let bytes = written(&every_type(), &[]);
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let view: hurray::TensorView<'_, u8> = tensors.tensor("u8").unwrap().try_into().unwrap();
    assert_eq!(view.shape(), [5]);
    assert!(bytes.as_ptr_range().contains(&view.as_slice().unwrap().as_ptr()));
    let wrong = hurray::TensorView::<f32>::try_from(tensors.tensor("u8").unwrap());
    assert!(matches!(wrong, Err(hurray::TensorError::ElementType { .. })));
}
