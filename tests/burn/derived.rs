//! Tensors and parameters of burn as fields of derived structs.

use burn::module::{Module, Param, ParamId};
use burn::nn::LinearConfig;
use burn::store::ModuleSnapshot;
use burn::tensor::{Bool, DType, Device, Float, FloatDType, Int, Tensor};
use hurray::burn::{HurrayStore, Target};
use hurray::{File, HurrayLoad, HurraySave, LoadError, LoadOptions, ProblemKind};

use super::module::{Block, Checked, Head, Net, param, state};

/// The parts of `Net` as plain data, with the same names.
#[derive(HurraySave, HurrayLoad)]
struct Weights {
    conv: Affine<4>,
    norm: Running,
    blocks: Vec<BlockWeights>,
    extra: Option<Affine<2>>,
    absent: Option<Affine<2>>,
    head: HeadWeights,
    steps: Param<Tensor<1, Int>>,
    mask: Param<Tensor<2, Bool>>,
}

#[derive(HurraySave, HurrayLoad)]
struct Affine<const D: usize> {
    weight: Param<Tensor<D>>,
    bias: Option<Param<Tensor<1>>>,
}

#[derive(HurraySave, HurrayLoad)]
struct Norm {
    gamma: Param<Tensor<1>>,
    beta: Param<Tensor<1>>,
}

#[derive(HurraySave, HurrayLoad)]
struct Running {
    #[hurray(flatten)]
    norm: Norm,
    running_mean: Tensor<1>,
    running_var: Tensor<1>,
}

#[derive(HurraySave, HurrayLoad)]
struct BlockWeights {
    norm: Norm,
    linear: Affine<2>,
}

#[derive(HurraySave, HurrayLoad)]
enum HeadWeights {
    Wide(Affine<2>),
    Narrow(BlockWeights),
}

impl From<burn::nn::Linear> for Affine<2> {
    fn from(linear: burn::nn::Linear) -> Self {
        Self { weight: linear.weight, bias: linear.bias }
    }
}

impl From<Block> for BlockWeights {
    fn from(Block { norm, linear }: Block) -> Self {
        let beta = norm.beta.expect("has a bias by default");
        Self { norm: Norm { gamma: norm.gamma, beta }, linear: linear.into() }
    }
}

impl From<Net> for Weights {
    fn from(net: Net) -> Self {
        let running = |name: &str| state(&net).expect("burn reads its own tensors")[name].clone();
        let device = Device::default();
        Self {
            norm: Running {
                running_mean: Tensor::from_data(running("norm.running_mean"), &device),
                running_var: Tensor::from_data(running("norm.running_var"), &device),
                norm: Norm { gamma: net.norm.gamma, beta: net.norm.beta },
            },
            conv: Affine { weight: net.conv.weight, bias: net.conv.bias },
            blocks: net.blocks.into_iter().map(Into::into).collect(),
            extra: net.extra.map(Into::into),
            absent: net.absent.map(Into::into),
            head: match net.head {
                Head::Wide(linear) => HeadWeights::Wide(linear.into()),
                Head::Narrow(block) => HeadWeights::Narrow(block.into()),
            },
            steps: net.steps,
            mask: net.mask,
        }
    }
}

#[test]
fn a_derived_struct_with_parts_of_all_kinds_comes_back() -> Checked {
    for narrow in [true, false] {
        let mut net = Net::new(5);
        if !narrow {
            net.head = Head::Wide(LinearConfig::new(6, 6).init(&Device::default()));
        }
        let bytes = hurray::to_bytes(&Weights::from(net.clone()))?;
        let weights: Weights = File::from_vec(bytes.clone())?.load()?;
        assert_eq!(hurray::to_bytes(&weights)?, bytes);
        assert!(weights.absent.is_none() && matches!(weights.head, HeadWeights::Narrow(_)) == narrow);
        assert_eq!(weights.conv.weight.val().to_data(), net.conv.weight.val().to_data());
        assert_eq!(weights.steps.val().to_data(), net.steps.val().to_data());
        assert_eq!(weights.mask.val().to_data(), net.mask.val().to_data());
    }
    Ok(())
}

#[test]
fn a_module_loads_what_a_derived_struct_saved() -> Checked {
    let net = Net::new(5);
    let bytes = hurray::to_bytes(&Weights::from(net.clone()))?;
    let mut other = Net::new(6);
    // The variant's name is a KV entry there, and no part of paths.
    other.load_from(&mut HurrayStore::from_bytes(Some(bytes)).skip_enum_variants(true))?;
    assert_eq!(state(&other)?, state(&net)?);
    Ok(())
}

