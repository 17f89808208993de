//! Files without heads, as writers of state dicts make them.

use hurray::descriptor::TensorDescriptor;
use hurray::{ElementType, File, KvValue, Metadata, Writer, WriterOptions};

/// A file of float32 tensors of one element, the number of their place, in the order given, without heads.
///
/// # Panics
///
/// When names or keys clash.
#[must_use]
pub fn flat(names: &[&str], metadata: &[(&str, KvValue)]) -> File {
    let mut entries = Metadata::new();
    for (key, value) in metadata {
        entries.insert(*key, value.clone()).unwrap();
    }
    let options = WriterOptions { metadata: Some(entries), ..WriterOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    for (position, name) in names.iter().enumerate() {
        let descriptor = TensorDescriptor::builder(ElementType::Float32, [1]).build().unwrap();
        writer.tensor(name, &descriptor, &[&(position as f32).to_le_bytes()]).unwrap();
    }
    File::from_vec(writer.finish().unwrap().0).unwrap()
}
