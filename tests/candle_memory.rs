//! What loading and saving candle tensors takes of memory: one copy, and none. One test, so that nothing else
//! allocates meanwhile.

use candle_core::{DType, Device, Tensor, Var};
use hurray::{File, HurrayLoad, HurraySave, SaveOptions};
use hurray_tests::{Peak, peak_of};

#[global_allocator]
static ALLOCATOR: Peak = Peak;

#[derive(HurraySave, HurrayLoad)]
struct Two<T> {
    first: T,
    second: T,
}

const SIZE: usize = 16 << 20;
/// For plans, names, and the 2 MiB that are written at once; far below one tensor.
const SLACK: usize = 4 << 20;

#[test]
fn loading_takes_one_copy_and_saving_none() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("two.hrry");
    let tensor = Tensor::zeros((SIZE / 4 / 1024, 1024), DType::F32, &Device::Cpu)?;
    let options = SaveOptions::new().sync(false);
    // Whatever is set up once, such as pools of threads.
    hurray::to_bytes(&Two { first: tensor.narrow(0, 0, 1)?, second: tensor.narrow(0, 0, 1)?.t()? })?;

    let strided = Two { first: tensor.t()?, second: tensor.narrow(1, 1, 1000)? };
    let (saved, took) = peak_of(|| options.save(&path, &strided));
    saved?;
    assert!(took < SLACK, "saving strided tensors took {took} bytes");
    let (saved, took) =
        peak_of(|| options.save(&path, &Two { first: tensor.clone(), second: tensor.clone() }));
    saved?;
    assert!(took < SLACK, "saving took {took} bytes");

    // SAFETY: nobody changes the file, which lies in a folder of this test.
    let file = unsafe { File::map(&path)? };
    let (model, took) = peak_of(|| file.load::<Two<Tensor>>());
    assert_eq!(model?.second.dims(), tensor.dims());
    assert!((2 * SIZE..2 * SIZE + SLACK).contains(&took), "loading took {took} bytes for {}", 2 * SIZE);
    let (model, took) = peak_of(|| file.load::<Two<Var>>());
    drop(model?);
    assert!((2 * SIZE..2 * SIZE + SLACK).contains(&took), "loading variables took {took} bytes");

    let vb = hurray::candle::var_builder(&file, DType::F32, &Device::Cpu);
    let (weight, took) = peak_of(|| vb.get(tensor.dims(), "first"));
    drop(weight?);
    assert!((SIZE..SIZE + SLACK).contains(&took), "a tensor of the builder took {took} bytes");

    let map = hurray::candle::read_var_map(&file, &Default::default())?;
    let (loaded, took) = peak_of(|| hurray::candle::load_var_map(&file, &map));
    drop(loaded?);
    assert!(took < SIZE + SLACK, "setting variables took {took} bytes, more than one tensor at a time");
    let (saved, took) = peak_of(|| hurray::candle::save_var_map(folder.path().join("map.hrry"), &map));
    saved?;
    assert!(took < SLACK, "saving variables took {took} bytes");
    Ok(())
}
