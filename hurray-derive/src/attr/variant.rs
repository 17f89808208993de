//! Attributes of a variant.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Attribute, LitStr};

use super::{Attr, Level, add_alias, container::case, flag, walk};
use crate::case::Case;
use crate::ctxt::Ctxt;
use crate::value;

/// What `#[hurray(..)]` says on a variant.
#[derive(Default)]
pub(crate) struct Variant {
    /// The names of all attributes, in source order.
    pub(crate) given: Vec<Ident>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) rename: Attr<LitStr>,
    pub(crate) rename_all: Attr<Case>,
    pub(crate) skip: Attr<()>,
}

impl Variant {
    pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut parsed = Self::default();
        walk(ctxt, Level::Variant, attributes, |name, input| parsed.set(name, input));
        parsed
    }

    fn set(&mut self, name: &Ident, input: ParseStream<'_>) -> syn::Result<bool> {
        match name.to_string().as_str() {
            "alias" => add_alias(&mut self.aliases, tag(input)?)?,
            "rename" => self.rename.set(name, tag(input)?)?,
            "rename_all" => self.rename_all.set(name, case(input)?)?,
            "skip" => self.skip.set(name, flag(name, input)?)?,
            _ => return Ok(false),
        }
        self.given.push(name.clone());
        Ok(true)
    }
}

/// `= "name"`: a variant's name is the value of a KV entry, so that any text but the empty one will do.
fn tag(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let literal = value::string(input)?;
    if literal.value().is_empty() {
        return Err(syn::Error::new_spanned(&literal, "a variant's name can't be empty"));
    }
    Ok(literal)
}
