//! What one run takes: time, page faults, and what it asks of the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The system's allocator, counting per thread.
#[derive(Debug)]
pub(crate) struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn grow(calls: u64, bytes: i64) {
    CALLS.set(CALLS.get() + calls);
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    if live > PEAK.get() {
        PEAK.set(live);
    }
}

fn signed(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(1, signed(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(1, signed(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        grow(1, signed(new_size) - signed(layout.size()));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        grow(0, -signed(layout.size()));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What one run took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Taken {
    /// From start to stop.
    pub(crate) time: Duration,
    /// Page faults, those without disk access included.
    pub(crate) faults: u64,
    /// How often the allocator was asked.
    pub(crate) allocations: u64,
    /// The most heap that was held beyond what was held at the start, in bytes.
    pub(crate) heap: u64,
}

/// Measures the stretch between `start` and `stop`: what is set up before and dropped behind does not count.
#[derive(Debug)]
pub(crate) struct Clock {
    started: Instant,
    faults: u64,
    calls: u64,
    live: i64,
    /// What the last stretch took.
    pub(crate) taken: Taken,
}

impl Clock {
    /// A clock that stands still.
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), faults: 0, calls: 0, live: 0, taken: Taken::default() }
    }

    /// From here on it counts.
    pub(crate) fn start(&mut self) {
        self.faults = faults();
        self.calls = CALLS.get();
        self.live = LIVE.get();
        PEAK.set(self.live);
        self.started = Instant::now();
    }

    /// Up to here it counted.
    pub(crate) fn stop(&mut self) {
        let time = self.started.elapsed();
        let heap = u64::try_from(PEAK.get() - self.live).unwrap_or(0);
        self.taken =
            Taken { time, faults: faults() - self.faults, allocations: CALLS.get() - self.calls, heap };
    }
}

fn faults() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a `rusage` of our own.
    let failed = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) } != 0;
    assert!(!failed, "getrusage");
    // SAFETY: zeroed is a `rusage`, and the call filled it.
    let usage = unsafe { usage.assume_init() };
    u64::try_from(usage.ru_minflt + usage.ru_majflt).unwrap_or(0)
}
