//! The rules of `rename_all`.

use syn::LitStr;

use crate::suggest;

/// How `rename_all` spells a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

const CASES: [(&str, Case); 8] = [
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl Case {
    /// The rule that a literal names.
    pub(crate) fn parse(literal: &LitStr) -> syn::Result<Self> {
        let text = literal.value();
        if let Some((_, case)) = CASES.iter().find(|(name, _)| *name == text) {
            return Ok(*case);
        }
        let names = CASES.map(|(name, _)| name);
        let message = match suggest::nearest(&text, names) {
            Some(near) => format!("unknown case `{text}`; did you mean `{near}`?"),
            None => format!("unknown case `{text}`; known are `{}`", names.join("`, `")),
        };
        Err(syn::Error::new_spanned(literal, message))
    }

    /// A field's name (`out_features`) in this case. As in serde, an underscore goes only where the case has another
    /// way to tell words apart.
    pub(crate) fn of_field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_lowercase(),
            Self::Upper | Self::ScreamingSnake => name.to_uppercase(),
            Self::Kebab => name.to_lowercase().replace('_', "-"),
            Self::ScreamingKebab => name.to_uppercase().replace('_', "-"),
            Self::Pascal | Self::Camel => self.join(name.split('_').filter(|word| !word.is_empty())),
        }
    }

    /// A variant's name (`BatchNorm`) in this case.
    pub(crate) fn of_variant(self, name: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        for letter in name.chars() {
            match words.last_mut() {
                Some(word) if !letter.is_uppercase() => word.push(letter),
                _ => words.push(letter.into()),
            }
        }
        self.join(words.iter().map(String::as_str))
    }

    fn join<'w>(self, words: impl Iterator<Item = &'w str>) -> String {
        let words = words.enumerate().map(|(position, word)| match self {
            Self::Upper | Self::ScreamingSnake | Self::ScreamingKebab => word.to_uppercase(),
            Self::Pascal => capitalized(word),
            Self::Camel if position > 0 => capitalized(word),
            Self::Lower | Self::Camel | Self::Snake | Self::Kebab => word.to_lowercase(),
        });
        let separator = match self {
            Self::Snake | Self::ScreamingSnake => "_",
            Self::Kebab | Self::ScreamingKebab => "-",
            Self::Lower | Self::Upper | Self::Pascal | Self::Camel => "",
        };
        words.collect::<Vec<_>>().join(separator)
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{CASES, Case};

    #[test]
    fn spells_fields_in_every_case() {
        let spelled = CASES.map(|(_, case)| case.of_field("out_features"));
        let expected = [
            "out_features",
            "OUT_FEATURES",
            "OutFeatures",
            "outFeatures",
            "out_features",
            "OUT_FEATURES",
            "out-features",
            "OUT-FEATURES",
        ];
        assert_eq!(spelled, expected);
        assert_eq!(Case::Kebab.of_field("_w__1"), "-w--1");
    }

    #[test]
    fn spells_variants_in_every_case() {
        let spelled = CASES.map(|(_, case)| case.of_variant("BatchNorm"));
        let expected = [
            "batchnorm",
            "BATCHNORM",
            "BatchNorm",
            "batchNorm",
            "batch_norm",
            "BATCH_NORM",
            "batch-norm",
            "BATCH-NORM",
        ];
        assert_eq!(spelled, expected);
        assert_eq!(Case::Snake.of_variant("Relu"), "relu");
    }
}
