//! What saving and loading a burn module takes of memory: pieces, and nothing. One test, so that nothing else
//! allocates meanwhile.

use burn::module::{Module, Param};
use burn::store::ModuleSnapshot;
use burn::tensor::{Device, Tensor};
use hurray::SaveOptions;
use hurray::burn::HurrayStore;
use hurray_tests::{Peak, peak_of};

#[global_allocator]
static ALLOCATOR: Peak = Peak;

#[derive(Module, Debug)]
struct Stack {
    layers: Vec<Param<Tensor<2>>>,
}

/// Of one tensor, in bytes.
const SIZE: usize = 32 << 20;
/// For plans, names, the 2 MiB that are written at once, and a piece that burn copies twice; below one tensor.
const SLACK: usize = 12 << 20;

fn stack(rows: usize) -> Stack {
    let layer = |_| Param::from_tensor(Tensor::ones([rows, 1024], &Device::default()));
    Stack { layers: (0..6).map(layer).collect() }
}

#[test]
fn saving_takes_less_than_one_tensor_and_mapped_loading_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("stack.hrry");
    let store = |path| HurrayStore::from_file(path).save_options(SaveOptions::new().sync(false));
    // Whatever is set up once, such as pools of threads.
    stack(1).save_into(&mut store(folder.path().join("small.hrry")))?;

    let mut stack = stack(SIZE / 4 / 1024);
    let (saved, used) = peak_of(|| stack.save_into(&mut store(path.clone())));
    saved?;
    assert!(used < SLACK, "saving took {used} bytes at once");

    // SAFETY: nobody else knows the folder.
    let mut store = unsafe { HurrayStore::map(&path) }?;
    let (loaded, used) = peak_of(|| stack.load_from(&mut store));
    assert_eq!(loaded?.applied.len(), 6);
    assert!(used < 1 << 20, "loading took {used} bytes at once");
    Ok(())
}
