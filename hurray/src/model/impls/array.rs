//! Arrays: of elements they are one tensor, of anything else a group of fixed length.

use crate::descriptor::Dims;
use crate::model::impls::slice::with_fixed;
use crate::model::load::{Loader, Reported};
use crate::model::save::{Saver, leading};
use crate::model::{Dim, HurrayLoad, HurraySave, Problem, ProblemKind};
use crate::writer::SaveError;

impl<T: HurraySave, const N: usize> HurraySave for [T; N] {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        T::save_slice(self, saver, leading(N))
    }

    const IS_ELEMENT: bool = T::IS_ELEMENT;

    fn save_slice<'s>(slice: &'s [Self], saver: Saver<'_, 's>, dims: Dims) -> Result<(), SaveError> {
        if T::IS_ELEMENT {
            T::save_slice(slice.as_flattened(), saver, with_fixed(dims, N))
        } else {
            saver.sequence(slice)
        }
    }
}

impl<'f, T: HurrayLoad<'f>, const N: usize> HurrayLoad<'f> for [T; N] {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        into_array(load_exact(loader, N)?)
    }

    const IS_ELEMENT: bool = T::IS_ELEMENT;
    const IS_LEAF: bool = T::IS_ELEMENT;

    fn load_vec(loader: Loader<'_, 'f>) -> Result<Vec<Self>, Reported> {
        if T::IS_ELEMENT { Self::load_elements(loader, &[Dim::Any]) } else { loader.sequence() }
    }

    fn load_elements(loader: Loader<'_, 'f>, dims: &[Dim]) -> Result<Vec<Self>, Reported> {
        let mut all = dims.to_vec();
        all.push(Dim::Fixed(u64::try_from(N).unwrap_or(u64::MAX)));
        if N == 0 {
            return load_empty(loader, dims.len());
        }
        let elements = T::load_elements(loader, &all)?;
        let rows = elements.len().checked_div(N).unwrap_or(0);
        let mut elements = elements.into_iter();
        let mut arrays = Vec::with_capacity(rows);
        for _ in 0..rows {
            arrays.push(into_array(elements.by_ref().take(N).collect())?);
        }
        Ok(arrays)
    }

    /// Through a vector, so that no large array lies on the stack.
    fn load_boxed(loader: Loader<'_, 'f>) -> Result<Box<Self>, Reported> {
        let boxed = load_exact(loader, N)?.into_boxed_slice();
        boxed.try_into().map_err(|_| Reported::WAS_CHECKED)
    }
}

/// Exactly `length` values: a tensor's elements, a group's, or a key-value array's.
fn load_exact<'f, T: HurrayLoad<'f>>(mut loader: Loader<'_, 'f>, length: usize) -> Result<Vec<T>, Reported> {
    if T::IS_ELEMENT {
        return T::load_elements(loader, &[Dim::Fixed(u64::try_from(length).unwrap_or(u64::MAX))]);
    }
    let values = T::load_vec(loader.by_ref())?;
    if values.len() == length {
        return Ok(values);
    }
    let problem = Problem::new(ProblemKind::Shape, format!("{length} elements"), values.len().to_string());
    Err(loader.problem(problem))
}

/// Arrays of length 0 hold no elements: how many there are is the product of the dimensions before theirs.
fn load_empty<T, const N: usize>(loader: Loader<'_, '_>, outer: usize) -> Result<Vec<[T; N]>, Reported> {
    let mut loader = loader;
    let entry = loader.by_ref().tensor()?;
    let allowed = loader.limits().sequence;
    let count = entry.known_descriptor().map_err(|error| loader.refuse(&error.into(), "arrays"))?;
    let count = count.shape().iter().take(outer).try_fold(1u64, |count, &dim| count.checked_mul(dim));
    let Some(count) = count.filter(|count| *count <= allowed).and_then(|count| usize::try_from(count).ok())
    else {
        let expected = format!("at most {allowed} elements (`Limits::sequence`)");
        return Err(loader.problem(Problem::new(ProblemKind::Limit, expected, "more")));
    };
    (0..count).map(|_| into_array(Vec::new())).collect()
}

fn into_array<T, const N: usize>(values: Vec<T>) -> Result<[T; N], Reported> {
    values.try_into().map_err(|_| Reported::WAS_CHECKED)
}
