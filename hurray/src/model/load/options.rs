//! What a caller may say about a load.

use std::any::Any;
use std::sync::Arc;

use crate::limits::Limits;
use crate::model::load::KeyMap;

/// Whether one kind of difference between file and model fails a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strictness {
    /// It does.
    #[default]
    Strict,
    /// It does not, where the field has something to fall back on. It is in the report all the same.
    Relaxed,
}

/// How strict a load is, and what it hands to the impls of fields.
///
/// ```
/// use hurray::{LoadOptions, Strictness};
///
/// let options = LoadOptions::new().unexpected(Strictness::Relaxed);
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct LoadOptions {
    pub(crate) limits: Option<Limits>,
    pub(super) missing: Strictness,
    pub(super) unexpected: Strictness,
    pub(super) mismatched: Strictness,
    pub(super) key_map: Option<KeyMap>,
    contexts: Vec<Arc<dyn Any + Send + Sync>>,
}

impl LoadOptions {
    /// All strict: every tensor of the file has a field, every field has a tensor that fits.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is missing: relaxed, an `Option` or a field with a default of which a part is missing falls back. One
    /// that is missing as a whole always does.
    pub fn missing(mut self, strictness: Strictness) -> Self {
        self.missing = strictness;
        self
    }

    /// Tensors that no field wants: relaxed, they are only listed.
    pub fn unexpected(mut self, strictness: Strictness) -> Self {
        self.unexpected = strictness;
        self
    }

    /// Tensors and entries of another element type, rank, shape, layout or value type than the field's: relaxed,
    /// an `Option` or a field with a default falls back.
    pub fn mismatched(mut self, strictness: Strictness) -> Self {
        self.mismatched = strictness;
        self
    }

    /// What turns the names of the file's tensors into those of the model.
    pub fn key_map(mut self, map: KeyMap) -> Self {
        self.key_map = Some(map);
        self
    }

    /// Other limits than the ones that the file was opened with.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// A value that fields find by its type through [`Loader::context`](crate::Loader::context). A later value
    /// of the same type takes the place of an earlier one.
    pub fn context<C: Any + Send + Sync>(mut self, context: C) -> Self {
        self.contexts.push(Arc::new(context));
        self
    }

    pub(crate) fn find_context<C: 'static>(&self) -> Option<&C> {
        self.contexts.iter().rev().find_map(|context| context.downcast_ref())
    }
}

impl std::fmt::Debug for LoadOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadOptions")
            .field("limits", &self.limits)
            .field("missing", &self.missing)
            .field("unexpected", &self.unexpected)
            .field("mismatched", &self.mismatched)
            .field("key_map", &self.key_map)
            .field("contexts", &self.contexts.len())
            .finish()
    }
}
