//! The network over a file of ours says what the original says.

use hurray::File;
use safetensors::SafeTensors;
use serde_json::Value;

use super::*;

fn expected() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/silero/probabilities.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The weights in a file of ours, taken from the original by way of the model.
fn file() -> File {
    let original = std::fs::read(WEIGHTS).unwrap();
    let model = from_safetensors(&SafeTensors::deserialize(&original).unwrap()).unwrap();
    File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap()
}

#[test]
fn every_probability_and_every_segment_agrees_with_the_original() {
    let file = file();
    let model: SileroVad<'_> = file.load().unwrap();
    let samples = read_wav(CLIP).unwrap();
    let probabilities = Detector::new(&model).probabilities(&samples);

    let expected = expected();
    let wanted: Vec<f64> =
        expected["probabilities"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
    assert_eq!(probabilities.len(), wanted.len());
    for (chunk, (found, wanted)) in probabilities.iter().zip(wanted).enumerate() {
        assert!((f64::from(*found) - wanted).abs() < 1e-5, "chunk {chunk}: {found}, not {wanted}");
    }

    let place = |segment: &Value, key: &str| usize::try_from(segment[key].as_u64().unwrap()).unwrap();
    let wanted: Vec<Segment> = expected["segments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|segment| Segment { start: place(segment, "start"), end: place(segment, "end") })
        .collect();
    assert_eq!(segments(&probabilities, samples.len()), wanted);
}

#[test]
fn every_tensor_survives_the_model_byte_for_byte() {
    let original = std::fs::read(WEIGHTS).unwrap();
    let original = SafeTensors::deserialize(&original).unwrap();
    let file = file();
    let model: SileroVad<'_> = file.load().unwrap();
    assert_eq!(model.tensors().len(), original.len());
    for (name, _) in model.tensors() {
        let entry = file.tensor(name).unwrap();
        assert_eq!(entry.buffer(0).unwrap(), original.tensor(name).unwrap().data(), "{name}");
    }
}

#[test]
fn the_same_model_loads_from_a_converted_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("silero.hrry");
    hurray::safetensors::import(WEIGHTS, &path).unwrap();
    let file = File::read(&path).unwrap();
    let converted: SileroVad<'_> = file.load().unwrap();
    let ours = self::file();
    let ours: SileroVad<'_> = ours.load().unwrap();
    assert!(converted.tensors() == ours.tensors());
}

#[test]
fn short_noise_is_no_speech_and_short_pauses_belong_to_it() {
    let (speech, between, silence) = (0.9, 0.4, 0.1);
    let of = |stretches: &[(f32, usize)]| {
        let probabilities: Vec<f32> =
            stretches.iter().flat_map(|&(probability, count)| vec![probability; count]).collect();
        segments(&probabilities, probabilities.len() * CHUNK)
    };
    let segment = |start: usize, end: usize| Segment { start, end };
    assert_eq!(of(&[(silence, 9)]), []);
    // 7 chunks are 3584 samples, 8 are 4096.
    assert_eq!(of(&[(silence, 1), (speech, 7), (silence, 9)]), []);
    assert_eq!(of(&[(silence, 1), (speech, 8), (silence, 9)]), [segment(512 - 480, 9 * 512 + 480)]);
    assert_eq!(of(&[(speech, 9), (silence, 3), (speech, 9)]), [segment(0, 21 * 512)]);
    assert_eq!(of(&[(speech, 9), (between, 9)]), [segment(0, 18 * 512)]);
    let two = of(&[(speech, 9), (silence, 5), (speech, 9)]);
    assert_eq!(two, [segment(0, 9 * 512 + 480), segment(14 * 512 - 480, 23 * 512)]);
}
