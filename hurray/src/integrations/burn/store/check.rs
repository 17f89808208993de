//! Holds a module against a file without changing anything: what burn's applier would find.

use std::collections::BTreeSet;

use burn_core::module::{Param, Parameter};
use burn_core::tensor::kind::{Basic, Kind};
use burn_core::tensor::{Shape, Tensor};
use burn_store::burn_pack::Tensor as PackTensor;
use burn_store::{ModuleAdapter, PathFilter};

use super::Opened;
use super::path::{ModulePath, VisitParam};
use crate::integrations::burn::dtype::{elements_of, fits};
use crate::model::{Problem, ProblemKind};
use crate::reader::near_names;

/// What a walk over a module found. Follows `burn_store::Applier` step by step, which takes the module apart
/// while it looks.
pub(super) struct Check<'o> {
    opened: &'o Opened,
    filter: Option<&'o PathFilter>,
    adapter: &'o dyn ModuleAdapter,
    used: BTreeSet<String>,
    missing: Vec<Problem>,
    mismatched: Vec<Problem>,
}

impl<'o> Check<'o> {
    pub(super) fn new(
        opened: &'o Opened,
        filter: Option<&'o PathFilter>,
        adapter: &'o dyn ModuleAdapter,
    ) -> Self {
        Self { opened, filter, adapter, used: BTreeSet::new(), missing: Vec::new(), mismatched: Vec::new() }
    }

    /// What is wrong: parameters whose tensors do not fit, and parameters without any.
    pub(super) fn into_problems(self, mismatched: bool, missing: bool) -> Vec<Problem> {
        /// Comparing names is quadratic: enough to help, not to stall.
        const COMPARED: usize = 200;
        let mut problems = if mismatched { self.mismatched } else { Vec::new() };
        if !missing {
            return problems;
        }
        let names = self.opened.tensors.keys().chain(self.opened.refused.keys());
        let unused: Vec<&str> =
            names.map(String::as_str).filter(|name| !self.used.contains(*name)).take(COMPARED).collect();
        for (position, mut problem) in self.missing.into_iter().enumerate() {
            if position < COMPARED {
                let near = near_names(&problem.path, unused.iter().copied());
                problem.near = near.into_iter().map(String::from).collect();
            }
            problems.push(problem);
        }
        problems
    }

    /// The name that the file has the parameter under.
    fn source(&self, path: &ModulePath, name: &str) -> Option<String> {
        let has =
            |name: &str| self.opened.tensors.contains_key(name) || self.opened.refused.contains_key(name);
        if has(name) {
            return Some(name.to_owned());
        }
        let module = path.context().module_type()?;
        let other = path.sibling(|last| self.adapter.get_alternative_param_name(last, module));
        other.filter(|name| has(name))
    }

    fn compare(
        &self,
        tensor: &PackTensor,
        path: &ModulePath,
        name: &str,
        kind: Kind,
        shape: &Shape,
    ) -> Option<Problem> {
        let mut tensor = tensor.clone();
        name.clone_into(&mut tensor.name);
        let tensor = self.adapter.adapt(tensor, path.context());
        if !fits(kind, tensor.dtype) {
            let found = format!("{:?}", tensor.dtype);
            return Some(Problem::new(ProblemKind::ElementType, elements_of(kind), found));
        }
        if tensor.shape != *shape {
            let (expected, found) = (dims(shape), dims(&tensor.shape));
            let kind = if expected.len() == found.len() { ProblemKind::Shape } else { ProblemKind::Rank };
            return Some(Problem::new(kind, format!("{expected:?}"), format!("{found:?}")));
        }
        None
    }
}

/// As a report shows them: a list, without burn's name for it.
fn dims(shape: &Shape) -> Vec<usize> {
    shape.iter().copied().collect()
}

fn at(mut problem: Problem, path: String) -> Problem {
    problem.path = path;
    problem
}

impl VisitParam for Check<'_> {
    fn visit<const D: usize, K: Basic + 'static>(&mut self, path: &ModulePath, param: &Param<Tensor<D, K>>)
    where
        Tensor<D, K>: Parameter,
    {
        let name = path.name();
        let source = self.source(path, &name);
        self.used.extend(source.clone());
        if !path.passes(self.filter) {
            return;
        }
        let Some(source) = source else {
            let expected = format!("{} of shape {:?}", elements_of(K::KIND), dims(&param.lazy_shape()));
            self.missing.push(at(Problem::new(ProblemKind::Missing, expected, ""), name));
            return;
        };
        let problem = match self.opened.tensors.get(&source) {
            Some(tensor) => self.compare(tensor, path, &name, K::KIND, &param.lazy_shape()),
            None => self.opened.refused.get(&source).map(|error| error.to_problem()),
        };
        self.mismatched.extend(problem.map(|problem| at(problem, name)));
    }
}
