//! `HurrayStore`: what burn's users do with a store.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::store::{BurnToPyTorchAdapter, ModuleSnapshot, ModuleStore, PathFilter, PyTorchToBurnAdapter};
use burn::tensor::{DType, Device};
use hurray::burn::{HurrayStore, HurrayStoreError};
use hurray::{ElementType, File, HurraySave, LoadError, LoadReport, Problem, ProblemKind, SaveOptions};

use super::module::{AnyError, Checked, Head, Net, ids, state};

fn saved(net: &Net) -> Result<Vec<u8>, AnyError> {
    let mut store = HurrayStore::from_bytes(None);
    net.save_into(&mut store)?;
    Ok(store.get_bytes()?)
}

fn store_of(net: &Net) -> Result<HurrayStore, AnyError> {
    Ok(HurrayStore::from_bytes(Some(saved(net)?)))
}

fn report(error: HurrayStoreError) -> LoadReport {
    match error {
        HurrayStoreError::Load(LoadError::Report(report)) => *report,
        other => panic!("no report: {other}"),
    }
}

fn problems(error: HurrayStoreError) -> Vec<(ProblemKind, String)> {
    report(error).problems().iter().map(|Problem { kind, path, .. }| (*kind, path.clone())).collect()
}

#[test]
fn a_module_with_parts_of_all_kinds_comes_back() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("net.hrry");
    let net = Net::new(1);
    net.save_into(&mut HurrayStore::from_file(&path))?;

    let mut other = Net::new(2);
    assert_ne!(state(&other)?, state(&net)?);
    let result = other.load_from(&mut HurrayStore::from_file(&path))?;
    assert_eq!(state(&other)?, state(&net)?);
    assert_eq!(result.applied.len(), state(&net)?.len());
    assert!(result.missing.is_empty() && result.unused.is_empty() && result.errors.is_empty());
    Ok(())
}

#[test]
fn names_and_types_in_the_file_are_those_of_the_module() -> Checked {
    let file = File::from_vec(saved(&Net::new(1))?)?;
    let names: Vec<&str> = file.tensors().map(|entry| entry.name()).collect();
    let wanted = ["conv.weight", "blocks.1.linear.bias", "extra.weight", "head.Narrow.norm.gamma", "mask"];
    for name in wanted.into_iter().chain(["norm.running_mean", "norm.running_var"]) {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert_eq!(file.tensor("conv.weight")?.descriptor()?.shape(), [3, 2, 3, 3]);
    let mask = file.tensor("mask")?;
    assert_eq!(mask.descriptor()?.element_type(), ElementType::Bool);
    assert_eq!(mask.buffer(0)?, [0b10_0010]);
    Ok(())
}

#[test]
fn the_same_module_gives_the_same_bytes() -> Checked {
    let net = Net::new(3);
    assert_eq!(saved(&net)?, saved(&net.clone())?);
    Ok(())
}

#[test]
fn a_file_that_is_there_is_replaced_only_when_told_to() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("net.hrry");
    let (first, second) = (Net::new(1), Net::new(2));
    first.save_into(&mut HurrayStore::from_file(&path))?;
    let refused = second.save_into(&mut HurrayStore::from_file(&path));
    assert!(matches!(refused, Err(HurrayStoreError::Exists { path: found }) if found == path));
    let mut loaded = Net::new(4);
    loaded.load_from(&mut HurrayStore::from_file(&path))?;
    assert_eq!(state(&loaded)?, state(&first)?);

    second.save_into(&mut HurrayStore::from_file(&path).overwrite(true))?;
    loaded.load_from(&mut HurrayStore::from_file(&path))?;
    assert_eq!(state(&loaded)?, state(&second)?);
    Ok(())
}

#[test]
fn a_file_that_comes_up_while_saving_is_not_replaced_either() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("net.hrry");
    let (other, progress) = (path.clone(), SaveOptions::new());
    let progress = progress.progress(move |_, _| std::fs::write(&other, "mine").expect("can be written"));
    let refused = Net::new(1).save_into(&mut HurrayStore::from_file(&path).save_options(progress));
    assert!(matches!(refused, Err(HurrayStoreError::Exists { .. })), "{refused:?}");
    assert_eq!(std::fs::read(&path)?, b"mine");
    assert_eq!(std::fs::read_dir(&folder)?.count(), 1);
    Ok(())
}

#[test]
fn one_store_sees_what_it_saved_itself() -> Checked {
    let folder = tempfile::tempdir()?;
    let mut store = HurrayStore::from_file(folder.path().join("net.hrry")).overwrite(true);
    let mut loaded = Net::new(4);
    for seed in [1, 2] {
        let net = Net::new(seed);
        net.save_into(&mut store)?;
        loaded.load_from(&mut store)?;
        assert_eq!(state(&loaded)?, state(&net)?);
    }
    Ok(())
}

