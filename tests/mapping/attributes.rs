//! Attributes: what they change in the file, and on the way back.

use hurray::{HurrayLoad, HurraySave, Loader, ProblemKind, Reported, SaveError, Saver, Tensor};
use hurray_tests::{file_of, listing_of, reloaded, report_of};

#[test]
fn a_dotted_rename_is_a_path_whose_inner_segments_have_no_head() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Inner {
        w: [u8; 1],
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Attention {
        #[hurray(rename = "self.query.weight")]
        query: [f32; 2],
        #[hurray(rename = "self.inner")]
        inner: Inner,
        #[hurray(rename = "self.dim")]
        dim: u32,
        #[hurray(rename = "ключ with spaces/%.x")]
        odd: [u8; 1],
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        attention: Attention,
    }
    let model =
        Model { attention: Attention { query: [1.0, 2.0], inner: Inner { w: [1] }, dim: 2, odd: [3] } };
    assert_eq!(
        listing_of(&model),
        [
            "attention: Group of 3",
            "  attention.self.query.weight: float32[2]",
            "  attention.self.inner: Group of 1",
            "    attention.self.inner.w: uint8[1]",
            "  attention.ключ with spaces/%.x: uint8[1]",
            "attention.self.dim = uint64 2",
        ]
    );
    assert_eq!(reloaded(&model), model);
}

#[test]
fn rename_all_spells_all_names_and_rename_one() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(rename_all = "camelCase")]
    struct Model {
        out_features: u32,
        #[hurray(rename = "in_features")]
        in_features: u32,
        r#type: u32,
    }
    let model = Model { out_features: 1, in_features: 2, r#type: 3 };
    assert_eq!(listing_of(&model), ["outFeatures = uint64 1", "in_features = uint64 2", "type = uint64 3"]);
    assert_eq!(reloaded(&model), model);
}

#[test]
fn an_alias_is_accepted_and_two_names_at_once_are_not() {
    #[derive(HurraySave)]
    struct Old {
        q: [f32; 1],
    }
    #[derive(HurraySave)]
    struct Both {
        q: [f32; 1],
        query: [f32; 1],
    }
    #[derive(HurrayLoad, Debug)]
    struct New {
        #[hurray(alias = "q", alias = "q_proj")]
        query: [f32; 1],
    }
    assert_eq!(file_of(&Old { q: [1.0] }).load::<New>().unwrap().query, [1.0]);
    let report = report_of::<New>(&file_of(&Both { q: [1.0], query: [2.0] }));
    assert_eq!(report.count(ProblemKind::Refused), 1, "{report}");
}

#[test]
fn skipped_fields_are_not_in_the_file() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        w: [f32; 1],
        #[hurray(skip)]
        cache: Vec<f32>,
        #[hurray(skip, default = "seven")]
        seven: u32,
        #[hurray(skip_saving, default)]
        imported: u32,
        #[hurray(skip_loading)]
        exported: u32,
    }
    fn seven() -> u32 {
        7
    }
    let model = Model { w: [1.0], cache: vec![1.0], seven: 1, imported: 2, exported: 3 };
    assert_eq!(listing_of(&model), ["w: float32[1]", "exported = uint64 3"]);
    assert_eq!(reloaded(&model), Model { w: [1.0], cache: vec![], seven: 7, imported: 0, exported: 0 });
}

#[test]
fn defaults_stand_in_only_for_what_is_absent() {
    fn ones() -> Vec<f32> {
        vec![1.0; 2]
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        #[hurray(default = "ones")]
        scale: Vec<f32>,
        #[hurray(default)]
        layers: Vec<(Vec<f32>,)>,
        #[hurray(kv, default)]
        sizes: Vec<u32>,
    }
    let (model, report) = file_of(&()).load_with::<Model>(&hurray::LoadOptions::new()).unwrap();
    assert_eq!(model, Model { scale: vec![1.0, 1.0], layers: vec![], sizes: vec![] });
    assert_eq!(report.defaulted(), ["scale", "layers", "sizes"]);

    #[derive(HurraySave)]
    struct Wrong {
        scale: Vec<f64>,
    }
    let report = report_of::<Model>(&file_of(&Wrong { scale: vec![2.0] }));
    assert_eq!(report.count(ProblemKind::ElementType), 1, "{report}");

    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(default)]
    struct Whole {
        rate: f64,
        steps: u32,
    }
    impl Default for Whole {
        fn default() -> Self {
            Self { rate: 0.5, steps: 10 }
        }
    }
    #[derive(HurraySave)]
    struct Part {
        steps: u32,
    }
    let whole: Whole = file_of(&Part { steps: 3 }).load().unwrap();
    assert_eq!(whole, Whole { rate: 0.5, steps: 3 });
}

