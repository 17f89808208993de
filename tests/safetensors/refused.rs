//! What can't be carried is listed, and nothing is written.

use std::fs;

use hurray::safetensors::{
    ConvertError, ExportOptions, ImportOptions, SourceError, Unsupported, UnsupportedKind, export, import,
};
use hurray::{File, FileKind, HurraySave};
use safetensors::SafeTensors;
use safetensors::tensor::Dtype;

use crate::common::{Folder, f32s, with_header, written};

fn list(error: ConvertError) -> Vec<Unsupported> {
    match error {
        ConvertError::Unsupported { list, .. } => list,
        other => panic!("{other}"),
    }
}

fn names(list: &[Unsupported]) -> Vec<(UnsupportedKind, &str)> {
    list.iter().map(|entry| (entry.kind, entry.name.as_str())).collect()
}

#[test]
fn c23_types_without_a_counterpart_are_listed_and_left_out_only_on_request() {
    let folder = Folder::new();
    let tensors = [
        ("fnuz", Dtype::F8_E4M3FNUZ, vec![2], vec![1, 2]),
        ("other", Dtype::F8_E5M2FNUZ, vec![1], vec![3]),
        ("u16", Dtype::U16, vec![2], vec![1, 2, 3, 4]),
        ("c64", Dtype::C64, vec![1], vec![1, 2, 3, 4, 5, 6, 7, 8]),
    ];
    let from = folder.write("a.safetensors", &written(&tensors, &[]));
    let error = import(&from, folder.path("b.hrry")).unwrap_err();
    assert!(error.to_string().contains("`fnuz`: F8_E4M3FNUZ has no counterpart"), "{error}");
    let refused = list(error);
    let expected = [(UnsupportedKind::Tensor, "other"), (UnsupportedKind::Tensor, "fnuz")];
    assert_eq!(names(&refused), expected);
    assert_eq!(folder.names(), ["a.safetensors"]);

    let report = ImportOptions::new().skip_unsupported(true).import(&from, folder.path("b.hrry")).unwrap();
    assert_eq!(report.skipped, refused);
    let file = File::read(folder.path("b.hrry")).unwrap();
    assert_eq!(file.tensors().len(), 2);
    assert_eq!(file.tensor("u16").unwrap().buffer(0).unwrap(), [1, 2, 3, 4]);
    assert_eq!(file.tensor("c64").unwrap().buffer(0).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn c23_an_unknown_type_does_not_lock_the_others() {
    let folder = Folder::new();
    let json = r#"{"new":{"dtype":"F3_WHATEVER","shape":[2],"data_offsets":[0,1]},"known":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}"#;
    let from = folder.write("a.safetensors", &with_header(json, &[9, 1, 2]));
    let refused = list(import(&from, folder.path("b.hrry")).unwrap_err());
    assert_eq!(names(&refused), [(UnsupportedKind::Tensor, "new")]);
    assert!(refused[0].reason.contains("F3_WHATEVER"));
    ImportOptions::new().skip_unsupported(true).import(&from, folder.path("b.hrry")).unwrap();
    let file = File::read(folder.path("b.hrry")).unwrap();
    assert_eq!(file.tensor("known").unwrap().buffer(0).unwrap(), [1, 2]);
}

/// Gives the descriptor of the tensor `name` a type tag that is not assigned.
fn with_unknown_tag(mut bytes: Vec<u8>, name: &str) -> Vec<u8> {
    let file = File::copy_from_slice(&bytes).unwrap();
    let entry = file.tensor(name).unwrap();
    let at = entry.descriptor_offset() as usize;
    let tag = entry.descriptor().unwrap().element_type().tag();
    let end = at + entry.descriptor_length() as usize;
    let place = (at + 8..end).find(|&place| {
        let mut changed = bytes.clone();
        changed[place] = 0x47;
        bytes[place] == tag
            && File::from_vec(changed).is_ok_and(|file| {
                file.tensor(name)
                    .unwrap()
                    .descriptor()
                    .is_err_and(|error| error.rule().id().starts_with("TYP"))
            })
    });
    bytes[place.expect("a descriptor has the tag of its element type")] = 0x47;
    bytes
}

#[derive(HurraySave)]
struct Three {
    first: Vec<f32>,
    second: Vec<f32>,
    third: Vec<f32>,
}

#[test]
fn c23_an_unknown_type_tag_of_ours_is_listed_and_the_rest_carried() {
    let folder = Folder::new();
    let model = Three { first: vec![1.0], second: vec![2.0], third: vec![3.0] };
    let save = hurray::SaveOptions::new().descriptor_table(false);
    let bytes = with_unknown_tag(save.to_bytes(&model).unwrap(), "second");
    let from = folder.write("a.hrry", &bytes);
    let refused = list(export(&from, folder.path("b.safetensors")).unwrap_err());
    assert_eq!(names(&refused), [(UnsupportedKind::Tensor, "second")]);
    assert_eq!(folder.names(), ["a.hrry"]);
    let to = folder.path("b.safetensors");
    ExportOptions::new().skip_unsupported(true).export(&from, &to).unwrap();
    let bytes = fs::read(to).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.len(), 2);
    assert_eq!(tensors.tensor("third").unwrap().data(), f32s(&[3.0]));
}

#[test]
fn values_that_would_change_are_refused() {
    let folder = Folder::new();
    let tensors = [
        ("mask", Dtype::BOOL, vec![3], vec![0, 1, 2]),
        ("scale", Dtype::F8_E8M0, vec![2], vec![127, 0xFF]),
        ("zero", Dtype::F8_E8M0, vec![1], vec![0]),
        ("fine", Dtype::F8_E8M0, vec![1], vec![127]),
    ];
    let from = folder.write("a.safetensors", &written(&tensors, &[]));
    let refused = list(import(&from, folder.path("b.hrry")).unwrap_err());
    let tensor = UnsupportedKind::Tensor;
    assert_eq!(names(&refused), [(tensor, "scale"), (tensor, "zero"), (tensor, "mask")]);
    assert!(refused[2].reason.contains("element 2 is 0x02"), "{}", refused[2]);
    assert!(refused[0].reason.contains("element 1 is 0xff"), "{}", refused[0]);
}

#[derive(HurraySave)]
struct Typed {
    epochs: u32,
    name: String,
    layers: Vec<Three>,
    nibbles: Vec<f32>,
}

#[test]
fn typed_metadata_and_empty_groups_have_no_place() {
    let folder = Folder::new();
    let model = Typed { epochs: 3, name: "m".into(), layers: vec![], nibbles: vec![1.0] };
    let from = folder.path("a.hrry");
    hurray::save(&from, &model).unwrap();
    let refused = list(export(&from, folder.path("b.safetensors")).unwrap_err());
    let expected = [(UnsupportedKind::Composite, "layers"), (UnsupportedKind::Metadata, "epochs")];
    assert_eq!(names(&refused), expected);
    let to = folder.path("b.safetensors");
    let report = ExportOptions::new().skip_unsupported(true).export(&from, &to).unwrap();
    assert_eq!(report.skipped, refused);
    let bytes = fs::read(to).unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    let metadata = metadata.metadata().clone().unwrap();
    assert_eq!(metadata, [("name".to_owned(), "m".to_owned())].into());
}

#[test]
fn names_and_keys_of_the_library_are_refused() {
    let folder = Folder::new();
    let tensors = [("hurray.w", Dtype::U8, vec![1], vec![1]), ("", Dtype::U8, vec![1], vec![1])];
    let metadata = [("hurray.seq.x", "1"), ("hurray.tied.a", "b"), ("", "2")];
    let from = folder.write("a.safetensors", &written(&tensors, &metadata));
    let mut refused = list(import(&from, folder.path("b.hrry")).unwrap_err());
    refused.sort_by(|a, b| a.name.cmp(&b.name));
    let (tensor, entry) = (UnsupportedKind::Tensor, UnsupportedKind::Metadata);
    let found = names(&refused);
    assert_eq!(found.len(), 4, "{found:?}");
    for expected in [(entry, ""), (tensor, ""), (entry, "hurray.seq.x"), (tensor, "hurray.w")] {
        assert!(found.contains(&expected), "{expected:?}");
    }
}

#[test]
fn metadata_that_lie_about_their_type_are_refused() {
    let folder = Folder::new();
    let metadata = [("epochs", "many"), ("hurray.type.epochs", "uint64"), ("hurray.type.nothing", "bool")];
    let from = folder.write("a.safetensors", &written(&[], &metadata));
    let mut refused = list(import(&from, folder.path("b.hrry")).unwrap_err());
    refused.sort_by(|a, b| a.name.cmp(&b.name));
    let entry = UnsupportedKind::Metadata;
    assert_eq!(names(&refused), [(entry, "epochs"), (entry, "hurray.type.nothing")]);
}

fn source_error(bytes: &[u8]) -> SourceError {
    let folder = Folder::new();
    let from = folder.write("a.safetensors", bytes);
    match import(&from, folder.path("b.hrry")).unwrap_err() {
        ConvertError::Source { path, problem } => {
            assert_eq!(path, from);
            assert_eq!(folder.names(), ["a.safetensors"]);
            problem
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_wrong_file_is_named_for_what_it_is() {
    let ours = hurray::to_bytes(&Three { first: vec![], second: vec![], third: vec![] }).unwrap();
    for (bytes, kind) in [
        (&b""[..], FileKind::Empty),
        (b"GGUF\x03\0\0\0", FileKind::Gguf),
        (b"version https://git-lfs.github.com/spec/v1\n", FileKind::GitLfsPointer),
        (&ours, FileKind::Hurray),
        (&[0; 64], FileKind::Unknown),
    ] {
        assert!(matches!(source_error(bytes), SourceError::Other(found) if found == kind), "{kind}");
    }
}

#[test]
fn a_cut_or_lengthened_file_is_refused() {
    let whole = written(&[("w", Dtype::F32, vec![2], f32s(&[1.0, 2.0]))], &[]);
    let needed = whole.len() as u64;
    for have in [needed - 1, needed - 8, needed - 20] {
        let error = source_error(&whole[..have as usize]);
        assert!(matches!(error, SourceError::Size { have: found, .. } if found == have), "{error}");
    }
    let mut long = whole.clone();
    long.push(0);
    assert!(matches!(source_error(&long), SourceError::Size { needed: n, .. } if n == needed));
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    let of = |json: &str| source_error(&with_header(json, &[0; 8]));
    let tensor = |json: &str| match of(json) {
        SourceError::Tensor { name, problem } => (name, problem),
        other => panic!("{other}"),
    };
    assert!(matches!(of(r#"{"a":"#), SourceError::Header(_)));
    assert!(matches!(of(r#"{"__metadata__":{"a":1}}"#), SourceError::Header(_)));
    for json in [
        // Too large for its shape, and the other way.
        r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}"#,
        r#"{"w":{"dtype":"F64","shape":[2],"data_offsets":[0,8]}}"#,
        // A gap, and an overlap.
        r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#,
        r#"{"v":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#,
        r#"{"w":{"dtype":"F64","shape":[1],"data_offsets":[8,0]}}"#,
        r#"{"w":{"dtype":"F64","shape":[-1],"data_offsets":[0,8]}}"#,
        r#"{"w":{"dtype":"F64","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,8]}}"#,
        r#"{"w":{"dtype":"F64","shape":[1],"data_offsets":[0,18446744073709551615]}}"#,
        r#"{"w":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}"#,
        r#"{"w":{"dtype":"F64","shape":[1]}}"#,
        r#"{"w":{"shape":[1],"data_offsets":[0,8]}}"#,
        r#"{"w":[]}"#,
        // Twice the same name: the first place belongs to nobody.
        r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#,
    ] {
        assert_eq!(tensor(json).0, "w", "{json}");
    }
    // A length that no memory should be reserved for.
    let huge = [u64::MAX.to_le_bytes().as_slice(), b"{}"].concat();
    assert!(matches!(source_error(&huge), SourceError::Other(FileKind::Unknown)));
    let long = [99_999_999u64.to_le_bytes().as_slice(), b"{}"].concat();
    assert!(matches!(source_error(&long), SourceError::Size { .. }));
}
