//! From probabilities to stretches of speech.

use super::CHUNK;

/// A stretch of speech, in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The first sample.
    pub start: usize,
    /// One past the last sample.
    pub end: usize,
}

/// From here on a chunk is speech.
const SPEECH: f32 = 0.5;

/// Below, it is silence; what lies between decides nothing.
const SILENCE: f32 = 0.35;

/// In samples: shorter stretches are noise.
const MIN_SPEECH: usize = 4000;

/// In samples: shorter pauses belong to the speech.
const MIN_SILENCE: usize = 1600;

/// In samples: how much is added at either end.
const MARGIN: usize = 480;

/// The stretches of speech in a recording of `samples` samples, from the probability of each chunk.
pub fn segments(probabilities: &[f32], samples: usize) -> Vec<Segment> {
    let mut found = Vec::new();
    let mut keep = |start: usize, end: usize| {
        if end - start > MIN_SPEECH {
            found.push(Segment { start: start.saturating_sub(MARGIN), end: samples.min(end + MARGIN) });
        }
    };
    let (mut start, mut end) = (None, None);
    for (chunk, &probability) in probabilities.iter().enumerate() {
        let here = chunk * CHUNK;
        match start {
            _ if probability >= SPEECH => {
                start = start.or(Some(here));
                end = None;
            }
            Some(from) if probability < SILENCE => {
                let to = *end.get_or_insert(here);
                if here - to >= MIN_SILENCE {
                    keep(from, to);
                    (start, end) = (None, None);
                }
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        keep(from, samples);
    }
    found
}
