//! Collects what is to be saved of a module, without reading any tensor.

use burn_core::module::{Param, Parameter};
use burn_core::tensor::Tensor;
use burn_core::tensor::kind::Basic;
use burn_store::burn_pack::Tensor as PackTensor;
use burn_store::{ModuleAdapter, PathFilter, bridge};

use super::path::{ModulePath, VisitParam};
use crate::integrations::burn::write::{Planned, plan_tensor, plan_transport};
use crate::writer::BoxError;

/// Walks as `burn_store::Collector` does. Without an adapter it keeps hold of the tensors themselves, which can
/// be read in pieces; burn's transport form only gives all bytes at once.
pub(super) struct Collect<'o> {
    filter: Option<&'o PathFilter>,
    adapter: Option<&'o dyn ModuleAdapter>,
    pub(super) tensors: Vec<PackTensor>,
    /// How each of `tensors` is saved.
    pub(super) plans: Vec<Result<Planned<'static>, BoxError>>,
}

impl<'o> Collect<'o> {
    pub(super) fn new(filter: Option<&'o PathFilter>, adapter: Option<&'o dyn ModuleAdapter>) -> Self {
        Self { filter, adapter, tensors: Vec::new(), plans: Vec::new() }
    }
}

impl VisitParam for Collect<'_> {
    fn visit<const D: usize, K: Basic + 'static>(&mut self, path: &ModulePath, param: &Param<Tensor<D, K>>)
    where
        Tensor<D, K>: Parameter,
    {
        if !path.passes(self.filter) {
            return;
        }
        // The form that loading expects, which a parameter may have another one of than in memory.
        let tensor = param.transform_for_save().val();
        let mut transport = bridge::from_tensor(&tensor, path.name(), Some(param.id.val()));
        self.plans.push(match self.adapter {
            None => plan_tensor(tensor),
            Some(adapter) => {
                transport = adapter.adapt(transport, path.context());
                plan_transport(transport.clone())
            }
        });
        self.tensors.push(transport);
    }
}
