//! `from`, `try_from` and `into`: a type in the file that stands in for the one in the model.

use std::fmt::Display;

use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave, Problem, ProblemKind};
use crate::writer::SaveError;

/// Saves what the value converts into. The stand-in lives for this call only, so its bytes are copied.
pub fn save_into<P: HurraySave, T: Clone + Into<P>>(
    value: &T,
    saver: Saver<'_, '_>,
) -> Result<(), SaveError> {
    let stand_in: P = value.clone().into();
    saver.copied(&stand_in)
}

/// Loads a stand-in and converts it.
pub fn load_from<'f, P: HurrayLoad<'f>, T: From<P>>(loader: Loader<'_, 'f>) -> Result<T, Reported> {
    P::load(loader).map(T::from)
}

/// Loads a stand-in and converts it, if it lets itself be.
pub fn load_try_from<'f, P: HurrayLoad<'f>, T: TryFrom<P, Error: Display>>(
    mut loader: Loader<'_, 'f>,
) -> Result<T, Reported> {
    let stand_in = P::load(loader.by_ref())?;
    T::try_from(stand_in)
        .map_err(|error| loader.problem(Problem::new(ProblemKind::Refused, "", error.to_string())))
}