#[test]
fn a_store_over_an_open_file_only_loads() -> Checked {
    let net = Net::new(1);
    let mut store = HurrayStore::from(File::from_vec(saved(&net)?)?);
    assert!(matches!(net.save_into(&mut store), Err(HurrayStoreError::ReadOnly)));
    assert!(matches!(HurrayStore::from_bytes(None).keys(), Err(HurrayStoreError::Empty)));
    Ok(())
}

#[test]
fn all_that_is_wrong_is_in_one_report_and_nothing_changed() -> Checked {
    let mut net = Net::new(1);
    let file = saved(&net)?;
    let device = Device::default();
    net.absent = Some(LinearConfig::new(2, 2).init(&device));
    net.extra = Some(LinearConfig::new(6, 3).with_bias(false).init(&device));
    net.head = Head::Wide(LinearConfig::new(6, 6).init(&device));
    let before = state(&net)?;
    let error = net.load_from(&mut HurrayStore::from_bytes(Some(file))).expect_err("does not fit");
    let shown = error.to_string();
    assert!(shown.contains("`extra.weight`: shape: the file has ["), "{shown}");
    let missing = ["absent.bias", "absent.weight", "head.Wide.bias", "head.Wide.weight"];
    let missing = missing.map(|name| (ProblemKind::Missing, name.to_owned()));
    let shape = (ProblemKind::Shape, "extra.weight".to_owned());
    assert_eq!(problems(error), missing.into_iter().chain([shape]).collect::<Vec<_>>());
    assert_eq!(state(&net)?, before);
    Ok(())
}

#[test]
fn what_is_missing_comes_with_names_that_look_alike() -> Checked {
    #[derive(Module, Debug)]
    struct Renamed {
        convs: burn::nn::conv::Conv2d,
    }
    let net = Net::new(1);
    let mut renamed = Renamed { convs: net.conv.clone() };
    let error = renamed.load_from(&mut store_of(&net)?).expect_err("has another name");
    let report = report(error);
    assert_eq!(report.problems()[1].path, "convs.weight");
    assert_eq!(report.problems()[1].near, ["conv.weight"]);
    Ok(())
}

#[test]
fn partial_loads_take_what_is_there() -> Checked {
    let mut net = Net::new(1);
    let file = saved(&net)?;
    net.absent = Some(LinearConfig::new(2, 2).init(&Device::default()));
    let absent = state(net.absent.as_ref().expect("just set"))?;
    let result = net.load_from(&mut HurrayStore::from_bytes(Some(file)).allow_partial(true))?;
    assert_eq!(result.missing.len(), 2);
    assert_eq!(state(net.absent.as_ref().expect("just set"))?, absent);
    Ok(())
}

#[test]
fn without_validation_what_does_not_fit_stays_as_it_is() -> Checked {
    let mut net = Net::new(1);
    let file = saved(&net)?;
    net.extra = Some(LinearConfig::new(6, 3).with_bias(false).init(&Device::default()));
    let extra = state(net.extra.as_ref().expect("just set"))?;
    let result = net.load_from(&mut HurrayStore::from_bytes(Some(file)).validate(false))?;
    assert_eq!(result.errors.len(), 1);
    assert_eq!(state(net.extra.as_ref().expect("just set"))?, extra);
    Ok(())
}

#[test]
fn filters_choose_what_is_saved_and_what_is_loaded() -> Checked {
    let net = Net::new(1);
    let mut store = HurrayStore::from_bytes(None).with_regex("^conv\\.").with_full_path("steps");
    net.save_into(&mut store)?;
    assert_eq!(store.keys()?, ["conv.bias", "conv.weight", "steps"]);

    let mut other = Net::new(2);
    let before = state(&other)?;
    // A parameter that the filter leaves out need not be in the file.
    other.load_from(&mut store)?;
    let filter = PathFilter::new().with_regex("^blocks\\.0");
    other.load_from(&mut store_of(&net)?.with_filter(filter))?;
    let (after, wanted) = (state(&other)?, state(&net)?);
    for (name, data) in &after {
        let was_loaded = name.starts_with("conv.") || name == "steps" || name.starts_with("blocks.0");
        assert_eq!(data, if was_loaded { &wanted[name] } else { &before[name] }, "{name}");
    }
    Ok(())
}

