//! What saving and loading a burn module takes of memory: pieces, and nothing. One test, so that nothing else
//! allocates meanwhile.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use burn::module::{Module, Param};
use burn::store::ModuleSnapshot;
use burn::tensor::{Device, Tensor};
use hurray::SaveOptions;
use hurray::burn::HurrayStore;

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
    (result, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

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
    let (saved, used) = peak(|| stack.save_into(&mut store(path.clone())));
    saved?;
    assert!(used < SLACK, "saving took {used} bytes at once");

    // SAFETY: nobody else knows the folder.
    let mut store = unsafe { HurrayStore::map(&path) }?;
    let (loaded, used) = peak(|| stack.load_from(&mut store));
    assert_eq!(loaded?.applied.len(), 6);
    assert!(used < 1 << 20, "loading took {used} bytes at once");
    Ok(())
}
