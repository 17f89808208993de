//! The code of `docs/burn.md`, and a test that it is the same.

use std::sync::Mutex;

use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::optim::AdamConfig;
use burn::store::{BurnpackStore, ModuleSnapshot};
use burn::tensor::{Bool, Device, Tensor};
use hurray::burn::HurrayStore;
use hurray::{HurrayLoad, HurraySave};

use super::module::{Checked, ids, param, state};

#[derive(Module, Debug)]
struct Model {
    linear: Linear,
}

impl Model {
    fn new(device: &Device) -> Self {
        Self { linear: LinearConfig::new(3, 2).init(device) }
    }
}

#[derive(Module, Debug)]
struct Part {
    weight: Param<Tensor<2>>,
    mask: Param<Tensor<1, Bool>>,
}

fn mask(device: &Device) -> Param<Tensor<1, Bool>> {
    param(Tensor::from_data([true, false], device))
}

#[derive(HurraySave, HurrayLoad)]
struct Weights {
    weight: Param<Tensor<2>>,
    mask: Tensor<1, Bool>,
    classes: Vec<String>,
}

/// Runs in a folder of its own, since the page names files without one.
fn in_folder(run: impl FnOnce() -> Checked) -> Checked {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock()?;
    let folder = tempfile::tempdir()?;
    let before = std::env::current_dir()?;
    std::env::set_current_dir(&folder)?;
    let result = run();
    std::env::set_current_dir(before)?;
    result
}

#[test]
fn modules() -> Checked {
    in_folder(|| {
        let device = Device::default();
        let model = Model::new(&device);
        let saved = state(&model)?;
        {
            model.save_into(&mut BurnpackStore::from_file("model.bpk"))?;
            let mut model = Model::new(&device);
            model.load_from(&mut BurnpackStore::from_file("model.bpk"))?;
        }
        model.save_into(&mut HurrayStore::from_file("model.hrry"))?;
        let mut model = Model::new(&device);
        model.load_from(&mut HurrayStore::from_file("model.hrry"))?;
        assert_eq!(state(&model)?, saved);
        let mut model = Model::new(&device);
        // SAFETY: nobody changes the file as long as the model lives.
        let mut store = unsafe { HurrayStore::map("model.hrry")? };
        model.load_from(&mut store)?;
        assert_eq!(state(&model)?, saved);
        Ok(())
    })
}

#[test]
fn training() -> Checked {
    in_folder(|| {
        let device = Device::default();
        let optimizer = AdamConfig::new().init();
        let mut model = Model::new(&device);
        let saved = ids(&model);
        {
            let store = HurrayStore::from_file("checkpoint.hrry").with_param_ids(true);
            model.save_into(&mut store.metadata("step", 1000_u32))?;
            optimizer.save("checkpoint.adam.bpk")?;
        }
        model.linear = LinearConfig::new(3, 2).init(&device);
        model.load_from(&mut HurrayStore::from_file("checkpoint.hrry"))?;
        let optimizer = AdamConfig::new().init().load("checkpoint.adam.bpk")?;
        assert_eq!(ids(&model), saved);
        drop(optimizer);
        Ok(())
    })
}

#[test]
fn structs() -> Checked {
    in_folder(|| {
        let device = Device::default();
        let weights = Weights {
            weight: Param::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &device),
            mask: Tensor::from_data([true, false], &device),
            classes: vec!["cat".to_owned(), "dog".to_owned()],
        };
        let first = Part { weight: weights.weight.clone(), mask: mask(&device) };
        first.save_into(&mut BurnpackStore::from_file("part.bpk"))?;
        let weight = Param::from_tensor(Tensor::zeros([2, 3], &device));
        let mut part = Part { weight, mask: mask(&device) };
        part.load_from(&mut BurnpackStore::from_file("part.bpk"))?;
        hurray::save("weights.hrry", &weights)?;
        let weights: Weights = hurray::load("weights.hrry")?;
        assert_eq!(weights.weight.val().to_data(), part.weight.val().to_data());
        assert_eq!(weights.mask.to_data(), part.mask.val().to_data());
        assert_eq!(weights.classes, ["cat", "dog"]);
        Ok(())
    })
}

#[test]
fn every_line_of_the_page_is_compiled_here() {
    let (page, here) = (include_str!("../../docs/burn.md"), include_str!("docs.rs"));
    let compiled: Vec<&str> = here.lines().map(str::trim).collect();
    let blocks = page.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(|block| block.lines().skip(1)).map(str::trim);
    let missing: Vec<&str> = lines.filter(|line| !compiled.contains(line)).collect();
    assert!(missing.is_empty(), "only on the page: {missing:#?}");
}
