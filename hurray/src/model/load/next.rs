//! The tensor that comes next in the file, offered to the field that asks next: the way of nearly every field of a
//! file that is in the model's order. It leaves the path and the steps alone.

use crate::element::Element;
use crate::model::Field;
use crate::model::load::GroupLoader;
use crate::model::load::walk::LoadWalk;
use crate::view::{SharedMemory, TensorView};

/// The tensor that comes next in the file, for a field of which nothing is said but its name.
///
/// Taking nothing from it leaves the load as it was.
pub struct Next<'l, 'f> {
    walk: &'l mut LoadWalk<'f>,
    field: &'static Field,
}

impl<'f> Next<'_, 'f> {
    /// A view of the tensor, if that is the field's by name, and there is nothing special about it.
    #[inline]
    pub(crate) fn view<T: Element>(self) -> Option<TensorView<'f, T>> {
        let Self { walk, field } = self;
        let position = walk.next;
        let contents = walk.source.contents();
        let record = contents.record(position)?;
        if !record.is_named(walk.path.as_str(), field.name) {
            return None;
        }
        let plain = contents.plain(&record, const { T::TYPE.tag() }, size_of::<T>())?;
        let view = TensorView::from_plain(plain)?;
        walk.take(position);
        Some(view)
    }

    /// The memory of the file, if there is one to share.
    pub(crate) fn shared_memory(&self) -> Option<SharedMemory> {
        self.walk.shared_memory()
    }

    /// Whether the file has entries of ours that may say more of the field.
    pub(crate) fn has_notes(&self) -> bool {
        self.walk.has_notes
    }
}

impl<'f> GroupLoader<'_, 'f> {
    /// Offers what comes next in the file to a field; `None` where its name does not say all.
    #[inline]
    pub(crate) fn next(&mut self, field: &'static Field) -> Option<Next<'_, 'f>> {
        let is_flattened = self.is_flattened();
        let walk = self.walk();
        let is_direct =
            field.is_name_only && !is_flattened && walk.renamed.is_none() && walk.redirects.is_idle();
        is_direct.then_some(Next { walk, field })
    }
}
