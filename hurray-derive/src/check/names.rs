//! Two owners of one name.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::ast::{Container, Data, Fields};
use crate::ctxt::Ctxt;

pub(super) fn check(ctxt: &Ctxt, container: &Container<'_>) {
    for fields in container.groups() {
        check_fields(ctxt, fields);
    }
    if let Data::Enum(variants) = &container.data {
        let live = variants.iter().filter(|variant| !variant.is_skipped());
        check_owners(
            ctxt,
            live.flat_map(|variant| {
                let ident = &variant.original.ident;
                let at = variant
                    .attrs
                    .rename
                    .get()
                    .map_or_else(|| ident.to_token_stream(), ToTokens::to_token_stream);
                let own = Name { text: variant.name.clone(), at, owner: format!("variant `{ident}`") };
                let aliases = variant.attrs.aliases.iter().map(move |alias| Name {
                    text: alias.value(),
                    at: alias.to_token_stream(),
                    owner: format!("variant `{ident}`"),
                });
                std::iter::once(own).chain(aliases)
            }),
        );
    }
}

/// `#[hurray(rename = "w")] a: .., w: ..`, and the same by `alias` or `rename_all`
fn check_fields(ctxt: &Ctxt, fields: &Fields<'_>) {
    let named =
        fields.list.iter().filter(|field| !field.attrs.skip.is_set() && !field.attrs.flatten.is_set());
    check_owners(
        ctxt,
        named.flat_map(|field| {
            let owner = format!("field `{}`", field.rust);
            let own = Name { text: field.name.clone(), at: field.name_tokens(), owner: owner.clone() };
            let aliases = field.attrs.aliases.iter().map(move |alias| Name {
                text: alias.value(),
                at: alias.to_token_stream(),
                owner: owner.clone(),
            });
            std::iter::once(own).chain(aliases)
        }),
    );
}

/// A name in the file, where it is said, and what owns it.
struct Name {
    text: String,
    at: TokenStream,
    owner: String,
}

fn check_owners(ctxt: &Ctxt, names: impl Iterator<Item = Name>) {
    let mut owners: HashMap<String, String> = HashMap::new();
    for Name { text, at, owner } in names {
        match owners.get(&text) {
            Some(first) if *first == owner => {
                ctxt.error(at, format!("alias `{text}` is the name of {owner} already"));
            }
            Some(first) => {
                ctxt.error(at, format!("{owner} has the name `{text}` in the file, and so has {first}"));
            }
            None => {
                owners.insert(text, owner);
            }
        }
    }
}
