//! The network: plain loops over the borrowed weights.

use hurray::TensorView;

use super::{Conv1d, LstmCell, SileroVad};

/// What the network was trained on, in samples per second.
pub const SAMPLE_RATE: u32 = 16_000;

/// How many samples one step takes.
pub const CHUNK: usize = 512;

/// How many samples of the chunk before are seen again.
const CONTEXT: usize = 64;

/// Channels of the memory.
const HIDDEN: usize = 128;

/// Frequencies of the transform.
const FREQUENCIES: usize = 129;

/// The network and its memory of what it heard so far.
#[derive(Debug)]
pub struct Detector<'m> {
    model: &'m SileroVad<'m>,
    context: [f32; CONTEXT],
    hidden: [f32; HIDDEN],
    cell: [f32; HIDDEN],
}

impl<'m> Detector<'m> {
    /// A network that heard nothing yet.
    ///
    /// # Panics
    ///
    /// When it runs, if a weight is not in row-major order or the layers do not fit each other.
    pub fn new(model: &'m SileroVad<'m>) -> Self {
        Self { model, context: [0.0; CONTEXT], hidden: [0.0; HIDDEN], cell: [0.0; HIDDEN] }
    }

    /// The probability of speech in every chunk; the last one is filled up with silence.
    pub fn probabilities(&mut self, samples: &[i16]) -> Vec<f32> {
        let mut chunk = [0.0; CHUNK];
        samples
            .chunks(CHUNK)
            .map(|samples| {
                chunk.fill(0.0);
                for (value, &sample) in chunk.iter_mut().zip(samples) {
                    *value = f32::from(sample) / 32768.0;
                }
                self.step(&chunk)
            })
            .collect()
    }

    /// The probability of speech in the chunk that comes next.
    pub fn step(&mut self, chunk: &[f32; CHUNK]) -> f32 {
        let model = self.model;
        let mut heard: Vec<f32> = self.context.iter().chain(chunk).copied().collect();
        self.context.copy_from_slice(&chunk[CHUNK - CONTEXT..]);
        // Mirrored at the end, the last sample not repeated.
        heard.extend_from_within(CHUNK - 1..CHUNK - 1 + CONTEXT);
        heard[CHUNK + CONTEXT..].reverse();

        let transformed =
            convolve(&Signal { values: heard, steps: 640 }, slice(model.stft_conv.weight), 256, 128, 0, None);
        let mut signal = magnitude(&transformed);
        for (layer, stride) in [(&model.conv1, 1), (&model.conv2, 2), (&model.conv3, 2), (&model.conv4, 1)] {
            signal = convolution(layer, &signal, stride);
        }
        self.remember(&model.lstm_cell, &signal.values);

        let rectified = self.hidden.map(|value| value.max(0.0));
        let bias = slice(model.final_conv.bias)[0];
        sigmoid(dot(slice(model.final_conv.weight), &rectified) + bias)
    }

    fn remember(&mut self, cell: &LstmCell<'_>, input: &[f32]) {
        let (weight_ih, weight_hh) = (slice(cell.weight_ih), slice(cell.weight_hh));
        let (bias_ih, bias_hh) = (slice(cell.bias_ih), slice(cell.bias_hh));
        let gates: Vec<f32> = (0..4 * HIDDEN)
            .map(|row| {
                let columns = row * HIDDEN..(row + 1) * HIDDEN;
                dot(&weight_ih[columns.clone()], input)
                    + bias_ih[row]
                    + dot(&weight_hh[columns], &self.hidden)
                    + bias_hh[row]
            })
            .collect();
        for i in 0..HIDDEN {
            let [input, forget, new, output] = [0, 1, 2, 3].map(|gate| gates[gate * HIDDEN + i]);
            self.cell[i] = sigmoid(forget) * self.cell[i] + sigmoid(input) * new.tanh();
            self.hidden[i] = sigmoid(output) * self.cell[i].tanh();
        }
    }
}

/// Channels over time, one channel after the other.
#[derive(Debug)]
struct Signal {
    values: Vec<f32>,
    steps: usize,
}

impl Signal {
    fn channels(&self) -> usize {
        self.values.len() / self.steps
    }
}

/// One layer of the encoder: a convolution with silence around the signal, negative values cut off.
fn convolution(layer: &Conv1d<'_>, signal: &Signal, stride: usize) -> Signal {
    let kernel = layer.weight.shape()[2];
    let mut result = convolve(signal, slice(layer.weight), kernel, stride, 1, Some(slice(layer.bias)));
    result.values.iter_mut().for_each(|value| *value = value.max(0.0));
    result
}

/// `weights` has, for each channel out and each channel in, `kernel` taps.
fn convolve(
    signal: &Signal,
    weights: &[f32],
    kernel: usize,
    stride: usize,
    padding: usize,
    bias: Option<&[f32]>,
) -> Signal {
    let taps = signal.channels() * kernel;
    let channels = weights.len() / taps;
    let steps = (signal.steps + 2 * padding - kernel) / stride + 1;
    let mut values = vec![0.0; channels * steps];
    let mut window = vec![0.0; taps];
    for step in 0..steps {
        for (channel, taps) in window.chunks_mut(kernel).enumerate() {
            for (k, tap) in taps.iter_mut().enumerate() {
                let at = (step * stride + k).checked_sub(padding).filter(|&at| at < signal.steps);
                *tap = at.map_or(0.0, |at| signal.values[channel * signal.steps + at]);
            }
        }
        for (channel, weights) in weights.chunks_exact(taps).enumerate() {
            let bias = bias.map_or(0.0, |bias| bias[channel]);
            values[channel * steps + step] = dot(weights, &window) + bias;
        }
    }
    Signal { values, steps }
}

/// Of each frequency, from its cosine and its sine.
fn magnitude(transformed: &Signal) -> Signal {
    let (real, imaginary) = transformed.values.split_at(FREQUENCIES * transformed.steps);
    let values = real.iter().zip(imaginary).map(|(re, im)| (re * re + im * im).sqrt()).collect();
    Signal { values, steps: transformed.steps }
}

/// In eight sums, which the compiler turns into vector instructions.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    assert_eq!(left.len(), right.len(), "the layers fit each other");
    let mut sums = [0.0f32; 8];
    let (left, left_rest) = left.as_chunks::<8>();
    let (right, right_rest) = right.as_chunks::<8>();
    for (left, right) in left.iter().zip(right) {
        for ((sum, l), r) in sums.iter_mut().zip(left).zip(right) {
            *sum += l * r;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(l, r)| l * r).sum();
    sums.iter().sum::<f32>() + rest
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The elements where they lie.
fn slice(weights: TensorView<'_, f32>) -> &[f32] {
    weights.as_slice().expect("weights are saved in row-major order")
}
