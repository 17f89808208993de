//! The input as the later stages see it: names decided, attributes parsed.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{DeriveInput, Index, Member, Type};

use crate::attr;
use crate::case::Case;
use crate::ctxt::Ctxt;

/// Which of the two traits is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Save,
    Load,
}

/// A struct or enum.
pub(crate) struct Container<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) attrs: attr::Container,
    pub(crate) data: Data<'a>,
}

pub(crate) enum Data<'a> {
    Struct(Fields<'a>),
    Enum(Vec<Variant<'a>>),
}

pub(crate) struct Variant<'a> {
    pub(crate) original: &'a syn::Variant,
    pub(crate) attrs: attr::Variant,
    /// The name in the file.
    pub(crate) name: String,
    pub(crate) fields: Fields<'a>,
}

/// The fields of a struct or of a variant.
pub(crate) struct Fields<'a> {
    pub(crate) style: Style,
    pub(crate) list: Vec<Field<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Named,
    Tuple,
    Unit,
}

pub(crate) struct Field<'a> {
    pub(crate) original: &'a syn::Field,
    pub(crate) attrs: attr::Field,
    pub(crate) member: Member,
    /// The position, which makes the names of locals.
    pub(crate) index: usize,
    pub(crate) ty: &'a Type,
    /// The name in the file, relative to the struct.
    pub(crate) name: String,
    /// The name in the source, without `r#`.
    pub(crate) rust: String,
}

impl<'a> Container<'a> {
    pub(crate) fn parse(ctxt: &Ctxt, original: &'a DeriveInput) -> Self {
        let attrs = attr::Container::parse(ctxt, &original.attrs);
        let data = match &original.data {
            syn::Data::Struct(data) => {
                Data::Struct(Fields::parse(ctxt, &data.fields, attrs.rename_all.get().copied()))
            }
            syn::Data::Enum(data) => Data::Enum(
                data.variants.iter().map(|variant| Variant::parse(ctxt, variant, &attrs)).collect(),
            ),
            syn::Data::Union(data) => {
                let message = "a union can't be saved: which of its fields holds is not known";
                ctxt.error(data.union_token, message);
                Data::Struct(Fields { style: Style::Unit, list: Vec::new() })
            }
        };
        Self { original, attrs, data }
    }

    pub(crate) fn ident(&self) -> &'a Ident {
        &self.original.ident
    }

    /// Whether another type stands in for this one in the file.
    pub(crate) fn is_converted(&self, direction: Direction) -> bool {
        match direction {
            Direction::Save => self.attrs.into.is_set(),
            Direction::Load => self.attrs.from.is_set() || self.attrs.try_from.is_set(),
        }
    }

    /// Every group of fields: the struct's, or one for each variant.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &Fields<'a>> {
        let (fields, variants) = match &self.data {
            Data::Struct(fields) => (Some(fields), [].as_slice()),
            Data::Enum(variants) => (None, variants.as_slice()),
        };
        fields.into_iter().chain(variants.iter().map(|variant| &variant.fields))
    }

    /// Every group of fields that is saved and loaded: those of skipped variants are not.
    pub(crate) fn live_groups(&self) -> impl Iterator<Item = &Fields<'a>> {
        let (fields, variants) = match &self.data {
            Data::Struct(fields) => (Some(fields), [].as_slice()),
            Data::Enum(variants) => (None, variants.as_slice()),
        };
        let live = variants.iter().filter(|variant| !variant.is_skipped());
        fields.into_iter().chain(live.map(|variant| &variant.fields))
    }
}

impl<'a> Variant<'a> {
    fn parse(ctxt: &Ctxt, original: &'a syn::Variant, container: &attr::Container) -> Self {
        let attrs = attr::Variant::parse(ctxt, &original.attrs);
        let plain = original.ident.unraw().to_string();
        let name = match (attrs.rename.get(), container.rename_all.get()) {
            (Some(name), _) => name.value(),
            (None, Some(case)) => case.of_variant(&plain),
            (None, None) => plain,
        };
        let case = attrs.rename_all.get().or(container.rename_all_fields.get()).copied();
        let fields = Fields::parse(ctxt, &original.fields, case);
        Self { original, attrs, name, fields }
    }

    pub(crate) fn is_skipped(&self) -> bool {
        self.attrs.skip.is_set()
    }

    /// The one field of a newtype variant, whose value lies at the enum's own path.
    pub(crate) fn newtype(&self) -> Option<&Field<'a>> {
        match (self.fields.style, self.fields.list.as_slice()) {
            (Style::Tuple, [field]) if !field.attrs.skip.is_set() => Some(field),
            _ => None,
        }
    }
}

impl<'a> Fields<'a> {
    fn parse(ctxt: &Ctxt, original: &'a syn::Fields, case: Option<Case>) -> Self {
        let style = match original {
            syn::Fields::Named(_) => Style::Named,
            syn::Fields::Unnamed(_) => Style::Tuple,
            syn::Fields::Unit => Style::Unit,
        };
        let list = original.iter().enumerate().map(|(index, field)| Field::parse(ctxt, field, index, case));
        Self { style, list: list.collect() }
    }
}

impl<'a> Field<'a> {
    fn parse(ctxt: &Ctxt, original: &'a syn::Field, index: usize, case: Option<Case>) -> Self {
        let attrs = attr::Field::parse(ctxt, &original.attrs);
        let (member, rust, spelled) = match &original.ident {
            Some(ident) => {
                let rust = ident.unraw().to_string();
                let spelled = case.map_or_else(|| rust.clone(), |case| case.of_field(&rust));
                (Member::Named(ident.clone()), rust, spelled)
            }
            None => {
                let rust = index.to_string();
                (Member::Unnamed(Index::from(index)), rust.clone(), rust)
            }
        };
        let name = attrs.rename.get().map_or(spelled, syn::LitStr::value);
        Self { original, attrs, member, index, ty: &original.ty, name, rust }
    }

    /// The names that the field may have in a file.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let aliases = self.attrs.aliases.iter().map(syn::LitStr::value);
        std::iter::once(self.name.clone()).chain(aliases)
    }

    /// Whether the field has a part in the derived direction.
    pub(crate) fn takes_part(&self, direction: Direction) -> bool {
        let one_way = match direction {
            Direction::Save => &self.attrs.skip_saving,
            Direction::Load => &self.attrs.skip_loading,
        };
        !self.attrs.skip.is_set() && !one_way.is_set()
    }

    /// Where an error about the field's name points: the `rename`, the identifier, or the type.
    pub(crate) fn name_tokens(&self) -> proc_macro2::TokenStream {
        match (self.attrs.rename.get(), &self.original.ident) {
            (Some(literal), _) => literal.to_token_stream(),
            (None, Some(ident)) => ident.to_token_stream(),
            (None, None) => self.ty.to_token_stream(),
        }
    }

    /// Whether a `with` module, or a function for this direction, stands in for the type's own impl.
    pub(crate) fn has_own_function(&self, direction: Direction) -> bool {
        let one_way = match direction {
            Direction::Save => &self.attrs.save_with,
            Direction::Load => &self.attrs.load_with,
        };
        self.attrs.with.is_set() || one_way.is_set()
    }
}
