//! What is imported: one safetensors file, or a set of shards that an index names.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::error::{ConvertError, ShardProblem, ShardProblemKind, SourceError, Unsupported};
use super::source::Source;
use crate::container::KvValue;

/// How a file is opened.
pub(super) type Open<'o> = &'o dyn Fn(&Path) -> Result<Source, SourceError>;

/// Everything to import.
#[derive(Debug)]
pub(super) struct Set {
    /// In the order of their names.
    pub(super) sources: Vec<Source>,
    /// Of the index and of the files, each key once.
    pub(super) metadata: Vec<(String, KvValue)>,
    /// Entries of the index that can't be carried.
    pub(super) unsupported: Vec<Unsupported>,
}

impl Set {
    /// Opens a file; an index with all its shards; or the whole set that a shard belongs to.
    pub(super) fn open(path: &Path, open: Open<'_>) -> Result<Self, ConvertError> {
        if path.extension().is_some_and(|extension| extension == "json") {
            return Self::of_index(path, open);
        }
        if let Some(index) = index_of_shard(path) {
            return Self::of_index(&index, open);
        }
        let source = open(path).map_err(|problem| ConvertError::Source { path: path.to_owned(), problem })?;
        let metadata = source.header.metadata.iter();
        let metadata = metadata.map(|(key, text)| (key.clone(), KvValue::String(text.clone()))).collect();
        Ok(Self { sources: vec![source], metadata, unsupported: Vec::new() })
    }

    fn of_index(index: &Path, open: Open<'_>) -> Result<Self, ConvertError> {
        let (shards, mut metadata, unsupported) =
            read_index(index).map_err(|problem| ConvertError::Source { path: index.to_owned(), problem })?;
        let folder = index.parent().unwrap_or(Path::new(""));
        let mut problems = Vec::new();
        let mut sources = Vec::new();
        for (shard, names) in &shards {
            let file = folder.join(shard);
            let mut report = |kind| problems.push(ShardProblem { file: file.clone(), kind });
            if !is_beside(shard) {
                report(ShardProblemKind::Place);
                continue;
            }
            match open(&file) {
                Ok(source) => {
                    compare(&source, names, &mut report);
                    merge(&source, &mut metadata, &mut report);
                    sources.push(source);
                }
                Err(SourceError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                    report(ShardProblemKind::Missing);
                }
                Err(problem) => report(ShardProblemKind::Source(problem)),
            }
        }
        if problems.is_empty() {
            return Ok(Self { sources, metadata, unsupported });
        }
        Err(ConvertError::Set { index: index.to_owned(), problems })
    }
}

/// Holds the names in a shard against those that the index places there.
fn compare(source: &Source, names: &[String], report: &mut impl FnMut(ShardProblemKind)) {
    let present: HashSet<&str> = source.header.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    let expected: HashSet<&str> = names.iter().map(String::as_str).collect();
    for name in names.iter().filter(|name| !present.contains(name.as_str())) {
        report(ShardProblemKind::Lacks(name.clone()));
    }
    for tensor in source.header.tensors.iter().filter(|tensor| !expected.contains(tensor.name.as_str())) {
        report(ShardProblemKind::Foreign(tensor.name.clone()));
    }
}

/// Adds the metadata of a shard, which mostly says what the others say.
fn merge(source: &Source, all: &mut Vec<(String, KvValue)>, report: &mut impl FnMut(ShardProblemKind)) {
    for (key, text) in &source.header.metadata {
        let value = KvValue::String(text.clone());
        match all.iter().find(|(known, _)| known == key) {
            None => all.push((key.clone(), value)),
            Some((_, known)) if *known == value => {}
            Some(_) => report(ShardProblemKind::Metadata(key.clone())),
        }
    }
}

/// Whether the name of a shard is that of a file in the same folder.
fn is_beside(shard: &str) -> bool {
    let mut components = Path::new(shard).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(_)), None))
}

type Index = (BTreeMap<String, Vec<String>>, Vec<(String, KvValue)>, Vec<Unsupported>);

/// The tensors of each shard, and the metadata of the set.
fn read_index(path: &Path) -> Result<Index, SourceError> {
    let refused = |reason: &str| SourceError::Header(reason.into());
    let json = std::fs::read(path)?;
    let mut index: Map<String, Value> =
        serde_json::from_slice(&json).map_err(|error| SourceError::Header(error.into()))?;
    let Some(Value::Object(weights)) = index.remove("weight_map") else {
        return Err(refused("the index has no `weight_map`"));
    };
    let mut shards: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, shard) in weights {
        match shard {
            Value::String(shard) => shards.entry(shard).or_default().push(name),
            _ => return Err(refused("the `weight_map` is not an object of strings")),
        }
    }
    let mut metadata = Vec::new();
    let mut unsupported = Vec::new();
    let Some(Value::Object(entries)) = index.remove("metadata") else {
        return Ok((shards, metadata, unsupported));
    };
    for (key, value) in entries {
        match value {
            // Follows from the tensors.
            Value::Number(_) if key == "total_size" => {}
            value => match kv_of(&value) {
                Some(value) => metadata.push((key, value)),
                None => unsupported.push(Unsupported::metadata(&key, "neither a text, a number nor a bool")),
            },
        }
    }
    Ok((shards, metadata, unsupported))
}

fn kv_of(value: &Value) -> Option<KvValue> {
    match value {
        Value::String(text) => Some(KvValue::String(text.clone())),
        Value::Bool(value) => Some(KvValue::Bool(*value)),
        Value::Number(number) => number
            .as_u64()
            .map(KvValue::UInt64)
            .or_else(|| number.as_i64().map(KvValue::Int64))
            .or_else(|| number.as_f64().map(KvValue::Float64)),
        _ => None,
    }
}

/// The index beside a file that is named as one of several shards: `model-00001-of-00004.safetensors`.
fn index_of_shard(path: &Path) -> Option<PathBuf> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".safetensors")?;
    let (stem, count) = stem.rsplit_once("-of-")?;
    let (stem, number) = stem.rsplit_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(count) || !is_number(number) || count.parse() == Ok(1) {
        return None;
    }
    Some(path.with_file_name(format!("{stem}.safetensors.index.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_belongs_to_the_set_of_its_index() {
        let index = |name: &str| index_of_shard(Path::new(name)).map(|path| path.display().to_string());
        assert_eq!(
            index("a/model-00002-of-00004.safetensors").as_deref(),
            Some("a/model.safetensors.index.json")
        );
        assert_eq!(index("model-00001-of-00001.safetensors"), None);
        assert_eq!(index("model.safetensors"), None);
        assert_eq!(index("one-of-four.safetensors"), None);
    }

    #[test]
    fn shards_lie_beside_their_index() {
        assert!(is_beside("model-00001-of-00002.safetensors"));
        for outside in ["", "..", "/etc/passwd", "../a.safetensors", "a/b.safetensors"] {
            assert!(!is_beside(outside), "{outside}");
        }
    }
}
