//! Key-value entries keep every bit, and are compared by their bits.

use half::{bf16, f16};
use hurray::{HurrayLoad, HurraySave, KvValue, SaveError, Tensor, TieProblem};
use hurray_tests::{file_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug)]
struct Floats {
    single: Option<f32>,
    half: Option<f16>,
    brain: Option<bf16>,
    #[hurray(kv)]
    singles: Vec<f32>,
    #[hurray(kv)]
    halves: Vec<f16>,
    #[hurray(kv)]
    brains: Vec<bf16>,
}

/// Quiet and signalling, of both signs, with the least and the greatest payload.
const SINGLES: [u32; 6] = [0x7FC0_0000, 0x7F80_0001, 0xFF80_0001, 0x7FBF_FFFF, 0xFFFF_FFFF, 0xFFC0_1234];

#[test]
fn nans_of_narrow_floats_keep_every_bit() {
    let patterns = || 0..=u16::MAX;
    let model = Floats {
        single: Some(f32::from_bits(0x7F80_0001)),
        half: Some(f16::from_bits(0x7C01)),
        brain: Some(bf16::from_bits(0xFF81)),
        singles: SINGLES.iter().map(|&bits| f32::from_bits(bits)).collect(),
        halves: patterns().map(f16::from_bits).collect(),
        brains: patterns().map(bf16::from_bits).collect(),
    };
    let loaded = reloaded(&model);
    assert_eq!(loaded.single.map(f32::to_bits), Some(0x7F80_0001));
    assert_eq!(loaded.half.map(f16::to_bits), Some(0x7C01));
    assert_eq!(loaded.brain.map(bf16::to_bits), Some(0xFF81));
    assert!(loaded.singles.iter().map(|value| value.to_bits()).eq(SINGLES));
    assert!(loaded.halves.iter().map(|value| value.to_bits()).eq(patterns()));
    assert!(loaded.brains.iter().map(|value| value.to_bits()).eq(patterns()));
}

#[test]
fn a_nan_that_a_narrow_float_does_not_hold_is_refused() {
    #[derive(HurraySave)]
    struct Wide {
        x: f64,
    }
    #[derive(HurrayLoad, Debug)]
    struct Narrow {
        x: f32,
    }
    let quiet: Narrow = file_of(&Wide { x: f64::NAN }).load().unwrap();
    assert_eq!(quiet.x.to_bits(), f32::NAN.to_bits());
    for bits in [0x7FF8_0000_0000_0001_u64, 0x7FF0_0000_0000_0001] {
        let report = report_of::<Narrow>(&file_of(&Wide { x: f64::from_bits(bits) }));
        assert!(report.to_string().contains("float64 that f32 holds exactly"), "{report}");
    }
}

#[test]
fn a_nan_of_a_tensor_of_rank_0_keeps_every_bit() {
    #[derive(HurraySave)]
    struct Stored {
        x: Tensor<f32>,
    }
    #[derive(HurrayLoad)]
    struct Scalar {
        x: f32,
    }
    let stored = Stored { x: Tensor::from_vec(vec![f32::from_bits(0x7F80_0001)], &[]).unwrap() };
    let loaded: Scalar = file_of(&stored).load().unwrap();
    assert_eq!(loaded.x.to_bits(), 0x7F80_0001);
}

#[derive(HurraySave)]
struct Tied {
    first: Part,
    #[hurray(tied = "first")]
    second: Part,
}

#[derive(HurraySave)]
struct Part {
    w: Tensor<f32>,
    rate: f64,
    #[hurray(kv)]
    rates: Vec<f64>,
}

fn part(rate: f64, rates: &[f64]) -> Part {
    Part { w: Tensor::from_vec(vec![1.0], &[1]).unwrap(), rate, rates: rates.to_vec() }
}

#[test]
fn tied_entries_are_compared_by_their_bits() {
    let same = Tied { first: part(f64::NAN, &[f64::NAN, -0.0]), second: part(f64::NAN, &[f64::NAN, -0.0]) };
    let file = file_of(&same);
    assert!(matches!(file.metadata().get("first.rate"), Some(KvValue::Float64(rate)) if rate.is_nan()));
    assert!(file.metadata().get("second.rate").is_none());
    for (first, second) in [
        (part(0.0, &[]), part(-0.0, &[])),
        (part(0.0, &[0.0]), part(0.0, &[-0.0])),
        (part(f64::NAN, &[]), part(-f64::NAN, &[])),
    ] {
        let error = hurray::to_bytes(&Tied { first, second }).unwrap_err();
        assert!(matches!(&error, SaveError::Tie { reason: TieProblem::Values(_), .. }), "{error}");
    }
}
