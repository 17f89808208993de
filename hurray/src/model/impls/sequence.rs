//! Sequences that are not slices.

use std::collections::VecDeque;

use crate::model::load::{Loader, Reported};
use crate::model::save::{Saver, leading};
use crate::model::{HurrayLoad, HurraySave};
use crate::writer::SaveError;

/// As a `Vec` of the same elements. One of plain elements, strings or the like, which are one tensor or one
/// entry, has to lie in one piece (`make_contiguous`).
impl<T: HurraySave> HurraySave for VecDeque<T> {
    fn save<'s>(&'s self, mut saver: Saver<'_, 's>) -> Result<(), SaveError> {
        match self.as_slices() {
            (front, []) => T::save_slice(front, saver, leading(front.len())),
            _ if T::IS_ELEMENT || saver.is_entry::<T>()? => {
                Err(SaveError::InPieces { path: saver.path().into() })
            }
            _ => saver.sequence(self),
        }
    }
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for VecDeque<T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_vec(loader).map(Self::from)
    }

    const IS_LEAF: bool = T::IS_ELEMENT;
}
