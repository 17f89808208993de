//! candle's tensors as fields: before and after, as `docs/candle.md` has them.

use candle_core::{DType, Device, Tensor};
use candle_nn::{Linear, Module, VarMap};
use hurray::{File, HurrayLoad, HurraySave};

/// One line more than without: the derive.
#[derive(HurraySave, HurrayLoad)]
struct Classifier {
    classes: Vec<String>,
    weight: Tensor,
    bias: Tensor,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join("candle_fields.hrry");
    let model = Classifier {
        classes: vec!["cat".into(), "dog".into()],
        weight: Tensor::new(&[[1f32, 0.], [0., 1.]], &Device::Cpu)?,
        bias: Tensor::new(&[0.5f32, -0.5], &Device::Cpu)?,
    };

    // A struct, saved and loaded whole.
    println!("{}", hurray::save(&path, &model)?);
    let loaded: Classifier = hurray::load(&path)?;
    let head = Linear::new(loaded.weight, Some(loaded.bias));
    println!("{:?}: {}", loaded.classes, head.forward(&Tensor::new(&[[2f32, 3.]], &Device::Cpu)?)?);

    // The same file through a `VarBuilder`.
    // SAFETY: nobody changes the file as long as it is mapped.
    let file = unsafe { File::map(&path)? };
    let vb = hurray::candle::var_builder(&file, DType::F32, &Device::Cpu);
    candle_nn::linear(2, 2, vb)?;

    // Variables in training: saved, and set again.
    let variables = VarMap::new();
    candle_nn::linear(2, 2, candle_nn::VarBuilder::from_varmap(&variables, DType::F32, &Device::Cpu))?;
    hurray::candle::save_var_map(&path, &variables)?;
    hurray::candle::load_var_map(&File::read(&path)?, &variables)?;
    Ok(())
}
