//! What loading and saving candle tensors takes of memory: one copy, and none. One test, so that nothing else
//! allocates meanwhile.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use candle_core::{DType, Device, Tensor, Var};
use hurray::{File, HurrayLoad, HurraySave, SaveOptions};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most bytes that were allocated at one time by `run`, beyond those before it.
fn peak<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = run();
    (result, PEAK.load(Ordering::Relaxed) - before)
}

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
    let (saved, took) = peak(|| options.save(&path, &strided));
    saved?;
    assert!(took < SLACK, "saving strided tensors took {took} bytes");
    let (saved, took) = peak(|| options.save(&path, &Two { first: tensor.clone(), second: tensor.clone() }));
    saved?;
    assert!(took < SLACK, "saving took {took} bytes");

    // SAFETY: nobody changes the file, which lies in a folder of this test.
    let file = unsafe { File::map(&path)? };
    let (model, took) = peak(|| file.load::<Two<Tensor>>());
    assert_eq!(model?.second.dims(), tensor.dims());
    assert!((2 * SIZE..2 * SIZE + SLACK).contains(&took), "loading took {took} bytes for {}", 2 * SIZE);
    let (model, took) = peak(|| file.load::<Two<Var>>());
    drop(model?);
    assert!((2 * SIZE..2 * SIZE + SLACK).contains(&took), "loading variables took {took} bytes");

    let vb = hurray::candle::var_builder(&file, DType::F32, &Device::Cpu);
    let (weight, took) = peak(|| vb.get(tensor.dims(), "first"));
    drop(weight?);
    assert!((SIZE..SIZE + SLACK).contains(&took), "a tensor of the builder took {took} bytes");

    let map = hurray::candle::read_var_map(&file, &Default::default())?;
    let (loaded, took) = peak(|| hurray::candle::load_var_map(&file, &map));
    drop(loaded?);
    assert!(took < SIZE + SLACK, "setting variables took {took} bytes, more than one tensor at a time");
    let (saved, took) = peak(|| hurray::candle::save_var_map(folder.path().join("map.hrry"), &map));
    saved?;
    assert!(took < SLACK, "saving variables took {took} bytes");
    Ok(())
}
