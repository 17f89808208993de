//! candle-nn's `VarMap` in a file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{MutexGuard, PoisonError};

use candle_core::{Tensor, Var};
use candle_nn::VarMap;

use super::backend::is_head;
use super::error::ReadError;
use super::read::{Cast, Source};
use super::state_dict::save_named;
use super::target::Target;
use crate::error::TensorError;
use crate::model::{LoadError, LoadReport, Problem, ProblemKind, problem_of};
use crate::reader::File;
use crate::writer::{SaveError, SaveOptions, SaveReport};

/// Saves the variables of a map under their names, in the order of the names: the same variables give the same
/// bytes on every run.
///
/// # Errors
///
/// [`SaveError`]; nothing is written unless the whole plan of the file stands.
pub fn save_var_map(path: impl AsRef<Path>, map: &VarMap) -> Result<SaveReport, SaveError> {
    save_var_map_with(path, map, &SaveOptions::new())
}

/// Saves the variables of a map with options, metadata say.
///
/// # Errors
///
/// As [`save_var_map`].
pub fn save_var_map_with(
    path: impl AsRef<Path>,
    map: &VarMap,
    options: &SaveOptions,
) -> Result<SaveReport, SaveError> {
    let variables = lock(map);
    let tensors = variables.iter().map(|(name, var)| (name.as_str(), var.as_tensor())).collect();
    save_named(path.as_ref(), tensors, options)
}

/// Sets every variable of a map to the tensor of its name in the file: all of them, or on any error none.
///
/// Everything is checked before the first variable is set, so that only a device that runs out of memory can
/// stop half-way. One tensor at a time is in memory beside the variables; tensors that are not stored in
/// row-major order are all made before the first variable is set. Tensors without a variable are in
/// the report, as tolerated.
///
/// # Errors
///
/// [`LoadError::Report`] with everything that is missing, or has another shape or dtype.
pub fn load_var_map(file: &File, map: &VarMap) -> Result<LoadReport, LoadError> {
    let variables = lock(map);
    let mut names: Vec<&str> = variables.keys().map(String::as_str).collect();
    names.sort_unstable();
    let mut findings = Findings::of(file);
    let mut staged = Vec::new();
    for name in names {
        let Some(var) = variables.get(name) else { continue };
        match Staged::of(file, name, var) {
            Ok(tensor) => staged.push((name, var, tensor)),
            Err(problem) => findings.push(name, *problem),
        }
    }
    for entry in file.tensors().filter(|entry| !variables.contains_key(entry.name())) {
        if !is_head(&entry) {
            let mut problem = Problem::new(ProblemKind::Unexpected, "", "");
            problem.is_tolerated = true;
            findings.push(entry.name(), problem);
        }
    }
    let mut findings = findings.or_fail()?;
    for (name, var, tensor) in staged {
        if let Err(error) = tensor.set(var) {
            findings.push(name, *problem_with(error));
        }
    }
    Ok(findings.or_fail()?.report)
}

/// A map with one variable for each tensor of the file, on the device of the target.
///
/// # Errors
///
/// [`LoadError::Report`] with everything that candle can't hold.
pub fn read_var_map(file: &File, target: &Target) -> Result<VarMap, LoadError> {
    let cast = target.dtype.map_or(Cast::Keep, Cast::Floats);
    let map = VarMap::new();
    let mut variables = lock(&map);
    let mut findings = Findings::of(file);
    for entry in file.tensors() {
        if is_head(&entry) {
            continue;
        }
        match Source::of(&entry).and_then(|source| source.load::<Var>(&target.device, cast)) {
            Ok(var) => drop(variables.insert(entry.name().to_owned(), var)),
            Err(error) => findings.push(entry.name(), *problem_with(error)),
        }
    }
    drop(variables);
    findings.or_fail()?;
    Ok(map)
}

/// candle itself gives up where a thread died while it held the map. What is in it is whole all the same.
fn lock(map: &VarMap) -> MutexGuard<'_, HashMap<String, Var>> {
    map.data().lock().unwrap_or_else(PoisonError::into_inner)
}

/// A tensor that fits its variable.
enum Staged<'f> {
    /// To be copied from the file.
    Checked(Source<'f>),
    Made(Tensor),
}

impl<'f> Staged<'f> {
    fn of(file: &'f File, name: &str, var: &Var) -> Result<Self, Box<Problem>> {
        let entry = file.tensor(name).map_err(|error| problem_with(error.into()))?;
        let source = Source::of(&entry).map_err(problem_with)?;
        if source.dims() != var.dims() {
            let kind = if source.dims().len() == var.rank() { ProblemKind::Shape } else { ProblemKind::Rank };
            let (expected, found) = (format!("{:?}", var.dims()), format!("{:?}", source.dims()));
            return Err(Problem::new(kind, expected, found).into());
        }
        match source.dtype() {
            Some(dtype) if dtype == var.dtype() => {}
            found => {
                let found = found.map_or("none", |dtype| dtype.as_str());
                return Err(Problem::new(ProblemKind::ElementType, var.dtype().as_str(), found).into());
            }
        }
        if source.is_plain() {
            return Ok(Self::Checked(source));
        }
        source.load(var.device(), Cast::Keep).map(Self::Made).map_err(problem_with)
    }

    fn set(self, var: &Var) -> Result<(), ReadError> {
        let tensor = match self {
            Self::Checked(source) => source.load(var.device(), Cast::Keep)?,
            Self::Made(tensor) => tensor,
        };
        Ok(var.set(&tensor)?)
    }
}

#[cold]
fn problem_with(error: ReadError) -> Box<Problem> {
    const WANTED: &str = "a candle tensor";
    Box::new(match error {
        ReadError::Tensor(TensorError::NotFound { near, .. }) => {
            let mut problem = Problem::new(ProblemKind::Missing, WANTED, "");
            problem.near = near.into_iter().map(String::from).collect();
            problem
        }
        ReadError::Tensor(error) => problem_of(&error, WANTED),
        other => Problem::new(ProblemKind::Refused, WANTED, other.to_string()),
    })
}

/// The report, while it is made.
struct Findings {
    report: LoadReport,
    limit: usize,
}

impl Findings {
    fn of(file: &File) -> Self {
        Self { report: LoadReport::new(file.path()), limit: file.policy().limits.problems }
    }

    fn push(&mut self, name: &str, mut problem: Problem) {
        problem.path = name.to_owned();
        self.report.push(problem, self.limit);
    }

    fn or_fail(mut self) -> Result<Self, LoadError> {
        self.report.sort();
        if self.report.fits() { Ok(self) } else { Err(LoadError::Report(Box::new(self.report))) }
    }
}
