//! Real weights from safetensors into derived structs, to a file and back.

use std::error::Error;
use std::hint::black_box;

use hurray::File;
use hurray_examples::timing::shortest;
use hurray_examples::tree::tree;
use hurray_examples::vad::{SileroVad, WEIGHTS, from_safetensors};
use safetensors::SafeTensors;

fn main() -> Result<(), Box<dyn Error>> {
    let original = std::fs::read(WEIGHTS)?;
    let original_tensors = SafeTensors::deserialize(&original)?;
    let model = from_safetensors(&original_tensors)?;

    let path = std::env::temp_dir().join("silero.hrry");
    let report = hurray::save(&path, &model)?;
    // SAFETY: nobody changes the file as long as it is mapped.
    let file = unsafe { File::map(&path)? };
    let loaded: SileroVad<'_> = file.load()?;
    print!("{}", tree(&file)?);

    for (name, view) in loaded.tensors() {
        let tensor = original_tensors.tensor(name)?;
        let bytes = file.tensor(name)?.buffer(0)?;
        let is_same = bytes == tensor.data() && view.shape() == tensor.shape();
        assert!(is_same, "{name} differs");
        let place = view.as_slice().ok_or("not in row-major order")?.as_ptr();
        assert!(bytes.as_ptr_range().contains(&place.cast()), "{name} is not in the file");
    }
    println!("all {} tensors are the same, byte for byte", loaded.tensors().len());

    let copy = std::env::temp_dir().join("silero.safetensors");
    let [save, save_safetensors, map, map_safetensors, read, read_safetensors] = shortest(
        20,
        [
            &mut || drop(hurray::SaveOptions::new().sync(false).save(&path, &model).unwrap()),
            &mut || {
                safetensors::serialize_to_file(original_tensors.iter(), None, &copy).unwrap();
            },
            &mut || {
                // SAFETY: nobody changes the file as long as it is mapped.
                let file = unsafe { File::map(&path).unwrap() };
                black_box(file.load::<SileroVad<'_>>().unwrap());
            },
            &mut || {
                let file = std::fs::File::open(WEIGHTS).unwrap();
                // SAFETY: nobody changes the file as long as it is mapped.
                let map = unsafe { memmap2::Mmap::map(&file).unwrap() };
                black_box(from_safetensors(&SafeTensors::deserialize(&map).unwrap()).unwrap());
            },
            &mut || {
                black_box(File::read(&path).unwrap().load::<SileroVad<'_>>().unwrap());
            },
            &mut || {
                let bytes = std::fs::read(WEIGHTS).unwrap();
                black_box(from_safetensors(&SafeTensors::deserialize(&bytes).unwrap()).unwrap());
            },
        ],
    );
    println!("{:24}{:>12}{:>14}{:>8}", "", "hurray", "safetensors", "ratio");
    println!("{:24}{:>12}{:>14}", "size in bytes", report.bytes, original.len());
    for (what, ours, theirs) in [
        ("save, without fsync", save, save_safetensors),
        ("load, mapped", map, map_safetensors),
        ("load, read", read, read_safetensors),
    ] {
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("{what:24}{ours:>12.1?}{theirs:>14.1?}{ratio:>8.2}");
    }
    Ok(())
}
