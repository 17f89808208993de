//! Sets of shards with an index are read as one.

use std::fs;
use std::path::{Path, PathBuf};

use hurray::safetensors::{ConvertError, ShardProblemKind, import};
use hurray::{File, KvValue};
use safetensors::tensor::Dtype;

use crate::common::{Folder, f32s, written};

const SHARDS: [&str; 4] = [
    "model-00001-of-00004.safetensors",
    "model-00002-of-00004.safetensors",
    "model-00003-of-00004.safetensors",
    "model-00004-of-00004.safetensors",
];
const INDEX: &str = "model.safetensors.index.json";

fn shard(number: usize) -> Vec<u8> {
    let names = [format!("layers.{number}.bias"), format!("layers.{number}.weight")];
    let tensors = [
        (names[0].as_str(), Dtype::F32, vec![1], f32s(&[number as f32])),
        (names[1].as_str(), Dtype::F32, vec![2], f32s(&[number as f32, 0.5])),
    ];
    written(&tensors, &[("format", "pt")])
}

fn set() -> (Folder, PathBuf) {
    let folder = Folder::new();
    let mut weights = Vec::new();
    for (number, name) in SHARDS.iter().enumerate() {
        folder.write(name, &shard(number));
        // As in the wild: not in the order of the shards.
        weights
            .insert(0, format!("\"layers.{number}.weight\":\"{name}\",\"layers.{number}.bias\":\"{name}\""));
    }
    let json = format!(
        "{{\"metadata\":{{\"total_size\":48,\"total_parameters\":12,\"by\":\"me\"}},\"weight_map\":{{{}}}}}",
        weights.join(",")
    );
    let index = folder.write(INDEX, json.as_bytes());
    (folder, index)
}

#[test]
fn c22_a_set_opens_from_its_index_and_from_any_shard() {
    let (folder, index) = set();
    for (number, from) in [index, folder.path(SHARDS[0]), folder.path(SHARDS[3])].into_iter().enumerate() {
        let to = folder.path(&format!("{number}.hrry"));
        let report = import(from, &to).unwrap();
        assert_eq!(report.sources.len(), 4);
        let file = File::read(to).unwrap();
        let names: Vec<&str> = file.tensors().map(|entry| entry.name()).collect();
        assert_eq!(names.len(), 8);
        assert_eq!(names[..3], ["layers.0.bias", "layers.0.weight", "layers.1.bias"]);
        let weight = file.tensor("layers.3.weight").unwrap().view::<f32>().unwrap();
        assert_eq!(weight.as_slice(), Some(&[3.0, 0.5][..]));
        assert_eq!(file.metadata().get("format"), Some(&KvValue::from("pt")));
        assert_eq!(file.metadata().get("total_parameters"), Some(&KvValue::UInt64(12)));
        assert_eq!(file.metadata().get("total_size"), None);
    }
}

/// What is wrong, in the order in which it is found.
fn problems_in(folder: &Folder, from: &Path) -> Vec<ShardProblemKind> {
    let before = folder.names();
    let error = import(from, folder.path("b.hrry")).unwrap_err();
    assert_eq!(folder.names(), before, "nothing is written");
    match error {
        ConvertError::Set { problems, .. } => problems.into_iter().map(|problem| problem.kind).collect(),
        other => panic!("{other}"),
    }
}

/// The problems, as file names and what is wrong.
fn problems(folder: &Folder, from: &Path) -> Vec<(String, ShardProblemKind)> {
    let before = folder.names();
    let error = import(from, folder.path("b.hrry")).unwrap_err();
    assert_eq!(folder.names(), before, "nothing is written");
    match error {
        ConvertError::Set { problems, .. } => problems
            .into_iter()
            .map(|problem| (problem.file.file_name().unwrap().to_str().unwrap().to_owned(), problem.kind))
            .collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn c22_all_missing_short_and_foreign_shards_are_in_one_error() {
    let (folder, index) = set();
    fs::remove_file(folder.path(SHARDS[1])).unwrap();
    folder.write(SHARDS[2], &shard(7));
    let whole = shard(3);
    folder.write(SHARDS[3], &whole[..whole.len() - 4]);
    let found = problems(&folder, &index);
    let of = |shard: usize| found.iter().filter(move |(name, _)| name == SHARDS[shard]).map(|(_, kind)| kind);
    assert_eq!(of(0).count(), 0);
    assert!(matches!(of(1).collect::<Vec<_>>()[..], [ShardProblemKind::Missing]));
    let foreign: Vec<String> = of(2).map(ToString::to_string).collect();
    assert_eq!(foreign.len(), 4, "{foreign:?}");
    assert!(foreign.contains(&"lacks tensor `layers.2.weight`".to_owned()), "{foreign:?}");
    assert!(foreign[3].starts_with("has tensor `layers.7."), "{foreign:?}");
    let short: Vec<String> = of(3).map(ToString::to_string).collect();
    let size = whole.len();
    assert_eq!(short, [format!("is truncated: {} of {size} bytes", size - 4)]);
}

#[test]
fn c22_shards_that_changed_places_are_noticed() {
    let (folder, index) = set();
    fs::rename(folder.path(SHARDS[0]), folder.path("x")).unwrap();
    fs::rename(folder.path(SHARDS[1]), folder.path(SHARDS[0])).unwrap();
    fs::rename(folder.path("x"), folder.path(SHARDS[1])).unwrap();
    let found = problems(&folder, &index);
    assert_eq!(found.len(), 8);
    assert!(found.iter().all(|(name, _)| *name == SHARDS[0] || *name == SHARDS[1]));
}

#[test]
fn c22_a_shard_without_its_index_is_refused() {
    let (folder, index) = set();
    fs::remove_file(&index).unwrap();
    match import(folder.path(SHARDS[0]), folder.path("b.hrry")).unwrap_err() {
        ConvertError::Source { path, .. } => assert_eq!(path, index),
        other => panic!("{other}"),
    }
}

#[test]
fn an_index_reaches_no_other_folder() {
    let folder = Folder::new();
    for outside in ["../a.safetensors", "/etc/hostname", ""] {
        let json = format!("{{\"weight_map\":{{\"w\":{}}}}}", serde_json::Value::from(outside));
        let index = folder.write(INDEX, json.as_bytes());
        let found = problems_in(&folder, &index);
        assert!(matches!(found[..], [ShardProblemKind::Place]), "{outside:?}");
    }
}

#[test]
fn shards_that_disagree_about_metadata_are_refused() {
    let (folder, index) = set();
    let names = ["layers.1.bias", "layers.1.weight"];
    let tensors =
        [(names[0], Dtype::F32, vec![1], f32s(&[1.0])), (names[1], Dtype::F32, vec![2], f32s(&[1.0, 0.5]))];
    folder.write(SHARDS[1], &written(&tensors, &[("format", "tf")]));
    let found = problems(&folder, &index);
    assert!(matches!(&found[..], [(_, ShardProblemKind::Metadata(key))] if key == "format"));
}
