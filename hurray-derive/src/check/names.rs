//! Two owners of one name.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::LitStr;

use crate::ast::{Container, Data, Fields};
use crate::ctxt::Ctxt;

pub(super) fn check(ctxt: &Ctxt, container: &Container<'_>) {
    for fields in container.groups() {
        check_fields(ctxt, fields);
    }
    if let Data::Enum(variants) = &container.data {
        let live = variants.iter().filter(|variant| !variant.is_skipped());
        let owners = live.map(|variant| {
            let ident = &variant.original.ident;
            let rename = variant.attrs.rename.get();
            Owner {
                title: format!("variant `{ident}`"),
                name: &variant.name,
                at: rename.map_or_else(|| ident.to_token_stream(), ToTokens::to_token_stream),
                aliases: &variant.attrs.aliases,
            }
        });
        check_owners(ctxt, &owners.collect::<Vec<_>>());
    }
}

/// `#[hurray(rename = "w")] a: .., w: ..`, and the same by `alias` or `rename_all`
fn check_fields(ctxt: &Ctxt, fields: &Fields<'_>) {
    let named =
        fields.list.iter().filter(|field| !field.attrs.skip.is_set() && !field.attrs.flatten.is_set());
    let owners = named.map(|field| Owner {
        title: format!("field `{}`", field.rust),
        name: &field.name,
        at: field.name_tokens(),
        aliases: &field.attrs.aliases,
    });
    check_owners(ctxt, &owners.collect::<Vec<_>>());
}

/// A field or variant with its names in the file, and where the first of them is said.
struct Owner<'a> {
    title: String,
    name: &'a str,
    at: TokenStream,
    aliases: &'a [LitStr],
}

/// Names first, then aliases, so that an alias that takes another's name is the one to be underlined.
fn check_owners(ctxt: &Ctxt, owners: &[Owner<'_>]) {
    let names = owners.iter().map(|owner| (owner.name.to_owned(), owner.at.clone(), owner));
    let aliases = owners.iter().flat_map(|owner| {
        owner.aliases.iter().map(move |alias| (alias.value(), alias.to_token_stream(), owner))
    });
    let mut taken: HashMap<String, &Owner<'_>> = HashMap::new();
    for (name, at, owner) in names.chain(aliases) {
        match taken.get(&name) {
            Some(first) if first.title == owner.title => {
                ctxt.error(at, format!("alias `{name}` is the name of {} already", owner.title));
            }
            Some(first) => {
                let message =
                    format!("{} has the name `{name}` in the file, and so has {}", owner.title, first.title);
                ctxt.error(at, message);
            }
            None => {
                taken.insert(name, owner);
            }
        }
    }
}