#[test]
fn names_are_changed_on_the_way() -> Checked {
    let net = Net::new(1);
    let mut store = HurrayStore::from_bytes(None).with_key_remapping("^blocks\\.", "encoder.layers.");
    net.save_into(&mut store)?;
    let file = File::from_vec(store.get_bytes()?)?;
    assert!(file.tensor("encoder.layers.0.linear.weight").is_ok());
    let mut other = Net::new(2);
    let back = HurrayStore::from(file).with_key_remapping("^encoder\\.layers\\.", "blocks.");
    other.load_from(&mut { back })?;
    assert_eq!(state(&other)?, state(&net)?);
    Ok(())
}

#[test]
fn two_tensors_of_one_name_are_refused_before_the_file_is_touched() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("net.hrry");
    let mut store = HurrayStore::from_file(&path).with_key_remapping("^blocks\\.\\d+\\.", "block.");
    let error = Net::new(1).save_into(&mut store).expect_err("names collide");
    assert!(matches!(error, HurrayStoreError::Save(hurray::SaveError::Collision { .. })), "{error}");
    assert!(!path.exists());
    Ok(())
}

#[test]
fn adapters_bring_weights_into_the_form_of_other_frameworks() -> Checked {
    let mut store = HurrayStore::from_bytes(None).with_to_adapter(BurnToPyTorchAdapter);
    let net = Net::new(1);
    net.save_into(&mut store)?;
    let file = File::from_vec(store.get_bytes()?)?;
    assert_eq!(file.tensor("extra.weight")?.descriptor()?.shape(), [2, 6]);
    assert!(file.tensor("blocks.0.norm.weight").is_ok(), "gamma is called weight there");

    let mut other = Net::new(2);
    other.load_from(&mut HurrayStore::from(file.clone()).with_from_adapter(PyTorchToBurnAdapter))?;
    assert_eq!(state(&other)?, state(&net)?);
    let error = other.load_from(&mut HurrayStore::from(file)).expect_err("transposed and renamed");
    assert!(problems(error).contains(&(ProblemKind::Shape, "extra.weight".to_owned())));
    Ok(())
}

#[test]
fn variants_can_be_left_out_of_names() -> Checked {
    let net = Net::new(1);
    let mut store = HurrayStore::from_bytes(None).skip_enum_variants(true);
    net.save_into(&mut store)?;
    assert!(store.keys()?.contains(&"head.norm.gamma".to_owned()));
    let mut other = Net::new(2);
    other.load_from(&mut store)?;
    assert_eq!(state(&other)?, state(&net)?);
    Ok(())
}

#[test]
fn gaps_in_numbers_are_closed() -> Checked {
    let net = Net::new(1);
    let mut store = HurrayStore::from_bytes(None).with_key_remapping("^blocks\\.1", "blocks.3");
    net.save_into(&mut store)?;
    let mut store = HurrayStore::from_bytes(Some(store.get_bytes()?)).map_indices_contiguous(true);
    let mut other = Net::new(2);
    other.load_from(&mut store)?;
    assert_eq!(state(&other)?, state(&net)?);
    Ok(())
}

#[test]
fn metadata_has_types() -> Checked {
    let store = HurrayStore::from_bytes(None).metadata("task", "digits").metadata("epoch", 7_u32);
    let mut store = store.metadata("epoch", 8_u32);
    Net::new(1).save_into(&mut store)?;
    let metadata = store.file()?.metadata().clone();
    assert_eq!(metadata.get("task"), Some(&"digits".into()));
    assert_eq!(metadata.get("epoch"), Some(&8_u64.into()));
    let reserved = Net::new(1).save_into(&mut HurrayStore::from_bytes(None).metadata("hurray.x", "y"));
    assert!(reserved.is_err());
    Ok(())
}

#[test]
fn ids_of_parameters_are_kept_on_request() -> Checked {
    let net = Net::new(1);
    let mut plain = Net::new(2);
    let before = ids(&plain);
    plain.load_from(&mut store_of(&net)?)?;
    assert_eq!(ids(&plain), before);

    let mut store = HurrayStore::from_bytes(None).with_param_ids(true);
    net.save_into(&mut store)?;
    let mut resumed = Net::new(2);
    resumed.load_from(&mut store)?;
    // Running statistics are not trained: burn gives them no ids from outside.
    let trained = |net: &Net| {
        let mut ids = ids(net);
        ids.retain(|name, _| !name.contains("running"));
        ids
    };
    assert_eq!(trained(&resumed), trained(&net));
    Ok(())
}

