//! A small network that tells speech from everything else: Silero VAD for 16 kHz.
//!
//! The weights are in `data/silero`, with their licence.

mod load;
mod model;
mod network;
mod segments;
#[cfg(test)]
mod tests;

pub use load::{WEIGHTS, from_safetensors};
pub use model::{Conv1d, LstmCell, SileroVad, Stft};
pub use network::{CHUNK, Detector, SAMPLE_RATE};
pub use segments::{Segment, segments};

/// A clip of speech that comes with the examples.
pub const CLIP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/silero/clip.wav");

/// Reads a WAV file of the kind that the network takes: mono, 16 kHz, 16 bits.
///
/// # Errors
///
/// When the file can't be read, or is of another kind.
pub fn read_wav(path: impl AsRef<std::path::Path>) -> Result<Vec<i16>, Box<dyn std::error::Error>> {
    let reader = hound::WavReader::open(path)?;
    let kind = reader.spec();
    if (kind.channels, kind.sample_rate, kind.bits_per_sample) != (1, SAMPLE_RATE, 16) {
        return Err(
            format!("a WAV file of 16 bits, mono, {SAMPLE_RATE} Hz is needed, this is {kind:?}").into()
        );
    }
    Ok(reader.into_samples().collect::<Result<_, _>>()?)
}
