//! W1, W2 and W3: opening a file with a view of every tensor, warm and cold, and one look-up by name.

use std::hint::black_box;
use std::path::Path;

use hurray::OpenOptions;
use rkyv::rancor;
use safetensors::{Dtype, SafeTensors};

use crate::clock::Clock;
use crate::models::{ArchivedArchive, Files, Model, map, open};
use crate::race::{Race, Results};
use crate::reference::{self, Reference};

const OURS: &str = "hurray, derived load";
const STRICT: &str = "hurray, derived load, every descriptor checked";
const FOREIGN: &str = "hurray, derived load, file without the table";
const FOREIGN_STRICT: &str = "hurray, derived load, file without the table, every descriptor checked";
const FOREIGN_LAZY: &str = "hurray, every entry by name, file without the table";
pub(crate) const SAFETENSORS: &str = "safetensors, `tensor(name)`";
const RKYV: &str = "rkyv with bytecheck";
const RKYV_POSITION: &str = "rkyv with bytecheck, by position";

fn load(clock: &mut Clock, path: &Path, options: &OpenOptions) {
    let options = options.clone();
    clock.start();
    let file = open(path, options);
    let model: Model<'_> = file.load().expect("loads");
    clock.stop();
    black_box(&model.layers);
}

fn safetensors(clock: &mut Clock, path: &Path, names: &[String]) {
    let mut views = Vec::with_capacity(names.len());
    clock.start();
    let map = map(path);
    let file = SafeTensors::deserialize(&map).expect("parses");
    for name in names {
        let view = file.tensor(name).expect("is there");
        assert!(view.dtype() == Dtype::F32 && view.shape().len() == 2);
        views.push(view);
    }
    clock.stop();
    black_box(&views);
}

fn rkyv(clock: &mut Clock, path: &Path, names: &[String]) {
    let mut views = Vec::with_capacity(names.len());
    clock.start();
    let map = map(path);
    let archive = rkyv::access::<ArchivedArchive, rancor::Error>(&map).expect("is sound");
    for (tensor, name) in archive.tensors.iter().zip(names) {
        assert!(tensor.name == name.as_str() && tensor.element_type == 11 && tensor.shape.len() == 2);
        views.push((&tensor.shape, &tensor.data));
    }
    clock.stop();
    black_box(&views);
}

fn candle(clock: &mut Clock, path: &Path, names: &[String]) {
    let mut views = Vec::with_capacity(names.len());
    clock.start();
    // SAFETY: the files of the benches belong to this process alone.
    let file = unsafe { candle_core::safetensors::MmapedSafetensors::new(path) }.expect("opens");
    for name in names {
        let view = file.get(name).expect("is there");
        assert!(view.dtype() == Dtype::F32 && view.shape().len() == 2);
        views.push(view);
    }
    clock.stop();
    black_box(&views);
}

fn lazy(clock: &mut Clock, path: &Path, names: &[String]) {
    let mut views = Vec::with_capacity(names.len());
    clock.start();
    let file = open(path, OpenOptions::new());
    for name in names {
        let entry = file.tensor(name).expect("is there");
        assert!(entry.data_length() > 0);
        views.push(entry);
    }
    clock.stop();
    black_box(&views);
}

