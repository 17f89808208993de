//! The test vectors in `tests/vectors` and what their manifests say of them.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// One file of the vectors.
#[derive(Debug)]
pub struct Vector {
    /// The name of the file.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What the manifest says of it.
    pub entry: Value,
}

impl Vector {
    /// The bytes of the file.
    ///
    /// # Panics
    /// If it can't be read.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    /// A text in the manifest.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.entry.get(key)?.as_str()
    }

    /// A list of texts in the manifest; empty if there is none.
    pub fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        self.list(key).filter_map(Value::as_str)
    }

    /// A list in the manifest; empty if there is none.
    pub fn list(&self, key: &str) -> impl Iterator<Item = &Value> {
        self.entry.get(key).and_then(Value::as_array).into_iter().flatten()
    }

    /// Whether it needs permissive mode.
    #[must_use]
    pub fn is_permissive(&self) -> bool {
        self.text("mode") == Some("permissive")
    }
}

/// The folder of the vectors.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// A manifest. Its numbers are text until they are asked for, so that none is rounded.
///
/// # Panics
/// If it can't be read.
#[must_use]
pub fn manifest(folder_name: &str) -> Value {
    let path = folder().join(folder_name).join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files of a folder with a manifest: `valid` or `invalid`.
///
/// # Panics
/// If the manifest can't be read, or does not list them.
#[must_use]
pub fn vectors(folder_name: &str) -> Vec<Vector> {
    let Some(Value::Array(entries)) = manifest(folder_name).get_mut("files").map(Value::take) else {
        panic!("the manifest of {folder_name} has no files");
    };
    let vector = |entry: Value| {
        let name = entry["file"].as_str().unwrap_or_else(|| panic!("{entry} has no name")).to_owned();
        Vector { path: folder().join(folder_name).join(&name), name, entry }
    };
    entries.into_iter().map(vector).collect()
}
