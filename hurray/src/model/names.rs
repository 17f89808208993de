//! Names: the path of a field in the file, the escapes of map keys, and our own KV keys (DESIGN: how a model
//! maps to a file; written out in `docs/format.md`).

use std::borrow::Cow;

/// The first segment of all our own KV keys; reserved at the root of a model.
pub(crate) const RESERVED: &str = "hurray";

/// One bool per element of a sequence whose length the head does not tell.
pub(crate) const SEQUENCE: &str = "hurray.seq.";
/// The keys of a map that can't be read off its members.
pub(crate) const KEYS: &str = "hurray.keys.";
/// How many `Some`s lie around a value that wrote nothing itself.
pub(crate) const SOME: &str = "hurray.some.";
/// The name of the stored tensor or group that a name is another name of.
pub(crate) const TIED: &str = "hurray.tied.";

/// The ggml type of the blocks that a uint8 tensor holds.
pub(crate) const GGML: &str = "hurray.ggml.";
/// The id of the parameter of a framework that a tensor is the value of.
pub(crate) const PARAM_ID: &str = "hurray.param_id.";

/// The safetensors type of a tensor that is kept as its bytes.
#[cfg(feature = "safetensors")]
pub(crate) const SAFETENSORS: &str = "hurray.safetensors.";

/// The version of a struct that has versions.
pub(crate) const VERSION: &str = "hurray.version.";

/// The step to the value of a newtype variant, in keys only. No escaped map key has it.
pub(crate) const VARIANT: &str = "%0";

/// Splits one of our own keys that are about a path: `hurray.seq.` and the path.
pub(crate) fn split_own_key(key: &str) -> Option<(&'static str, &str)> {
    const ABOUT_PATHS: [&str; 7] = [SEQUENCE, KEYS, SOME, TIED, VERSION, GGML, PARAM_ID];
    ABOUT_PATHS.into_iter().find_map(|prefix| match key.strip_prefix(prefix) {
        Some(path) => Some((prefix, path)),
        None => (prefix.strip_suffix('.') == Some(key)).then_some((prefix, "")),
    })
}

/// Whether a key that ends in `rest` under a path says something of the value inside `variants` newtype variants,
/// rather than of one of these variants.
pub(crate) fn is_beyond(rest: &str, variants: u32) -> bool {
    let steps = rest.split('.').take_while(|step| *step == VARIANT).count();
    steps == 0 || u32::try_from(steps).is_ok_and(|steps| steps > variants)
}

/// The path of the field being walked: segments joined by `.`.
#[derive(Debug)]
pub(crate) struct NamePath(String);

/// The root, with room for the paths of most models.
impl Default for NamePath {
    fn default() -> Self {
        Self(String::with_capacity(128))
    }
}

/// The length of a path before a step was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(usize);

impl Mark {
    /// In bytes.
    pub(crate) fn length(self) -> usize {
        self.0
    }
}

