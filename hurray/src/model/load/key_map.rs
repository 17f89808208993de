//! Key maps: checkpoints whose names differ from the model's.

use crate::model::names::under;

/// What turns the names of a file into those of a model, step by step; each step sees what the one before made.
///
/// Entries go where their tensors go: the steps apply to the keys of entries, and to the paths that our own entries
/// (`hurray.seq`, `hurray.tied`, ..) are about. Where a map tears apart what such an entry holds together, the load is
/// refused and says so.
///
/// Prefixes are whole segments: `model` is a prefix of `model.layers`, not of `models`. Every name that a map
/// changed is listed in the [`LoadReport`](crate::LoadReport); two tensors that end up with one name are an error.
///
/// ```
/// use hurray::{KeyMap, LoadOptions};
///
/// let map = KeyMap::new().strip_prefix("_orig_mod").exact("lm_head.weight", "head.weight").reindex("layers");
/// let options = LoadOptions::new().key_map(map);
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct KeyMap {
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
enum Step {
    StripPrefix(String),
    AddPrefix(String),
    Exact(String, String),
    Prefix(String, String),
    Reindex(String),
    #[cfg(feature = "regex")]
    Regex(regex::Regex, String),
}

impl KeyMap {
    /// A map that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drops a leading path from the names that have it.
    pub fn strip_prefix(self, prefix: impl Into<String>) -> Self {
        self.with(Step::StripPrefix(prefix.into()))
    }

    /// Puts a path before every name.
    pub fn add_prefix(self, prefix: impl Into<String>) -> Self {
        self.with(Step::AddPrefix(prefix.into()))
    }

    /// Replaces one whole name.
    pub fn exact(self, file: impl Into<String>, model: impl Into<String>) -> Self {
        self.with(Step::Exact(file.into(), model.into()))
    }

    /// Replaces a leading path by another.
    pub fn prefix(self, file: impl Into<String>, model: impl Into<String>) -> Self {
        self.with(Step::Prefix(file.into(), model.into()))
    }

    /// Closes the gaps in the indices right under a path: `layers.0`, `layers.2`, `layers.5` become `layers.0`,
    /// `layers.1`, `layers.2`.
    pub fn reindex(self, path: impl Into<String>) -> Self {
        self.with(Step::Reindex(path.into()))
    }

    /// Replaces every match of a pattern; `$1` in the replacement stands for the first group.
    #[cfg(feature = "regex")]
    pub fn regex(self, pattern: regex::Regex, replacement: impl Into<String>) -> Self {
        self.with(Step::Regex(pattern, replacement.into()))
    }

    fn with(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The names of the model for those of the file: names of tensors, and after the first `tensors` of them paths of
    /// groups, entries and the like, which may be the whole of a prefix.
    pub(super) fn apply(&self, mut names: Vec<String>, tensors: usize) -> Vec<String> {
        for step in &self.steps {
            match step {
                Step::Reindex(path) => reindex(&mut names, path),
                _ => {
                    for (position, name) in names.iter_mut().enumerate() {
                        let new = if position < tensors { step.rename(name) } else { step.rename_path(name) };
                        if let Some(new) = new {
                            *name = new;
                        }
                    }
                }
            }
        }
        names
    }
}

impl Step {
    /// The new path of a group, an entry or the like, if the step changes it.
    fn rename_path(&self, path: &str) -> Option<String> {
        match self {
            Self::StripPrefix(prefix) if path == prefix => Some(String::new()),
            Self::AddPrefix(prefix) if path.is_empty() => Some(prefix.clone()),
            _ => self.rename(path),
        }
    }

    /// The new name, if the step changes it.
    fn rename(&self, name: &str) -> Option<String> {
        match self {
            Self::StripPrefix(prefix) => under(name, prefix).map(str::to_owned),
            Self::AddPrefix(prefix) => Some(format!("{prefix}.{name}")),
            Self::Exact(file, model) => (name == file).then(|| model.clone()),
            Self::Prefix(file, model) if name == file => Some(model.clone()),
            Self::Prefix(file, model) => under(name, file).map(|rest| format!("{model}.{rest}")),
            Self::Reindex(_) => None,
            #[cfg(feature = "regex")]
            Self::Regex(pattern, replacement) => {
                Some(pattern.replace_all(name, replacement.as_str()).into_owned())
            }
        }
    }
}

/// Splits off the index right under a path: `(index, rest)`.
fn index_under<'n>(name: &'n str, path: &str) -> Option<(u64, &'n str)> {
    let rest = under(name, path)?;
    let digits = rest.split('.').next()?;
    let index = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some((index, rest.get(digits.len()..)?))
}

fn reindex(names: &mut [String], path: &str) {
    let mut indices: Vec<u64> = names.iter().filter_map(|name| Some(index_under(name, path)?.0)).collect();
    indices.sort_unstable();
    indices.dedup();
    for name in names {
        if let Some((index, rest)) = index_under(name, path)
            && let Ok(new) = indices.binary_search(&index)
        {
            let separator = if path.is_empty() { "" } else { "." };
            *name = format!("{path}{separator}{new}{rest}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KeyMap;

    fn map(map: &KeyMap, names: &[&str]) -> Vec<String> {
        map.apply(names.iter().map(|name| (*name).to_owned()).collect(), names.len())
    }

    #[test]
    fn prefixes_are_whole_segments() {
        let strip = KeyMap::new().strip_prefix("model");
        assert_eq!(map(&strip, &["model.w", "models.w", "model"]), ["w", "models.w", "model"]);
        let swap = KeyMap::new().prefix("a.b", "c");
        assert_eq!(map(&swap, &["a.b.w", "a.bc.w", "a.b"]), ["c.w", "a.bc.w", "c"]);
    }

    #[test]
    fn steps_see_what_the_one_before_made() {
        let steps = KeyMap::new().strip_prefix("x").add_prefix("y").exact("y.w", "weight");
        assert_eq!(map(&steps, &["x.w", "x.v"]), ["weight", "y.v"]);
    }

    #[test]
    fn reindexing_closes_gaps_and_keeps_order() {
        let reindex = KeyMap::new().reindex("layers");
        let names = ["layers.10.w", "layers.2.w", "layers.2.b", "layers.x.w", "other.7"];
        assert_eq!(
            map(&reindex, &names),
            ["layers.1.w", "layers.0.w", "layers.0.b", "layers.x.w", "other.7"]
        );
    }
}
