//! From the checked input to the printed impl.
//!
//! Everything is printed into one `const` block, so that only our own short names are in scope beside the user's
//! types: `__p`, the library's private module; `__F` and `__V`, what is static about
//! fields and variants; `__D`, a dimension.
//!
//! ```text
//! const _: () = {
//!     use ::hurray::__private as __p;
//!     static __F: [__p::Field; 2] = [__p::Field::new("weight"), __p::Field::new("bias")];
//!     #[automatically_derived]
//!     impl<'a> __p::HurraySave for Linear<'a> { .. }
//! };
//! ```

mod enums;
mod load;
mod save;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{DeriveInput, Lifetime};

use crate::ast::{Container, Data, Direction, Field, Fields, Style};
use crate::bound;
use crate::check;
use crate::ctxt::Ctxt;
use crate::value::{Dim, Layout};

/// Derives one of the two traits.
pub(crate) fn derive(input: &DeriveInput, direction: Direction) -> TokenStream {
    let ctxt = Ctxt::new();
    let container = Container::parse(&ctxt, input);
    check::check(&ctxt, &container);
    match ctxt.finish() {
        Ok(()) => expand(&container, direction),
        Err(errors) => {
            let errors = errors.into_compile_error();
            let stub = stub(&container, direction);
            quote!(#errors #stub)
        }
    }
}

fn expand(container: &Container<'_>, direction: Direction) -> TokenStream {
    let mut table = Table::default();
    let lifetime = load_lifetime(bound::LOAD_LIFETIME);
    let generics = bound::generics(container, direction, &lifetime);
    let where_clause = bound::where_clause(container, direction, &lifetime);
    let imp =
        Impl { container, direction, lifetime: &lifetime, generics: &generics, where_clause: &where_clause };
    let items = match (&container.data, direction) {
        (Data::Enum(variants), _) if enums::is_fieldless(variants) && !container.is_converted(direction) => {
            enums::fieldless(&imp, variants)
        }
        (_, Direction::Save) => imp.block(&save::method(container, &mut table)),
        (_, Direction::Load) => imp.block(&load::method(container, &lifetime, &mut table)),
    };
    let dimensions = table.has_shape.then(|| {
        quote!(
            use __p::Dim as __D;
        )
    });
    in_block(container, &quote!(#dimensions #table #items))
}

/// An impl that compiles and does nothing, so that a failed derive is not followed by missing impls.
fn stub(container: &Container<'_>, direction: Direction) -> TokenStream {
    // The user may have taken the documented name: that can be the very error.
    let lifetime = load_lifetime("'__hurray");
    let generics = bound::generics(container, direction, &lifetime);
    let where_clause = bound::own_where_clause(container);
    let imp =
        Impl { container, direction, lifetime: &lifetime, generics: &generics, where_clause: &where_clause };
    let body = match direction {
        Direction::Save => save::signature(&quote!(_), &quote!(loop {})),
        Direction::Load => load::signature(&lifetime, &quote!(_), &quote!(loop {})),
    };
    in_block(container, &imp.block(&body))
}

fn load_lifetime(symbol: &str) -> Lifetime {
    Lifetime::new(symbol, proc_macro2::Span::call_site())
}

fn in_block(container: &Container<'_>, items: &TokenStream) -> TokenStream {
    let krate = container.attrs.krate.get().map_or_else(|| quote!(::hurray), ToTokens::to_token_stream);
    quote! {
        #[allow(deprecated, unused_qualifications)]
        const _: () = {
            use #krate::__private as __p;
            #items
        };
    }
}

/// The header that all impls of one derive share.
struct Impl<'a> {
    container: &'a Container<'a>,
    direction: Direction,
    lifetime: &'a Lifetime,
    generics: &'a syn::Generics,
    where_clause: &'a TokenStream,
}

impl Impl<'_> {
    /// The impl of the derived trait.
    fn block(&self, items: &TokenStream) -> TokenStream {
        let lifetime = self.lifetime;
        let derived = match self.direction {
            Direction::Save => quote!(__p::HurraySave),
            Direction::Load => quote!(__p::HurrayLoad<#lifetime>),
        };
        self.block_of(&derived, items)
    }

    /// The impl of another trait for the container.
    fn block_of(&self, implemented: &TokenStream, items: &TokenStream) -> TokenStream {
        let (impl_generics, _, _) = self.generics.split_for_impl();
        let (_, type_generics, _) = self.container.original.generics.split_for_impl();
        let (ident, where_clause) = (self.container.ident(), self.where_clause);
        quote! {
            #[automatically_derived]
            impl #impl_generics #implemented for #ident #type_generics #where_clause {
                #items
            }
        }
    }
}

/// What is static about the fields, as one `static` that the calls refer to.
#[derive(Default)]
struct Table {
    fields: Vec<TokenStream>,
    has_shape: bool,
    /// The variants that a load knows.
    variants: Vec<TokenStream>,
}

impl Table {
    /// Adds a field, and gives the expression that refers to it.
    fn add(&mut self, field: &Field<'_>, direction: Direction) -> TokenStream {
        let position = Literal::usize_unsuffixed(self.fields.len());
        self.fields.push(static_field(field, direction));
        self.has_shape |= field.attrs.shape.is_set();
        quote!(&__F[#position])
    }

    /// The fields that were added after the first `start`.
    fn since(&self, start: usize) -> TokenStream {
        let (start, end) = (Literal::usize_unsuffixed(start), Literal::usize_unsuffixed(self.fields.len()));
        if self.fields.is_empty() { quote!(&[]) } else { quote!(&__F[#start..#end]) }
    }

    /// Adds a field that is loaded beside others, some of which may have names under its own.
    fn add_among(&mut self, field: &Field<'_>, fields: &Fields<'_>) -> TokenStream {
        let entry = self.add(field, Direction::Load);
        let neighbours = neighbours(field, fields);
        if let (false, Some(last)) = (neighbours.is_empty(), self.fields.last_mut()) {
            last.extend(quote!(.neighbours(&[#(#neighbours),*])));
        }
        entry
    }
}

impl ToTokens for Table {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (fields, variants) = (&self.fields, &self.variants);
        if !fields.is_empty() {
            let count = Literal::usize_unsuffixed(fields.len());
            tokens.extend(quote!(static __F: [__p::Field; #count] = [#(#fields),*];));
        }
        if !variants.is_empty() {
            let count = Literal::usize_unsuffixed(variants.len());
            tokens.extend(quote!(static __V: [__p::Variant; #count] = [#(#variants),*];));
        }
    }
}

/// `__p::Field::new("weight").shape(&[..])`: only what the direction needs.
fn static_field(field: &Field<'_>, direction: Direction) -> TokenStream {
    let (name, attrs) = (&field.name, &field.attrs);
    let mut call = quote!(__p::Field::new(#name));
    if field.rust != *name {
        let rust = &field.rust;
        call.extend(quote!(.rust(#rust)));
    }
    if let Some(dims) = attrs.shape.get() {
        call.extend(quote!(.shape(&[#(#dims),*])));
    }
    if let Some(element_type) = attrs.element_type.get() {
        call.extend(quote!(.element_type(#element_type)));
    }
    if let Some(target) = attrs.tied.get() {
        call.extend(quote!(.tied(#target)));
    }
    if let Some(partition) = attrs.partition.get() {
        let axis = Literal::u32_unsuffixed(partition.axis);
        match partition.parts.map(Literal::u32_unsuffixed) {
            Some(parts) => call.extend(quote!(.parts(#axis, #parts))),
            None => call.extend(quote!(.part(#axis))),
        }
    }
    if !attrs.aliases.is_empty() {
        let aliases = &attrs.aliases;
        call.extend(quote!(.aliases(&[#(#aliases),*])));
    }
    match direction {
        Direction::Save => {
            match attrs.layout.get() {
                Some(Layout::Keep) => call.extend(quote!(.layout_keep())),
                Some(Layout::RowMajor) => call.extend(quote!(.layout_row_major())),
                None => {}
            }
            if let Some(alignment) = attrs.align.get() {
                let alignment = Literal::u32_unsuffixed(*alignment);
                call.extend(quote!(.align(#alignment)));
            }
        }
        Direction::Load => {
            if let Some(since) = attrs.since.get() {
                let since = Literal::u32_unsuffixed(*since);
                call.extend(quote!(.since(#since)));
            }
            if attrs.cast.is_set() {
                call.extend(quote!(.cast()));
            }
        }
    }
    call
}

/// The names of other fields that are paths under one of this field's names: `w.scale` under `w`.
fn neighbours(field: &Field<'_>, fields: &Fields<'_>) -> Vec<String> {
    let own: Vec<String> = field.names().collect();
    let others = fields.list.iter().filter(|other| other.index != field.index);
    let others = others.filter(|other| !other.attrs.skip.is_set() && !other.attrs.flatten.is_set());
    let is_under = |name: &String| {
        own.iter().any(|own| name.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('.')))
    };
    others.flat_map(Field::names).filter(is_under).collect()
}

/// The names that the shapes of one group of fields use.
fn shape_names<'f>(fields: &'f Fields<'_>) -> impl Iterator<Item = &'f Ident> {
    fields.list.iter().filter_map(|field| field.attrs.shape.get()).flatten().filter_map(|dim| match dim {
        Dim::Name(name) => Some(name),
        Dim::Fixed(_) | Dim::Any | Dim::Rest(_) => None,
    })
}

/// Whether a shape in the same group uses the field's name for a dimension, so that its value is that size.
fn is_dimension(field: &Field<'_>, fields: &Fields<'_>) -> bool {
    fields.style == Style::Named && shape_names(fields).any(|name| name.unraw() == field.rust)
}

/// The const parameters whose names shapes in the group use, as `(name, type, identifier)`.
fn const_dimensions<'a>(container: &'a Container<'_>, fields: &Fields<'_>) -> Vec<&'a syn::ConstParam> {
    let parameters = container.original.generics.const_params();
    parameters.filter(|parameter| shape_names(fields).any(|name| *name == parameter.ident)).collect()
}

/// The local that holds a field: `__field0`.
fn local(field: &Field<'_>) -> Ident {
    format_ident!("__field{}", field.index, span = proc_macro2::Span::call_site())
}
