//! The whole that the members of a partition or an overlay make up (FORMAT §7.6).

use super::elements::reason_without_values;
use crate::composite::Composite;
use crate::descriptor::{CompositionRule, TensorDescriptor};
use crate::element::Scalar;
use crate::limits::Limits;
use crate::reader::File;

/// Every element of a composite in row-major order and in the head's type, with the head; or why there are none.
pub(super) fn merge(file: &File, composite: &Composite) -> Result<(TensorDescriptor, Vec<Scalar>), String> {
    match composite.rule() {
        CompositionRule::Group => return Err("a group has no merged view".to_owned()),
        CompositionRule::Private { .. } => return Err("private composition rule".to_owned()),
        CompositionRule::Partition | CompositionRule::Overlay(_) => {}
    }
    if !composite.is_complete() {
        return Err("incomplete".to_owned());
    }
    let head = descriptor(file, composite.head())?;
    if let Some(reason) = reason_without_values(&head, file.size_bytes()) {
        return Err(reason);
    }
    for member in composite.members() {
        let member = descriptor(file, member.position())?;
        if let Some(reason) = reason_without_values(&member, file.size_bytes()) {
            return Err(reason);
        }
    }
    let values = file.merged_values(composite, &Limits::default()).map_err(|error| error.to_string())?;
    Ok((head, values.iter().collect()))
}

fn descriptor(file: &File, position: usize) -> Result<TensorDescriptor, String> {
    let entry = file.contents().entry(position).ok_or("no such tensor")?;
    entry.descriptor().map_err(|error| error.to_string())
}
