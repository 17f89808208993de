//! The module that the tests save and load: conv, norm, linear, lists, optional and enum parts, all kinds.

use std::collections::BTreeMap;

use burn::module::{Module, Param, ParamId};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::store::{ModuleSnapshot, bridge};
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};

pub type AnyError = Box<dyn std::error::Error>;
pub type Checked = Result<(), AnyError>;

#[derive(Module, Debug)]
pub struct Net {
    pub conv: Conv2d,
    pub norm: BatchNorm,
    pub blocks: Vec<Block>,
    pub extra: Option<Linear>,
    pub absent: Option<Linear>,
    pub head: Head,
    pub steps: Param<Tensor<1, Int>>,
    pub mask: Param<Tensor<2, Bool>>,
}

#[derive(Module, Debug)]
pub struct Block {
    pub norm: LayerNorm,
    pub linear: Linear,
}

#[derive(Module, Debug)]
pub enum Head {
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
    pub fn new(seed: i64) -> Self {
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

pub fn param<T: burn::module::ParameterValue>(value: T) -> Param<T> {
    Param::initialized(ParamId::new(), value)
}

/// All tensors of a module by their names.
pub fn state<M: Module>(module: &M) -> Result<BTreeMap<String, TensorData>, AnyError> {
    let tensors = module.collect(None, None, false);
    tensors.iter().map(|tensor| Ok((tensor.name.clone(), bridge::to_data(tensor)?))).collect()
}

pub fn ids<M: Module>(module: &M) -> BTreeMap<String, Option<u64>> {
    let tensors = module.collect(None, None, false);
    tensors.into_iter().map(|tensor| (tensor.name, tensor.param_id)).collect()
}