impl NamePath {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark(self.0.len())
    }

    /// Adds a step (one segment, or a dotted path of several).
    #[inline]
    pub(crate) fn push(&mut self, step: &str) -> Mark {
        let mark = self.mark();
        self.0.reserve(step.len().saturating_add(1));
        if !self.0.is_empty() {
            self.0.push('.');
        }
        self.0.push_str(step);
        mark
    }

    pub(crate) fn push_index(&mut self, index: usize) -> Mark {
        let mark = self.mark();
        // Room for any index.
        self.0.reserve(21);
        if !self.0.is_empty() {
            self.0.push('.');
        }
        self.push_digits(index);
        mark
    }

    fn push_digits(&mut self, number: usize) {
        // A digit at a time takes less than the machinery behind `write!`, and reads nothing that was written just now.
        if number >= 10_000 {
            self.push_digits(number / 10_000);
        }
        if number >= 1000 {
            self.push_digit(number / 1000 % 10);
        }
        if number >= 100 {
            self.push_digit(number / 100 % 10);
        }
        if number >= 10 {
            self.push_digit(number / 10 % 10);
        }
        self.push_digit(number % 10);
    }

    #[inline(always)]
    fn push_digit(&mut self, digit: usize) {
        self.0.push(char::from(b'0'.saturating_add(u8::try_from(digit).unwrap_or_default())));
    }

    #[inline]
    pub(crate) fn truncate(&mut self, mark: Mark) {
        self.0.truncate(mark.0);
    }

    pub(crate) fn set(&mut self, path: &str) {
        self.0.clear();
        self.0.push_str(path);
    }

    /// One of our own KV keys for this path.
    pub(crate) fn key(&self, prefix: &str) -> String {
        own_key(prefix, &self.0)
    }

    /// Calls `with` with the KV key of a value inside `variants` newtype variants. Each of these has its own
    /// name under the path, so the value's key has one step more for each, which no field or map key has.
    pub(crate) fn with_key<R>(&mut self, variants: u32, with: impl FnOnce(&str) -> R) -> R {
        let mark = self.mark();
        for _ in 0..variants {
            self.push(VARIANT);
        }
        let result = with(&self.0);
        self.truncate(mark);
        result
    }
}

/// One of our own KV keys; that of the root has no dot at its end.
pub(crate) fn own_key(prefix: &str, path: &str) -> String {
    match path {
        "" => prefix.trim_end_matches('.').to_owned(),
        path => format!("{prefix}{path}"),
    }
}

/// A map key as one segment: `.` and `%` are escaped, the empty key is `%`.
pub(crate) fn escape_key(key: &str) -> Cow<'_, str> {
    if key.is_empty() {
        return Cow::Borrowed("%");
    }
    if !key.contains(['.', '%']) {
        return Cow::Borrowed(key);
    }
    Cow::Owned(key.replace('%', "%25").replace('.', "%2E"))
}

/// The key that a segment stands for. What is not one of our escapes stays as it is.
pub(crate) fn unescape_key(segment: &str) -> Cow<'_, str> {
    if segment == "%" {
        return Cow::Borrowed("");
    }
    if !segment.contains('%') {
        return Cow::Borrowed(segment);
    }
    // `%25` last, so that `%252E` becomes `%2E` and no more.
    Cow::Owned(segment.replace("%2E", ".").replace("%25", "%"))
}

/// Whether `name` lies under `path`; gives what follows the dot. Everything lies under the root.
pub(crate) fn under<'n>(name: &'n str, path: &str) -> Option<&'n str> {
    if path.is_empty() {
        return Some(name);
    }
    name.strip_prefix(path)?.strip_prefix('.')
}

#[cfg(test)]
mod tests {
    use super::{NamePath, escape_key, under, unescape_key};
    use proptest::prelude::*;

    #[test]
    fn steps_join_with_dots_and_come_off_again() {
        let mut path = NamePath::default();
        let root = path.push("layers");
        let layers = path.push_index(120);
        path.push("self.query");
        assert_eq!(path.as_str(), "layers.120.self.query");
        path.truncate(layers);
        assert_eq!(path.as_str(), "layers");
        path.truncate(root);
        assert!(path.is_root());
    }

    #[test]
    fn only_whole_segments_lie_under_a_path() {
        assert_eq!(under("a.b", "a"), Some("b"));
        assert_eq!(under("ab", "a"), None);
        assert_eq!(under("a", "a"), None);
        assert_eq!(under("a.b", ""), Some("a.b"));
    }

    proptest! {
        #[test]
        fn any_key_comes_back_from_its_segment(key in ".*|[%.25E]{0,8}") {
            let segment = escape_key(&key).into_owned();
            prop_assert!(!segment.contains('.') && !segment.is_empty());
            prop_assert_eq!(unescape_key(&segment).into_owned(), key);
        }

        #[test]
        fn every_index_is_written_in_decimal(index in any::<usize>()) {
            let mut path = NamePath::default();
            path.push_index(index);
            prop_assert_eq!(path.as_str(), index.to_string());
        }
    }
}
