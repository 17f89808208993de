//! The weights from their original file.

use std::error::Error;

use hurray::TensorView;
use safetensors::SafeTensors;

use super::{Conv1d, LstmCell, SileroVad, Stft};

/// Where the original weights lie.
pub const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/silero/silero_vad_16k.safetensors");

/// The weights as views of a safetensors file, field by field.
///
/// # Errors
///
/// When a tensor is missing or of another type.
pub fn from_safetensors<'a>(tensors: &SafeTensors<'a>) -> Result<SileroVad<'a>, Box<dyn Error>> {
    let tensor =
        |name: &str| -> Result<TensorView<'a, f32>, Box<dyn Error>> { Ok(tensors.tensor(name)?.try_into()?) };
    let conv = |name: &str| -> Result<Conv1d<'a>, Box<dyn Error>> {
        Ok(Conv1d { weight: tensor(&format!("{name}.weight"))?, bias: tensor(&format!("{name}.bias"))? })
    };
    Ok(SileroVad {
        stft_conv: Stft { weight: tensor("stft_conv.weight")? },
        conv1: conv("conv1")?,
        conv2: conv("conv2")?,
        conv3: conv("conv3")?,
        conv4: conv("conv4")?,
        lstm_cell: LstmCell {
            weight_ih: tensor("lstm_cell.weight_ih")?,
            weight_hh: tensor("lstm_cell.weight_hh")?,
            bias_ih: tensor("lstm_cell.bias_ih")?,
            bias_hh: tensor("lstm_cell.bias_hh")?,
        },
        final_conv: conv("final_conv")?,
    })
}
