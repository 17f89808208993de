//! The builder methods, by the names that burn's own stores have.

use burn_store::{KeyRemapper, ModuleAdapter, PathFilter};

use super::HurrayStore;
use crate::container::KvValue;
use crate::writer::SaveOptions;

/// What takes part.
impl HurrayStore {
    /// Only tensors that the filter matches are saved, or loaded.
    #[must_use]
    pub fn with_filter(mut self, filter: PathFilter) -> Self {
        self.filter = filter;
        self
    }

    /// As [`with_filter`](Self::with_filter).
    #[must_use]
    pub fn filter(self, filter: PathFilter) -> Self {
        self.with_filter(filter)
    }

    /// Adds a pattern to the filter: one that matches is enough.
    ///
    /// # Panics
    ///
    /// If the pattern is no valid regular expression.
    #[must_use]
    pub fn with_regex(mut self, pattern: impl AsRef<str>) -> Self {
        self.filter = self.filter.with_regex(pattern);
        self
    }

    /// Adds patterns to the filter.
    ///
    /// # Panics
    ///
    /// If a pattern is no valid regular expression.
    #[must_use]
    pub fn with_regexes<S: AsRef<str>>(mut self, patterns: impl IntoIterator<Item = S>) -> Self {
        self.filter = self.filter.with_regexes(patterns);
        self
    }

    /// Adds one tensor to the filter.
    #[must_use]
    pub fn with_full_path(mut self, path: impl Into<String>) -> Self {
        self.filter = self.filter.with_full_path(path);
        self
    }

    /// Adds tensors to the filter.
    #[must_use]
    pub fn with_full_paths<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.filter = self.filter.with_full_paths(paths);
        self
    }

    /// Adds a function of a tensor's path and of its containers to the filter.
    #[must_use]
    pub fn with_predicate(mut self, predicate: fn(&str, &str) -> bool) -> Self {
        self.filter = self.filter.with_predicate(predicate);
        self
    }

    /// No filter.
    #[must_use]
    pub fn match_all(mut self) -> Self {
        self.filter = self.filter.match_all();
        self
    }

    /// Loads what the file has: parameters that it does not have stay as they are. Off by default.
    #[must_use]
    pub fn allow_partial(mut self, allow: bool) -> Self {
        self.allow_partial = allow;
        self
    }

    /// Whether a tensor that does not fit its parameter fails the load, before anything is changed. On by
    /// default; without, the parameter stays as it is, and the error is in the result.
    #[must_use]
    pub fn validate(mut self, validate: bool) -> Self {
        self.validate = validate;
        self
    }
}

/// Names and forms.
impl HurrayStore {
    /// Changes names: of the module's when saving, of the file's when loading.
    #[must_use]
    pub fn remap(mut self, remapper: KeyRemapper) -> Self {
        self.remapper = remapper;
        self.opened = None;
        self
    }

    /// Adds a pattern that changes names, and what it becomes.
    ///
    /// # Panics
    ///
    /// If the pattern is no valid regular expression.
    #[must_use]
    #[expect(clippy::expect_used, reason = "documented, and what all of burn's stores do")]
    pub fn with_key_remapping(mut self, from: impl AsRef<str>, to: impl Into<String>) -> Self {
        self.remapper = self.remapper.add_pattern(from, to).expect("the pattern is a regular expression");
        self.opened = None;
        self
    }

    /// As [`with_key_remapping`](Self::with_key_remapping).
    ///
    /// # Panics
    ///
    /// If the pattern is no valid regular expression.
    #[must_use]
    pub fn with_remap_pattern(self, from: impl AsRef<str>, to: impl Into<String>) -> Self {
        self.with_key_remapping(from, to)
    }

    /// Whether gaps in the numbers of the file's names are closed when loading, as files of PyTorch's
    /// `Sequential` need it. Off by default.
    #[must_use]
    pub fn map_indices_contiguous(mut self, map: bool) -> Self {
        self.map_indices_contiguous = map;
        self.opened = None;
        self
    }

    /// Keeps the numbers under prefixes that match.
    ///
    /// # Panics
    ///
    /// If the pattern is no valid regular expression.
    #[must_use]
    pub fn map_indices_contiguous_except(mut self, pattern: impl AsRef<str>) -> Self {
        self.keep_indices = self.keep_indices.with_regex(pattern);
        self.opened = None;
        self
    }

    /// Whether the names of enum variants are left out of paths, as other frameworks do it.
    #[must_use]
    pub fn skip_enum_variants(mut self, skip: bool) -> Self {
        self.skip_enum_variants = skip;
        self
    }

    /// What brings the file's tensors into burn's form when loading.
    #[must_use]
    pub fn with_from_adapter(mut self, adapter: impl ModuleAdapter + 'static) -> Self {
        self.from_adapter = Box::new(adapter);
        self
    }

    /// What brings burn's tensors into the file's form when saving.
    #[must_use]
    pub fn with_to_adapter(mut self, adapter: impl ModuleAdapter + 'static) -> Self {
        self.to_adapter = Some(Box::new(adapter));
        self
    }
}

/// What is saved beside the tensors.
impl HurrayStore {
    /// Adds a KV entry: a string, a number, an array, ... There are none by default.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<KvValue>) -> Self {
        let key = key.into();
        self.metadata.retain(|(known, _)| *known != key);
        self.metadata.push((key, value.into()));
        self
    }

    /// Drops the entries added so far.
    #[must_use]
    pub fn clear_metadata(mut self) -> Self {
        self.metadata.clear();
        self
    }

    /// Whether the ids of parameters are saved, as the KV entry `hurray.param_id.<name>` each. Off by default:
    /// they differ in each run. A load always takes the ids that are there. An optimizer keeps its state by
    /// them, so one whose record was saved can go on.
    #[must_use]
    pub fn with_param_ids(mut self, with: bool) -> Self {
        self.with_param_ids = with;
        self
    }

    /// Whether a file that is there is replaced. Off by default, as in burn's own stores.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// How to write: alignment, checksums, progress, ...
    #[must_use]
    pub fn save_options(mut self, options: SaveOptions) -> Self {
        self.save_options = options;
        self
    }
}
