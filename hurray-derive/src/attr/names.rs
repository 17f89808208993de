//! Which attributes there are, and what to say about one that there isn't.

use proc_macro2::Ident;

use crate::suggest;

/// Where an attribute stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Container,
    Variant,
    Field,
}

const CONTAINER: [&str; 14] = [
    "borrow",
    "bound",
    "crate",
    "default",
    "from",
    "into",
    "metadata",
    "migrate",
    "rename_all",
    "rename_all_fields",
    "transparent",
    "try_from",
    "validate",
    "version",
];

const VARIANT: [&str; 4] = ["alias", "rename", "rename_all", "skip"];

const FIELD: [&str; 22] = [
    "alias",
    "align",
    "borrow",
    "bound",
    "cast",
    "default",
    "element_type",
    "flatten",
    "kv",
    "layout",
    "load_with",
    "partition",
    "rename",
    "save_with",
    "shape",
    "since",
    "skip",
    "skip_loading",
    "skip_saving",
    "tied",
    "validate",
    "with",
];

/// What other derives call the same thing.
const ELSEWHERE: [(&str, &str); 8] = [
    ("skip_serializing", "skip_saving"),
    ("skip_deserializing", "skip_loading"),
    ("serialize_with", "save_with"),
    ("deserialize_with", "load_with"),
    ("dtype", "element_type"),
    ("dims", "shape"),
    ("meta", "kv"),
    ("name", "rename"),
];

impl Level {
    fn known(self) -> &'static [&'static str] {
        match self {
            Self::Container => &CONTAINER,
            Self::Variant => &VARIANT,
            Self::Field => &FIELD,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Container => "a struct or enum",
            Self::Variant => "a variant",
            Self::Field => "a field",
        }
    }

    /// The error for an attribute that this level does not have.
    pub(crate) fn unknown(self, name: &Ident) -> syn::Error {
        let text = name.to_string();
        syn::Error::new_spanned(name, self.explain(&text))
    }

    fn explain(self, name: &str) -> String {
        let others: Vec<_> = [Self::Container, Self::Variant, Self::Field]
            .into_iter()
            .filter(|level| *level != self && level.known().contains(&name))
            .map(Self::noun)
            .collect();
        if !others.is_empty() {
            return format!("`{name}` is an attribute of {}, not of {}", others.join(" or "), self.noun());
        }
        let elsewhere = ELSEWHERE
            .iter()
            .find(|(other, ours)| *other == name && self.known().contains(ours))
            .map(|(_, ours)| *ours);
        match elsewhere.or_else(|| suggest::nearest(name, self.known().iter().copied())) {
            Some(near) => format!("unknown attribute `{name}`; did you mean `{near}`?"),
            None => format!(
                "unknown attribute `{name}`; {} can have `{}`",
                self.noun(),
                self.known().join("`, `")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Level;

    #[test]
    fn says_where_an_attribute_belongs() {
        let text = Level::Variant.explain("shape");
        assert_eq!(text, "`shape` is an attribute of a field, not of a variant");
    }

    #[test]
    fn translates_the_names_of_other_derives() {
        let text = Level::Field.explain("skip_serializing");
        assert_eq!(text, "unknown attribute `skip_serializing`; did you mean `skip_saving`?");
    }

    #[test]
    fn lists_what_there_is_when_nothing_is_near() {
        let text = Level::Variant.explain("colour");
        assert_eq!(
            text,
            "unknown attribute `colour`; a variant can have `alias`, `rename`, `rename_all`, `skip`"
        );
    }
}