#[test]
fn a_derived_struct_loads_what_a_module_saved() -> Checked {
    #[derive(HurrayLoad)]
    struct Part {
        conv: Affine<4>,
        blocks: Vec<BlockWeights>,
        absent: Option<Affine<2>>,
    }
    let net = Net::new(5);
    let mut store = HurrayStore::from_bytes(None);
    net.save_into(&mut store)?;
    let options = LoadOptions::new().unexpected(hurray::Strictness::Relaxed);
    let (part, _): (Part, _) = store.file()?.load_with(&options)?;
    assert_eq!(part.conv.weight.val().to_data(), net.conv.weight.val().to_data());
    assert_eq!((part.blocks.len(), part.absent.is_none()), (2, true));
    Ok(())
}

#[derive(HurraySave)]
struct Source {
    a: Tensor<2>,
    b: Tensor<1, Int>,
    c: Tensor<2, Bool>,
}

fn source() -> Source {
    let device = Device::default();
    Source {
        a: Tensor::from_data([[1.5, -2.0, 0.0], [4.0, 5.0, 6.0]], &device),
        b: Tensor::from_data([1, 2, 3], &device),
        c: Tensor::from_data([[true, false]], &device),
    }
}

#[test]
fn rank_and_kind_are_checked_before_burn_could_panic() -> Checked {
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it never loads")]
    struct Wrong {
        a: Tensor<3>,
        b: Tensor<1>,
        c: Tensor<2, Int>,
    }
    let file = File::from_vec(hurray::to_bytes(&source())?)?;
    let LoadError::Report(report) = file.load::<Wrong>().expect_err("none fits") else {
        panic!("the file opens");
    };
    let found: Vec<_> = report
        .problems()
        .iter()
        .map(|p| (p.kind, p.path.as_str(), p.expected.as_str(), p.found.as_str()))
        .collect();
    let wanted = [
        (ProblemKind::ElementType, "b", "floats", "I32"),
        (ProblemKind::ElementType, "c", "integers", "Bool(Native)"),
        (ProblemKind::Rank, "a", "rank 3", "rank 2"),
    ];
    assert_eq!(found, wanted);
    Ok(())
}

#[test]
fn transposed_tensors_are_saved_in_row_major_order() -> Checked {
    let source = source();
    let turned = Source { a: source.a.clone().transpose(), ..source };
    let file = File::from_vec(hurray::to_bytes(&turned)?)?;
    assert_eq!(file.tensor("a")?.view::<f32>()?.as_slice(), Some(&[1.5, 4.0, -2.0, 5.0, 0.0, 6.0][..]));
    Ok(())
}

#[test]
fn a_target_says_where_tensors_go_and_as_what() -> Checked {
    #[derive(HurrayLoad)]
    struct Loaded {
        a: Param<Tensor<2>>,
        b: Tensor<1, Int>,
        c: Tensor<2, Bool>,
    }
    let file = File::from_vec(hurray::to_bytes(&source())?)?;
    let target = Target::new(&Device::default().autodiff()).with_dtype(FloatDType::F64);
    let (loaded, _): (Loaded, _) = file.load_with(&LoadOptions::new().context(target))?;
    assert_eq!(loaded.a.val().dtype(), DType::F64);
    assert!(loaded.a.val().is_require_grad() && loaded.a.is_require_grad());
    assert_eq!(loaded.a.val().to_data().try_to_vec::<f64>()?, [1.5, -2.0, 0.0, 4.0, 5.0, 6.0]);
    assert_eq!(loaded.b.to_data().try_to_vec::<i32>()?, [1, 2, 3]);
    assert!(loaded.c.to_data().dtype().is_bool());
    Ok(())
}

#[test]
fn shapes_of_fields_hold_for_burn_tensors() -> Checked {
    #[derive(HurrayLoad)]
    struct Rules {
        #[hurray(shape = [out, out])]
        #[expect(dead_code, reason = "it never loads")]
        a: Tensor<2>,
    }
    let file = File::from_vec(hurray::to_bytes(&source())?)?;
    let Err(LoadError::Report(report)) = file.load::<Rules>() else { panic!("2 is not 3") };
    assert_eq!(report.count(ProblemKind::Shape), 1);
    Ok(())
}

#[test]
fn ids_are_saved_on_request_and_always_loaded() -> Checked {
    #[derive(HurraySave, HurrayLoad)]
    struct Ids {
        #[hurray(with = "hurray::burn::with_id")]
        kept: Param<Tensor<1>>,
        new: Param<Tensor<1>>,
    }
    let device = Device::default();
    let ids = Ids { kept: Param::from_data([1.0], &device), new: Param::from_data([2.0], &device) };
    let loaded: Ids = File::from_vec(hurray::to_bytes(&ids)?)?.load()?;
    assert_eq!(loaded.kept.id, ids.kept.id);
    assert_ne!(loaded.new.id, ids.new.id);
    Ok(())
}