#[test]
fn a_transparent_struct_is_its_field() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(transparent)]
    struct Weight(Vec<f32>);
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        weight: Weight,
        list: Vec<Weight>,
    }
    let model = Model { weight: Weight(vec![1.0]), list: vec![Weight(vec![2.0])] };
    assert_eq!(listing_of(&model), ["weight: float32[1]", "list: Group of 1", "  list.0: float32[1]"]);
    assert_eq!(reloaded(&model), model);
}

#[test]
fn flattened_fields_are_among_those_around_them() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Inner {
        bias: [f32; 1],
        rate: f64,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Block {
        weight: [f32; 1],
        #[hurray(flatten)]
        inner: Inner,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        #[hurray(flatten)]
        root: Inner,
        block: Block,
    }
    let inner = |value| Inner { bias: [value], rate: 0.5 };
    let model = Model { root: inner(1.0), block: Block { weight: [2.0], inner: inner(3.0) } };
    assert_eq!(
        listing_of(&model),
        [
            "bias: float32[1]",
            "block: Group of 2",
            "  block.weight: float32[1]",
            "  block.bias: float32[1]",
            "rate = float64 0.5",
            "block.rate = float64 0.5",
        ]
    );
    assert_eq!(reloaded(&model), model);
}

#[test]
fn conversions_put_another_type_into_the_file() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone)]
    #[hurray(try_from = "u32", into = "u32")]
    struct Even(u32);
    impl From<Even> for u32 {
        fn from(even: Even) -> Self {
            even.0
        }
    }
    impl TryFrom<u32> for Even {
        type Error = String;
        fn try_from(number: u32) -> Result<Self, String> {
            if number.is_multiple_of(2) { Ok(Self(number)) } else { Err(format!("{number} is odd")) }
        }
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        even: Even,
    }
    let model = Model { even: Even(4) };
    assert_eq!(listing_of(&model), ["even = uint64 4"]);
    assert_eq!(reloaded(&model), model);
    let report = report_of::<Model>(&file_of(&Model { even: Even(3) }));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path, &*problem.found), (ProblemKind::Refused, "even", "3 is odd"));
}

mod as_text {
    use super::{HurrayLoad, HurraySave, Loader, ProblemKind, Reported, SaveError, Saver};
    use std::net::Ipv4Addr;

    pub(super) fn save<'s>(address: &'s Ipv4Addr, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        saver.kv(address.to_string().into())
    }

    pub(super) fn load(mut loader: Loader<'_, '_>) -> Result<Ipv4Addr, Reported> {
        let text = String::load(loader.by_ref())?;
        text.parse().map_err(|error: std::net::AddrParseError| {
            loader.problem(hurray::Problem::new(ProblemKind::Refused, "an address", error.to_string()))
        })
    }

    #[expect(dead_code, reason = "the trait is in scope as it is for a user")]
    fn saves<T: HurraySave>() {}
}

#[test]
fn functions_of_the_users_save_and_load_a_field() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        #[hurray(with = "as_text")]
        address: std::net::Ipv4Addr,
    }
    let model = Model { address: std::net::Ipv4Addr::LOCALHOST };
    assert_eq!(listing_of(&model), ["address = utf8 \"127.0.0.1\""]);
    assert_eq!(reloaded(&model), model);

    #[derive(HurraySave)]
    struct Wrong {
        address: String,
    }
    let report = report_of::<Model>(&file_of(&Wrong { address: "here".into() }));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Refused, "address"));
}

#[test]
fn checks_of_the_users_are_part_of_the_report() {
    fn positive(value: &f64) -> Result<(), String> {
        if *value > 0.0 { Ok(()) } else { Err(format!("{value} is not positive")) }
    }
    fn ordered(model: &Model) -> Result<(), &'static str> {
        if model.low < model.high { Ok(()) } else { Err("`low` is not below `high`") }
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(validate = "ordered")]
    struct Model {
        #[hurray(validate = "positive")]
        low: f64,
        high: f64,
    }
    let model = Model { low: 1.0, high: 2.0 };
    assert_eq!(reloaded(&model), model);
    let report = report_of::<Model>(&file_of(&Model { low: -1.0, high: 2.0 }));
    assert!(report.to_string().contains("-1 is not positive"), "{report}");
    assert_eq!(report.problems()[0].path, "low");
    let report = report_of::<Model>(&file_of(&Model { low: 3.0, high: 2.0 }));
    assert!(report.to_string().contains("`low` is not below `high`"), "{report}");
}

#[test]
fn bounds_and_the_crate_path_can_be_said() {
    #[derive(HurraySave, HurrayLoad)]
    #[hurray(crate = hurray)]
    #[hurray(bound(save = "T: hurray::Element", load = "T: hurray::Element"))]
    struct Model<T> {
        weight: Tensor<T>,
    }
    let model = Model { weight: Tensor::from_vec(vec![1i64, 2], &[2]).unwrap() };
    assert_eq!(reloaded(&model).weight, model.weight);
}
