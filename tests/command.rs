//! The `hurray` command as a process: what it prints, where, and how it exits.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hurray_tests::manifest::{folder, vectors};
use serde_json::Value;

fn hurray(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hurray-command")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn vector(folder_name: &str, name: &str) -> String {
    folder().join(folder_name).join(name).to_str().unwrap().to_owned()
}

/// A file of `count` tensors, named by `name`.
fn many_tensors(folder: &Path, count: u32, name: impl Fn(u32) -> String) -> PathBuf {
    use hurray::descriptor::TensorDescriptor;
    use hurray::{ElementType, Writer, WriterOptions};

    let path = folder.join("many.hrry");
    let mut writer = Writer::new(fs::File::create(&path).unwrap(), WriterOptions::default()).unwrap();
    for number in 0..count {
        let descriptor = TensorDescriptor::builder(ElementType::UInt8, [4]).build().unwrap();
        writer.tensor(&name(number), &descriptor, &[&[1, 2, 3, 4]]).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn dump_prints_one_object_with_the_facts_of_the_manifest() {
    let vectors = vectors("valid");
    let case = vectors.iter().find(|vector| vector.name == "kv-all-types.hrry").unwrap();
    let output = hurray(&["dump", "--values", case.path.to_str().unwrap()]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let dumped: Value = serde_json::from_str(stdout(&output)).unwrap();
    for key in ["size", "sha256", "container", "kv", "tensors", "composites"] {
        assert_eq!(dumped[key], case.entry[key], "{key}");
    }
    let without: Value =
        serde_json::from_str(stdout(&hurray(&["dump", case.path.to_str().unwrap()]))).unwrap();
    assert!(dumped["tensors"][0].get("storage_values").is_some());
    assert!(without["tensors"][0].get("storage_values").is_none());
}

#[test]
fn dump_tells_what_it_can_of_a_file_with_a_tensor_that_is_not_understood() {
    let path = vector("valid", "device-private-a.hrry");
    let output = hurray(&["dump", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("BUF-07") && stderr(&output).contains(&path), "{}", stderr(&output));
    let dumped: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert!(dumped["tensors"][0]["error"].as_str().unwrap().contains("BUF-07"));
    assert_eq!(dumped["tensors"][1]["dtype"], "int8");
    assert_eq!(hurray(&["dump", "--permissive", &path]).status.code(), Some(0));
}

#[test]
fn verify_says_one_line_per_good_file() {
    let [a, b] = ["zero-tensors.hrry", "quant-nf4.hrry"].map(|name| vector("valid", name));
    let output = hurray(&["verify", "--data", &a, &b]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with(&a) && lines[1].starts_with(&b), "{lines:?}");
}

#[test]
fn verify_names_rule_tensor_offset_and_file() {
    let bad = vector("invalid", "BUF-03-align-65.hrry");
    let good = vector("valid", "zero-tensors.hrry");
    let output = hurray(&["verify", &bad, &good]);
    assert_eq!(output.status.code(), Some(1));
    for part in ["BUF-03", "`t`", "at byte 117", &bad, "power of two"] {
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
    assert_eq!(stdout(&output).lines().count(), 1, "the good file is still checked");
}

#[test]
fn verify_checks_data_only_when_asked() {
    let path = vector("invalid", "LAY-COO-04-column.hrry");
    assert_eq!(hurray(&["verify", &path]).status.code(), Some(0));
    let output = hurray(&["verify", "--data", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("LAY-COO-04"), "{}", stderr(&output));
}

#[test]
fn verify_lists_every_problem_of_a_file() {
    let case = vector("valid", "extension-type-a.hrry");
    let output = hurray(&["verify", &case]);
    assert_eq!(stderr(&output).matches("TYP-03").count(), 3, "{}", stderr(&output));
}

#[test]
fn wrong_files_are_called_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(vector("valid", "quant-nf4.hrry")).unwrap();
    let cases: [(&str, &[u8], &str); 4] = [
        ("a.safetensors", b"\x08\0\0\0\0\0\0\0{\"a\":{}}", "safetensors"),
        ("lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git-lfs pointer"),
        ("empty", b"", "empty"),
        ("cut", &whole[..5000], "is truncated: it has 5000 bytes"),
    ];
    for (name, bytes, word) in cases {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        for command in ["inspect", "dump", "verify"] {
            let output = hurray(&[command, path.to_str().unwrap()]);
            assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""), "{command} {name}");
            assert!(stderr(&output).contains(word) && stderr(&output).contains(name), "{}", stderr(&output));
            assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        }
    }
    let missing = folder.path().join("missing");
    let output = hurray(&["verify", missing.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("missing"));
}

#[test]
fn what_is_not_a_command_exits_with_2() {
    for arguments in [&["verify"][..], &["frobnicate"], &["dump", "--no-such-flag", "x"], &[]] {
        let output = hurray(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
    assert_eq!(hurray(&["--help"]).status.code(), Some(0));
}

#[test]
fn inspect_shows_composites_types_shapes_sizes_and_metadata() {
    let output = hurray(&["inspect", &vector("valid", "composite-group.hrry")]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let shown = stdout(&output);
    for part in ["model", "group of", "ids", "int64 [4]", "32 B"] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    assert!(!shown.contains('\x1b'), "colour only on a terminal");
    let metadata = hurray(&["inspect", &vector("valid", "kv-all-types.hrry")]);
    assert!(stdout(&metadata).contains("text = \"hello\""), "{}", stdout(&metadata));
}

#[test]
fn every_valid_file_is_shown_in_full() {
    let golden = folder().join("golden").join("files").join("basic.hrry");
    let paths = vectors("valid").into_iter().map(|vector| vector.path).chain([golden]);
    for path in paths {
        let shown_path = path.to_str().unwrap();
        let dumped = hurray(&["dump", "--values", "--permissive", shown_path]);
        assert_eq!((dumped.status.code(), stderr(&dumped)), (Some(0), ""), "{shown_path}");
        let dumped: Value = serde_json::from_str(stdout(&dumped)).unwrap();
        let inspected = hurray(&["inspect", "--all", shown_path]);
        assert_eq!((inspected.status.code(), stderr(&inspected)), (Some(0), ""), "{shown_path}");
        let lines = stdout(&inspected);
        for tensor in dumped["tensors"].as_array().unwrap() {
            let is_told = |key: &str| !tensor[key].is_null();
            let is_head = tensor["layout"]["kind"] == "composite";
            assert!(
                is_head || is_told("storage_values") || is_told("values_omitted"),
                "{shown_path}: {tensor}"
            );
            // The tree shows a name below the names of its heads, and breaks no line for one.
            let name = tensor["name"].as_str().unwrap();
            let last: String = name.rsplit('.').next().unwrap().chars().take(20).collect();
            if last.chars().all(|c| c.is_ascii_graphic()) {
                assert!(lines.contains(&last), "{shown_path}: {name}:\n{lines}");
            }
        }
    }
}

#[test]
fn inspect_folds_layers_that_look_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = many_tensors(folder.path(), 64, |number| format!("layers.{}.w{}", number / 2, number % 2));
    let output = hurray(&["inspect", path.to_str().unwrap()]);
    let shown = stdout(&output);
    assert!(shown.contains("0 .. 31") && shown.contains("32 × 2 tensors each"), "{shown}");
    assert_eq!(shown.matches("uint8 [4]").count(), 2, "one layer is shown: {shown}");
}

#[test]
fn inspect_keeps_ten_thousand_tensors_readable() {
    let folder = tempfile::tempdir().unwrap();
    // Names without order, so that nothing is folded.
    let path =
        many_tensors(folder.path(), 10_000, |number| format!("t{:08x}x", number.wrapping_mul(0x9E37_79B1)));
    let path = path.to_str().unwrap();
    let output = hurray(&["inspect", path]);
    let shown = stdout(&output);
    assert!(shown.lines().count() < 60, "{}", shown.lines().count());
    assert!(shown.contains("… 9 960 more, --all shows them"), "{shown}");
    assert!(stdout(&hurray(&["inspect", "--all", path])).lines().count() > 10_000);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = many_tensors(folder.path(), 2000, |number| format!("tensor number {number}"));
    for command in [&["inspect", "--all"][..], &["dump"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hurray-command"))
            .args(command)
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        // The pipe is closed with the reader.
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{command:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let path = vector("valid", "no-kv.hrry");
    for command in ["inspect", "dump", "verify"] {
        let output = Command::new(env!("CARGO_BIN_EXE_hurray-command"))
            .args([command, &path])
            .stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(stderr(&output).starts_with("error: cannot write: "), "{command}: {}", stderr(&output));
    }
}

#[test]
fn verify_tells_by_its_exit_code_even_if_nobody_reads() {
    let [good, bad] = [vector("valid", "no-kv.hrry"), vector("invalid", "BUF-03-align-65.hrry")];
    let mut child = Command::new(env!("CARGO_BIN_EXE_hurray-command"))
        .args(["verify", &good, &bad, &good])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
