//! Opening, looking up, saving and reading, beside what people use today: all contenders in one process and in
//! turn, so that a ratio compares like with like. Prints Markdown, the verdict last.
//!
//! `cargo run --release -p hurray-benches --features opponents [-- FOLDER [WORKLOAD ..]]`; the folder takes some
//! 7 GiB and is emptied again. Workloads are `w1` to `w5`; all, if none is named.

mod clock;
mod models;
mod opening;
mod race;
mod reading;
mod reference;
mod saving;

use std::path::PathBuf;

use models::{Files, Size};
use race::rounded;

#[global_allocator]
static COUNTING: clock::Counting = clock::Counting;

/// One promise.
pub(crate) struct Line {
    what: String,
    found: f64,
    target: f64,
    limit: f64,
}

impl Line {
    /// A figure, what it should be at most, and what it must not exceed.
    pub(crate) fn new(what: String, found: f64, target: f64, limit: f64) -> Self {
        Self { what, found, target, limit }
    }

    fn print(&self) {
        let Self { what, found, target, limit } = self;
        let verdict = match found {
            found if found <= target => "met",
            found if found <= limit => "missed, within the limit",
            _ => "**past the limit**",
        };
        println!("| {what} | {} | {} | {} | {verdict} |", rounded(*found), rounded(*target), rounded(*limit));
    }
}

const SMALL: [Size; 4] = [
    Size { tensors: 100, rows: 64, columns: 64 },
    Size { tensors: 1000, rows: 64, columns: 64 },
    Size { tensors: 10_000, rows: 64, columns: 64 },
    Size { tensors: 100_000, rows: 8, columns: 8 },
];
const LARGE: Size = Size { tensors: 64, rows: 2048, columns: 2048 };

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let folder = arguments.next_if(|argument| !is_workload(argument)).map(PathBuf::from);
    let wanted: Vec<String> = arguments.collect();
    let wants = |workload: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == workload);
    let folder = folder.unwrap_or_else(|| PathBuf::from("target"));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let folder = tempfile::tempdir_in(folder).expect("the folder can be written to");
    let folder = folder.path();
    let mut lines = Vec::new();

    let mut warm = Vec::new();
    if wants("w1") {
        for size in SMALL {
            let files = Files::new(folder, size);
            // Seconds in all: a minimum of less is that of a moment, in which somebody else may be at work.
            let rounds = (2_000_000 / size.tensors).clamp(20, 4000);
            warm.push((size.tensors, opening::warm(&files, rounds)));
        }
    }
    if wants("w2") || wants("w3") || wants("w1") {
        let files = Files::new(folder, SMALL[2]);
        let look_up = opening::look_up(&files, 400);
        let cold = opening::cold(&files, 11);
        lines.extend(opening::Verdict { warm, look_up, cold }.lines());
    }
    if wants("w4") {
        let large = saving::save(folder, LARGE, 11);
        let small = saving::save(folder, SMALL[2], 25);
        lines.extend(saving::lines(&large, &small, SMALL[2].tensors));
    }
    if wants("w5") {
        let files = Files::new(folder, LARGE);
        lines.extend(reading::lines(&reading::sums(&files, 15)));
    }
    println!("### Verdict\n\n| workload | found | target | must not exceed | |\n|---|---|---|---|---|");
    lines.iter().for_each(Line::print);
}

fn is_workload(argument: &str) -> bool {
    matches!(argument.as_bytes(), [b'w', b'1'..=b'5'])
}
