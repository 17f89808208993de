//! Groups made from dotted names.

use hurray::safetensors::ImportOptions;
use hurray::{File, HurrayLoad, Member, TensorView};
use safetensors::tensor::Dtype;

use crate::common::{Folder, f32s, written};

#[derive(HurrayLoad)]
struct Layer<'a> {
    weight: TensorView<'a, f32>,
    bias: Option<TensorView<'a, f32>>,
}

#[derive(HurrayLoad)]
struct Model<'a> {
    layers: Vec<Layer<'a>>,
    scale: TensorView<'a, f32>,
}

fn source(folder: &Folder) -> std::path::PathBuf {
    let names: Vec<String> = (0..12).map(|layer| format!("layers.{layer}.weight")).collect();
    let mut tensors: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(i, name)| (name.as_str(), Dtype::F32, vec![1], f32s(&[i as f32])))
        .collect();
    tensors.push(("layers.3.bias", Dtype::F32, vec![1], f32s(&[0.25])));
    tensors.push(("scale", Dtype::F32, vec![], f32s(&[2.0])));
    folder.write("a.safetensors", &written(&tensors, &[]))
}

#[test]
fn models_load_from_flat_files_and_from_groups_alike() {
    let folder = Folder::new();
    let from = source(&folder);
    for composites in [false, true] {
        let to = folder.path("b.hrry");
        ImportOptions::new().composites(composites).import(&from, &to).unwrap();
        let file = File::read(&to).unwrap();
        let model: Model<'_> = file.load().unwrap();
        let weights: Vec<f32> = model.layers.iter().map(|layer| layer.weight.get(&[0]).unwrap()).collect();
        assert_eq!(weights, (0..12).map(|layer| layer as f32).collect::<Vec<_>>());
        assert_eq!(model.layers.iter().filter(|layer| layer.bias.is_some()).count(), 1);
        assert_eq!(model.scale.get(&[]), Some(2.0));
    }
}

#[test]
fn groups_have_a_head_each_and_come_back_flat() {
    let folder = Folder::new();
    let from = source(&folder);
    let to = folder.path("b.hrry");
    ImportOptions::new().composites(true).import(&from, &to).unwrap();
    let file = File::read(&to).unwrap();
    let [layers] = file.composites().unwrap() else { panic!("one group at the top") };
    assert_eq!(layers.members().len(), 12);
    assert!(layers.members().iter().all(|member| matches!(member, Member::Composite(_))));
    let back = folder.path("c.safetensors");
    let report = hurray::safetensors::export(&to, back).unwrap();
    assert_eq!((report.tensors, report.skipped.len()), (14, 0));
}
