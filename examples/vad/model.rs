//! The weights, named as in the original.

use hurray::{HurrayLoad, HurraySave, TensorView};

/// All weights of the network, borrowed from wherever they lie.
#[derive(Debug, HurraySave, HurrayLoad)]
pub struct SileroVad<'a> {
    /// The short-time Fourier transform.
    pub stft_conv: Stft<'a>,
    /// The encoder's first layer.
    pub conv1: Conv1d<'a>,
    /// The encoder's second layer.
    pub conv2: Conv1d<'a>,
    /// The encoder's third layer.
    pub conv3: Conv1d<'a>,
    /// The encoder's last layer.
    pub conv4: Conv1d<'a>,
    /// The memory between chunks.
    pub lstm_cell: LstmCell<'a>,
    /// The decoder.
    pub final_conv: Conv1d<'a>,
}

/// A convolution over time without a bias: cosines in the first half of the rows, sines in the second.
#[derive(Debug, HurraySave, HurrayLoad)]
pub struct Stft<'a> {
    /// Shape: twice the frequencies, one channel, the samples of a window.
    #[hurray(shape = [258, 1, 256])]
    pub weight: TensorView<'a, f32>,
}

/// A convolution over time.
#[derive(Debug, HurraySave, HurrayLoad)]
pub struct Conv1d<'a> {
    /// Shape: channels out, channels in, taps.
    #[hurray(shape = [out_channels, in_channels, kernel])]
    pub weight: TensorView<'a, f32>,
    /// Shape: channels out.
    #[hurray(shape = [out_channels])]
    pub bias: TensorView<'a, f32>,
}

/// A long short-term memory; its rows are those of the gates input, forget, cell, output, one after the other.
#[derive(Debug, HurraySave, HurrayLoad)]
pub struct LstmCell<'a> {
    /// From the input.
    #[hurray(shape = [gates, input])]
    pub weight_ih: TensorView<'a, f32>,
    /// From the state before.
    #[hurray(shape = [gates, hidden])]
    pub weight_hh: TensorView<'a, f32>,
    /// Added to the input's part.
    #[hurray(shape = [gates])]
    pub bias_ih: TensorView<'a, f32>,
    /// Added to the state's part.
    #[hurray(shape = [gates])]
    pub bias_hh: TensorView<'a, f32>,
}

impl<'a> SileroVad<'a> {
    /// All tensors, by their names in the file.
    pub fn tensors(&self) -> Vec<(&'static str, TensorView<'a, f32>)> {
        vec![
            ("stft_conv.weight", self.stft_conv.weight),
            ("conv1.weight", self.conv1.weight),
            ("conv1.bias", self.conv1.bias),
            ("conv2.weight", self.conv2.weight),
            ("conv2.bias", self.conv2.bias),
            ("conv3.weight", self.conv3.weight),
            ("conv3.bias", self.conv3.bias),
            ("conv4.weight", self.conv4.weight),
            ("conv4.bias", self.conv4.bias),
            ("lstm_cell.weight_ih", self.lstm_cell.weight_ih),
            ("lstm_cell.weight_hh", self.lstm_cell.weight_hh),
            ("lstm_cell.bias_ih", self.lstm_cell.bias_ih),
            ("lstm_cell.bias_hh", self.lstm_cell.bias_hh),
            ("final_conv.weight", self.final_conv.weight),
            ("final_conv.bias", self.final_conv.bias),
        ]
    }
}
