//! safetensors files to convert.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView, serialize};
use tempfile::TempDir;

/// One tensor: name, type, shape, bytes.
pub(crate) type Listed<'a> = (&'a str, Dtype, Vec<usize>, Vec<u8>);

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The names of the files that are there.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// A file as the crate `safetensors` writes it.
pub(crate) fn written(tensors: &[Listed<'_>], metadata: &[(&str, &str)]) -> Vec<u8> {
    let views = tensors
        .iter()
        .map(|(name, dtype, shape, data)| (*name, TensorView::new(*dtype, shape.clone(), data).unwrap()));
    let metadata: HashMap<String, String> =
        metadata.iter().map(|(key, text)| (key.to_string(), text.to_string())).collect();
    serialize(views, Some(metadata).filter(|metadata| !metadata.is_empty())).unwrap()
}

/// A file with the header given.
pub(crate) fn with_header(json: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

pub(crate) fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Converts there and back, and gives the bytes of both safetensors files.
pub(crate) fn there_and_back(folder: &Folder, from: &Path) -> (Vec<u8>, Vec<u8>) {
    let (ours, back) = (folder.path("ours.hrry"), folder.path("back.safetensors"));
    hurray::safetensors::import(from, &ours).unwrap();
    hurray::safetensors::export(&ours, &back).unwrap();
    (fs::read(from).unwrap(), fs::read(back).unwrap())
}
