//! The generics of an impl: what bounds it needs, and the hidden lifetime of a load.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Lifetime, LifetimeParam, Token, Type, punctuated::Punctuated};

use crate::ast::{Container, Direction, Field};
use crate::attr::{Bounds, Fallback};

/// The lifetime of the loaded bytes in a derived impl. Documented: a `bound(load = "..")` may name it.
pub(crate) const LOAD_LIFETIME: &str = "'hurray";

/// The container's generics for an impl: no defaults, and for a load first the hidden lifetime, which outlives
/// those that borrow from the file.
pub(crate) fn generics(container: &Container<'_>, direction: Direction, lifetime: &Lifetime) -> Generics {
    let mut generics = container.original.generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => parameter.default = None,
            GenericParam::Const(parameter) => parameter.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    if direction == Direction::Load {
        let bounds: Punctuated<Lifetime, Token![+]> = borrowing_lifetimes(container).into_iter().collect();
        let colon_token = (!bounds.is_empty()).then(Default::default);
        let hidden = LifetimeParam { attrs: Vec::new(), lifetime: lifetime.clone(), colon_token, bounds };
        generics.params.insert(0, GenericParam::Lifetime(hidden));
        generics.lt_token.get_or_insert_default();
        generics.gt_token.get_or_insert_default();
    }
    generics
}

/// The lifetimes that borrow from the file: those that `borrow` names, or else all of the container's own.
fn borrowing_lifetimes(container: &Container<'_>) -> Vec<Lifetime> {
    let own: Vec<&Lifetime> =
        container.original.generics.lifetimes().map(|parameter| &parameter.lifetime).collect();
    let mut named: HashSet<String> = HashSet::new();
    let mut explicit = false;
    if let Some(lifetimes) = container.attrs.borrow.get() {
        explicit = true;
        named.extend(lifetimes.iter().map(ToString::to_string));
    }
    for field in container.groups().flat_map(|fields| &fields.list) {
        match field.attrs.borrow.get() {
            Some(Some(lifetimes)) => named.extend(lifetimes.iter().map(ToString::to_string)),
            Some(None) => collect_lifetimes(field.ty.to_token_stream(), &mut named),
            None => continue,
        }
        explicit = true;
    }
    own.into_iter().filter(|own| !explicit || named.contains(&own.to_string())).cloned().collect()
}

