//! What a caller may say about a load.

use std::any::Any;
use std::sync::Arc;

use crate::limits::Limits;

/// How strict a load is, and what it hands to the impls of fields.
///
/// ```
/// use hurray::LoadOptions;
///
/// let options = LoadOptions::new().allow_unexpected(true);
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct LoadOptions {
    pub(crate) limits: Option<Limits>,
    pub(crate) allow_unexpected: bool,
    contexts: Vec<Arc<dyn Any + Send + Sync>>,
}

impl LoadOptions {
    /// All strict: every tensor of the file has a field, every field has a tensor that fits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether tensors that no field wants are only listed in the report.
    pub fn allow_unexpected(mut self, allow: bool) -> Self {
        self.allow_unexpected = allow;
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
            .field("allow_unexpected", &self.allow_unexpected)
            .field("contexts", &self.contexts.len())
            .finish()
    }
}
