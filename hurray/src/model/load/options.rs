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

/// One of several ranks that load a part of a model each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rank {
    pub(crate) index: usize,
    pub(crate) count: usize,
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
    pub(super) rank: Option<Rank>,
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

    /// Loads what rank `index` of `count` needs: fields that are marked `#[hurray(partition(axis = ..))]` get
    /// their part of the tensor only, all other fields are loaded whole. Ranks count from 0.
    ///
    /// In a file with a partition of `count` members, that is member `index`: no page of the other ones is
    /// touched. Else, in a file with the tensor in one piece or in another number of parts, it is the share of
    /// the axis that a split into `count` parts gives: equal ones, but the first have one more where that does
    /// not work out. It is borrowed where it lies side by side in the file; only fields that own their elements
    /// can take one that has to be put together. The other ranks' parts are not unexpected.
    ///
    /// ```
    /// use hurray::{HurrayLoad, HurraySave, LoadOptions, Tensor, TensorView};
    ///
    /// #[derive(HurraySave)]
    /// struct Linear {
    ///     #[hurray(partition(axis = 0, parts = 2))]
    ///     weight: Tensor<f32>,
    /// }
    ///
    /// #[derive(HurrayLoad)]
    /// struct Shard<'a> {
    ///     #[hurray(partition(axis = 0))]
    ///     weight: TensorView<'a, f32>,
    /// }
    ///
    /// let weight = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], &[4, 1])?;
    /// let file = hurray::File::from_vec(hurray::to_bytes(&Linear { weight })?)?;
    /// let (shard, _report) = file.load_with::<Shard<'_>>(&LoadOptions::new().rank(1, 2))?;
    /// assert_eq!(shard.weight.as_slice(), Some(&[3.0, 4.0][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rank(mut self, index: usize, count: usize) -> Self {
        self.rank = Some(Rank { index, count });
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
            .field("rank", &self.rank)
            .field("contexts", &self.contexts.len())
            .finish()
    }
}
