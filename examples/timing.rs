//! Comparing how long things take.

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
