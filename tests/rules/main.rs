//! Rules that hold wherever a value stands: what attributes say goes with the value, and what a file says of itself
//! is held against what it has.

mod collisions;
mod entries;
mod field_rules;
mod key_maps;
mod maps;
mod migrations;
mod names;
mod notes;
mod ties;
mod variants;
mod zoo;

use hurray::descriptor::TensorDescriptor;
use hurray::{ElementType, File, KvValue, Metadata, Writer, WriterOptions};

/// A file of float32 tensors of one element, the number of their place, without heads.
fn flat(names: &[&str], metadata: &[(&str, KvValue)]) -> File {
    let mut entries = Metadata::new();
    for (key, value) in metadata {
        entries.insert(*key, value.clone()).unwrap();
    }
    let options = WriterOptions { metadata: Some(entries), ..WriterOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    for (position, name) in names.iter().enumerate() {
        let descriptor = TensorDescriptor::builder(ElementType::Float32, [1]).build().unwrap();
        writer.tensor(name, &descriptor, &[bytemuck::bytes_of(&(position as f32))]).unwrap();
    }
    File::from_vec(writer.finish().unwrap().0).unwrap()
}
