//! Sentence embeddings by MiniLM, from a `.hrry` file through candle's `VarBuilder`.
//!
//! ```text
//! cargo run --release -p hurray-examples --features candle --example minilm -- path/to/model.safetensors
//! ```
//!
//! The path is that of `model.safetensors` of `sentence-transformers/all-MiniLM-L6-v2` (90 MB), which Hugging
//! Face has; `config.json` and `tokenizer.json` lie beside it. It is converted once, to the folder for temporary
//! files. Prints the embeddings, a table of their cosines, and how long loading took from either file.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use candle_core::{Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config, DTYPE};
use hurray::File;
use hurray::candle::HurrayBackend;
use hurray_examples::timing::{Beside, shortest};
use tokenizers::Tokenizer;

const SENTENCES: [&str; 4] = [
    "A cat sits on the mat.",
    "A kitten rests on a rug.",
    "The weights of a model lie in one file.",
    "Tensors are mapped into memory, not copied.",
];

fn main() -> Result<(), Box<dyn Error>> {
    let Some(weights) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("give the path of all-MiniLM-L6-v2's model.safetensors \
            (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2)"
            .into());
    };
    let folder = weights.parent().unwrap_or(Path::new("."));
    let config: Config = serde_json::from_str(&std::fs::read_to_string(folder.join("config.json"))?)?;
    let mut tokenizer =
        Tokenizer::from_file(folder.join("tokenizer.json")).map_err(|error| error.to_string())?;
    // The file pads to 128 tokens, which would be part of the mean. Here sentences come one by one.
    tokenizer.with_padding(None);
    let converted = convert_once(&weights)?;

    // SAFETY: nobody changes the file as long as it is mapped.
    let backend = HurrayBackend::new(unsafe { File::map(&converted)? });
    let model = BertModel::load(backend.var_builder(DTYPE, &Device::Cpu), &config)?;
    println!("never asked for: {}\n", backend.unused().join(", "));

    let embeddings = embed(&model, &tokenizer)?;
    let reference = from_safetensors(&weights, &config)?;
    assert_eq!(embeddings, embed(&reference, &tokenizer)?, "the same weights, bit for bit");
    for (sentence, embedding) in SENTENCES.iter().zip(&embeddings) {
        println!("{:+.4?} ...  {sentence}", &embedding[..4]);
    }
    println!("\ncosines");
    for row in &embeddings {
        let cosines = embeddings.iter().map(|other| format!("{:7.3}", dot(row, other)));
        println!("{}", cosines.collect::<String>());
    }

    let [ours, theirs] = shortest(
        10,
        [&mut || drop(black_box(from_hrry(&converted, &config).unwrap())), &mut || {
            drop(black_box(from_safetensors(&weights, &config).unwrap()))
        }],
    );
    println!("\nloading  {}", Beside { ours, theirs, name: "safetensors, both mapped" });
    Ok(())
}

/// Bit for bit, and with the metadata; again only where the original is newer.
fn convert_once(weights: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let converted = std::env::temp_dir().join("all-MiniLM-L6-v2.hrry");
    let modified = |path: &Path| std::fs::metadata(path).and_then(|facts| facts.modified());
    if modified(&converted).ok() < modified(weights).ok() {
        println!("converted: {}", hurray::safetensors::import(weights, &converted)?);
    }
    Ok(converted)
}

fn from_hrry(path: &Path, config: &Config) -> Result<BertModel, Box<dyn Error>> {
    // SAFETY: nobody changes the file as long as it is mapped.
    let file = unsafe { File::map(path)? };
    Ok(BertModel::load(hurray::candle::var_builder(&file, DTYPE, &Device::Cpu), config)?)
}

fn from_safetensors(path: &Path, config: &Config) -> Result<BertModel, Box<dyn Error>> {
    // SAFETY: nobody changes the file as long as it is mapped.
    let vb = unsafe { VarBuilder::from_mmaped_safetensors(&[path], DTYPE, &Device::Cpu)? };
    Ok(BertModel::load(vb, config)?)
}

/// The mean of the states of a sentence's tokens, of length 1.
fn embed(model: &BertModel, tokenizer: &Tokenizer) -> Result<Vec<Vec<f32>>, Box<dyn Error>> {
    let embed = |sentence: &&str| -> Result<Vec<f32>, Box<dyn Error>> {
        let encoding = tokenizer.encode(*sentence, true).map_err(|error| error.to_string())?;
        let ids = Tensor::new(encoding.get_ids(), &Device::Cpu)?.unsqueeze(0)?;
        let states = model.forward(&ids, &ids.zeros_like()?, None)?;
        let mean = states.mean(1)?.squeeze(0)?.to_vec1::<f32>()?;
        let length = dot(&mean, &mean).sqrt();
        Ok(mean.into_iter().map(|value| value / length).collect())
    };
    SENTENCES.iter().map(embed).collect()
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}
