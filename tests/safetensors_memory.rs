//! Converting takes no more memory for large tensors than for small ones.
#![cfg(test)]

use std::fs;
use std::io::Write;

use hurray_tests::{Peak, peak_of};

#[global_allocator]
static ALLOCATOR: Peak = Peak;

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
        let ((), read) = peak_of(|| drop(options.import(path("a.safetensors"), path("b.hrry")).unwrap()));
        assert!(read < 8 << 20, "{dtype}: {read} bytes to import");
        let ((), mapped) = peak_of(|| {
            // SAFETY: nobody else knows the folder.
            let report = unsafe { options.import_mapped(path("a.safetensors"), path("b.hrry")) };
            drop(report.unwrap());
        });
        assert!(mapped < 8 << 20, "{dtype}: {mapped} bytes to import from a mapping");
        // SAFETY: nobody else knows the folder.
        let file = unsafe { hurray::File::map(path("b.hrry")) }.unwrap();
        let options = hurray::safetensors::ExportOptions::new().sync(false);
        let ((), exported) = peak_of(|| drop(options.export_file(&file, path("c.safetensors")).unwrap()));
        assert!(exported < 8 << 20, "{dtype}: {exported} bytes to export");
        let size = |name: &str| fs::metadata(path(name)).unwrap().len();
        assert!(size("c.safetensors") >= LARGE);
    }
}
