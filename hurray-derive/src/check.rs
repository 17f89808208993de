//! Rules that need more than one attribute or field: one function per rule. What passes here, `expand` may assume.

mod container;
mod field;
mod names;

use proc_macro2::Ident;

use crate::ast::{Container, Data};
use crate::ctxt::Ctxt;

/// Checks everything, and records every broken rule.
pub(crate) fn check(ctxt: &Ctxt, container: &Container<'_>) {
    container::check(ctxt, container);
    names::check(ctxt, container);
    for fields in container.groups() {
        for field in &fields.list {
            field::check(ctxt, container, fields, field);
        }
    }
    if let Data::Enum(variants) = &container.data {
        for variant in variants {
            field::check_variant(ctxt, variant);
        }
    }
}

/// Refuses each of the attributes that were `given`, but for the `allowed` ones. `why` follows the name.
fn only(ctxt: &Ctxt, given: &[Ident], allowed: &[&str], why: &str) {
    for name in given.iter().filter(|name| !allowed.iter().any(|allowed| *name == allowed)) {
        ctxt.error(name, format!("`{name}` {why}"));
    }
}

/// Refuses each of the `refused` attributes that were `given`. `why` follows the name.
fn none_of(ctxt: &Ctxt, given: &[Ident], refused: &[&str], why: &str) {
    for name in given.iter().filter(|name| refused.iter().any(|refused| *name == refused)) {
        ctxt.error(name, format!("`{name}` {why}"));
    }
}
