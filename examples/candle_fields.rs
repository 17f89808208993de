//! candle before and after: the lines of `docs/candle.md`, in a program.

use std::collections::HashMap;
use std::path::Path;

use candle_core::{DType, Device, Error, Result, Tensor};
use candle_nn::{Linear, VarBuilder, VarMap, linear};
use hurray::{File, HurrayLoad, HurraySave};

#[derive(HurraySave, HurrayLoad)]
struct Classifier {
    classes: Vec<String>,
    weight: Tensor,
    bias: Tensor,
}

/// The class names would need a file of their own.
fn tensors_before(model: &Classifier) -> Result<(Tensor, Tensor)> {
    let tensors = HashMap::from([("weight", model.weight.clone()), ("bias", model.bias.clone())]);
    candle_core::safetensors::save(&tensors, "model.safetensors")?;
    let tensors = candle_core::safetensors::load("model.safetensors", &Device::Cpu)?;
    let weight = tensors.get("weight").ok_or(Error::msg("no weight"))?.clone();
    let bias = tensors.get("bias").ok_or(Error::msg("no bias"))?.clone();
    Ok((weight, bias))
}

fn tensors_after(model: &Classifier) -> std::result::Result<Classifier, Box<dyn std::error::Error>> {
    hurray::save("model.hrry", model)?;
    let model: Classifier = hurray::load("model.hrry")?;
    Ok(model)
}

fn model_before(device: &Device) -> Result<Linear> {
    let files = ["model.safetensors"];
    // SAFETY: nobody changes the file as long as it is mapped.
    let vb = unsafe { VarBuilder::from_mmaped_safetensors(&files, DType::F32, device)? };
    let model = linear(2, 2, vb)?;
    Ok(model)
}

fn model_after(device: &Device) -> std::result::Result<Linear, Box<dyn std::error::Error>> {
    // SAFETY: nobody changes the file as long as it is mapped.
    let file = unsafe { File::map("model.hrry")? };
    let vb = hurray::candle::var_builder(&file, DType::F32, device);
    let model = linear(2, 2, vb)?;
    Ok(model)
}

fn variables_before(mut varmap: VarMap) -> Result<()> {
    varmap.save("step-1000.safetensors")?;
    varmap.load("step-1000.safetensors")?;
    Ok(())
}

fn variables_after(varmap: &VarMap) -> std::result::Result<(), Box<dyn std::error::Error>> {
    hurray::candle::save_var_map("step-1000.hrry", varmap)?;
    let report = hurray::candle::load_var_map(&File::read("step-1000.hrry")?, varmap)?;
    assert_eq!(report.problem_count(), 0);
    Ok(())
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("candle-fields-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::env::set_current_dir(&folder)?;
    run(&folder)?;
    std::env::set_current_dir("/")?;
    Ok(std::fs::remove_dir_all(&folder)?)
}

#[test]
fn runs() -> std::result::Result<(), Box<dyn std::error::Error>> {
    main()
}

fn run(folder: &Path) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let model = Classifier {
        classes: vec!["cat".into(), "dog".into()],
        weight: Tensor::new(&[[1f32, 0.], [0., 1.]], &Device::Cpu)?,
        bias: Tensor::new(&[0.5f32, -0.5], &Device::Cpu)?,
    };
    let (weight, _) = tensors_before(&model)?;
    let loaded = tensors_after(&model)?;
    assert_eq!(loaded.weight.to_vec2::<f32>()?, weight.to_vec2::<f32>()?);
    println!("in {}: {:?}, weight {}", folder.display(), loaded.classes, loaded.weight);

    let (before, after) = (model_before(&Device::Cpu)?, model_after(&Device::Cpu)?);
    assert_eq!(before.weight().to_vec2::<f32>()?, after.weight().to_vec2::<f32>()?);

    let varmap = VarMap::new();
    linear(2, 2, VarBuilder::from_varmap(&varmap, DType::F32, &Device::Cpu))?;
    variables_before(varmap.clone())?;
    variables_after(&varmap)
}
