//! MiniLM through candle-transformers: the same from both formats. Runs where `HURRAY_MINILM` is the path of
//! the model's `model.safetensors`, beside which `config.json` and `tokenizer.json` lie.

use std::path::{Path, PathBuf};

use candle_core::{Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config, DTYPE};
use hurray::File;
use hurray::candle::HurrayBackend;

use super::Result;

fn weights() -> Option<PathBuf> {
    let path = std::env::var_os("HURRAY_MINILM");
    if path.is_none() {
        eprintln!("skipped: HURRAY_MINILM does not name the weights");
    }
    path.map(PathBuf::from)
}

fn embed(
    vb: VarBuilder<'_>,
    config: &Config,
    folder: &Path,
) -> std::result::Result<Vec<f32>, Box<dyn std::error::Error>> {
    let model = BertModel::load(vb, config)?;
    let mut tokenizer =
        tokenizers::Tokenizer::from_file(folder.join("tokenizer.json")).map_err(|error| error.to_string())?;
    // The file pads to 128 tokens, which would be part of the mean.
    tokenizer.with_padding(None);
    let mut all = Vec::new();
    for sentence in ["A cat sits on the mat.", "A kitten rests on a rug.", "Weights in one file."] {
        let encoding = tokenizer.encode(sentence, true).map_err(|error| error.to_string())?;
        let ids = Tensor::new(encoding.get_ids(), &Device::Cpu)?.unsqueeze(0)?;
        let states = model.forward(&ids, &ids.zeros_like()?, None)?;
        all.extend(states.mean(1)?.flatten_all()?.to_vec1::<f32>()?);
    }
    Ok(all)
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |left: &[f32], right: &[f32]| left.iter().zip(right).map(|(a, b)| a * b).sum::<f32>();
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

#[test]
fn minilm_gives_the_same_embeddings_bit_for_bit() -> Result {
    let Some(path) = weights() else { return Ok(()) };
    let folder = path.parent().unwrap();
    let config: Config = serde_json::from_str(&std::fs::read_to_string(folder.join("config.json"))?)?;
    let converted = tempfile::tempdir()?;
    let hrry = converted.path().join("minilm.hrry");
    hurray::safetensors::import(&path, &hrry)?;

    // SAFETY: nobody changes the file while the test runs.
    let safetensors = unsafe { VarBuilder::from_mmaped_safetensors(&[&path], DTYPE, &Device::Cpu)? };
    // SAFETY: as above.
    let file = unsafe { File::map(&hrry)? };
    let backend = HurrayBackend::new(file);
    let expected = embed(safetensors, &config, folder)?;
    let found = embed(backend.var_builder(DTYPE, &Device::Cpu), &config, folder)?;
    assert_eq!(expected.len(), 3 * 384);
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(&expected));
    let [cat, kitten, file] = [0, 1, 2].map(|at| &found[at * 384..(at + 1) * 384]);
    let (near, far) = (cosine(cat, kitten), cosine(cat, file));
    assert!(near > 0.4 && far < 0.2, "a model that knows cats: {near} and {far}");
    assert_eq!(backend.unused(), ["embeddings.position_ids", "pooler.dense.bias", "pooler.dense.weight"]);
    Ok(())
}
