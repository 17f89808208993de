//! Attributes of a field.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Attribute, ExprPath, Lifetime, LitStr, Token};

use super::{Attr, Bounds, Fallback, Level, add_alias, bounds, fallback, flag, walk};
use crate::ctxt::Ctxt;
use crate::value::{self, Dim, Layout, Partition};

/// What `#[hurray(..)]` says on a field.
#[derive(Default)]
pub(crate) struct Field {
    /// The names of all attributes, in source order.
    pub(crate) given: Vec<Ident>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) align: Attr<u32>,
    /// No lifetimes: all that the type mentions.
    pub(crate) borrow: Attr<Option<Vec<Lifetime>>>,
    pub(crate) bound: Attr<Bounds>,
    pub(crate) cast: Attr<()>,
    pub(crate) default: Attr<Fallback>,
    pub(crate) element_type: Attr<LitStr>,
    pub(crate) flatten: Attr<()>,
    pub(crate) kv: Attr<()>,
    pub(crate) layout: Attr<Layout>,
    pub(crate) load_with: Attr<ExprPath>,
    pub(crate) partition: Attr<Partition>,
    pub(crate) rename: Attr<LitStr>,
    pub(crate) save_with: Attr<ExprPath>,
    pub(crate) shape: Attr<Vec<Dim>>,
    pub(crate) since: Attr<u32>,
    pub(crate) skip: Attr<()>,
    pub(crate) skip_loading: Attr<()>,
    pub(crate) skip_saving: Attr<()>,
    pub(crate) tied: Attr<LitStr>,
    pub(crate) validate: Attr<ExprPath>,
    pub(crate) with: Attr<ExprPath>,
}

impl Field {
    pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut parsed = Self::default();
        walk(ctxt, Level::Field, attributes, |name, input| parsed.set(name, input));
        parsed
    }

    fn set(&mut self, name: &Ident, input: ParseStream<'_>) -> syn::Result<bool> {
        match name.to_string().as_str() {
            "alias" => add_alias(&mut self.aliases, value::name(input)?)?,
            "align" => self.align.set(name, value::alignment(input)?)?,
            "borrow" => self.borrow.set(name, borrow(input)?)?,
            "bound" => self.bound.set(name, bounds(name, input)?)?,
            "cast" => self.cast.set(name, flag(name, input)?)?,
            "default" => self.default.set(name, fallback(input)?)?,
            "element_type" => self.element_type.set(name, value::element_type(input)?)?,
            "flatten" => self.flatten.set(name, flag(name, input)?)?,
            "kv" => self.kv.set(name, flag(name, input)?)?,
            "layout" => self.layout.set(name, value::layout(input)?)?,
            "load_with" => self.load_with.set(name, value::function(input)?)?,
            "partition" => self.partition.set(name, value::partition(input)?)?,
            "rename" => self.rename.set(name, value::name(input)?)?,
            "save_with" => self.save_with.set(name, value::function(input)?)?,
            "shape" => self.shape.set(name, value::shape(input)?)?,
            "since" => self.since.set(name, value::version(input)?)?,
            "skip" => self.skip.set(name, flag(name, input)?)?,
            "skip_loading" => self.skip_loading.set(name, flag(name, input)?)?,
            "skip_saving" => self.skip_saving.set(name, flag(name, input)?)?,
            "tied" => self.tied.set(name, value::name(input)?)?,
            "validate" => self.validate.set(name, value::function(input)?)?,
            "with" => self.with.set(name, value::function(input)?)?,
            _ => return Ok(false),
        }
        self.given.push(name.clone());
        Ok(true)
    }
}

/// `borrow` or `borrow = "'a + 'b"`
fn borrow(input: ParseStream<'_>) -> syn::Result<Option<Vec<Lifetime>>> {
    if input.peek(Token![=]) { value::lifetimes(input).map(Some) } else { Ok(None) }
}

impl Field {
    /// Whether an attribute says something about the tensor itself, not about its name.
    pub(crate) fn describes_tensor(&self) -> bool {
        self.shape.is_set()
            || self.layout.is_set()
            || self.align.is_set()
            || self.cast.is_set()
            || self.element_type.is_set()
            || self.partition.is_set()
            || self.tied.is_set()
    }
}
