//! `rename_all_fields` and the spellings of `rename_all`.

use hurray::{HurrayLoad, HurraySave};
use hurray_tests::{listing_of, reloaded};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
#[hurray(rename_all_fields = "camelCase")]
enum Layer {
    Norm {
        running_mean: u32,
        running_var: u32,
    },
    Pool {
        kernel_size: u32,
    },
    #[hurray(rename_all = "UPPERCASE")]
    Own {
        kernel_size: u32,
    },
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Layers {
    layers: [Layer; 3],
}

#[test]
fn rename_all_fields_spells_the_fields_of_all_variants() {
    let layers = [
        Layer::Norm { running_mean: 1, running_var: 2 },
        Layer::Pool { kernel_size: 3 },
        Layer::Own { kernel_size: 4 },
    ];
    let model = Layers { layers };
    let listing = listing_of(&model);
    for entry in [
        "layers.0 = utf8 \"Norm\"",
        "layers.0.runningMean = uint64 1",
        "layers.0.runningVar = uint64 2",
        "layers.1.kernelSize = uint64 3",
        "layers.2.KERNEL_SIZE = uint64 4",
    ] {
        assert!(listing.iter().any(|line| line == entry), "{entry}: {listing:#?}");
    }
    assert_eq!(reloaded(&model), model);
}

macro_rules! spelling {
    ($case:literal, $field:literal, $variant:literal) => {{
        #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
        #[hurray(rename_all = $case)]
        struct Model {
            out_features: Kind,
        }
        #[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone, Copy)]
        #[hurray(rename_all = $case)]
        enum Kind {
            LeakyRelu,
        }
        let model = Model { out_features: Kind::LeakyRelu };
        assert_eq!(listing_of(&model), [format!("{} = utf8 {:?}", $field, $variant)]);
        assert_eq!(reloaded(&model), model);
    }};
}

#[test]
fn every_case_spells_fields_and_variants() {
    spelling!("lowercase", "out_features", "leakyrelu");
    spelling!("UPPERCASE", "OUT_FEATURES", "LEAKYRELU");
    spelling!("PascalCase", "OutFeatures", "LeakyRelu");
    spelling!("camelCase", "outFeatures", "leakyRelu");
    spelling!("snake_case", "out_features", "leaky_relu");
    spelling!("SCREAMING_SNAKE_CASE", "OUT_FEATURES", "LEAKY_RELU");
    spelling!("kebab-case", "out-features", "leaky-relu");
    spelling!("SCREAMING-KEBAB-CASE", "OUT-FEATURES", "LEAKY-RELU");
}