#[test]
fn an_optimizer_goes_on_where_it_was() -> Checked {
    use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
    use burn::tensor::Tensor;

    let device = Device::default().autodiff();
    let new = || -> Linear { LinearConfig::new(3, 2).init(&device) };
    let input = || Tensor::<2>::from_data([[1.0, -2.0, 0.5]], &device);
    let step = |linear: Linear, adam: &mut ModuleOptimizer| {
        let loss = linear.forward(input()).powi_scalar(2).sum();
        let gradients = GradientsParams::from_grads(loss.backward(), &linear);
        adam.step(0.01, linear, gradients)
    };
    let mut adam = AdamConfig::new().init();
    let linear = step(step(new(), &mut adam), &mut adam);
    let mut store = HurrayStore::from_bytes(None).with_param_ids(true);
    linear.save_into(&mut store)?;
    let record = adam.into_bytes()?;
    let straight = step(linear, &mut adam);

    let mut linear = new();
    linear.load_from(&mut store)?;
    let mut adam = AdamConfig::new().init().from_bytes(record)?;
    assert_eq!(state(&step(linear.clone(), &mut adam))?, state(&straight)?);
    // Without its moments it would go elsewhere.
    let forgetful = step(linear, &mut AdamConfig::new().init());
    assert_ne!(state(&forgetful)?, state(&straight)?);
    Ok(())
}

/// What a struct of tensors that burn has not, or not in that form, looks like to burn.
#[derive(HurraySave)]
struct Foreign {
    weight: hurray::Tensor<f32>,
    #[hurray(tied = "weight")]
    again: hurray::Tensor<f32>,
    spectrum: hurray::Tensor<hurray::Complex64>,
    small: hurray::Packed<hurray::I4>,
}

fn foreign() -> Result<Vec<u8>, AnyError> {
    let weight = hurray::Tensor::from_vec(vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
    Ok(hurray::to_bytes(&Foreign {
        again: weight.clone(),
        weight,
        spectrum: hurray::Tensor::from_vec(vec![hurray::Complex64::default(); 2], &[2])?,
        small: hurray::Packed::from_values(&[-8, 7, 3], &[3])?,
    })?)
}

#[test]
fn a_tensor_that_burn_has_not_matters_only_if_it_is_wanted() -> Checked {
    use burn::module::Param;
    use burn::tensor::{Int, Tensor};

    #[derive(Module, Debug)]
    struct Fits {
        weight: Param<Tensor<2>>,
        again: Param<Tensor<2>>,
        small: Param<Tensor<1, Int>>,
    }
    #[derive(Module, Debug)]
    struct Wants {
        spectrum: Param<Tensor<1>>,
        weight: Param<Tensor<2, Int>>,
        small: Param<Tensor<2, Int>>,
    }
    let device = Device::default();
    let ints = |values: [i64; 3]| super::module::param(Tensor::<1, Int>::from_data(values, &device));
    let zeros = || Param::from_data([[0.0; 3]; 2], &device);
    let mut fits = Fits { weight: zeros(), again: zeros(), small: ints([0; 3]) };
    let result = fits.load_from(&mut HurrayStore::from_bytes(Some(foreign()?)))?;
    assert_eq!(result.applied.len(), 3);
    assert_eq!(fits.again.val().to_data(), fits.weight.val().to_data());
    assert_eq!(fits.small.val().dtype(), DType::I8);
    assert_eq!(fits.small.val().to_data().try_to_vec::<i8>()?, [-8, 7, 3]);

    let mut wants = Wants {
        spectrum: Param::from_data([0.0; 2], &device),
        weight: super::module::param(Tensor::from_data([[0; 3]; 2], &device)),
        small: super::module::param(Tensor::from_data([[0; 3]], &device)),
    };
    let error = wants.load_from(&mut HurrayStore::from_bytes(Some(foreign()?))).expect_err("none fits");
    let kinds = [
        (ProblemKind::ElementType, "spectrum".to_owned()),
        (ProblemKind::ElementType, "weight".to_owned()),
        (ProblemKind::Rank, "small".to_owned()),
    ];
    assert_eq!(problems(error), kinds);
    Ok(())
}

#[test]
fn half_precision_is_kept() -> Checked {
    use burn::tensor::FloatDType;
    let mut linear: Linear = LinearConfig::new(4, 2).init(&Device::default());
    linear.weight = linear.weight.map(|weight| weight.cast(FloatDType::BF16));
    let mut store = HurrayStore::from_bytes(None);
    linear.save_into(&mut store)?;
    let mut other: Linear = LinearConfig::new(4, 2).init(&Device::default());
    other.load_from(&mut store)?;
    assert_eq!(other.weight.val().dtype(), DType::BF16);
    assert_eq!(state(&other)?, state(&linear)?);
    Ok(())
}
