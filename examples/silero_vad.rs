//! A speech detector that runs straight from a mapped file: `silero_vad [FILE.wav]`.

use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;

use hurray::File;
use hurray_examples::timing::{Beside, shortest};
use hurray_examples::vad::{
    CHUNK, CLIP, Detector, SAMPLE_RATE, Segment, SileroVad, WEIGHTS, from_safetensors, read_wav, segments,
};
use safetensors::SafeTensors;

fn main() -> Result<(), Box<dyn Error>> {
    let clip = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(CLIP), PathBuf::from);
    let samples = read_wav(&clip)?;

    let weights = std::env::temp_dir().join("silero_vad.hrry");
    println!("weights  {}", hurray::safetensors::import(WEIGHTS, &weights)?);
    // SAFETY: nobody changes the file as long as it is mapped.
    let file = unsafe { File::map(&weights)? };
    let model: SileroVad<'_> = file.load()?;

    let start = std::time::Instant::now();
    let probabilities = Detector::new(&model).probabilities(&samples);
    let speech = segments(&probabilities, samples.len());
    let seconds = |samples: usize| samples as f64 / f64::from(SAMPLE_RATE);
    println!("clip     {:.2} s, heard in {:.0?}", seconds(samples.len()), start.elapsed());

    plot(&probabilities, &speech);
    for Segment { start, end } in speech {
        println!("speech   {:5.2} s to {:5.2} s  (samples {start} to {end})", seconds(start), seconds(end));
    }

    let [ours, theirs] = shortest(
        20,
        [
            &mut || {
                // SAFETY: nobody changes the file as long as it is mapped.
                let file = unsafe { File::map(&weights).unwrap() };
                black_box(file.load::<SileroVad<'_>>().unwrap());
            },
            &mut || {
                let file = std::fs::File::open(WEIGHTS).unwrap();
                // SAFETY: nobody changes the file as long as it is mapped.
                let map = unsafe { memmap2::Mmap::map(&file).unwrap() };
                black_box(from_safetensors(&SafeTensors::deserialize(&map).unwrap()).unwrap());
            },
        ],
    );
    println!("loading  {}", Beside { ours, theirs, name: "safetensors, both mapped" });
    Ok(())
}

/// The probabilities over time as bars, and a line below where there is speech.
fn plot(probabilities: &[f32], speech: &[Segment]) {
    const WIDTH: usize = 79;
    const ROWS: usize = 4;
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let per_column = probabilities.len().div_ceil(WIDTH).max(1);
    let columns: Vec<f32> =
        probabilities.chunks(per_column).map(|p| p.iter().sum::<f32>() / p.len() as f32).collect();
    for row in (0..ROWS).rev() {
        let bar = |p: &f32| {
            let eighths = (p * (ROWS * 8) as f32).round() as usize;
            BARS[eighths.saturating_sub(row * 8).min(8)]
        };
        println!("{}", columns.iter().map(bar).collect::<String>().trim_end());
    }
    let is_speech = |column: usize| {
        let middle = (2 * column + 1) * per_column * CHUNK / 2;
        speech.iter().any(|segment| (segment.start..segment.end).contains(&middle))
    };
    let line: String = (0..columns.len()).map(|column| if is_speech(column) { '━' } else { '·' }).collect();
    println!("{line}");
}
