//! Enums without any field: one KV entry, and one KV array for a slice of them.
//!
//! The two traits are derived apart from each other, so each derive prints its own half:
//!
//! ```text
//! impl __p::SaveUnitEnum for Kind { fn name(&self) -> __p::Option<&'static str> { .. } }
//! impl __p::HurraySave for Kind { fn save(..) { __p::save_unit_enum(self, __saver) } fn save_slice(..) { .. } }
//! impl __p::KvSave for Kind { .. }
//! ```

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Impl, load, save};
use crate::ast::{Direction, Variant};

/// Whether no variant has a field.
pub(super) fn is_fieldless(variants: &[Variant<'_>]) -> bool {
    variants.iter().all(|variant| variant.fields.list.is_empty())
}

/// `__p::Variant::new("Relu").aliases(&["relu"])`
pub(super) fn static_variant(variant: &Variant<'_>) -> TokenStream {
    let (name, aliases) = (&variant.name, &variant.attrs.aliases);
    let aliases = (!aliases.is_empty()).then(|| quote!(.aliases(&[#(#aliases),*])));
    quote!(__p::Variant::new(#name) #aliases)
}

/// All impls of one direction.
pub(super) fn fieldless(imp: &Impl<'_>, variants: &[Variant<'_>]) -> TokenStream {
    match imp.direction {
        Direction::Save => save_impls(imp, variants),
        Direction::Load => load_impls(imp, variants),
    }
}

fn save_impls(imp: &Impl<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let (ident, name) = (&variant.original.ident, &variant.name);
        let value = if variant.is_skipped() { quote!(__p::None) } else { quote!(__p::Some(#name)) };
        quote!(Self::#ident { .. } => #value,)
    });
    let names = quote! {
        fn name(&self) -> __p::Option<&'static str> {
            match self { #(#arms)* }
        }
    };
    let save = save::signature(&quote!(__saver), &quote!(__p::save_unit_enum(self, __saver)));
    let methods = quote! {
        #save
        fn save_slice<'__s>(
            __slice: &'__s [Self],
            __saver: __p::Saver<'_, '__s>,
            _: __p::Dims,
        ) -> __p::Saved {
            __p::save_unit_enum_slice(__slice, __saver)
        }
    };
    let kv = quote! {
        fn to_kv(&self) -> __p::Option<__p::KvValue> {
            __p::unit_enum_to_kv(self)
        }
        fn slice_to_kv(__slice: &[Self]) -> __p::Option<__p::KvValue> {
            __p::unit_enum_slice_to_kv(__slice)
        }
    };
    let names = imp.block_of(&quote!(__p::SaveUnitEnum), &names);
    let methods = imp.block(&methods);
    let kv = imp.block_of(&quote!(__p::KvSave), &kv);
    quote!(#names #methods #kv)
}

fn load_impls(imp: &Impl<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let live: Vec<_> = variants.iter().filter(|variant| !variant.is_skipped()).collect();
    let known = live.iter().map(|variant| static_variant(variant));
    let arms = live.iter().enumerate().map(|(position, variant)| {
        let (position, ident) = (Literal::usize_unsuffixed(position), &variant.original.ident);
        quote!(#position => __p::Some(Self::#ident {}),)
    });
    let lifetime = imp.lifetime;
    let spelled: Vec<_> = live.iter().map(|variant| format!("`{}`", variant.name)).collect();
    let expects = format!("one of {}", spelled.join(", "));
    let expects_slice = format!("array of utf8, each {expects}");
    let names = quote! {
        const VARIANTS: &'static [__p::Variant] = &[#(#known),*];
        fn from_index(__index: usize) -> __p::Option<Self> {
            match __index {
                #(#arms)*
                _ => __p::None,
            }
        }
    };
    let load = load::signature(lifetime, &quote!(__loader), &quote!(__p::load_unit_enum::<Self>(__loader)));
    let methods = quote! {
        #load
        fn load_vec(__loader: __p::Loader<'_, #lifetime>) -> __p::Loaded<__p::Vec<Self>> {
            __p::load_unit_enum_vec(__loader)
        }
    };
    let kv = quote! {
        fn expects() -> &'static str {
            #expects
        }
        fn expects_slice() -> &'static str {
            #expects_slice
        }
        fn from_kv(__entry: __p::KvEntry<#lifetime>) -> __p::Option<Self> {
            __p::unit_enum_from_kv(__entry)
        }
        fn from_value(__value: &__p::KvValue) -> __p::Option<Self> {
            __p::unit_enum_from_value(__value)
        }
        fn vec_from_value(__value: &__p::KvValue) -> __p::Option<__p::Vec<Self>> {
            __p::unit_enum_vec_from_value(__value)
        }
    };
    let names = imp.block_of(&quote!(__p::LoadUnitEnum), &names);
    let methods = imp.block(&methods);
    let kv = imp.block_of(&quote!(__p::KvLoad<#lifetime>), &kv);
    quote!(#names #methods #kv)
}