/// The where clause of an impl: the user's own, then what the attributes say or the fields need.
pub(crate) fn where_clause(
    container: &Container<'_>,
    direction: Direction,
    lifetime: &Lifetime,
) -> TokenStream {
    let own = container.original.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let own = own.map(ToTokens::to_token_stream);
    let given = container.attrs.bound.get().and_then(|bounds| side(bounds, direction));
    let added = match given {
        Some(predicates) => predicates.iter().map(ToTokens::to_token_stream).collect(),
        None => inferred(container, direction, lifetime),
    };
    let mut predicates = own.chain(added).peekable();
    if predicates.peek().is_none() { TokenStream::new() } else { quote!(where #(#predicates),*) }
}

/// The user's own where clause, for an impl that does nothing.
pub(crate) fn own_where_clause(container: &Container<'_>) -> TokenStream {
    container.original.generics.where_clause.to_token_stream()
}

fn side(bounds: &Bounds, direction: Direction) -> Option<&Vec<syn::WherePredicate>> {
    match direction {
        Direction::Save => bounds.save.as_ref(),
        Direction::Load => bounds.load.as_ref(),
    }
}

/// One predicate for each field type that mentions a type parameter. Types that mention the deriving type are
/// left out: bounding them would ask for the very impl that they are a condition of.
fn inferred(container: &Container<'_>, direction: Direction, lifetime: &Lifetime) -> Vec<TokenStream> {
    let mut bounds = Inferred {
        parameters: container.original.generics.type_params().map(|parameter| &parameter.ident).collect(),
        itself: container.ident(),
        direction,
        lifetime,
        seen: HashSet::new(),
        predicates: Vec::new(),
    };
    if bounds.parameters.is_empty() {
        return Vec::new();
    }
    if bounds.conversion(container) {
        return bounds.predicates;
    }
    for fields in container.live_groups() {
        for field in &fields.list {
            bounds.field(field, container);
        }
    }
    bounds.predicates
}

struct Inferred<'a> {
    parameters: Vec<&'a Ident>,
    itself: &'a Ident,
    direction: Direction,
    lifetime: &'a Lifetime,
    seen: HashSet<String>,
    predicates: Vec<TokenStream>,
}

impl Inferred<'_> {
    /// `from`, `try_from` and `into` need the other type's impl and the conversion, and nothing of the fields.
    fn conversion(&mut self, container: &Container<'_>) -> bool {
        let attrs = &container.attrs;
        let (proxy, conversion) = match self.direction {
            Direction::Save => (attrs.into.get(), quote!(__p::Clone + __p::Into)),
            Direction::Load if attrs.from.is_set() => (attrs.from.get(), quote!(__p::From)),
            Direction::Load => (attrs.try_from.get(), quote!(__p::TryFrom)),
        };
        let Some(proxy) = proxy else { return false };
        let model = self.model_trait();
        self.push(quote!(#proxy: #model));
        self.push(quote!(Self: #conversion<#proxy>));
        true
    }

    fn field(&mut self, field: &Field<'_>, container: &Container<'_>) {
        let bound = field.attrs.bound.get().and_then(|bounds| side(bounds, self.direction));
        if let Some(predicates) = bound {
            predicates.iter().for_each(|predicate| self.push(predicate.to_token_stream()));
            return;
        }
        if !mentions(field.ty.to_token_stream(), &self.parameters) {
            return;
        }
        if field.takes_part(self.direction) && !field.has_own_function(self.direction) {
            let needed = match field.attrs.partition.get() {
                _ if field.attrs.kv.is_set() => self.kv_trait(),
                Some(partition) => self.partition_trait(partition.parts.is_some()),
                None => self.model_trait(),
            };
            self.placed(field.ty, &needed);
        }
        if self.direction == Direction::Load && needs_default(field, container) {
            let ty = field.ty;
            self.push(quote!(#ty: __p::Default));
        }
    }

    /// Bounds a type, or, where it mentions the deriving type, the parts of it that stand side by side.
    fn placed(&mut self, ty: &Type, needed: &TokenStream) {
        let tokens = ty.to_token_stream();
        if !mentions(tokens.clone(), &self.parameters) {
            return;
        }
        if !mentions_itself(tokens, self.itself) {
            self.push(quote!(#ty: #needed));
            return;
        }
        match ty {
            Type::Tuple(tuple) => tuple.elems.iter().for_each(|element| self.placed(element, needed)),
            Type::Array(array) => self.placed(&array.elem, needed),
            Type::Paren(inner) => self.placed(&inner.elem, needed),
            Type::Group(inner) => self.placed(&inner.elem, needed),
            _ => {}
        }
    }

    fn model_trait(&self) -> TokenStream {
        let lifetime = self.lifetime;
        match self.direction {
            Direction::Save => quote!(__p::HurraySave),
            Direction::Load => quote!(__p::HurrayLoad<#lifetime>),
        }
    }

    fn partition_trait(&self, is_whole: bool) -> TokenStream {
        let lifetime = self.lifetime;
        match self.direction {
            Direction::Save => quote!(__p::SaveParts),
            Direction::Load if is_whole => quote!(__p::LoadWhole<#lifetime>),
            Direction::Load => self.model_trait(),
        }
    }

    fn kv_trait(&self) -> TokenStream {
        let lifetime = self.lifetime;
        match self.direction {
            Direction::Save => quote!(__p::KvSave),
            Direction::Load => quote!(__p::KvLoad<#lifetime>),
        }
    }

    fn push(&mut self, predicate: TokenStream) {
        if self.seen.insert(predicate.to_string()) {
            self.predicates.push(predicate);
        }
    }
}

/// Whether a load may build the field by `Default`.
fn needs_default(field: &Field<'_>, container: &Container<'_>) -> bool {
    match field.attrs.default.get() {
        Some(Fallback::Trait) => true,
        Some(Fallback::Function(_)) => false,
        None if container.attrs.default.is_set() => false,
        None => !field.takes_part(Direction::Load) || field.attrs.since.is_set(),
    }
}

/// Whether one of `names` occurs in the tokens as the start of a path.
fn mentions(tokens: TokenStream, names: &[&Ident]) -> bool {
    let mut after_colon = false;
    tokens.into_iter().any(|tree| {
        let found = match &tree {
            TokenTree::Ident(ident) => !after_colon && names.contains(&ident),
            TokenTree::Group(group) => mentions(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        };
        after_colon = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ':');
        found
    })
}

/// Whether the deriving type occurs in the tokens, by its name or as `Self`.
fn mentions_itself(tokens: TokenStream, itself: &Ident) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == *itself || ident == "Self",
        TokenTree::Group(group) => mentions_itself(group.stream(), itself),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Adds every `'name` in the tokens.
fn collect_lifetimes(tokens: TokenStream, lifetimes: &mut HashSet<String>) {
    let mut after_quote = false;
    for tree in tokens {
        match &tree {
            TokenTree::Ident(ident) if after_quote => {
                lifetimes.insert(format!("'{ident}"));
            }
            TokenTree::Group(group) => collect_lifetimes(group.stream(), lifetimes),
            _ => {}
        }
        after_quote = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '\'');
    }
}

#[cfg(test)]
mod tests {
    use quote::{format_ident, quote};

    use super::{mentions, mentions_itself};

    #[test]
    fn a_parameter_counts_at_the_start_of_a_path_only() {
        let t = format_ident!("T");
        assert!(mentions(quote!(Vec<T>), &[&t]));
        assert!(mentions(quote!([T::Item; 3]), &[&t]));
        assert!(mentions(quote!(fn(&T) -> u8), &[&t]));
        assert!(!mentions(quote!(module::T), &[&t]));
        assert!(!mentions(quote!(Vec<TT>), &[&t]));
    }

    #[test]
    fn recursion_is_seen_by_name_and_by_self() {
        let tree = format_ident!("Tree");
        assert!(mentions_itself(quote!(Vec<Tree<T>>), &tree));
        assert!(mentions_itself(quote!(Option<Box<Self>>), &tree));
        assert!(mentions_itself(quote!(Vec<crate::Tree<T>>), &tree));
        assert!(!mentions_itself(quote!(Vec<Trees<T>>), &tree));
    }
}
