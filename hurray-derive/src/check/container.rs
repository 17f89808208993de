//! Rules about a struct or enum as a whole.

use syn::GenericParam;

use super::{none_of, only};
use crate::ast::{Container, Data, Style};
use crate::bound::LOAD_LIFETIME;
use crate::ctxt::Ctxt;

pub(super) fn check(ctxt: &Ctxt, container: &Container<'_>) {
    check_lifetime_name(ctxt, container);
    check_borrow(ctxt, container);
    check_packed(ctxt, container);
    check_enum(ctxt, container);
    check_struct(ctxt, container);
    check_transparent(ctxt, container);
    check_conversions(ctxt, container);
    check_metadata(ctxt, container);
    check_version(ctxt, container);
}

/// `struct Model<'hurray> { .. }`
fn check_lifetime_name(ctxt: &Ctxt, container: &Container<'_>) {
    for parameter in &container.original.generics.params {
        if let GenericParam::Lifetime(parameter) = parameter
            && parameter.lifetime.to_string() == LOAD_LIFETIME
        {
            let message = "the derive calls the lifetime of the loaded bytes `'hurray`: take another name";
            ctxt.error(&parameter.lifetime, message);
        }
    }
}

/// `#[hurray(borrow = "'b")] struct Model<'a> { .. }`
fn check_borrow(ctxt: &Ctxt, container: &Container<'_>) {
    let on_fields = container.groups().flat_map(|fields| &fields.list);
    let on_fields = on_fields.filter_map(|field| field.attrs.borrow.get()?.as_ref());
    for lifetime in container.attrs.borrow.get().into_iter().chain(on_fields).flatten() {
        let own = container.original.generics.lifetimes().any(|own| own.lifetime == *lifetime);
        if !own {
            let message = format!("`{}` has no lifetime parameter `{lifetime}`", container.ident());
            ctxt.error(lifetime, message);
        }
    }
}

/// `#[repr(packed)] struct Model { .. }`
fn check_packed(ctxt: &Ctxt, container: &Container<'_>) {
    for attribute in container.original.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        // A malformed `repr` is the compiler's to refuse.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("packed") {
                ctxt.error(&meta.path, "a packed struct can't be saved: its fields can't be borrowed");
            }
            if meta.input.peek(syn::token::Paren) {
                let arguments;
                syn::parenthesized!(arguments in meta.input);
                arguments.parse::<proc_macro2::TokenStream>()?;
            }
            Ok(())
        });
    }
}

/// `#[hurray(metadata)] enum Layer { .. }`, `enum Never {}`
fn check_enum(ctxt: &Ctxt, container: &Container<'_>) {
    let Data::Enum(variants) = &container.data else { return };
    if variants.is_empty() {
        ctxt.error(container.ident(), "an enum without variants has no value to save or load");
    }
    none_of(
        ctxt,
        &container.attrs.given,
        &["default", "metadata", "migrate", "transparent", "validate", "version"],
        "is for structs, not for an enum",
    );
}

/// `#[hurray(rename_all_fields = "..")] struct Model { .. }`, `#[hurray(rename_all = "..")] struct Pair(..);`
fn check_struct(ctxt: &Ctxt, container: &Container<'_>) {
    let Data::Struct(fields) = &container.data else { return };
    none_of(
        ctxt,
        &container.attrs.given,
        &["rename_all_fields"],
        "is for enums; on a struct it is `rename_all`",
    );
    if fields.style != Style::Named {
        none_of(ctxt, &container.attrs.given, &["rename_all"], "has no effect: the fields have no names");
    }
}

/// `#[hurray(transparent)] struct Pair(f32, f32);`
fn check_transparent(ctxt: &Ctxt, container: &Container<'_>) {
    let (Some(name), Data::Struct(fields)) = (container.attrs.transparent.name(), &container.data) else {
        return;
    };
    only(
        ctxt,
        &container.attrs.given,
        &["transparent", "bound", "borrow", "crate"],
        "has no effect on a transparent struct",
    );
    let kept: Vec<_> = fields.list.iter().filter(|field| !field.attrs.skip.is_set()).collect();
    let [field] = kept.as_slice() else {
        let message = format!(
            "a transparent struct has exactly one field that is saved, not {}: mark the others `#[hurray(skip)]`",
            kept.len()
        );
        ctxt.error(name, message);
        return;
    };
    only(
        ctxt,
        &field.attrs.given,
        &["bound", "borrow", "load_with", "save_with", "with"],
        "has no effect on the field of a transparent struct",
    );
}

/// `#[hurray(from = "Stored", try_from = "Stored")]`, `#[hurray(from = "Stored", version = 2)]`
fn check_conversions(ctxt: &Ctxt, container: &Container<'_>) {
    let attrs = &container.attrs;
    if let (true, Some(name)) = (attrs.from.is_set(), attrs.try_from.name()) {
        ctxt.error(name, "`try_from` and `from` are two ways to load: keep one");
    }
    let loads = attrs.from.is_set() || attrs.try_from.is_set();
    let saves = attrs.into.is_set();
    if loads {
        let refused = ["default", "migrate", "validate"];
        none_of(ctxt, &attrs.given, &refused, "has no effect: another type is loaded in this one's place");
    }
    if loads || saves {
        let refused = ["metadata", "transparent", "version"];
        none_of(ctxt, &attrs.given, &refused, "belongs on the type that stands in for this one in the file");
    }
}

/// `#[hurray(metadata)] struct Config { #[hurray(shape = [3])] mean: [f32; 3] }`
fn check_metadata(ctxt: &Ctxt, container: &Container<'_>) {
    if !container.attrs.metadata.is_set() {
        return;
    }
    for field in container.groups().flat_map(|fields| &fields.list) {
        none_of(
            ctxt,
            &field.attrs.given,
            &["align", "cast", "element_type", "layout", "shape", "tied"],
            "is about a tensor, and a `metadata` struct has none",
        );
    }
}

/// `#[hurray(migrate = "path")]` or `#[hurray(since = 2)]` without `version`, `since` above `version`
fn check_version(ctxt: &Ctxt, container: &Container<'_>) {
    let attrs = &container.attrs;
    if let (None, Some(name)) = (attrs.version.get(), attrs.migrate.name()) {
        ctxt.error(name, "`migrate` needs a version to migrate to: `version = N`");
    }
    for field in container.groups().flat_map(|fields| &fields.list) {
        let (Some(since), Some(name)) = (field.attrs.since.get(), field.attrs.since.name()) else { continue };
        match attrs.version.get() {
            None => ctxt.error(name, "`since` needs a `version = N` on the struct"),
            Some(version) if since > version => {
                ctxt.error(name, format!("`since = {since}` is above the struct's `version = {version}`"));
            }
            Some(_) => {}
        }
    }
}
