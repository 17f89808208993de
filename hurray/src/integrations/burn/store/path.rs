//! Where a walk over a module is: what burn's own collector and applier keep.

use burn_store::{ModuleContext, PathFilter};

/// The names and the containers on the way to a parameter.
#[derive(Debug, Default)]
pub(super) struct ModulePath {
    names: Vec<String>,
    containers: Vec<String>,
    skip_enum_variants: bool,
}

impl ModulePath {
    pub(super) fn new(skip_enum_variants: bool) -> Self {
        Self { skip_enum_variants, ..Self::default() }
    }

    pub(super) fn enter(&mut self, name: &str, container: &str) {
        self.containers.push(container.to_owned());
        if self.has_name(container) {
            self.names.push(name.to_owned());
        }
    }

    pub(super) fn exit(&mut self, container: &str) {
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
