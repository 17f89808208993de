//! `VarMap`s.

use candle_core::{DType, Device, Tensor, Var};
use candle_nn::{Init, VarBuilder, VarMap, linear};
use hurray::candle::{Target, load_var_map, read_var_map, save_var_map, save_var_map_with};
use hurray::{File, KvValue, LoadError, ProblemKind, SaveOptions};

use super::{Result, floats};

fn map() -> VarMap {
    let map = VarMap::new();
    let vb = VarBuilder::from_varmap(&map, DType::F32, &Device::Cpu);
    for layer in ["one", "two", "three"] {
        linear(3, 2, vb.pp(layer)).unwrap();
    }
    map
}

fn contents(map: &VarMap) -> Vec<(String, Vec<f32>)> {
    let variables = map.data().lock().unwrap();
    let mut contents: Vec<_> = variables.iter().map(|(name, var)| (name.clone(), floats(var))).collect();
    contents.sort_by(|left, right| left.0.cmp(&right.0));
    contents
}

fn insert(map: &VarMap, name: &str, var: Var) {
    map.data().lock().unwrap().insert(name.to_owned(), var);
}

#[test]
fn saves_in_the_order_of_names_and_loads_in_place() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("map.hrry");
    let trained = map();
    save_var_map(&path, &trained)?;
    let first = std::fs::read(&path)?;
    save_var_map(&path, &trained)?;
    assert_eq!(first, std::fs::read(&path)?, "hash order must not show");

    let fresh = map();
    let kept = fresh.data().lock().unwrap()["one.weight"].clone();
    assert_ne!(contents(&fresh), contents(&trained));
    let report = load_var_map(&File::read(&path)?, &fresh)?;
    assert_eq!((report.problem_count(), contents(&fresh)), (0, contents(&trained)));
    assert_eq!(
        floats(&kept),
        floats(&trained.data().lock().unwrap()["one.weight"]),
        "the very same variable"
    );
    Ok(())
}

#[test]
fn a_new_map_is_read_with_variables() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("map.hrry");
    let trained = map();
    save_var_map_with(&path, &trained, &SaveOptions::new().metadata("step", KvValue::UInt64(7)))?;
    let file = File::read(&path)?;
    assert_eq!(file.metadata().get("step"), Some(&KvValue::UInt64(7)));
    let read = read_var_map(&file, &Target::default())?;
    assert_eq!(contents(&read), contents(&trained));
    let vb = VarBuilder::from_varmap(&read, DType::F32, &Device::Cpu);
    assert_eq!(floats(linear(3, 2, vb.pp("two"))?.weight()), contents(&trained)[5].1);
    let half = read_var_map(&file, &Target::default().with_dtype(DType::F16))?;
    assert!(half.all_vars().iter().all(|var| var.dtype() == DType::F16));
    Ok(())
}

#[test]
fn all_that_is_wrong_is_told_and_nothing_is_set() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("map.hrry");
    save_var_map(&path, &map())?;
    let file = File::read(&path)?;

    let other = map();
    insert(&other, "one.weight", Var::zeros((2, 4), DType::F32, &Device::Cpu)?);
    insert(&other, "two.bias", Var::zeros(2, DType::F64, &Device::Cpu)?);
    insert(&other, "four.bias", Var::zeros(2, DType::F32, &Device::Cpu)?);
    let before = contents(&other);
    let LoadError::Report(report) = load_var_map(&file, &other).unwrap_err() else { panic!() };
    let kinds: Vec<_> =
        report.problems().iter().map(|problem| (problem.kind, problem.path.as_str())).collect();
    assert_eq!(
        kinds,
        [
            (ProblemKind::Missing, "four.bias"),
            (ProblemKind::ElementType, "two.bias"),
            (ProblemKind::Shape, "one.weight"),
        ]
    );
    assert_eq!(contents(&other), before, "not one variable was set");
    Ok(())
}

#[test]
fn tensors_without_a_variable_are_listed() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("map.hrry");
    save_var_map(&path, &map())?;
    let part = VarMap::new();
    part.get((2, 3), "one.weight", Init::Const(0.), DType::F32, &Device::Cpu)?;
    let report = load_var_map(&File::read(&path)?, &part)?;
    assert_eq!(report.count(ProblemKind::Unexpected), 5);
    assert!(report.problems().iter().all(|problem| problem.is_tolerated));
    Ok(())
}

#[test]
fn strided_variables_are_saved_right() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("map.hrry");
    let map = VarMap::new();
    let tensor = Tensor::arange(0f32, 6., &Device::Cpu)?.reshape((2, 3))?.t()?;
    insert(&map, "w", Var::from_tensor(&tensor)?);
    save_var_map(&path, &map)?;
    assert_eq!(File::read(&path)?.tensor("w")?.view::<f32>()?.to_vec(), [0., 3., 1., 4., 2., 5.]);
    Ok(())
}
