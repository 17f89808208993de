//! Partitions and overlays, and their `'static` twins: a head at the path, members `0`, `1`, ... under it.

use std::sync::Arc;

use crate::element::Stored;
use crate::model::impls::views::{save_raw, save_shared};
use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::view::{
    Overlay, OverlayView, Partition, PartitionView, SharedTensor, Whole, WholeKind, WholePlan, keep_alive,
};
use crate::writer::SaveError;

/// Saves the tensor of a number.
type SaveTensor<'t, 's> = &'t dyn Fn(usize, Saver<'_, 's>) -> Result<(), SaveError>;

/// Saves a head and its members, whose tensors begin at `first`. Composites nest 64 levels at most.
fn save_plan<'s>(
    plan: &WholePlan,
    first: usize,
    tensor: SaveTensor<'_, 's>,
    saver: Saver<'_, 's>,
) -> Result<(), SaveError> {
    let mut members = saver.members(plan.head())?;
    for member in plan.members() {
        let at = first.saturating_add(member.first);
        members.member(|saver| match &member.kind {
            WholeKind::Nested(plan) => save_plan(plan, at, tensor, saver),
            WholeKind::Plain(_) | WholeKind::Quantized(_) => tensor(at, saver),
        })?;
    }
    Ok(())
}

fn save_view<'s>(whole: &Whole<'s>, saver: Saver<'_, 's>) -> Result<(), SaveError> {
    let tensor = |at: usize, saver: Saver<'_, 's>| match whole.tensors.get(at) {
        Some(raw) => save_raw(raw, saver),
        None => Ok(()),
    };
    save_plan(&whole.plan, 0, &tensor, saver)
}

fn save_twin<'s>(
    plan: &WholePlan,
    tensors: &'s [SharedTensor],
    saver: Saver<'_, 's>,
) -> Result<(), SaveError> {
    let tensor = |at: usize, saver: Saver<'_, 's>| match tensors.get(at) {
        Some(shared) => save_shared(&shared.as_raw(), || shared.buffers().collect(), saver),
        None => Ok(()),
    };
    save_plan(plan, 0, &tensor, saver)
}

macro_rules! wholes {
    ($($view:ident $twin:ident $wanted:literal;)*) => {$(
        impl<T: Stored> HurraySave for $view<'_, T> {
            fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
                save_view(self.whole(), saver)
            }
        }

        impl<'f: 'a, 'a, T: Stored> HurrayLoad<'f> for $view<'a, T> {
            fn load(mut loader: Loader<'_, 'f>) -> Result<Self, Reported> {
                let whole = loader.by_ref().whole($wanted)?;
                $view::from_whole(whole).map_err(|error| loader.refuse(&error, $wanted))
            }

            const IS_LEAF: bool = true;
        }

        impl<T: Stored> HurraySave for $twin<T> {
            fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
                save_twin(&self.whole().plan, &self.whole().tensors, saver)
            }
        }

        /// Shares the memory of the file; copies when the bytes belong to the caller (`from_slice`).
        impl<'f, T: Stored> HurrayLoad<'f> for $twin<T> {
            fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
                let memory = loader.shared_memory();
                let view = $view::<'f, T>::load(loader)?;
                Ok(view.to_twin(&|bytes| keep_alive(memory.as_ref(), bytes)))
            }

            const IS_LEAF: bool = true;

            fn load_shared(loader: Loader<'_, 'f>) -> Result<Arc<Self>, Reported> {
                loader.shared()
            }
        }
    )*};
}

wholes! {
    PartitionView Partition "a partition";
    OverlayView Overlay "an overlay";
}
