//! Wrappers that leave no trace in the file: references, `Box`, `Arc`, `Rc`, `Cow`.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::writer::SaveError;

impl<T: HurraySave + ?Sized> HurraySave for &T {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        T::save(self, saver)
    }
}

impl<T: HurraySave + ?Sized> HurraySave for Box<T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        T::save(self, saver)
    }
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for Box<T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_boxed(loader)
    }

    const IS_LEAF: bool = T::IS_LEAF;
}

/// The same `Arc` again is stored once.
impl<T: HurraySave + ?Sized> HurraySave for Arc<T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        saver.shared::<T>(self, true)
    }
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for Arc<T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load_shared(loader)
    }

    const IS_LEAF: bool = T::IS_LEAF;
}

/// The same `Rc` again is stored once, and loaded anew.
impl<T: HurraySave + ?Sized> HurraySave for Rc<T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        saver.shared::<T>(self, false)
    }
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for Rc<T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load(loader).map(Rc::new)
    }

    const IS_LEAF: bool = T::IS_LEAF;
}

impl<T: HurraySave + ToOwned + ?Sized> HurraySave for Cow<'_, T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        T::save(self, saver)
    }
}

/// Of a sized type: always owned. Slices and strings are borrowed from the file.
impl<'f, T: HurrayLoad<'f> + Clone> HurrayLoad<'f> for Cow<'_, T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        T::load(loader).map(Cow::Owned)
    }

    const IS_LEAF: bool = T::IS_LEAF;
}
