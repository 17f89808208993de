//! The tree of composites as JSON.

use serde_json::{Map, Value, json};

use super::layout::{combine_op, rule_name};
use super::{elements, merged, tensors};
use crate::composite::{Composite, Member};
use crate::error::FormatError;
use crate::reader::File;

/// The top-level composites; null if one is broken.
pub(super) fn composites(file: &File, values: bool, errors: &mut Vec<FormatError>) -> Value {
    match file.composites() {
        Ok(composites) => composites.iter().map(|composite| tree(file, composite, values)).collect(),
        Err(error) => {
            errors.extend(Some(error).filter(|error| !errors.contains(error)));
            Value::Null
        }
    }
}

/// Composites nest 64 levels at most.
fn tree(file: &File, composite: &Composite, values: bool) -> Value {
    let name = |position: usize| Value::from(file.contents().name(position));
    let members = composite.members().iter().map(|member| match member {
        Member::Tensor(position) => name(*position),
        Member::Composite(nested) => tree(file, nested, values),
    });
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| _ = object.insert(key.to_owned(), value);
    put("head", name(composite.head()));
    put("depth", json!(composite.depth()));
    put("rule", rule_name(composite.rule()).into());
    put("combine_op", combine_op(composite.rule()));
    put("members", members.collect());
    if values {
        match merged::merge(file, composite) {
            Ok((head, merged)) => {
                put("values", merged.iter().map(|value| elements::scalar(value, &head)).collect());
                put("value_type", tensors::dtype(head.element_type()).into());
            }
            Err(reason) => put("values_omitted", reason.into()),
        }
    }
    Value::Object(object)
}
