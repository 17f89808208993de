//! W5: opening a large file and reading every number once, against numbers that are in memory already.

use std::hint::black_box;

use hurray::OpenOptions;
use safetensors::SafeTensors;

use crate::models::{Files, Model, map, open, weights};
use crate::race::{Race, Results};
use crate::reference::{self, Reference};

const OURS: &str = "hurray, derived load";
const MEMORY: &str = "numbers in memory";

/// As wide as the machine's registers go.
fn sum(numbers: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 64];
    let (chunks, rest) = numbers.as_chunks::<64>();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

fn sum_of_bytes(bytes: &[u8]) -> f32 {
    let mut lanes = [0.0f32; 64];
    let (chunks, _) = bytes.as_chunks::<256>();
    for chunk in chunks {
        let (numbers, _) = chunk.as_chunks::<4>();
        for (lane, number) in lanes.iter_mut().zip(numbers) {
            *lane += f32::from_le_bytes(*number);
        }
    }
    lanes.iter().sum()
}

/// W5.
pub(crate) fn sums(files: &Files, rounds: usize) -> Results {
    let weights = weights(files.size);
    let names = files.size.names();
    let hurray_io = Reference::new();
    let mut race = Race::new(format!("W5: load and sum {} MiB, warm", files.size.bytes() >> 20));
    race.add(MEMORY, |clock| {
        clock.start();
        black_box(sum(&weights));
        clock.stop();
    });
    race.add(OURS, |clock| {
        clock.start();
        let file = open(&files.ours, OpenOptions::new());
        let model: Model<'_> = file.load().expect("loads");
        let tensors = model.layers.iter().flat_map(|layer| layer.tensors());
        black_box(tensors.map(|tensor| tensor.as_slice().map_or(0.0, sum)).sum::<f32>());
        clock.stop();
    });
    race.add("safetensors", |clock| {
        clock.start();
        let map = map(&files.safetensors);
        let file = SafeTensors::deserialize(&map).expect("parses");
        let views = names.iter().map(|name| file.tensor(name).expect("is there"));
        black_box(views.map(|view| sum_of_bytes(view.data())).sum::<f32>());
        clock.stop();
    });
    race.add("candle, `load` (copies)", |clock| {
        clock.start();
        let tensors = candle_core::safetensors::load(&files.safetensors, &candle_core::Device::Cpu);
        let tensors = tensors.expect("loads");
        let sums = tensors.values().map(|tensor| {
            let (storage, _) = tensor.storage_and_layout();
            match &*storage {
                candle_core::Storage::Cpu(cpu) => cpu.as_slice::<f32>().map_or(0.0, sum),
                _ => 0.0,
            }
        });
        black_box(sums.sum::<f32>());
        clock.stop();
    });
    race.add(reference::DECODED, |clock| {
        clock.start();
        black_box(hurray_io.sum_of_mapped(&files.hurray_io, sum_of_bytes));
        clock.stop();
    });
    race.add(reference::READ, |clock| {
        clock.start();
        black_box(hurray_io.sum_of_read(&files.hurray_io, &names, sum_of_bytes));
        clock.stop();
    });
    race.run(rounds)
}

/// What was promised, and what was measured.
pub(crate) fn lines(results: &Results) -> Vec<crate::Line> {
    vec![crate::Line::new("W5, against memory".into(), results.ratio(OURS, MEMORY), 1.08, 1.20)]
}
