//! A walk over the parameters of a module, and where it is: what burn's own collector and applier keep.

use burn_core::module::{ModuleVisitor, Param, Parameter};
use burn_core::tensor::kind::Basic;
use burn_core::tensor::{Bool, Int, Tensor};
use burn_store::{ModuleContext, ModuleSnapshot, PathFilter};

/// The names and the containers on the way to a parameter.
#[derive(Debug, Default)]
pub(super) struct ModulePath {
    names: Vec<String>,
    containers: Vec<String>,
    skip_enum_variants: bool,
}

impl ModulePath {
    fn new(skip_enum_variants: bool) -> Self {
        Self { skip_enum_variants, ..Self::default() }
    }

    fn enter(&mut self, name: &str, container: &str) {
        self.containers.push(container.to_owned());
        if self.has_name(container) {
            self.names.push(name.to_owned());
        }
    }

    fn exit(&mut self, container: &str) {
        self.containers.pop();
        if self.has_name(container) {
            self.names.pop();
        }
    }

    fn has_name(&self, container: &str) -> bool {
        !self.skip_enum_variants || !container.starts_with("Enum:")
    }

    pub(super) fn name(&self) -> String {
        self.names.join(".")
    }

    /// The name with another last step.
    pub(super) fn sibling(&self, other: impl FnOnce(&str) -> Option<String>) -> Option<String> {
        let (last, parents) = self.names.split_last()?;
        let mut names = parents.to_vec();
        names.push(other(last)?);
        Some(names.join("."))
    }

    pub(super) fn context(&self) -> ModuleContext<'_> {
        ModuleContext::new(&self.containers)
    }

    /// Whether a filter, if there is one, lets the parameter take part.
    pub(super) fn passes(&self, filter: Option<&PathFilter>) -> bool {
        filter.is_none_or(|filter| filter.matches_with_container_path(&self.names, &self.containers))
    }
}

/// What is done with each parameter, whatever it holds.
pub(super) trait VisitParam {
    fn visit<const D: usize, K: Basic + 'static>(&mut self, path: &ModulePath, param: &Param<Tensor<D, K>>)
    where
        Tensor<D, K>: Parameter;
}

/// Shows all parameters of a module to `visitor`, in the module's order.
pub(super) fn walk<M: ModuleSnapshot, V: VisitParam>(module: &M, skip_enum_variants: bool, visitor: &mut V) {
    module.visit(&mut Walk { path: ModulePath::new(skip_enum_variants), visitor });
}

struct Walk<'v, V> {
    path: ModulePath,
    visitor: &'v mut V,
}

impl<V: VisitParam> ModuleVisitor for Walk<'_, V> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.visitor.visit(&self.path, param);
    }

    fn visit_int<const D: usize>(&mut self, param: &Param<Tensor<D, Int>>) {
        self.visitor.visit(&self.path, param);
    }

    fn visit_bool<const D: usize>(&mut self, param: &Param<Tensor<D, Bool>>) {
        self.visitor.visit(&self.path, param);
    }

    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, container: &str) {
        self.path.exit(container);
    }
}
