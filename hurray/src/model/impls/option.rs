//! `Option`, and the types that write nothing.

use std::marker::PhantomData;

use crate::model::load::{Loader, Next, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::writer::SaveError;

impl<T: HurraySave> HurraySave for Option<T> {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        saver.refuse_flattened_option()?;
        match self {
            Some(value) => saver.some(value),
            None => Ok(()),
        }
    }
}

impl<'f, T: HurrayLoad<'f>> HurrayLoad<'f> for Option<T> {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        loader.option()
    }

    #[inline]
    fn load_next(next: Next<'_, 'f>) -> Option<Self> {
        // These may count `Some`s.
        if next.has_notes() { None } else { T::load_next(next).map(Some) }
    }

    const IS_LEAF: bool = T::IS_LEAF;
}

impl HurraySave for () {
    fn save<'s>(&'s self, _: Saver<'_, 's>) -> Result<(), SaveError> {
        Ok(())
    }
}

impl<'f> HurrayLoad<'f> for () {
    fn load(_: Loader<'_, 'f>) -> Result<Self, Reported> {
        Ok(())
    }
}

impl<T: ?Sized> HurraySave for PhantomData<T> {
    fn save<'s>(&'s self, _: Saver<'_, 's>) -> Result<(), SaveError> {
        Ok(())
    }
}

impl<'f, T: ?Sized> HurrayLoad<'f> for PhantomData<T> {
    fn load(_: Loader<'_, 'f>) -> Result<Self, Reported> {
        Ok(PhantomData)
    }
}