/// W1 for one model.
pub(crate) fn warm(files: &Files, rounds: usize) -> Results {
    let names = files.size.names();
    let (tensors, bytes) = (files.size.tensors, files.size.tensor_bytes());
    let hurray_io = Reference::new();
    let strict = OpenOptions::new().validate_descriptors(true);
    let plain = OpenOptions::new();
    let mut race = Race::new(format!("W1: open and view all of {tensors} tensors of {bytes} bytes, warm"));
    race.add(SAFETENSORS, |clock| safetensors(clock, &files.safetensors, &names));
    race.add(OURS, |clock| load(clock, &files.ours, &plain));
    race.add(STRICT, |clock| load(clock, &files.ours, &strict));
    race.add(FOREIGN, |clock| load(clock, &files.foreign, &plain));
    race.add(FOREIGN_STRICT, |clock| load(clock, &files.foreign, &strict));
    race.add(FOREIGN_LAZY, |clock| lazy(clock, &files.foreign, &names));
    race.add(RKYV, |clock| rkyv(clock, &files.rkyv, &names));
    race.add("candle, `MmapedSafetensors::get`", |clock| candle(clock, &files.safetensors, &names));
    // Each of their look-ups goes through the index: with 100 000 tensors, a run would take 20 s.
    if tensors <= 10_000 {
        race.add_slow(reference::FILE, |clock| hurray_io.open(clock, &files.hurray_io, &names));
        race.add_slow(reference::MAPPED, |clock| hurray_io.open_mapped(clock, &files.hurray_io, &names));
    }
    race.add(reference::DECODED, |clock| hurray_io.decode_mapped(clock, &files.hurray_io, &names));
    race.add("bare mmap", |clock| {
        clock.start();
        let map = map(&files.ours);
        clock.stop();
        black_box(&map[..1]);
    });
    race.run(rounds)
}

/// W3: the same with the files out of the page cache.
pub(crate) fn cold(files: &Files, rounds: usize) -> Results {
    let names = files.size.names();
    let options = OpenOptions::new();
    let hurray_io = Reference::new();
    let mut race = Race::new(format!("W3: as W1 with {} tensors, page cache dropped", files.size.tensors));
    race.add(SAFETENSORS, |clock| {
        Files::drop_cache(&files.safetensors);
        safetensors(clock, &files.safetensors, &names);
    });
    race.add(OURS, |clock| {
        Files::drop_cache(&files.ours);
        load(clock, &files.ours, &options);
    });
    race.add(FOREIGN, |clock| {
        Files::drop_cache(&files.foreign);
        load(clock, &files.foreign, &options);
    });
    race.add(RKYV, |clock| {
        Files::drop_cache(&files.rkyv);
        rkyv(clock, &files.rkyv, &names);
    });
    race.add_slow(reference::FILE, |clock| {
        Files::drop_cache(&files.hurray_io);
        hurray_io.open(clock, &files.hurray_io, &names);
    });
    race.add(reference::DECODED, |clock| {
        Files::drop_cache(&files.hurray_io);
        hurray_io.decode_mapped(clock, &files.hurray_io, &names);
    });
    race.run(rounds)
}

/// W2: each run looks many names up, so that the clock can tell; a time is that of all of them.
pub(crate) fn look_up(files: &Files, rounds: usize) -> Results {
    let names = files.size.names();
    // In an order that neither file is in.
    let names: Vec<&str> =
        (0..names.len()).map(|at| names[at.wrapping_mul(7919) % names.len()].as_str()).collect();
    let shape = [files.size.rows, files.size.columns];
    let mapped = map(&files.safetensors);
    let theirs = SafeTensors::deserialize(&mapped).expect("parses");
    let ours = open(&files.ours, OpenOptions::new());
    // SAFETY: the files of the benches belong to this process alone.
    let candle =
        unsafe { candle_core::safetensors::MmapedSafetensors::new(&files.safetensors) }.expect("opens");
    let archived = map(&files.rkyv);
    let archive = rkyv::access::<ArchivedArchive, rancor::Error>(&archived).expect("is sound");
    let (hurray_io, mapped_for_theirs) = (Reference::new(), map(&files.hurray_io));
    let mut reader = hurray_io.reader(&mapped_for_theirs);
    let title = format!("W2: {} look-ups by name, each with element type and shape checked", names.len());
    let mut race = Race::new(title);
    race.add(SAFETENSORS, |clock| {
        clock.start();
        for name in &names {
            let view = theirs.tensor(name).expect("is there");
            assert!(view.dtype() == Dtype::F32 && view.shape() == shape);
            black_box(view.data());
        }
        clock.stop();
    });
    race.add(OURS, |clock| {
        clock.start();
        for name in &names {
            let view = ours.tensor(name).and_then(|entry| entry.view::<f32>()).expect("is there");
            assert!(view.shape() == shape);
            black_box(view.as_slice());
        }
        clock.stop();
    });
    race.add("candle, `MmapedSafetensors::get`", |clock| {
        clock.start();
        for name in &names {
            let view = candle.get(name).expect("is there");
            assert!(view.dtype() == Dtype::F32 && view.shape() == shape);
            black_box(view.data());
        }
        clock.stop();
    });
    race.add_slow(reference::MAPPED, |clock| {
        clock.start();
        hurray_io.look_up(&mut reader, &names, files.size);
        clock.stop();
    });
    race.add(RKYV_POSITION, |clock| {
        clock.start();
        // A vector has no look-up: the position has to be known.
        for (at, _) in names.iter().enumerate() {
            let tensor = &archive.tensors[at.wrapping_mul(7919) % names.len()];
            assert!(tensor.element_type == 11 && tensor.name.len() > 30);
            black_box(&tensor.data);
        }
        clock.stop();
    });
    race.run(rounds)
}

