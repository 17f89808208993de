//! The test vectors: every file is read, or refused, exactly as its manifest says.

use std::collections::BTreeSet;

use hurray::cli::{dump, problems};
use hurray::descriptor::TensorDescriptor;
use hurray::{File, KvValue, Limits, Mode, OpenError, OpenOptions, Rule, SequentialReader};
use hurray_tests::manifest::{Vector, folder, manifest, vectors};
use serde_json::Value;

/// What the manifest says of a file beyond what is in it.
const NOT_IN_THE_FILE: &[&str] =
    &["file", "about", "mode", "features", "decisions", "origin", "sequential", "strict_rejects"];

/// Runs one check on each vector, no vector left out; all that fail are listed.
fn check_all(vectors: &[Vector], check: impl Fn(&Vector) -> Result<(), String>) {
    let wrong: Vec<String> = vectors
        .iter()
        .filter_map(|vector| check(vector).err().map(|why| format!("{}: {why}", vector.name)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
}

fn options(mode: Mode) -> OpenOptions {
    match mode {
        Mode::Strict => OpenOptions::new().strict(),
        Mode::Permissive => OpenOptions::new().permissive(),
    }
}

fn mode_of(vector: &Vector) -> Mode {
    if vector.is_permissive() { Mode::Permissive } else { Mode::Strict }
}

fn open(vector: &Vector, mode: Mode) -> Result<File, OpenError> {
    options(mode).from_vec(vector.bytes())
}

/// Where two values first differ.
fn difference(path: &str, found: &Value, expected: &Value) -> Option<String> {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let keys: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
            keys.into_iter().find_map(|key| {
                let path = format!("{path}.{key}");
                match (found.get(key), expected.get(key)) {
                    (Some(found), Some(expected)) => difference(&path, found, expected),
                    (found, expected) => Some(format!("{path}: {found:?}, not {expected:?}")),
                }
            })
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            let mut pairs = found.iter().zip(expected).enumerate();
            pairs.find_map(|(at, (found, expected))| difference(&format!("{path}[{at}]"), found, expected))
        }
        // Numbers are compared as they are written.
        _ if found == expected => None,
        _ => {
            let [mut found, mut expected] = [found.to_string(), expected.to_string()];
            found.truncate(200);
            expected.truncate(200);
            Some(format!("{path}: {found}, not {expected}"))
        }
    }
}

#[test]
fn valid_files_dump_as_their_manifest_says() {
    let vectors = vectors("valid");
    assert!(vectors.len() > 100, "the manifest lists them all");
    check_all(&vectors, |vector| {
        let file = open(vector, mode_of(vector)).map_err(|error| format!("{error:?}"))?;
        let dumped = dump(&file, true);
        if let Some(error) = dumped.errors.first() {
            return Err(error.to_string());
        }
        let mut expected = vector.entry.clone();
        let facts = expected.as_object_mut().ok_or("no object")?;
        NOT_IN_THE_FILE.iter().for_each(|key| drop(facts.remove(*key)));
        difference("", &dumped.value, &expected).map_or(Ok(()), Err)
    });
}

#[test]
fn valid_files_keep_every_rule() {
    check_all(&vectors("valid"), |vector| {
        let file = open(vector, mode_of(vector)).map_err(|error| format!("{error:?}"))?;
        let broken = problems(&file, true);
        broken.first().map_or(Ok(()), |error| Err(error.to_string()))
    });
}

#[test]
fn strict_readers_refuse_what_needs_permissive_mode() {
    let vectors: Vec<Vector> = vectors("valid").into_iter().filter(Vector::is_permissive).collect();
    assert!(!vectors.is_empty());
    check_all(&vectors, |vector| {
        let file = open(vector, Mode::Strict).map_err(|error| format!("{error:?}"))?;
        let mut expected: Vec<(&str, &str)> = vector
            .list("strict_rejects")
            .filter_map(|rejected| Some((rejected["tensor"].as_str()?, rejected["rule"].as_str()?)))
            .collect();
        let broken = problems(&file, false);
        let mut found: Vec<(&str, &str)> =
            broken.iter().map(|error| (error.tensor().unwrap_or_default(), error.rule().id())).collect();
        expected.sort_unstable();
        found.sort_unstable();
        if found == expected { Ok(()) } else { Err(format!("{found:?}, not {expected:?}")) }
    });
}

/// Reads a file to its end without seeking.
fn read_in_sequence(bytes: &[u8], mode: Mode) -> Result<Vec<String>, OpenError> {
    let mut reader = SequentialReader::with(bytes, mode, Limits::default())?;
    while reader.next_tensor()?.is_some() {}
    reader.finish().map(|end| end.names)
}

#[test]
fn readers_without_seek_accept_and_refuse_as_the_manifest_says() {
    check_all(&vectors("valid"), |vector| {
        let read = read_in_sequence(&vector.bytes(), mode_of(vector));
        match (vector.text("sequential"), read) {
            (Some("accept"), Ok(names)) => {
                let expected: Vec<&str> = vector.list("tensors").filter_map(|t| t["name"].as_str()).collect();
                if names == expected { Ok(()) } else { Err(format!("{names:?}, not {expected:?}")) }
            }
            (Some("accept"), Err(error)) => Err(format!("{error:?}")),
            (Some("reject"), Err(error)) => match error.rule() {
                Some(Rule::Seq02) => Ok(()),
                other => Err(format!("{other:?}, not SEQ-02")),
            },
            (Some("reject"), Ok(_)) => Err("read".to_owned()),
            (other, _) => Err(format!("sequential is {other:?}")),
        }
    });
}

