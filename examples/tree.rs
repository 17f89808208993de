//! The tensors of a file as a tree.

use hurray::descriptor::Layout;
use hurray::{File, FormatError};

/// One line per tensor and group, in the order of the file, members indented below their group.
///
/// # Errors
///
/// The first descriptor that does not decode.
pub fn tree(file: &File) -> Result<String, FormatError> {
    let mut text = String::new();
    for entry in file.tensors() {
        let (descriptor, name) = (entry.descriptor()?, entry.name());
        let indent = "  ".repeat(name.matches('.').count());
        let last = name.rsplit('.').next().unwrap_or(name);
        text += &match descriptor.layout() {
            Layout::Composite(head) => format!("{indent}{last}  ({} members)\n", head.member_count),
            _ => {
                let bytes: u64 = descriptor.buffers().iter().map(|buffer| buffer.byte_size).sum();
                format!(
                    "{indent}{last}  {} {:?}, {bytes} bytes\n",
                    descriptor.element_type(),
                    descriptor.shape()
                )
            }
        };
    }
    Ok(text)
}
