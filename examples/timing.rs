//! Comparing how long things take.

use std::fmt;
use std::time::{Duration, Instant};

/// The shortest time of each of several actions, taken in turn `rounds` times so that whatever else the machine
/// does meets all of them alike.
pub fn shortest<const N: usize>(rounds: usize, mut actions: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut shortest = [Duration::MAX; N];
    for _ in 0..rounds {
        for (action, best) in actions.iter_mut().zip(&mut shortest) {
            let start = Instant::now();
            action();
            *best = start.elapsed().min(*best);
        }
    }
    shortest
}

/// The same thing done by us and by others, which it is shown beside.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// From a `.hrry` file.
    pub ours: Duration,
    /// From the file that is named.
    pub theirs: Duration,
    /// Where others load from.
    pub name: &'static str,
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ours, theirs, name } = self;
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        write!(f, "{ours:.1?} from hrry, {theirs:.1?} from {name}: {ratio:.3} times as long")
    }
}
