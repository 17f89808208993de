//! Converting takes no more memory for large tensors than for small ones.
#![cfg(test)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes that are in use, and the most that ever were.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(used, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }
}

/// How many bytes more than before were in use at a time.
fn peak(action: impl FnOnce()) -> usize {
    let before = USED.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    action();
    MOST.load(Ordering::Relaxed) - before
}

const LARGE: u64 = 16 << 20;

#[test]
fn memory_does_not_grow_with_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for dtype in ["U8", "BOOL"] {
        let json =
            format!("{{\"w\":{{\"dtype\":\"{dtype}\",\"shape\":[{LARGE}],\"data_offsets\":[0,{LARGE}]}}}}");
        let mut file = fs::File::create(path("a.safetensors")).unwrap();
        file.write_all(&(json.len() as u64).to_le_bytes()).unwrap();
        file.write_all(json.as_bytes()).unwrap();
        file.set_len(8 + json.len() as u64 + LARGE).unwrap();

        let save = hurray::SaveOptions::new().sync(false);
        let options = hurray::safetensors::ImportOptions::new().save(save);
        let read = peak(|| drop(options.import(path("a.safetensors"), path("b.hrry")).unwrap()));
        assert!(read < 8 << 20, "{dtype}: {read} bytes to import");
        // SAFETY: nobody else knows the folder.
        let mapped =
            peak(|| drop(unsafe { options.import_mapped(path("a.safetensors"), path("b.hrry")) }.unwrap()));
        assert!(mapped < 8 << 20, "{dtype}: {mapped} bytes to import from a mapping");
        // SAFETY: nobody else knows the folder.
        let file = unsafe { hurray::File::map(path("b.hrry")) }.unwrap();
        let options = hurray::safetensors::ExportOptions::new().sync(false);
        let exported = peak(|| drop(options.export_file(&file, path("c.safetensors")).unwrap()));
        assert!(exported < 8 << 20, "{dtype}: {exported} bytes to export");
        let size = |name: &str| fs::metadata(path(name)).unwrap().len();
        assert!(size("c.safetensors") >= LARGE);
    }
}
