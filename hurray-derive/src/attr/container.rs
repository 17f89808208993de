//! Attributes of a struct or enum.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Attribute, ExprPath, Lifetime, Path, Token, Type};

use super::{Attr, Bounds, Fallback, Level, bounds, fallback, flag, walk};
use crate::case::Case;
use crate::ctxt::Ctxt;
use crate::value;

/// What `#[hurray(..)]` says on a struct or enum.
#[derive(Default)]
pub(crate) struct Container {
    /// The names of all attributes, in source order.
    pub(crate) given: Vec<Ident>,
    pub(crate) borrow: Attr<Vec<Lifetime>>,
    pub(crate) bound: Attr<Bounds>,
    pub(crate) krate: Attr<Path>,
    pub(crate) default: Attr<Fallback>,
    pub(crate) from: Attr<Type>,
    pub(crate) into: Attr<Type>,
    pub(crate) metadata: Attr<()>,
    pub(crate) migrate: Attr<ExprPath>,
    pub(crate) rename_all: Attr<Case>,
    pub(crate) rename_all_fields: Attr<Case>,
    pub(crate) transparent: Attr<()>,
    pub(crate) try_from: Attr<Type>,
    pub(crate) validate: Attr<ExprPath>,
    pub(crate) version: Attr<u32>,
}

impl Container {
    pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut parsed = Self::default();
        walk(ctxt, Level::Container, attributes, |name, input| parsed.set(name, input));
        parsed
    }

    fn set(&mut self, name: &Ident, input: ParseStream<'_>) -> syn::Result<bool> {
        match name.to_string().as_str() {
            "borrow" => self.borrow.set(name, value::lifetimes(input)?)?,
            "bound" => self.bound.set(name, bounds(name, input)?)?,
            "crate" => self.krate.set(name, crate_path(input)?)?,
            "default" => self.default.set(name, fallback(input)?)?,
            "from" => self.from.set(name, value::quoted(input)?)?,
            "into" => self.into.set(name, value::quoted(input)?)?,
            "metadata" => self.metadata.set(name, flag(name, input)?)?,
            "migrate" => self.migrate.set(name, value::function(input)?)?,
            "rename_all" => self.rename_all.set(name, case(input)?)?,
            "rename_all_fields" => self.rename_all_fields.set(name, case(input)?)?,
            "transparent" => self.transparent.set(name, flag(name, input)?)?,
            "try_from" => self.try_from.set(name, value::quoted(input)?)?,
            "validate" => self.validate.set(name, value::function(input)?)?,
            "version" => self.version.set(name, value::version(input)?)?,
            _ => return Ok(false),
        }
        self.given.push(name.clone());
        Ok(true)
    }
}

/// `= "snake_case"`
pub(super) fn case(input: ParseStream<'_>) -> syn::Result<Case> {
    Case::parse(&value::string(input)?)
}

/// `= path::to::hurray`: no arguments, no expression.
fn crate_path(input: ParseStream<'_>) -> syn::Result<Path> {
    if input.peek(Token![=]) && !input.peek2(syn::LitStr) {
        input.parse::<Token![=]>()?;
        return input.call(Path::parse_mod_style);
    }
    let literal = value::string(input)?;
    literal.parse_with(Path::parse_mod_style).map_err(|_| {
        let message = format!("`{}` is not the path of a crate", literal.value());
        syn::Error::new_spanned(&literal, message)
    })
}
