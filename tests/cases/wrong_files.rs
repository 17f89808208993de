//! C21: files that are not what they seem. Every route gives the same verdict, with the path and what it is.

use std::fs;
use std::path::Path;

use hurray::{File, OpenError, Tensor};

fn good() -> Vec<u8> {
    let tensor = Tensor::from_vec(vec![1.0f32; 1000], &[10, 100]).unwrap();
    hurray::to_bytes(&std::collections::BTreeMap::from([("w".to_owned(), tensor)])).unwrap()
}

/// The verdict on bytes, the same by every route but for the path.
fn verdict(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    // SAFETY: nobody changes the file in the test's own folder.
    let mapped = unsafe { File::map(&path) }.unwrap_err();
    let read = File::read(&path).unwrap_err();
    let in_memory = File::from_vec(bytes.to_vec()).unwrap_err();
    let without_path = |error: &OpenError| {
        let text = error.to_string();
        text.replace(&format!("`{}`", path.display()), "the slice")
    };
    for error in [&mapped, &read] {
        assert_eq!(error.path(), Some(&*path), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        assert_eq!(without_path(error), in_memory.to_string());
        assert_eq!(error.rule(), in_memory.rule());
    }
    let text = in_memory.to_string();
    text.strip_prefix("the slice is ").unwrap_or(&text).to_owned()
}

#[test]
fn c21_files_of_other_kinds_are_called_by_their_name() {
    let pointer = "version https://git-lfs.github.com/spec/v1\n\
        oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n\
        size 12345678\n";
    assert_eq!(
        verdict("model.hrry", pointer.as_bytes()),
        "a git-lfs pointer (fetch the file itself with `git lfs pull`), not a Hurray file"
    );
    assert_eq!(
        verdict("page.hrry", b"<!DOCTYPE html>\n<html><body>Not Found</body></html>"),
        "a web page, not a Hurray file"
    );
    assert_eq!(verdict("page2.hrry", b"\n  <html lang=\"en\">"), "a web page, not a Hurray file");
    let header = br#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    let safetensors = [&(header.len() as u64).to_le_bytes()[..], header, &[0; 4]].concat();
    assert_eq!(verdict("m.safetensors", &safetensors), "a safetensors file, not a Hurray file");
    assert_eq!(verdict("m.gguf", b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0"), "a GGUF file, not a Hurray file");
    assert_eq!(
        verdict("m.npz", b"PK\x03\x04\x14\0\0\0\0\0"),
        "a ZIP archive (npz or PyTorch), not a Hurray file"
    );
    assert_eq!(
        verdict("m.pt", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."),
        "a Python pickle, not a Hurray file"
    );
    assert_eq!(verdict("m.json", br#"{"message": "rate limited"}"#), "a JSON document, not a Hurray file");
    assert_eq!(verdict("empty.hrry", b""), "empty, not a Hurray file");
    assert_eq!(verdict("zeros.hrry", &[0; 5000]), "of an unknown kind, not a Hurray file");
}

#[test]
fn c21_a_directory_and_a_missing_file_are_named() {
    fn both(path: &Path) -> [OpenError; 2] {
        // SAFETY: there is no file to change.
        [unsafe { File::map(path) }.unwrap_err(), File::read(path).unwrap_err()]
    }
    let folder = tempfile::tempdir().unwrap();
    for error in both(folder.path()) {
        assert!(error.to_string().ends_with("is a directory, not a Hurray file"), "{error}");
        assert_eq!(error.path(), Some(folder.path()));
    }
    let missing = folder.path().join("missing.hrry");
    for error in both(&missing) {
        assert!(matches!(&error, OpenError::Io { .. }), "{error}");
        assert!(error.to_string().contains("missing.hrry"), "{error}");
    }
}

#[test]
fn c21_a_cut_file_says_how_much_is_there_and_how_much_is_missing() {
    let good = good();
    let size = good.len();
    for cut in [1, 8, 63, 64, 111, 112, 1000, size / 2, size - 41, size - 1] {
        let text = verdict("cut.hrry", &good[..cut]);
        assert!(text.contains("truncated") || cut < 8, "{cut}: {text}");
        if cut >= 8 {
            assert!(text.contains(&cut.to_string()), "{cut}: {text}");
        }
    }
}

#[test]
fn c21_bytes_after_the_end_are_an_error() {
    for (extra, byte) in [(1, 0), (1, 7), (40, 0), (4096, 0), (4096, 7)] {
        let longer = [good(), vec![byte; extra]].concat();
        let text = verdict("longer.hrry", &longer);
        assert!(
            text.contains("truncated") || text.contains("too long") || text.contains("trailer"),
            "{extra} bytes of {byte}: {text}"
        );
        assert!(text.contains(&longer.len().to_string()), "{extra} bytes of {byte}: {text}");
    }
}
