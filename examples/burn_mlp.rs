//! Two spirals learned by a burn MLP: trains a little, saves model and optimizer, loads both into a fresh
//! program's state, and goes on as if nothing had happened. Then times loading beside burn's own
//! stores.
//!
//! ```text
//! cargo run --release -p hurray-examples --features burn --example burn_mlp
//! ```

use std::f32::consts::TAU;
use std::path::Path;
use std::time::{Duration, Instant};

use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::store::{ApplyResult, BurnpackStore, ModuleSnapshot, SafetensorsStore};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor};
use hurray::burn::HurrayStore;

type AnyError = Box<dyn std::error::Error>;

#[derive(Module, Debug)]
struct Mlp {
    input: Linear,
    hidden: Vec<Layer>,
    output: Linear,
}

#[derive(Module, Debug)]
struct Layer {
    norm: LayerNorm,
    linear: Linear,
}

impl Mlp {
    fn new(width: usize, depth: usize, device: &Device) -> Self {
        let layer = |_| Layer {
            norm: LayerNormConfig::new(width).init(device),
            linear: LinearConfig::new(width, width).init(device),
        };
        Self {
            input: LinearConfig::new(2, width).init(device),
            hidden: (0..depth).map(layer).collect(),
            output: LinearConfig::new(width, 2).init(device),
        }
    }

    /// Points `[batch, 2]` to logits `[batch, 2]`.
    fn forward(&self, points: Tensor<2>) -> Tensor<2> {
        let mut x = self.input.forward(points);
        for Layer { norm, linear } in &self.hidden {
            x = x.clone() + linear.forward(relu(norm.forward(x)));
        }
        self.output.forward(relu(x))
    }
}

/// Two spirals of 200 points each, one and a half turns.
struct Spirals {
    points: Tensor<2>,
    arms: Tensor<1, Int>,
}

impl Spirals {
    fn new(device: &Device) -> Self {
        let point = |at: usize| {
            let (arm, t) = (at % 2, (at / 2) as f32 / 200.0);
            let angle = 1.5 * TAU * t + arm as f32 * TAU / 2.0;
            [t * angle.cos(), t * angle.sin()]
        };
        let points: Vec<f32> = (0..400).flat_map(point).collect();
        let arms: Vec<i64> = (0..400).map(|at| at % 2).collect();
        Self {
            points: Tensor::<1>::from_data(points.as_slice(), device).reshape([400, 2]),
            arms: Tensor::from_data(arms.as_slice(), device),
        }
    }

    fn accuracy(&self, model: &Mlp) -> f32 {
        let guessed = model.forward(self.points.clone()).argmax(1).squeeze_dim::<1>(1);
        guessed.equal(self.arms.clone()).float().mean().into_scalar()
    }
}

/// Trains for `steps`, and gives the last loss.
fn train(mut model: Mlp, optimizer: &mut ModuleOptimizer, spirals: &Spirals, steps: usize) -> (Mlp, f32) {
    let loss_of = CrossEntropyLossConfig::new().init(&spirals.points.device());
    let mut last = f32::NAN;
    for _ in 0..steps {
        let loss = loss_of.forward(model.forward(spirals.points.clone()), spirals.arms.clone());
        last = loss.clone().into_scalar();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(3e-3, model, gradients);
    }
    (model, last)
}

fn main() -> Result<(), AnyError> {
    let folder = std::env::temp_dir().join("hurray-burn-mlp");
    std::fs::create_dir_all(&folder)?;
    let device = Device::default().autodiff();
    device.seed(7);
    let spirals = Spirals::new(&device);
    resume(&folder, &device, &spirals)?;
    compare_load_times(&folder)
}

fn resume(folder: &Path, device: &Device, spirals: &Spirals) -> Result<(), AnyError> {
    let (path, optimizer_path) = (folder.join("spirals.hrry"), folder.join("spirals.adam.bpk"));
    let mut adam = AdamConfig::new().init();
    let (model, loss) = train(Mlp::new(64, 2, device), &mut adam, spirals, 60);
    println!("step  60: loss {loss:.6}, accuracy {:.3}", spirals.accuracy(&model));

    let store = HurrayStore::from_file(&path).overwrite(true);
    let mut store = store.with_param_ids(true).metadata("step", 60_u32);
    model.save_into(&mut store)?;
    adam.save(&optimizer_path)?;
    println!("saved     {}", path.display());

    let (model, straight) = train(model, &mut adam, spirals, 60);
    println!("step 120: loss {straight:.6}, accuracy {:.3}  (without a break)", spirals.accuracy(&model));

    // Other random weights, other ids of parameters: all of that comes from the files.
    let mut model = Mlp::new(64, 2, device);
    let mut store = HurrayStore::from_file(&path);
    model.load_from(&mut store)?;
    let step = store.file()?.metadata().get("step").cloned();
    let mut adam = AdamConfig::new().init().load(&optimizer_path)?;
    let (model, resumed) = train(model, &mut adam, spirals, 60);
    println!("step 120: loss {resumed:.6}, accuracy {:.3}  (loaded at {step:?})", spirals.accuracy(&model));
    println!("the losses differ by {:e}", (straight - resumed).abs());
    Ok(())
}

type Load<'a> = &'a dyn Fn(&mut Mlp) -> Result<ApplyResult, AnyError>;

/// Loads a module of 65 MiB in each way, one after the other, several times. burn's own stores read a tensor when
/// it is first used, as a mapping does: so the first use is timed, too.
fn compare_load_times(folder: &Path) -> Result<(), AnyError> {
    let device = Device::default();
    let model = Mlp::new(1024, 16, &device);
    let file = |name: &str| folder.join(name);
    let (ours, pack, safetensors) = (file("large.hrry"), file("large.bpk"), file("large.safetensors"));
    model.save_into(&mut HurrayStore::from_file(&ours).overwrite(true))?;
    model.save_into(&mut BurnpackStore::from_file(&pack).overwrite(true))?;
    model.save_into(&mut SafetensorsStore::from_file(&safetensors).overwrite(true))?;
    let point = Tensor::<2>::from_data([[0.3, -0.4]], &device);

    let ways: [(&str, Load<'_>); 4] = [
        ("hurray, mapped", &|model| {
            // SAFETY: nobody changes the file as long as the model lives.
            let mut store = unsafe { HurrayStore::map(&ours) }?;
            Ok(model.load_from(&mut store)?)
        }),
        ("hurray, read", &|model| Ok(model.load_from(&mut HurrayStore::from_file(&ours))?)),
        ("burnpack", &|model| Ok(model.load_from(&mut BurnpackStore::from_file(&pack))?)),
        ("safetensors", &|model| Ok(model.load_from(&mut SafetensorsStore::from_file(&safetensors))?)),
    ];
    let mut best = [[Duration::MAX; 2]; 4];
    for _ in 0..9 {
        for ((_, load), best) in ways.iter().zip(&mut best) {
            let mut model = Mlp::new(1024, 16, &device);
            let start = Instant::now();
            load(&mut model)?;
            let loaded = start.elapsed();
            let _ = model.forward(point.clone()).into_data();
            *best = [best[0].min(loaded), best[1].min(start.elapsed())];
        }
    }
    let [_, _, [_, burnpack], _] = best;
    for ((name, _), [loaded, used]) in ways.iter().zip(best) {
        let ratio = used.as_secs_f64() / burnpack.as_secs_f64();
        println!(
            "{name:>14}: loaded in {loaded:8.1?}, used once after {used:8.1?}: {ratio:.2} of burnpack's"
        );
    }
    Ok(())
}