/// The lines of the verdict that are about opening.
pub(crate) struct Verdict {
    /// By number of tensors.
    pub(crate) warm: Vec<(usize, Results)>,
    /// With 10 000 tensors.
    pub(crate) look_up: Results,
    /// With 10 000 tensors.
    pub(crate) cold: Results,
}

impl Verdict {
    /// What was promised, and what was measured.
    pub(crate) fn lines(&self) -> Vec<crate::Line> {
        use crate::Line;
        let mut lines = Vec::new();
        for (tensors, results) in &self.warm {
            let (target, limit) = match tensors {
                100 => (0.15, 0.25),
                1000 => (0.07, 0.12),
                _ => (0.06, 0.10),
            };
            let ratio = results.ratio(OURS, SAFETENSORS);
            lines.push(Line::new(format!("W1 {tensors}, against safetensors"), ratio, target, limit));
            if *tensors >= 1000 {
                let ratio = results.ratio(OURS, RKYV);
                lines.push(Line::new(format!("W1 {tensors}, against rkyv with bytecheck"), ratio, 1.2, 2.0));
            }
            if *tensors == 10_000 {
                let taken = results.taken(OURS);
                let line = |what: &str, found: u64, target: f64| {
                    Line::new(format!("W1 {tensors}, {what}"), found as f64, target, target)
                };
                lines.push(line("allocations", taken.allocations, 10.0));
                // The vector of layers is the caller's.
                lines.push(line(
                    "heap without the views, kB",
                    self.heap_without_views(taken.heap) / 1000,
                    2000.0,
                ));
                lines.push(line("page faults", taken.faults, 20.0));
                let against = |of| results.ratio(of, SAFETENSORS);
                lines.push(Line::new(
                    "W1 10000, every descriptor checked".into(),
                    against(STRICT),
                    0.12,
                    0.25,
                ));
                let strict = against(FOREIGN_STRICT);
                lines.push(Line::new(
                    "W1 10000, no table, every descriptor checked".into(),
                    strict,
                    0.80,
                    1.0,
                ));
                lines.push(Line::new("W1 10000, no table, lazy".into(), against(FOREIGN_LAZY), 0.05, 0.10));
            }
        }
        let look_up = self.look_up.ratio(OURS, SAFETENSORS);
        lines.push(Line::new("W2, against safetensors".into(), look_up, 0.35, 0.60));
        let cold = self.cold.ratio(OURS, SAFETENSORS);
        lines.push(Line::new("W3, against safetensors".into(), cold, 0.25, 0.80));
        lines
    }

    fn heap_without_views(&self, heap: u64) -> u64 {
        let views = size_of::<crate::models::Layer<'_>>() * 2500;
        heap.saturating_sub(views as u64)
    }
}
