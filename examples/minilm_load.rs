//! How long loading MiniLM takes, and how much memory, from `.hrry` and from candle's own mapped safetensors.
//!
//! ```text
//! cargo run --release -p hurray-examples --features candle --example minilm_load -- path/to/model.safetensors
//! ```
//!
//! Each load is a process of its own, and the two kinds take turns. The peak is the most memory that the
//! process ever held, pages of the mapped file included (`VmHWM`, Linux only).

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use candle_core::Device;
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config, DTYPE};
use hurray::File;

const ROUNDS: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [weights] => compare(Path::new(weights)),
        [weights, config] => load_once(Path::new(weights), Path::new(config)),
        _ => Err("give the path of all-MiniLM-L6-v2's model.safetensors".into()),
    }
}

/// One load, measured: prints nanoseconds and KiB.
fn load_once(weights: &Path, config: &Path) -> Result<(), Box<dyn Error>> {
    let config: Config = serde_json::from_str(&std::fs::read_to_string(config)?)?;
    let started = Instant::now();
    let vb = if weights.extension().is_some_and(|extension| extension == "hrry") {
        // SAFETY: nobody changes the file as long as it is mapped.
        hurray::candle::var_builder(unsafe { File::map(weights)? }, DTYPE, &Device::Cpu)
    } else {
        // SAFETY: nobody changes the file as long as it is mapped.
        unsafe { VarBuilder::from_mmaped_safetensors(&[weights], DTYPE, &Device::Cpu)? }
    };
    let model = BertModel::load(vb, &config)?;
    println!("{} {}", started.elapsed().as_nanos(), peak_kib()?);
    drop(model);
    Ok(())
}

fn peak_kib() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

#[derive(Default)]
struct Measured {
    times: Vec<Duration>,
    peaks: Vec<u64>,
}

impl Measured {
    fn add(&mut self, weights: &Path, config: &Path) -> Result<(), Box<dyn Error>> {
        let output = Command::new(std::env::current_exe()?).args([weights, config]).output()?;
        let printed = String::from_utf8(output.stdout)?;
        let (nanoseconds, peak) = printed.trim().split_once(' ').ok_or("a load failed")?;
        self.times.push(Duration::from_nanos(nanoseconds.parse()?));
        self.peaks.push(peak.parse()?);
        Ok(())
    }

    fn row(&mut self, name: &str) -> (f64, f64) {
        self.times.sort();
        self.peaks.sort();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let (least, middle) = (milliseconds(self.times[0]), milliseconds(self.times[ROUNDS / 2]));
        let peak = self.peaks[0] as f64 / 1024.;
        println!("{name:12} {least:9.2} ms {middle:9.2} ms {peak:9.2} MiB");
        (least, peak)
    }
}

fn compare(weights: &Path) -> Result<(), Box<dyn Error>> {
    let config = weights.with_file_name("config.json");
    let converted = std::env::temp_dir().join(format!("minilm-load-{}.hrry", std::process::id()));
    hurray::safetensors::import(weights, &converted)?;
    let (mut ours, mut theirs) = (Measured::default(), Measured::default());
    // The first of each only warms the page cache.
    for measured in [&mut Measured::default(), &mut Measured::default()] {
        measured.add(&converted, &config)?;
        measured.add(weights, &config)?;
    }
    for _ in 0..ROUNDS {
        ours.add(&converted, &config)?;
        theirs.add(weights, &config)?;
    }
    std::fs::remove_file(&converted)?;
    println!("{:12} {:>12} {:>12} {:>13}", "", "least", "median", "peak");
    let (time, peak) = ours.row("hrry");
    let (their_time, their_peak) = theirs.row("safetensors");
    println!("{:12} {:9.3} {:>28.3}", "ratio", time / their_time, peak / their_peak);
    Ok(())
}
