//! The body of `HurraySave::save`.
//!
//! ```text
//! fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
//!     let mut __group = __p::save_group(__saver);
//!     __p::save_field::<TensorView<'a, f32>>(&mut __group, &__F[0], &self.weight);
//!     __group.finish()
//! }
//! ```

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;

use super::{Table, const_dimensions, is_dimension, local};
use crate::ast::{Container, Data, Direction, Field, Fields, Variant};

/// The whole method.
pub(super) fn method(container: &Container<'_>, table: &mut Table) -> TokenStream {
    signature(&quote!(__saver), &body(container, table))
}

/// The method with the given name for its argument, and the given body.
pub(super) fn signature(saver: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        fn save<'__s>(&'__s self, #saver: __p::Saver<'_, '__s>) -> __p::Saved {
            #body
        }
    }
}

fn body(container: &Container<'_>, table: &mut Table) -> TokenStream {
    if let Some(proxy) = container.attrs.into.get() {
        return quote!(__p::save_into::<#proxy, Self>(self, __saver));
    }
    match &container.data {
        Data::Struct(fields) if container.attrs.transparent.is_set() => transparent(fields),
        Data::Struct(fields) => {
            let open = if container.attrs.metadata.is_set() {
                quote!(__p::save_metadata(__saver)?)
            } else {
                quote!(__p::save_group(__saver)?)
            };
            group(
                container,
                fields,
                &open,
                &|field| {
                    let member = &field.member;
                    quote!(&self.#member)
                },
                table,
            )
        }
        Data::Enum(variants) => {
            let arms = variants.iter().map(|variant| arm(container, variant, table));
            let arms: Vec<_> = arms.collect();
            quote!(match self { #(#arms)* })
        }
    }
}

/// A transparent struct is saved as its only field is.
fn transparent(fields: &Fields<'_>) -> TokenStream {
    let field = fields.list.iter().find(|field| field.takes_part(Direction::Save));
    // `check` has seen to it that there is one.
    let Some(field) = field else { return TokenStream::new() };
    let (ty, member) = (field.ty, &field.member);
    match own_function(field) {
        Some(function) => quote!(#function(&self.#member, __saver)),
        None => quote!(<#ty as __p::HurraySave>::save(&self.#member, __saver)),
    }
}

/// ```text
/// Self::Act => __p::save_unit_variant(__saver, "Act"),
/// Self::Conv(__field0) => __p::save_newtype_variant::<Conv>(__saver, "Conv", __field0),
/// Self::Norm { scale: __field0 } => { .. }
/// ```
fn arm(container: &Container<'_>, variant: &Variant<'_>, table: &mut Table) -> TokenStream {
    let (ident, name) = (&variant.original.ident, &variant.name);
    if variant.is_skipped() {
        return quote!(Self::#ident { .. } => __p::save_skipped_variant(__saver, #name),);
    }
    if variant.fields.list.is_empty() {
        return quote!(Self::#ident { .. } => __p::save_unit_variant(__saver, #name),);
    }
    let used = variant.fields.list.iter().filter(|field| field.takes_part(Direction::Save));
    let bindings: Vec<_> = used
        .map(|field| {
            let (member, local) = (&field.member, local(field));
            quote!(#member: #local,)
        })
        .collect();
    let rest = (bindings.len() < variant.fields.list.len()).then(|| quote!(..));
    let body = match variant.newtype() {
        Some(field) => newtype(field, name, table),
        None => {
            let open = quote!(__p::save_variant(__saver, #name)?);
            let body =
                group(container, &variant.fields, &open, &|field| local(field).to_token_stream(), table);
            quote!({ #body })
        }
    };
    quote!(Self::#ident { #(#bindings)* #rest } => #body,)
}

fn newtype(field: &Field<'_>, name: &str, table: &mut Table) -> TokenStream {
    let (ty, local) = (field.ty, local(field));
    if field.attrs.describes_tensor() {
        let entry = table.add(field, Direction::Save);
        return quote!(__p::save_newtype_variant_as::<#ty>(__saver, #name, #entry, #local));
    }
    quote!(__p::save_newtype_variant::<#ty>(__saver, #name, #local))
}

/// Opens a group, saves the fields, closes it. The fields that are dimensions come first, so that a shape that
/// does not agree is told in their terms.
fn group(
    container: &Container<'_>,
    fields: &Fields<'_>,
    open: &TokenStream,
    access: &dyn Fn(&Field<'_>) -> TokenStream,
    table: &mut Table,
) -> TokenStream {
    let mut statements = Vec::new();
    if let Some(version) = container.attrs.version.get() {
        let version = proc_macro2::Literal::u32_unsuffixed(*version);
        statements.push(quote!(__p::save_version(&mut __group, #version);));
    }
    for parameter in const_dimensions(container, fields) {
        let (ident, ty, name) = (&parameter.ident, &parameter.ty, parameter.ident.unraw().to_string());
        statements.push(quote!(__p::bind_save::<#ty>(&mut __group, #name, &#ident);));
    }
    let used = || fields.list.iter().filter(|field| field.takes_part(Direction::Save));
    for field in used().filter(|field| is_dimension(field, fields)) {
        let (ty, name, value) = (field.ty, &field.rust, access(field));
        statements.push(quote!(__p::bind_save::<#ty>(&mut __group, #name, #value);));
    }
    let start = table.fields.len();
    let is_flattened = |field: &&Field<'_>| field.attrs.flatten.is_set();
    let mut saves: Vec<_> = used()
        .filter(|field| !is_flattened(field))
        .map(|field| (field.index, statement(field, &access(field), table)))
        .collect();
    let beside = table.since(start);
    saves.extend(used().filter(is_flattened).map(|field| {
        let (ty, value) = (field.ty, access(field));
        (field.index, quote!(__p::save_flattened::<#ty>(&mut __group, #beside, #value);))
    }));
    // In the order of the source again.
    saves.sort_by_key(|(index, _)| *index);
    statements.extend(saves.into_iter().map(|(_, save)| save));
    if statements.is_empty() {
        return quote!(#open.finish());
    }
    let open = open.clone();
    quote! {
        let mut __group = #open;
        #(#statements)*
        __group.finish()
    }
}

fn statement(field: &Field<'_>, value: &TokenStream, table: &mut Table) -> TokenStream {
    let ty = field.ty;
    let entry = table.add(field, Direction::Save);
    if let Some(function) = own_function(field) {
        return quote!(__p::save_field_with::<#ty>(&mut __group, #entry, #value, #function););
    }
    if field.attrs.kv.is_set() {
        return quote!(__p::save_kv::<#ty>(&mut __group, #entry, #value););
    }
    if let (Some(partition), Some(name)) = (field.attrs.partition.get(), field.attrs.partition.name()) {
        if partition.parts.is_none() {
            let message = "without `parts` the field holds one part of a tensor, so it can't be saved: say how many \
                           parts a save makes, or add `skip_saving`";
            return quote_spanned!(name.span()=> ::core::compile_error!(#message););
        }
        return quote!(__p::save_parts::<#ty>(&mut __group, #entry, #value););
    }
    quote!(__p::save_field::<#ty>(&mut __group, #entry, #value);)
}

/// The function that stands in for the type's own impl.
fn own_function(field: &Field<'_>) -> Option<TokenStream> {
    let module = field.attrs.with.get().map(|module| quote!(#module::save));
    module.or_else(|| field.attrs.save_with.get().map(ToTokens::to_token_stream))
}
