//! The body of `HurrayLoad::load`.
//!
//! ```text
//! fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
//!     let mut __group = __p::load_group(__loader)?;
//!     let __field0 = __p::load_field::<TensorView<'a, f32>>(&mut __group, &__F[0]);
//!     __p::close_group(__group);
//!     __p::taken!(__field0);
//!     __p::Ok(Self { weight: __field0 })
//! }
//! ```
//!
//! All fields are tried before the first is taken, so that one error lists all that is wrong.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Lifetime;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::{Table, const_dimensions, is_dimension, local};
use crate::ast::{Container, Data, Direction, Field, Fields, Variant};
use crate::attr::Fallback;

/// The whole method.
pub(super) fn method(container: &Container<'_>, lifetime: &Lifetime, table: &mut Table) -> TokenStream {
    let loader = match &container.data {
        Data::Enum(_) if !container.is_converted(Direction::Load) => quote!(mut __loader),
        _ => quote!(__loader),
    };
    let load = signature(lifetime, &loader, &body(container, table));
    let shared = shared(container, lifetime);
    let is_leaf = is_leaf(container, lifetime);
    quote!(#load #shared #is_leaf)
}

/// A transparent struct is a tensor at the path itself where its field is.
///
/// ```text
/// const IS_LEAF: bool = <Tensor<f32> as __p::HurrayLoad<'hurray>>::IS_LEAF;
/// ```
fn is_leaf(container: &Container<'_>, lifetime: &Lifetime) -> Option<TokenStream> {
    let (true, Data::Struct(fields)) = (container.attrs.transparent.is_set(), &container.data) else {
        return None;
    };
    let field = fields.list.iter().find(|field| field.takes_part(Direction::Load))?;
    let ty = field.ty;
    let own = own_function(field).is_none();
    own.then(|| quote!(const IS_LEAF: bool = <#ty as __p::HurrayLoad<#lifetime>>::IS_LEAF;))
}

/// What an `Arc` of the type holds is the same for every second name of it, if the type can be kept beyond the
/// load: it has no lifetimes, and no parameters that may have some.
///
/// ```text
/// fn load_shared(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<__p::Arc<Self>> { __p::load_shared(__loader) }
/// ```
fn shared(container: &Container<'_>, lifetime: &Lifetime) -> Option<TokenStream> {
    let is_static =
        container.original.generics.params.iter().all(|param| matches!(param, syn::GenericParam::Const(_)));
    is_static.then(|| {
        quote! {
            fn load_shared(__loader: __p::Loader<'_, #lifetime>) -> __p::Loaded<__p::Arc<Self>> {
                __p::load_shared(__loader)
            }
        }
    })
}

/// The method with the given pattern for its argument, and the given body.
pub(super) fn signature(lifetime: &Lifetime, loader: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        fn load(#loader: __p::Loader<'_, #lifetime>) -> __p::Loaded<Self> {
            #body
        }
    }
}

fn body(container: &Container<'_>, table: &mut Table) -> TokenStream {
    if let Some(proxy) = container.attrs.from.get() {
        return quote!(__p::load_from::<#proxy, Self>(__loader));
    }
    if let Some(proxy) = container.attrs.try_from.get() {
        return quote!(__p::load_try_from::<#proxy, Self>(__loader));
    }
    match &container.data {
        Data::Struct(fields) if container.attrs.transparent.is_set() => transparent(container, fields),
        Data::Struct(fields) => group(container, fields, &open(container), &quote!(Self), table),
        Data::Enum(variants) => self::variants(container, variants, table),
    }
}

/// The expression that opens a struct's group.
fn open(container: &Container<'_>) -> TokenStream {
    let attrs = &container.attrs;
    if attrs.metadata.is_set() {
        return quote!(__p::load_metadata(__loader)?);
    }
    let Some(version) = attrs.version.get() else {
        return quote!(__p::load_group(__loader)?);
    };
    let version = Literal::u32_unsuffixed(*version);
    let migrate = attrs.migrate.get().map_or_else(|| quote!(__p::no_migration), ToTokens::to_token_stream);
    quote!(__p::load_group_versioned(__loader, #version, #migrate)?)
}

/// A transparent struct is loaded as its only field is; the others are built by default.
fn transparent(container: &Container<'_>, fields: &Fields<'_>) -> TokenStream {
    let members = fields.list.iter().map(|field| {
        let (member, ty) = (&field.member, field.ty);
        let value = match own_function(field) {
            _ if !field.takes_part(Direction::Load) => fallback(container, field).call(),
            Some(function) => quote!(#function(__loader)?),
            None => quote!(<#ty as __p::HurrayLoad<'_>>::load(__loader)?),
        };
        quote!(#member: #value)
    });
    quote!(__p::Ok(Self { #(#members),* }))
}

/// ```text
/// match __p::load_variant(&mut __loader, &__V)? {
///     0 => __p::Ok(Self::Conv { 0: __p::load_newtype_variant::<Conv>(__loader)? }),
///     1 => __p::Ok(Self::Act {}),
///     __other => __p::no_variant(__other),
/// }
/// ```
fn variants(container: &Container<'_>, variants: &[Variant<'_>], table: &mut Table) -> TokenStream {
    let live: Vec<_> = variants.iter().filter(|variant| !variant.is_skipped()).collect();
    table.variants = live.iter().map(|variant| super::enums::static_variant(variant)).collect();
    let known = if live.is_empty() { quote!(&[]) } else { quote!(&__V) };
    let arms: Vec<_> = live
        .iter()
        .enumerate()
        .map(|(position, variant)| {
            let position = Literal::usize_unsuffixed(position);
            let value = self::variant(container, variant, table);
            quote!(#position => #value,)
        })
        .collect();
    quote! {
        match __p::load_variant(&mut __loader, #known)? {
            #(#arms)*
            __other => __p::no_variant(__other),
        }
    }
}

fn variant(container: &Container<'_>, variant: &Variant<'_>, table: &mut Table) -> TokenStream {
    let ident = &variant.original.ident;
    if variant.fields.list.is_empty() {
        return quote!(__p::Ok(Self::#ident {}));
    }
    let Some(field) = variant.newtype() else {
        let open = quote!(__p::load_group(__loader)?);
        let body = group(container, &variant.fields, &open, &quote!(Self::#ident), table);
        return quote!({ #body });
    };
    let ty = field.ty;
    if field.attrs.describes_tensor() {
        let entry = table.add(field, Direction::Load);
        return quote!(__p::Ok(Self::#ident { 0: __p::load_newtype_variant_as::<#ty>(__loader, #entry)? }));
    }
    quote!(__p::Ok(Self::#ident { 0: __p::load_newtype_variant::<#ty>(__loader)? }))
}

/// Opens a group, tries every field, closes it, and only then builds the value. The fields that are dimensions
/// come first, so that a shape that does not agree is told in their terms.
fn group(
    container: &Container<'_>,
    fields: &Fields<'_>,
    open: &TokenStream,
    constructor: &TokenStream,
    table: &mut Table,
) -> TokenStream {
    let mut statements = Vec::new();
    for parameter in const_dimensions(container, fields) {
        let (ident, ty, name) = (&parameter.ident, &parameter.ty, parameter.ident.unraw().to_string());
        statements.push(quote!(__p::bind_load::<#ty>(&mut __group, #name, &__p::Ok(#ident));));
    }
    let used = || fields.list.iter().filter(|field| field.takes_part(Direction::Load));
    let start = table.fields.len();
    let others: Vec<_> = used().filter(|field| !field.attrs.flatten.is_set()).collect();
    let mut loads: Vec<_> =
        others.into_iter().map(|field| (field, load(container, field, fields, table))).collect();
    for field in fields.list.iter().filter(|field| field.attrs.skip_loading.is_set()) {
        let entry = table.add(field, Direction::Load);
        statements.push(quote!(__p::skip_field(&mut __group, #entry);));
    }
    let beside = table.since(start);
    loads.extend(used().filter(|field| field.attrs.flatten.is_set()).map(|field| {
        let ty = field.ty;
        (field, quote!(__p::load_flattened::<#ty>(&mut __group, #beside)))
    }));
    loads.sort_by_key(|(field, _)| field.index);
    // Stable: fields stay in the order of the file otherwise.
    loads.sort_by_key(|(field, _)| !is_dimension(field, fields));
    for (field, load) in loads {
        let local = local(field);
        if field.attrs.partition.get().is_some_and(|partition| partition.parts.is_some()) {
            let ty = field.ty;
            statements.push(quote!(__p::holds_whole::<#ty>(&__group);));
        }
        statements.push(quote!(let #local = #load;));
        if is_dimension(field, fields) {
            let (ty, name) = (field.ty, &field.rust);
            statements.push(quote!(__p::bind_load::<#ty>(&mut __group, #name, &#local);));
        }
        if let Some(check) = field.attrs.validate.get() {
            let (ty, name) = (field.ty, &field.name);
            let call = quote!(__p::validate_field::<#ty, _>(&mut __group, #name, #local, #check));
            statements.push(quote!(let #local = #call;));
        }
    }
    let taken: Vec<_> = used().map(local).collect();
    let taken = (!taken.is_empty()).then(|| quote!(__p::taken!(#(#taken)*);));
    let members = fields.list.iter().map(|field| {
        let member = &field.member;
        let value = if field.takes_part(Direction::Load) {
            local(field).to_token_stream()
        } else {
            fallback(container, field).call()
        };
        quote!(#member: #value)
    });
    let value = quote!(#taken __p::Ok(#constructor { #(#members),* }));
    let defaults = container_default(container, fields);
    let binding = if statements.is_empty() { quote!(__group) } else { quote!(mut __group) };
    let close = match container.attrs.validate.get() {
        Some(check) => quote!(__p::finish_validated(__group, || { #value }, #check)),
        None => quote!(__p::close_group(__group); #value),
    };
    quote! {
        let #binding = #open;
        #defaults
        #(#statements)*
        #close
    }
}

fn load(container: &Container<'_>, field: &Field<'_>, fields: &Fields<'_>, table: &mut Table) -> TokenStream {
    let ty = field.ty;
    let entry = table.add_among(field, fields);
    let given = field.attrs.default.is_set() || field.attrs.since.is_set();
    let default = (given || container.attrs.default.is_set()).then(|| fallback(container, field).function());
    match (own_function(field), default) {
        (Some(function), Some(default)) => {
            quote!(__p::load_field_with_or::<#ty>(&mut __group, #entry, #function, #default))
        }
        (Some(function), None) => quote!(__p::load_field_with::<#ty>(&mut __group, #entry, #function)),
        (None, Some(default)) if field.attrs.kv.is_set() => {
            quote!(__p::load_kv_or::<#ty>(&mut __group, #entry, #default))
        }
        (None, None) if field.attrs.kv.is_set() => quote!(__p::load_kv::<#ty>(&mut __group, #entry)),
        (None, Some(default)) => quote!(__p::load_field_or::<#ty>(&mut __group, #entry, #default)),
        (None, None) => quote!(__p::load_field::<#ty>(&mut __group, #entry)),
    }
}

/// The function that stands in for the type's own impl.
fn own_function(field: &Field<'_>) -> Option<TokenStream> {
    let module = field.attrs.with.get().map(|module| quote!(#module::load));
    module.or_else(|| field.attrs.load_with.get().map(ToTokens::to_token_stream))
}

/// What stands in for a field that a file does not have.
enum Source<'a> {
    Trait(&'a syn::Type),
    Function(&'a syn::ExprPath),
    /// A field of the container's own default.
    Local(Ident),
}

impl Source<'_> {
    /// The value.
    fn call(&self) -> TokenStream {
        match self {
            Self::Trait(ty) => quote_spanned!(ty.span()=> <#ty as __p::Default>::default()),
            Self::Function(path) => quote!(#path()),
            Self::Local(local) => local.to_token_stream(),
        }
    }

    /// A function that gives the value.
    fn function(&self) -> TokenStream {
        match self {
            // All of it at the type, so that a type without a default is one error.
            Self::Trait(ty) => quote_spanned!(ty.span()=> <#ty as __p::Default>::default),
            Self::Function(path) => path.to_token_stream(),
            Self::Local(local) => quote!(|| #local),
        }
    }
}

fn fallback<'a>(container: &Container<'_>, field: &'a Field<'_>) -> Source<'a> {
    match field.attrs.default.get() {
        Some(Fallback::Trait) => Source::Trait(field.ty),
        Some(Fallback::Function(path)) => Source::Function(path),
        None if container.attrs.default.is_set() => Source::Local(format_ident!("__default{}", field.index)),
        None => Source::Trait(field.ty),
    }
}

/// `let Self { weight: __default0, .. } = <Self as __p::Default>::default();`
fn container_default(container: &Container<'_>, fields: &Fields<'_>) -> Option<TokenStream> {
    let default = match container.attrs.default.get()? {
        Fallback::Trait => quote!(<Self as __p::Default>::default()),
        Fallback::Function(path) => quote!(#path()),
    };
    let members = fields.list.iter().filter_map(|field| match fallback(container, field) {
        Source::Local(local) => {
            let member = &field.member;
            Some(quote!(#member: #local))
        }
        Source::Trait(_) | Source::Function(_) => None,
    });
    let members: Vec<_> = members.collect();
    (!members.is_empty()).then(|| quote!(let Self { #(#members,)* .. } = #default;))
}
