//! What `#[hurray(..)]` says on a container, a variant or a field. One struct per level; nothing is checked here
//! that needs more than one attribute.

mod container;
mod field;
mod names;
mod variant;

use proc_macro2::{Ident, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, ExprPath, LitStr, Meta, Token, WherePredicate, parenthesized, token};

use crate::ctxt::Ctxt;
use crate::value;

pub(crate) use container::Container;
pub(crate) use field::Field;
pub(crate) use names::Level;
pub(crate) use variant::Variant;

/// An attribute that may be given once.
pub(crate) struct Attr<T>(Option<(Ident, T)>);

impl<T> Default for Attr<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Attr<T> {
    /// Sets the value; a second one is an error at its own name.
    fn set(&mut self, name: &Ident, value: T) -> syn::Result<()> {
        if self.0.is_some() {
            return Err(syn::Error::new_spanned(name, format!("duplicate attribute `{name}`")));
        }
        self.0 = Some((name.clone(), value));
        Ok(())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    /// Where the attribute is, for errors.
    pub(crate) fn name(&self) -> Option<&Ident> {
        self.0.as_ref().map(|(name, _)| name)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }
}

/// What stands in for a field that a file does not have.
pub(crate) enum Fallback {
    /// `Default::default()`
    Trait,
    /// A function of the user's.
    Function(ExprPath),
}

/// `bound = "T: Trait"`, or one of the two sides of `bound(save = "..", load = "..")`.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) save: Option<Vec<WherePredicate>>,
    pub(crate) load: Option<Vec<WherePredicate>>,
}

/// `default` or `default = "path"`
fn fallback(input: ParseStream<'_>) -> syn::Result<Fallback> {
    if input.peek(Token![=]) { value::function(input).map(Fallback::Function) } else { Ok(Fallback::Trait) }
}

/// `bound = ".."` or `bound(save = "..", load = "..")`
fn bounds(name: &Ident, input: ParseStream<'_>) -> syn::Result<Bounds> {
    if !input.peek(token::Paren) {
        let predicates = value::predicates(&value::string(input)?)?;
        return Ok(Bounds { save: Some(predicates.clone()), load: Some(predicates) });
    }
    let list;
    parenthesized!(list in input);
    let sides = two_sides(name, &list);
    sides.inspect_err(|_| value::drain(&list))
}

/// `save = "..", load = ".."`
fn two_sides(name: &Ident, list: ParseStream<'_>) -> syn::Result<Bounds> {
    let mut bounds = Bounds::default();
    while !list.is_empty() {
        let side: Ident = list.parse()?;
        let slot = match side.to_string().as_str() {
            "save" => &mut bounds.save,
            "load" => &mut bounds.load,
            _ => return Err(syn::Error::new_spanned(&side, "expected `save` or `load`")),
        };
        let predicates = value::predicates(&value::string(list)?)?;
        if slot.replace(predicates).is_some() {
            return Err(syn::Error::new_spanned(&side, format!("duplicate `{side}` in `{name}`")));
        }
        if !list.is_empty() {
            list.parse::<Token![,]>()?;
        }
    }
    Ok(bounds)
}

/// A flag takes no value.
fn flag(name: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![=]) || input.peek(token::Paren) {
        return Err(input.error(format!("`{name}` takes no value")));
    }
    Ok(())
}

/// Adds an alias; the same one twice is an error.
fn add_alias(aliases: &mut Vec<LitStr>, literal: LitStr) -> syn::Result<()> {
    if aliases.iter().any(|alias| alias.value() == literal.value()) {
        return Err(syn::Error::new_spanned(&literal, format!("duplicate alias `{}`", literal.value())));
    }
    aliases.push(literal);
    Ok(())
}

/// Walks every `#[hurray(..)]` in `attributes`. `set` takes an attribute's name and what follows it, and gives
/// `false` for a name that it does not know. An error is recorded, and the walk goes on after the next comma.
fn walk(
    ctxt: &Ctxt,
    level: Level,
    attributes: &[Attribute],
    mut set: impl FnMut(&Ident, ParseStream<'_>) -> syn::Result<bool>,
) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("hurray")) {
        let Meta::List(list) = &attribute.meta else {
            ctxt.error(&attribute.meta, "expected a list: `#[hurray(..)]`");
            continue;
        };
        let walked = list.parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(error) = walk_one(level, input, &mut set) {
                    ctxt.push(error);
                    skip_to_comma(input)?;
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        });
        ctxt.ok(walked);
    }
}

fn walk_one(
    level: Level,
    input: ParseStream<'_>,
    set: &mut impl FnMut(&Ident, ParseStream<'_>) -> syn::Result<bool>,
) -> syn::Result<()> {
    let name = input.call(Ident::parse_any)?;
    if !set(&name, input)? {
        return Err(level.unknown(&name));
    }
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    Err(input.error("expected `,`"))
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
