//! Real models, there and back.

use std::fs;
use std::path::Path;

use crate::common::{Folder, there_and_back};

#[test]
fn silero_survives_byte_for_byte() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/silero/silero_vad_16k.safetensors");
    let (before, after) = there_and_back(&Folder::new(), Path::new(path));
    assert!(before == after);
}

/// Where `HURRAY_MINILM` says that the file is: 90 MB that the repository does not have.
#[test]
fn minilm_survives_byte_for_byte() {
    let Some(path) = std::env::var_os("HURRAY_MINILM") else { return };
    let folder = Folder::new();
    let (before, after) = there_and_back(&folder, Path::new(&path));
    assert!(before == after);
    let grouped = folder.path("grouped.hrry");
    hurray::safetensors::ImportOptions::new().composites(true).import(&path, &grouped).unwrap();
    hurray::safetensors::export(&grouped, folder.path("grouped.safetensors")).unwrap();
    let grouped = fs::read(folder.path("grouped.safetensors")).unwrap();
    let (before, grouped) = (
        safetensors::SafeTensors::deserialize(&before).unwrap(),
        safetensors::SafeTensors::deserialize(&grouped).unwrap(),
    );
    assert_eq!(before.len(), grouped.len());
    for (name, tensor) in before.iter() {
        assert!(grouped.tensor(name).unwrap() == tensor, "{name}");
    }
}