#[test]
fn empty_tensors_and_scalars_come_back() -> Checked {
    #[derive(HurraySave, HurrayLoad)]
    struct Edges {
        empty: Tensor<2>,
        one: Tensor<1, Int>,
        mask: Tensor<1, Bool>,
    }
    let device = Device::default();
    let edges = Edges {
        empty: Tensor::zeros([0, 3], &device),
        one: Tensor::from_data([i32::MIN], &device),
        mask: Tensor::from_data([true; 9], &device),
    };
    let loaded: Edges = File::from_vec(hurray::to_bytes(&edges)?)?.load()?;
    assert_eq!(loaded.empty.dims(), [0, 3]);
    assert_eq!(loaded.one.to_data(), edges.one.to_data());
    assert_eq!(loaded.mask.to_data(), edges.mask.to_data());
    Ok(())
}

#[test]
fn a_module_can_hold_fields_that_the_derive_knows() -> Checked {
    // One struct, both derives: burn's modules are made of parameters, which are fields here.
    #[derive(Module, Debug, HurraySave, HurrayLoad)]
    struct Scale {
        gamma: Param<Tensor<1>>,
        steps: Param<Tensor<1, Int>>,
    }
    let device = Device::default();
    let scale =
        Scale { gamma: Param::from_data([1.0, 2.0], &device), steps: param(Tensor::from_data([3], &device)) };
    let file = File::from_vec(hurray::to_bytes(&scale)?)?;
    let loaded: Scale = file.load()?;
    assert_eq!(state(&loaded)?, state(&scale)?);
    let mut again = loaded.clone();
    again.load_from(&mut HurrayStore::from(file))?;
    assert_eq!(state(&again)?, state(&scale)?);
    assert_ne!(loaded.gamma.id, ParamId::new());
    Ok(())
}

#[test]
fn large_tensors_are_read_in_pieces() -> Checked {
    #[derive(HurraySave, HurrayLoad)]
    struct Large {
        numbers: Tensor<2, Int>,
        bools: Tensor<2, Bool>,
    }
    let device = Device::default();
    let numbers = Tensor::<1, Int>::arange(0..3 * 700_001, &device).reshape([3, 700_001]).transpose();
    let bools = Tensor::<1, Int>::arange(0..5_000_011, &device).reshape([1, 5_000_011]).equal_elem(4_300_007);
    let large = Large { numbers, bools };
    let loaded: Large = File::from_vec(hurray::to_bytes(&large)?)?.load()?;
    assert!(loaded.numbers.to_data() == large.numbers.to_data());
    assert!(loaded.bools.to_data() == large.bools.to_data());
    Ok(())
}

#[derive(HurraySave)]
struct Stored<T: hurray::Element> {
    values: hurray::Tensor<T>,
}

fn stored<T: hurray::Element>(values: Vec<T>) -> Result<File, super::module::AnyError> {
    let shape = [values.len()];
    Ok(File::from_vec(hurray::to_bytes(&Stored { values: hurray::Tensor::from_vec(values, &shape)? })?)?)
}

#[derive(HurrayLoad)]
struct Of<K: burn::tensor::kind::Basic> {
    values: Tensor<1, K>,
}

#[test]
fn every_integer_type_keeps_its_values() -> Checked {
    macro_rules! keeps {
        ($($integer:ty),*) => {$(
            let values = vec![<$integer>::MIN, <$integer>::MAX, 1];
            let loaded: Of<Int> = stored(values.clone())?.load()?;
            assert_eq!(loaded.values.to_data().try_to_vec::<$integer>()?, values);
        )*};
    }
    keeps!(i8, i16, i32, i64, u8, u16, u32, u64);
    Ok(())
}

#[test]
fn numbers_that_a_smaller_float_has_not_do_not_stop_a_load() -> Checked {
    let file = stored(vec![1e30_f32, -1e-30, f32::NAN, f32::NEG_INFINITY, 0.1])?;
    for dtype in [FloatDType::F16, FloatDType::BF16, FloatDType::F32, FloatDType::F64] {
        let target = Target::new(&Device::default()).with_dtype(dtype);
        let (loaded, _): (Of<Float>, _) = file.load_with(&LoadOptions::new().context(target))?;
        assert_eq!(loaded.values.dtype(), DType::from(dtype));
    }
    Ok(())
}

#[test]
fn integers_are_bools_as_in_files_of_formats_without_bools() -> Checked {
    let loaded: Of<Bool> = stored(vec![0_u8, 1, 2, 255])?.load()?;
    assert_eq!(loaded.values.int().sum().into_scalar::<i32>(), 3);
    let loaded: Of<Bool> = stored(vec![0_u32, 1, 1 << 31])?.load()?;
    assert_eq!(loaded.values.int().sum().into_scalar::<i32>(), 2);
    assert!(stored(vec![0_i64])?.load::<Of<Bool>>().is_err());
    Ok(())
}