/// The rules and tensors by which a file is refused, after the stage that the manifest gives; in the order in
/// which they are found.
fn refusals(vector: &Vector, mode: Mode) -> Vec<(Option<Rule>, Option<String>)> {
    match open(vector, mode) {
        Err(error) => vec![(error.rule(), error.format().and_then(|e| e.tensor()).map(str::to_owned))],
        Ok(_) if vector.text("stage") == Some("open") => Vec::new(),
        Ok(file) => problems(&file, vector.text("stage") == Some("data"))
            .iter()
            .map(|error| (Some(error.rule()), error.tensor().map(str::to_owned)))
            .collect(),
    }
}

/// Whether an error is about the tensor that the manifest names. Padding before a tensor is nobody's in the
/// manifest, and an error that has no tensor is about the file.
fn blames(vector: &Vector, tensor: Option<&str>) -> bool {
    match (vector.text("tensor"), tensor) {
        (Some(expected), Some(tensor)) => expected == tensor,
        (None, _) => true,
        (Some(_), None) => vector.text("stage") == Some("open"),
    }
}

#[test]
fn invalid_files_are_refused_with_their_rule() {
    let vectors = vectors("invalid");
    assert!(vectors.len() > 400, "the manifest lists them all");
    check_all(&vectors, |vector| {
        let refusals = refusals(vector, Mode::Strict);
        let accepted: Vec<&str> = vector
            .text("rule")
            .into_iter()
            .chain(vector.texts("same_as"))
            .chain(vector.texts("also"))
            .collect();
        let is_accepted = |rule: &Option<Rule>| rule.is_some_and(|rule| accepted.contains(&rule.id()));
        match refusals.first() {
            None => Err("not refused".to_owned()),
            Some(_) if !refusals.iter().all(|(rule, _)| is_accepted(rule)) => {
                Err(format!("{refusals:?}, not {accepted:?}"))
            }
            Some(_) if !refusals.iter().any(|(_, tensor)| blames(vector, tensor.as_deref())) => {
                Err(format!("{refusals:?}, not in {:?}", vector.text("tensor")))
            }
            Some(_) => Ok(()),
        }
    });
}

#[test]
fn permissive_readers_refuse_what_no_mode_relaxes() {
    let vectors: Vec<Vector> =
        vectors("invalid").into_iter().filter(|vector| vector.text("permissive") == Some("reject")).collect();
    assert!(vectors.len() > 300);
    check_all(&vectors, |vector| match refusals(vector, Mode::Permissive).is_empty() {
        true => Err("not refused".to_owned()),
        false => Ok(()),
    });
}

#[test]
fn golden_descriptors_come_back_byte_for_byte() {
    let manifest = manifest("golden");
    let descriptors = manifest["descriptors"].as_array().unwrap();
    assert!(descriptors.len() >= 10);
    for entry in descriptors {
        let name = entry["file"].as_str().unwrap();
        let bytes = std::fs::read(folder().join("golden").join(name)).unwrap();
        let descriptor =
            TensorDescriptor::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = &entry["expect"];
        let sizes: Vec<u64> = descriptor.buffers().iter().map(|handle| handle.byte_size).collect();
        let found = serde_json::json!({
            "version_major": 1,
            "version_minor": descriptor.version_minor(),
            "element_type_tag": descriptor.element_type().tag(),
            "element_type": descriptor.element_type().name(),
            "shape": descriptor.shape(),
            "byte_offset": descriptor.byte_offset(),
            "layout_tag": descriptor.layout().tag(),
            "buffer_byte_sizes": sizes,
            "has_quantization": descriptor.quantization().is_some(),
            "has_shard": descriptor.shard().is_some(),
        });
        assert_eq!(difference(name, &found, expected), None);
        assert_eq!(descriptor.to_bytes(), bytes, "{name}");
    }
}

#[test]
fn golden_files_are_read_as_their_manifest_says() {
    for entry in manifest("golden")["files"].as_array().unwrap() {
        let name = entry["file"].as_str().unwrap();
        let file = File::read(folder().join("golden").join(name)).unwrap();
        assert_eq!(problems(&file, true), [], "{name}");
        let tensors: Vec<Value> = file
            .tensors()
            .map(|entry| {
                let descriptor = entry.descriptor().unwrap();
                serde_json::json!({
                    "name": entry.name(),
                    "element_type": descriptor.element_type().name(),
                    "element_type_tag": descriptor.element_type().tag(),
                    "shape": descriptor.shape(),
                    "data_bytes": entry.buffers().unwrap().iter().map(|buffer| buffer.len()).sum::<usize>(),
                })
            })
            .collect();
        assert_eq!(difference(name, &tensors.into(), &entry["tensors"]), None);
        let kv: Vec<Value> = file
            .metadata()
            .iter()
            .map(|(key, value)| {
                let (kind, text, integer) = match value {
                    KvValue::String(text) => ("string", Some(text), None),
                    KvValue::Int64(integer) => ("int64", None, Some(integer)),
                    other => panic!("{name}: {key} is {other:?}"),
                };
                serde_json::json!({ "key": key, "kind": kind, "value_string": text, "value_int": integer })
            })
            .collect();
        assert_eq!(difference(name, &kv.into(), &entry["kv"]), None);
    }
}
