//! An allocator that counts what the current thread asks for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What was asked of the allocator; nothing is taken off when memory is freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allocated {
    /// How often memory was asked for, or asked to grow.
    pub calls: usize,
    /// How much, in bytes; of memory that grows, what it grows by.
    pub bytes: usize,
}

thread_local! {
    static ALLOCATED: Cell<Allocated> = const { Cell::new(Allocated { calls: 0, bytes: 0 }) };
}

/// The system's allocator, counting; a test binary makes it its `#[global_allocator]`.
#[derive(Debug, Clone, Copy)]
pub struct Counting;

fn count(bytes: usize) {
    // A thread that is ending has no counter any more.
    let _ = ALLOCATED.try_with(|allocated| {
        let Allocated { calls, bytes: so_far } = allocated.get();
        allocated.set(Allocated { calls: calls + 1, bytes: so_far + bytes });
    });
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size.saturating_sub(layout.size()));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What `work` asks of the allocator on this thread. The binary needs [`Counting`] as its allocator.
pub fn allocated_by<T>(work: impl FnOnce() -> T) -> (T, Allocated) {
    let before = ALLOCATED.get();
    let value = work();
    let after = ALLOCATED.get();
    (value, Allocated { calls: after.calls - before.calls, bytes: after.bytes - before.bytes })
}
