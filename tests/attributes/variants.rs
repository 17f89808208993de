//! Attributes of variants.

use std::fmt::Display;

use hurray::{HurrayLoad, HurraySave, SaveError};
use hurray_tests::{file_of, listing_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Model<T> {
    value: T,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone, Copy)]
enum Act {
    #[hurray(rename = "SiLU", alias = "Swish", alias = "swish")]
    Silu,
    #[hurray(rename = "ReLU")]
    Relu,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Layer {
    #[hurray(rename = "conv2d", alias = "Conv")]
    Convolution(Vec<f32>),
    #[hurray(rename = "bn", alias = "BatchNorm")]
    Norm { mean: f64 },
}

#[test]
fn a_renamed_variant_is_found_by_its_names() {
    assert_eq!(listing_of(&Model { value: Act::Silu }), ["value = utf8 \"SiLU\""]);
    assert_eq!(reloaded(&Model { value: vec![Act::Relu, Act::Silu] }).value, [Act::Relu, Act::Silu]);
    for name in ["SiLU", "Swish", "swish"] {
        assert_eq!(file_of(&Model { value: name }).load::<Model<Act>>().unwrap().value, Act::Silu);
        let many = Model { value: vec![name.to_owned(), "ReLU".to_owned()] };
        assert_eq!(file_of(&many).load::<Model<Vec<Act>>>().unwrap().value, [Act::Silu, Act::Relu]);
    }
    // The name in the source is none in the file.
    assert_eq!(report_of::<Model<Act>>(&file_of(&Model { value: "Silu" })).problem_count(), 1);

    let conv = Model { value: Layer::Convolution(vec![1.0]) };
    assert_eq!(listing_of(&conv), ["value: float32[1]", "value = utf8 \"conv2d\""]);
    assert_eq!(reloaded(&conv), conv);
    #[derive(HurraySave)]
    enum Then {
        Conv(Vec<f32>),
        BatchNorm { mean: f64 },
    }
    let loaded: Model<Layer> = file_of(&Model { value: Then::Conv(vec![2.0]) }).load().unwrap();
    assert_eq!(loaded.value, Layer::Convolution(vec![2.0]));
    let loaded: Model<Layer> = file_of(&Model { value: Then::BatchNorm { mean: 3.0 } }).load().unwrap();
    assert_eq!(loaded.value, Layer::Norm { mean: 3.0 });
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Spelled {
    #[hurray(rename_all = "UPPERCASE")]
    Norm {
        running_mean: f64,
        #[hurray(rename = "eps")]
        epsilon: f64,
    },
    Plain {
        running_mean: f64,
    },
}

#[test]
fn rename_all_on_a_variant_spells_its_own_fields() {
    let norm = Model { value: Spelled::Norm { running_mean: 1.0, epsilon: 2.0 } };
    assert_eq!(
        listing_of(&norm),
        [
            "value: Group of 0",
            "value = utf8 \"Norm\"",
            "value.RUNNING_MEAN = float64 1.0",
            "value.eps = float64 2.0"
        ]
    );
    assert_eq!(reloaded(&norm), norm);
    let plain = Model { value: Spelled::Plain { running_mean: 1.0 } };
    assert!(listing_of(&plain).contains(&"value.running_mean = float64 1.0".to_owned()));
}

#[derive(HurraySave, HurrayLoad)]
enum WithSkipped {
    Known(u32),
    #[hurray(skip)]
    #[expect(dead_code, reason = "it is made, and never looked at")]
    Custom(Box<dyn Display>),
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum UnitSkipped {
    Known,
    #[hurray(skip)]
    Custom,
}

#[test]
fn a_skipped_variant_is_neither_saved_nor_loaded() {
    let custom: Box<dyn Display> = Box::new(1);
    let error = hurray::to_bytes(&Model { value: WithSkipped::Custom(custom) }).unwrap_err();
    let SaveError::Refused { path, source } = &error else { panic!("{error}") };
    assert_eq!((&**path, &*source.to_string()), ("value", "its variant is marked `skip`"));
    assert!(hurray::to_bytes(&Model { value: UnitSkipped::Custom }).is_err());
    assert!(hurray::to_bytes(&Model { value: vec![UnitSkipped::Known, UnitSkipped::Custom] }).is_err());

    let file = file_of(&Model { value: WithSkipped::Known(3) });
    assert!(matches!(file.load::<Model<WithSkipped>>().unwrap().value, WithSkipped::Known(3)));
    let report = report_of::<Model<WithSkipped>>(&file_of(&Model { value: "Custom" }));
    assert_eq!(report.problems()[0].expected, "one of `Known`");
    let report = report_of::<Model<UnitSkipped>>(&file_of(&Model { value: "Custom" }));
    assert_eq!(report.problems()[0].expected, "one of `Known`");
}
