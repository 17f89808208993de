//! What a field's attributes say reaches the tensor, however many types without a name of their own lie between.

use std::sync::Arc;

use hurray::{ElementType, HurrayLoad, HurraySave, SaveError, Tensor};
use hurray_tests::{file_of, reloaded, report_of};

fn tensor(values: &[f32], shape: &[usize]) -> Tensor<f32> {
    Tensor::from_vec(values.to_vec(), shape).unwrap()
}

/// Lies in the file as the tensor that it holds.
#[derive(HurraySave, HurrayLoad, Clone, Debug, PartialEq)]
#[hurray(from = "Tensor<f32>", into = "Tensor<f32>")]
struct Unit(Tensor<f32>);

impl From<Tensor<f32>> for Unit {
    fn from(tensor: Tensor<f32>) -> Self {
        Self(tensor)
    }
}

impl From<Unit> for Tensor<f32> {
    fn from(unit: Unit) -> Self {
        unit.0
    }
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Shaped {
    #[hurray(shape = [2, width])]
    first: Unit,
    #[hurray(shape = [width])]
    second: Tensor<f32>,
}

#[test]
fn a_shape_holds_for_a_type_that_is_saved_into_another() {
    let fits = Shaped { first: Unit(tensor(&[1.0; 6], &[2, 3])), second: tensor(&[1.0; 3], &[3]) };
    assert_eq!(reloaded(&fits), fits);
    let other = Shaped { first: Unit(tensor(&[1.0; 6], &[3, 2])), second: tensor(&[1.0; 2], &[2]) };
    let error = hurray::to_bytes(&other).unwrap_err();
    assert!(matches!(&error, SaveError::Shape { path, .. } if &**path == "first"), "{error}");
    // Names stand for one size on both sides of the conversion.
    let disagrees = Shaped { first: Unit(tensor(&[1.0; 6], &[2, 3])), second: tensor(&[1.0; 2], &[2]) };
    let error = hurray::to_bytes(&disagrees).unwrap_err();
    assert!(matches!(&error, SaveError::Shape { path, .. } if &**path == "second"), "{error}");
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Halved {
    #[hurray(element_type = "float16", align = 4096)]
    weight: Unit,
}

#[test]
fn an_element_type_and_an_alignment_hold_for_a_type_that_is_saved_into_another() {
    let model = Halved { weight: Unit(tensor(&[0.5, 2.0], &[2])) };
    let file = file_of(&model);
    let descriptor = file.tensor("weight").unwrap().descriptor().unwrap();
    assert_eq!(descriptor.element_type(), ElementType::Float16);
    assert_eq!(file.load::<Halved>().unwrap(), model);
}

#[derive(HurraySave, HurrayLoad, Clone, Debug, PartialEq)]
#[hurray(from = "Pair", into = "Pair")]
struct Two(Pair);

#[derive(HurraySave, HurrayLoad, Clone, Debug, PartialEq)]
struct Pair {
    #[hurray(shape = [1])]
    left: Tensor<f32>,
}

impl From<Pair> for Two {
    fn from(pair: Pair) -> Self {
        Self(pair)
    }
}

impl From<Two> for Pair {
    fn from(two: Two) -> Self {
        two.0
    }
}

#[derive(HurraySave)]
struct RuleOnAGroup {
    #[hurray(shape = [1])]
    two: Two,
}

#[test]
fn a_rule_on_a_group_is_refused_although_a_field_inside_has_one_that_holds() {
    let model = RuleOnAGroup { two: Two(Pair { left: tensor(&[1.0], &[1]) }) };
    let error = hurray::to_bytes(&model).unwrap_err();
    assert!(matches!(&error, SaveError::NoTensor { path } if &**path == "two"), "{error}");
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Layer {
    Dense(#[hurray(shape = [2])] Tensor<f32>),
    Plain(Tensor<f32>),
    None,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct RuleOnAnEnum {
    #[hurray(shape = [3])]
    layer: Layer,
}

#[test]
fn a_rule_goes_through_a_newtype_variant_and_two_are_refused() {
    let plain = |length| RuleOnAnEnum { layer: Layer::Plain(tensor(&vec![1.0; length], &[length])) };
    assert_eq!(reloaded(&plain(3)), plain(3));
    assert!(matches!(hurray::to_bytes(&plain(2)), Err(SaveError::Shape { .. })));
    let both = RuleOnAnEnum { layer: Layer::Dense(tensor(&[1.0; 2], &[2])) };
    let error = hurray::to_bytes(&both).unwrap_err();
    let SaveError::Refused { path, source } = error else { panic!("{error}") };
    assert_eq!(&*path, "layer");
    assert!(source.to_string().contains("the variant's field"), "{source}");
    let unit = hurray::to_bytes(&RuleOnAnEnum { layer: Layer::None }).unwrap_err();
    assert!(matches!(unit, SaveError::NoTensor { .. }), "{unit}");

    #[derive(HurraySave)]
    struct Without {
        layer: Layer,
    }
    let report = report_of::<RuleOnAnEnum>(&file_of(&Without { layer: Layer::None }));
    assert_eq!(report.problem_count(), 1, "{report}");
    let report =
        report_of::<RuleOnAnEnum>(&file_of(&Without { layer: Layer::Dense(tensor(&[1.0; 2], &[2])) }));
    assert!(report.to_string().contains("the variant's field"), "{report}");
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Shared {
    first: Arc<Tensor<f32>>,
    #[hurray(shape = [2])]
    second: Arc<Tensor<f32>>,
}

#[test]
fn the_shape_of_a_second_name_is_checked_by_the_save() {
    let fits = Arc::new(tensor(&[1.0; 2], &[2]));
    let model = Shared { first: Arc::clone(&fits), second: fits };
    assert_eq!(reloaded(&model), model);
    let other = Arc::new(tensor(&[1.0; 3], &[3]));
    let error = hurray::to_bytes(&Shared { first: Arc::clone(&other), second: other }).unwrap_err();
    assert!(matches!(&error, SaveError::Shape { path, .. } if &**path == "second"), "{error}");
}

/// The table, and what is another name of it inside a stand-in and inside a variant.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Tied {
    table: Tensor<f32>,
    head: Head,
    decoder: Decoder,
}

#[derive(HurraySave, HurrayLoad, Clone, Debug, PartialEq)]
#[hurray(from = "HeadInFile", into = "HeadInFile")]
struct Head(Vec<f32>);

#[derive(HurraySave, HurrayLoad)]
struct HeadInFile {
    #[hurray(tied = "table")]
    weight: Tensor<f32>,
}

impl From<HeadInFile> for Head {
    fn from(head: HeadInFile) -> Self {
        Self(head.weight.to_vec())
    }
}

impl From<Head> for HeadInFile {
    fn from(head: Head) -> Self {
        let length = head.0.len();
        Self { weight: Tensor::from_vec(head.0, &[length]).unwrap() }
    }
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Decoder {
    Shared(#[hurray(tied = "table")] Tensor<f32>),
    Named {
        #[hurray(tied = "table")]
        weight: Tensor<f32>,
    },
}

#[test]
fn a_tie_holds_inside_a_stand_in_and_inside_a_variant() {
    let table = || tensor(&[1.0, 2.0], &[2]);
    for decoder in [Decoder::Shared(table()), Decoder::Named { weight: table() }] {
        let model = Tied { table: table(), head: Head(vec![1.0, 2.0]), decoder };
        let file = file_of(&model);
        let with_data: Vec<_> = file
            .tensors()
            .filter(|entry| entry.data_length() > 0)
            .map(|entry| entry.name().to_owned())
            .collect();
        assert_eq!(with_data, ["table"]);
        assert_eq!(file.load::<Tied>().unwrap(), model);
    }
}

#[test]
fn an_unequal_tie_is_refused_inside_a_stand_in_and_inside_a_variant() {
    let table = || tensor(&[1.0, 2.0], &[2]);
    let head = Tied { table: table(), head: Head(vec![1.0, 3.0]), decoder: Decoder::Shared(table()) };
    let error = hurray::to_bytes(&head).unwrap_err();
    assert!(matches!(&error, SaveError::Tie { path, .. } if &**path == "head.weight"), "{error}");
    let other = tensor(&[0.0, 0.0], &[2]);
    let decoder = Tied { table: table(), head: Head(vec![1.0, 2.0]), decoder: Decoder::Shared(other) };
    let error = hurray::to_bytes(&decoder).unwrap_err();
    assert!(matches!(&error, SaveError::Tie { path, .. } if &**path == "decoder"), "{error}");
}

/// A tied group with a tied field inside: both are held against what is stored.
#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Outer {
    table: Tensor<f32>,
    first: Inner,
    #[hurray(tied = "first")]
    second: Inner,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Inner {
    bias: Tensor<f32>,
    #[hurray(tied = "table")]
    weight: Tensor<f32>,
}

#[test]
fn a_tie_inside_a_tied_group_is_checked_too() {
    let inner = |weight: f32| Inner { bias: tensor(&[1.0], &[1]), weight: tensor(&[weight], &[1]) };
    let model = Outer { table: tensor(&[5.0], &[1]), first: inner(5.0), second: inner(5.0) };
    assert_eq!(reloaded(&model), model);
    let model = Outer { table: tensor(&[5.0], &[1]), first: inner(5.0), second: inner(6.0) };
    let error = hurray::to_bytes(&model).unwrap_err();
    assert!(matches!(&error, SaveError::Tie { path, .. } if &**path == "second.weight"), "{error}");
}
