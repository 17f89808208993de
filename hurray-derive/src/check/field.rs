//! Rules about one field, or one variant.

use syn::ext::IdentExt;

use super::{none_of, only};
use crate::ast::{Container, Direction, Field, Fields, Style, Variant};
use crate::ctxt::Ctxt;
use crate::value::Dim;

pub(super) fn check(ctxt: &Ctxt, container: &Container<'_>, fields: &Fields<'_>, field: &Field<'_>) {
    check_skip(ctxt, field);
    check_skip_both_ways(ctxt, field);
    check_flatten(ctxt, fields, field);
    check_kv(ctxt, field);
    check_with(ctxt, field);
    check_skipped_direction(ctxt, field);
    check_tied(ctxt, field);
    check_partition(ctxt, field);
    check_shape_names(ctxt, container, fields, field);
}

/// `#[hurray(skip, rename = "w")]`
fn check_skip(ctxt: &Ctxt, field: &Field<'_>) {
    if field.attrs.skip.is_set() {
        let allowed = ["skip", "skip_saving", "skip_loading", "default", "bound"];
        only(ctxt, &field.attrs.given, &allowed, "has no effect on a skipped field");
    }
}

/// `#[hurray(skip, skip_saving)]`, `#[hurray(skip_saving, skip_loading)]`
fn check_skip_both_ways(ctxt: &Ctxt, field: &Field<'_>) {
    let (saving, loading) = (field.attrs.skip_saving.name(), field.attrs.skip_loading.name());
    if field.attrs.skip.is_set() {
        for name in saving.into_iter().chain(loading) {
            ctxt.error(name, format!("`{name}` is part of `skip`"));
        }
    } else if let (Some(_), Some(name)) = (saving, loading) {
        ctxt.error(name, "`skip_saving` and `skip_loading` together are `skip`");
    }
}

/// `#[hurray(flatten, rename = "w")]`, `struct Pair(#[hurray(flatten)] Inner);`
fn check_flatten(ctxt: &Ctxt, fields: &Fields<'_>, field: &Field<'_>) {
    let Some(name) = field.attrs.flatten.name() else { return };
    if fields.style == Style::Tuple {
        ctxt.error(name, "`flatten` merges names, and tuple fields have none");
    }
    let allowed = ["flatten", "skip_saving", "skip_loading", "validate", "bound", "borrow", "skip"];
    only(
        ctxt,
        &field.attrs.given,
        &allowed,
        "has no effect on a flattened field: its own fields take its place",
    );
}

/// `#[hurray(kv, shape = [3])]`
fn check_kv(ctxt: &Ctxt, field: &Field<'_>) {
    if field.attrs.kv.is_set() {
        let refused = ["align", "cast", "element_type", "layout", "partition", "shape", "tied"];
        none_of(ctxt, &field.attrs.given, &refused, "is about a tensor, and a `kv` field is none");
    }
}

/// `#[hurray(with = "module", save_with = "function")]`, `#[hurray(with = "module", kv)]`
fn check_with(ctxt: &Ctxt, field: &Field<'_>) {
    let attrs = &field.attrs;
    if attrs.with.is_set() {
        none_of(ctxt, &attrs.given, &["save_with", "load_with"], "is part of `with`");
    }
    let with = attrs.with.name().or(attrs.save_with.name()).or(attrs.load_with.name());
    if let Some(with) = with {
        let why =
            format!("and `{with}` exclude each other: the function decides what the field is in the file");
        none_of(ctxt, &attrs.given, &["kv", "tied", "cast", "layout", "partition"], &why);
    }
}

/// `#[hurray(skip_saving, save_with = "function")]`, `#[hurray(skip_loading, alias = "w")]`
fn check_skipped_direction(ctxt: &Ctxt, field: &Field<'_>) {
    if field.attrs.skip_saving.is_set() {
        let refused = ["save_with", "layout", "align", "tied"];
        none_of(ctxt, &field.attrs.given, &refused, "has no effect: the field is not saved");
    }
    if field.attrs.skip_loading.is_set() {
        let refused = ["load_with", "alias", "cast", "since", "validate"];
        none_of(ctxt, &field.attrs.given, &refused, "has no effect: the field is not loaded");
    }
}

/// `#[hurray(tied = "embed.weight", align = 4096)]`
fn check_tied(ctxt: &Ctxt, field: &Field<'_>) {
    if field.attrs.tied.is_set() {
        let refused = ["align", "layout"];
        none_of(
            ctxt,
            &field.attrs.given,
            &refused,
            "has no effect on a tied tensor: the other one is stored",
        );
    }
}

/// `#[hurray(partition(axis = 0, parts = 2), tied = "w")]`, `#[hurray(partition(axis = 0, parts = 2), layout = "keep")]`
fn check_partition(ctxt: &Ctxt, field: &Field<'_>) {
    if field.attrs.partition.is_set() {
        let why = "and `partition` exclude each other: the parts are tensors of their own";
        none_of(ctxt, &field.attrs.given, &["tied", "layout"], why);
    }
}

/// `#[hurray(shape = [heads])] w: .., #[hurray(skip)] heads: u32`, `struct M<T> { #[hurray(shape = [T])] .. }`
fn check_shape_names(ctxt: &Ctxt, container: &Container<'_>, fields: &Fields<'_>, field: &Field<'_>) {
    let names = field.attrs.shape.get().into_iter().flatten().filter_map(|dim| match dim {
        Dim::Name(name) => Some(name),
        Dim::Fixed(_) | Dim::Any | Dim::Rest(_) => None,
    });
    for name in names {
        if container.original.generics.type_params().any(|parameter| parameter.ident == *name) {
            ctxt.error(
                name,
                format!("`{name}` is a type; a dimension is a number, a name or a const parameter"),
            );
        }
        let owner = fields.list.iter().find(|field| name.unraw() == field.rust);
        let Some(owner) = owner.filter(|_| fields.style == Style::Named) else { continue };
        if std::ptr::eq(owner, field) {
            ctxt.error(
                name,
                format!("`{name}` is this field: a tensor can't be the size of its own dimension"),
            );
        } else if !(owner.takes_part(Direction::Save) && owner.takes_part(Direction::Load)) {
            let message = format!(
                "`{name}` is a field that is skipped, so a file can't say how large the dimension is"
            );
            ctxt.error(name, message);
        } else if owner.attrs.flatten.is_set() {
            ctxt.error(name, format!("`{name}` is a flattened field: it has no value to be a size"));
        }
    }
}

/// `#[hurray(skip, rename = "x")] Variant`, `Variant(#[hurray(rename = "x")] Inner)`, `#[hurray(rename_all = "..")] Unit`
pub(super) fn check_variant(ctxt: &Ctxt, variant: &Variant<'_>) {
    if variant.is_skipped() {
        only(ctxt, &variant.attrs.given, &["skip"], "has no effect on a skipped variant");
    }
    if variant.fields.style != Style::Named {
        none_of(
            ctxt,
            &variant.attrs.given,
            &["rename_all"],
            "has no effect: the variant's fields have no names",
        );
    }
    if let Some(field) = variant.newtype() {
        let allowed = ["align", "bound", "borrow", "cast", "element_type", "layout", "shape", "tied"];
        only(
            ctxt,
            &field.attrs.given,
            &allowed,
            "has no effect: the value of a newtype variant has no name of its own; use a struct variant",
        );
    }
}
