//! The module that the tests save and load: conv, norm, linear, lists, optional and enum parts, all kinds.

use std::collections::BTreeMap;

use burn::module::{Module, Param, ParamId};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::store::{ModuleSnapshot, bridge};
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};

pub(crate) type AnyError = Box<dyn std::error::Error>;
pub(crate) type Checked = Result<(), AnyError>;

#[derive(Module, Debug)]
pub(crate) struct Net {
    pub(crate) conv: Conv2d,
    pub(crate) norm: BatchNorm,
    pub(crate) blocks: Vec<Block>,
    pub(crate) extra: Option<Linear>,
    pub(crate) absent: Option<Linear>,
    pub(crate) head: Head,
    pub(crate) steps: Param<Tensor<1, Int>>,
    pub(crate) mask: Param<Tensor<2, Bool>>,
}

#[derive(Module, Debug)]
pub(crate) struct Block {
    pub(crate) norm: LayerNorm,
    pub(crate) linear: Linear,
}

#[derive(Module, Debug)]
pub(crate) enum Head {
    Wide(Linear),
    Narrow(Block),
}

impl Block {
    fn new(device: &Device) -> Self {
        Self { norm: LayerNormConfig::new(6).init(device), linear: LinearConfig::new(6, 6).init(device) }
    }
}

impl Net {
    /// A net whose numbers all differ from those of another seed.
    pub(crate) fn new(seed: i64) -> Self {
        let device = Device::default();
        let mask = [[seed % 2 == 0, true, false], [false, seed % 3 == 0, seed % 2 == 1]];
        Self {
            conv: Conv2dConfig::new([2, 3], [3, 3]).init(&device),
            norm: BatchNormConfig::new(3).init(&device),
            blocks: vec![Block::new(&device), Block::new(&device)],
            extra: Some(LinearConfig::new(6, 2).with_bias(false).init(&device)),
            absent: None,
            head: Head::Narrow(Block::new(&device)),
            steps: param(Tensor::from_data([seed, -seed, 7], &device)),
            mask: param(Tensor::from_data(mask, &device)),
        }
    }
}

pub(crate) fn param<T: burn::module::ParameterValue>(value: T) -> Param<T> {
    Param::initialized(ParamId::new(), value)
}

/// All tensors of a module by their names.
pub(crate) fn state<M: Module>(module: &M) -> Result<BTreeMap<String, TensorData>, AnyError> {
    let tensors = module.collect(None, None, false);
    tensors.iter().map(|tensor| Ok((tensor.name.clone(), bridge::to_data(tensor)?))).collect()
}

pub(crate) fn ids<M: Module>(module: &M) -> BTreeMap<String, Option<u64>> {
    let tensors = module.collect(None, None, false);
    tensors.into_iter().map(|tensor| (tensor.name, tensor.param_id)).collect()
}
