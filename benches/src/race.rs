//! Contenders that run in turn, and the table of what they took.

use std::fmt::Write;
use std::time::Duration;

use crate::clock::{Clock, Taken};

/// One way to do a piece of work. It starts and stops the clock itself.
pub(crate) struct Contender<'a> {
    name: &'static str,
    run: Box<dyn FnMut(&mut Clock) + 'a>,
    is_slow: bool,
    times: Vec<Duration>,
    last: Taken,
}

impl Contender<'_> {
    fn take_turn(&mut self, clock: &mut Clock, round: usize) {
        (self.run)(clock);
        // The first round warms up.
        if round > 0 {
            self.times.push(clock.taken.time);
            self.last = clock.taken;
        }
    }
}

/// A piece of work, and all who do it in turn: each round in another order, so that none always follows the same
/// one.
pub(crate) struct Race<'a> {
    title: String,
    contenders: Vec<Contender<'a>>,
}

impl<'a> Race<'a> {
    /// A race without contenders.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), contenders: Vec::new() }
    }

    /// Adds a contender; the first is the one that the others are compared with.
    pub(crate) fn add(&mut self, name: &'static str, run: impl FnMut(&mut Clock) + 'a) {
        self.contenders.push(Contender {
            name,
            run: Box::new(run),
            is_slow: false,
            times: Vec::new(),
            last: Taken::default(),
        });
    }

    /// Adds a contender that takes many times as long as the others: it runs behind them, a tenth of the rounds and at
    /// least 3, since whoever came next would find the caches empty.
    pub(crate) fn add_slow(&mut self, name: &'static str, run: impl FnMut(&mut Clock) + 'a) {
        self.add(name, run);
        self.contenders.last_mut().expect("the one just added").is_slow = true;
    }

    /// Runs all, and prints the table as Markdown.
    pub(crate) fn run(mut self, rounds: usize) -> Results {
        let mut clock = Clock::new();
        let (mut slow, mut fast): (Vec<_>, Vec<_>) =
            self.contenders.iter_mut().partition(|contender| contender.is_slow);
        let count = fast.len();
        for round in 0..=rounds {
            for turn in 0..count {
                fast[(turn + round) % count].take_turn(&mut clock, round);
            }
        }
        for round in 0..=(rounds / 10).max(3) {
            slow.iter_mut().for_each(|contender| contender.take_turn(&mut clock, round));
        }
        let mut results = Results(Vec::new());
        for contender in &mut self.contenders {
            contender.times.sort_unstable();
            let rounds = contender.times.len();
            let (min, median) = (contender.times[0], contender.times[rounds / 2]);
            results.0.push(Row { name: contender.name, rounds, min, median, taken: contender.last });
        }
        println!("{}", results.table(&self.title, rounds));
        results
    }
}

/// What one contender took.
struct Row {
    name: &'static str,
    rounds: usize,
    min: Duration,
    median: Duration,
    taken: Taken,
}

/// What all contenders of a race took.
pub(crate) struct Results(Vec<Row>);

impl Results {
    fn row(&self, name: &str) -> &Row {
        self.0.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no contender `{name}`"))
    }

    /// The minimum of one contender as a fraction of another's.
    pub(crate) fn ratio(&self, of: &str, to: &str) -> f64 {
        self.row(of).min.as_secs_f64() / self.row(to).min.as_secs_f64()
    }

    /// What the last run of a contender took.
    pub(crate) fn taken(&self, of: &str) -> Taken {
        self.row(of).taken
    }

    fn table(&self, title: &str, rounds: usize) -> String {
        let mut table = format!("### {title}\n\n");
        let _ = writeln!(
            table,
            "| contender | minimum of {rounds} | median | ratio | ratio of medians | faults | allocations | heap |"
        );
        let _ = writeln!(table, "|---|---|---|---|---|---|---|---|");
        for row in &self.0 {
            let (ratio, medians) = (
                row.min.as_secs_f64() / self.0[0].min.as_secs_f64(),
                row.median.as_secs_f64() / self.0[0].median.as_secs_f64(),
            );
            let Taken { faults, allocations, heap, .. } = row.taken;
            let (mut name, min, median) = (row.name.to_owned(), time(row.min), time(row.median));
            if row.rounds < rounds {
                let _ = write!(name, " ({} rounds)", row.rounds);
            }
            let (ratio, medians, heap) = (rounded(ratio), rounded(medians), bytes(heap));
            let _ = writeln!(
                table,
                "| {name} | {min} | {median} | {ratio} | {medians} | {faults} | {allocations} | {heap} |"
            );
        }
        table
    }
}

fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1e-6 => format!("{:.0} ns", seconds * 1e9),
        seconds if seconds < 1e-3 => format!("{:.1} µs", seconds * 1e6),
        seconds => format!("{:.1} ms", seconds * 1e3),
    }
}

/// Two digits that count.
pub(crate) fn rounded(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.1 => format!("{ratio:.3}"),
        ratio => format!("{ratio:.2}"),
    }
}

/// In kB or MB.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
