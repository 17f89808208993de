//! The derives in hostile surroundings: shadowed names, no prelude, the library under another name, generics.

use hurray_tests::{listing_of, reloaded};

mod no_prelude {
    #![no_implicit_prelude]
    #![allow(unreachable_pub, reason = "as in a module that a user may make public")]

    #[derive(::hurray::HurraySave, ::hurray::HurrayLoad, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    pub struct Linear {
        #[hurray(shape = [out_features, _])]
        pub weight: ::hurray::Tensor<f32>,
        pub out_features: u32,
        #[hurray(default)]
        pub note: ::std::string::String,
        #[hurray(skip)]
        pub seen: u32,
        pub kind: Kind,
    }

    #[derive(::hurray::HurraySave, ::hurray::HurrayLoad, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    pub enum Kind {
        Relu,
        Silu,
    }
}

#[test]
fn without_the_prelude() {
    let model = no_prelude::Linear {
        weight: hurray::Tensor::from_vec(vec![1.0; 6], &[3, 2]).unwrap(),
        out_features: 3,
        note: "n".into(),
        seen: 0,
        kind: no_prelude::Kind::Silu,
    };
    assert_ne!(model.kind, no_prelude::Kind::Relu);
    assert_eq!(reloaded(&model), model);
}

mod odd_names {
    use hurray::{HurrayLoad, HurraySave};

    #[derive(HurraySave, HurrayLoad, Debug, PartialEq, Default)]
    pub(super) struct Odd {
        pub(super) r#type: [f32; 1],
        pub(super) self_: u32,
        pub(super) __value: u32,
        pub(super) __group: u32,
        pub(super) __saver: u32,
        pub(super) __loader: u32,
        pub(super) __field0: u32,
        pub(super) hurray_: u32,
        pub(super) group: u32,
        pub(super) saver: u32,
        pub(super) loader: u32,
        pub(super) value: u32,
        pub(super) r#fn: u32,
    }
}

#[test]
fn fields_with_odd_names() {
    let odd = odd_names::Odd { r#type: [0.5], self_: 1, __value: 2, __group: 3, ..Default::default() };
    let lines = listing_of(&odd);
    assert_eq!(
        lines[..4],
        ["type: float32[1]", "self_ = uint64 1", "__value = uint64 2", "__group = uint64 3"]
    );
    assert_eq!(lines.last().unwrap(), "fn = uint64 0");
    assert_eq!(reloaded(&odd), odd);
}

mod renamed {
    /// As if `Cargo.toml` said `weights = { package = "hurray" }`.
    mod dependencies {
        pub(crate) use hurray as weights;
    }
    use dependencies::weights;

    // What `::hurray` would be here is not what the derives may use.
    mod hurray {}

    #[derive(weights::HurraySave, weights::HurrayLoad, Debug, PartialEq)]
    #[hurray(crate = weights)]
    pub(super) struct ByTokens {
        pub(super) weight: weights::Tensor<f32>,
        pub(super) kind: Kind,
    }

    #[derive(weights::HurraySave, weights::HurrayLoad, Debug, PartialEq)]
    #[hurray(crate = "self::weights")]
    pub(super) enum Kind {
        Relu,
    }
}

#[test]
fn the_library_under_another_name() {
    let model = renamed::ByTokens {
        weight: hurray::Tensor::from_vec(vec![1.0], &[1]).unwrap(),
        kind: renamed::Kind::Relu,
    };
    assert_eq!(reloaded(&model), model);
}

mod shadows {
    #![allow(dead_code, unused_macros, reason = "they only have to be in scope")]

    struct Result;
    struct Option;
    struct Ok;
    struct Err;
    struct Some;
    struct None;
    struct Vec;
    struct String;
    struct Default;
    struct Field;
    struct Dim;
    struct Saver;
    struct Loader;
    trait From {}
    trait Into {}
    trait Clone {}
    mod std {}
    mod core {}
    macro_rules! vec {
        ($($any:tt)*) => {
            compile_error!("the user's own `vec!`")
        };
    }
    macro_rules! panic {
        ($($any:tt)*) => {
            compile_error!("the user's own `panic!`")
        };
    }
    pub(super) const WIDTH: usize = 2;

    #[derive(::hurray::HurraySave, ::hurray::HurrayLoad)]
    pub(super) struct Model {
        #[hurray(shape = [2, _])]
        pub(super) weight: [[f32; 2]; WIDTH],
        #[hurray(default)]
        pub(super) rate: f64,
    }
}

#[test]
fn among_shadowed_names() {
    let model = shadows::Model { weight: [[1.0, 2.0], [3.0, 4.0]], rate: 0.5 };
    let loaded = reloaded(&model);
    assert_eq!((loaded.weight, loaded.rate), (model.weight, model.rate));
}

macro_rules! model {
    ($name:ident { $($field:ident: $type:ty = $rule:tt),* }) => {
        #[derive(hurray::HurraySave, hurray::HurrayLoad, Debug, PartialEq)]
        struct $name {
            $(#[hurray(shape = $rule)] $field: $type,)*
        }
    };
}

model!(FromMacro { weight: Vec<[f32; 2]> = [rows, 2], bias: Vec<f32> = [rows] });

#[test]
fn from_a_macro() {
    let model = FromMacro { weight: vec![[1.0, 2.0]; 3], bias: vec![1.0; 3] };
    assert_eq!(reloaded(&model), model);
    let broken = FromMacro { weight: vec![[1.0, 2.0]; 3], bias: vec![1.0; 2] };
    assert!(hurray::to_bytes(&broken).is_err());
}

#[test]
fn local_to_a_function() {
    fn inner<const N: usize>() {
        #[derive(hurray::HurraySave, hurray::HurrayLoad, Debug, PartialEq)]
        struct Local<T, const N: usize> {
            weight: [T; N],
        }
        let local = Local::<f32, N> { weight: [0.5; N] };
        assert_eq!(reloaded(&local), local);
    }
    inner::<0>();
    inner::<7>();
}
