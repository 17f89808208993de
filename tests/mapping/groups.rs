//! Structs, tuples and arrays of structs: heads, members, names, order.

use std::collections::{BTreeMap, HashMap, VecDeque};

use hurray::{HurrayLoad, HurraySave, SaveError, Tensor};
use hurray_tests::{listing_of, reloaded};

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Linear {
    weight: [[f32; 2]; 1],
    bias: [f32; 1],
}

fn linear(value: f32) -> Linear {
    Linear { weight: [[value, value + 0.5]], bias: [-value] }
}

#[test]
fn the_root_has_no_head_and_heads_stand_before_their_members() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Block {
        gain: Vec<f64>,
        inner: Linear,
        shift: Vec<f64>,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Net {
        zeta: Linear,
        epochs: u32,
        block: Block,
        alpha: [i8; 3],
    }
    let net = Net {
        zeta: linear(1.0),
        epochs: 7,
        block: Block { gain: vec![1.0], inner: linear(2.0), shift: vec![] },
        alpha: [1, 2, 3],
    };
    assert_eq!(
        listing_of(&net),
        [
            "zeta: Group of 2",
            "  zeta.weight: float32[1, 2]",
            "  zeta.bias: float32[1]",
            "block: Group of 3",
            "  block.gain: float64[1]",
            "  block.inner: Group of 2",
            "    block.inner.weight: float32[1, 2]",
            "    block.inner.bias: float32[1]",
            "  block.shift: float64[0]",
            "alpha: int8[3]",
            "epochs = uint64 7",
        ]
    );
    assert_eq!(reloaded(&net), net);
}

#[test]
fn every_container_of_structs_is_a_group() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Pair(Linear, [u8; 1]);
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct All {
        list: Vec<Linear>,
        deque: VecDeque<Linear>,
        array: [Linear; 1],
        boxed: Box<[Linear]>,
        map: BTreeMap<String, Linear>,
        hashed: HashMap<String, Linear>,
        tuple: (Linear, [u8; 2]),
        pair: Pair,
    }
    let all = All {
        list: vec![linear(1.0)],
        deque: VecDeque::from([linear(2.0)]),
        array: [linear(3.0)],
        boxed: Box::new([linear(4.0)]),
        map: BTreeMap::from([("m".into(), linear(5.0))]),
        hashed: HashMap::from([("h".into(), linear(6.0))]),
        tuple: (linear(7.0), [1, 2]),
        pair: Pair(linear(8.0), [3]),
    };
    let heads: Vec<String> = listing_of(&all)
        .into_iter()
        .filter(|line| line.contains("Group") || line.contains("uint8"))
        .collect();
    assert_eq!(
        heads,
        [
            "list: Group of 1",
            "  list.0: Group of 2",
            "deque: Group of 1",
            "  deque.0: Group of 2",
            "array: Group of 1",
            "  array.0: Group of 2",
            "boxed: Group of 1",
            "  boxed.0: Group of 2",
            "map: Group of 1",
            "  map.m: Group of 2",
            "hashed: Group of 1",
            "  hashed.h: Group of 2",
            "tuple: Group of 2",
            "  tuple.0: Group of 2",
            "  tuple.1: uint8[2]",
            "pair: Group of 2",
            "  pair.0: Group of 2",
            "  pair.1: uint8[1]",
        ]
    );
    assert_eq!(reloaded(&all), all);
}

#[test]
fn wrappers_leave_no_trace() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Wrapped {
        boxed: Box<Linear>,
        shared: std::sync::Arc<Linear>,
        counted: std::rc::Rc<Linear>,
        cow: std::borrow::Cow<'static, Linear>,
    }
    let wrapped = Wrapped {
        boxed: Box::new(linear(1.0)),
        shared: linear(2.0).into(),
        counted: linear(3.0).into(),
        cow: std::borrow::Cow::Owned(linear(4.0)),
    };
    let lines = listing_of(&wrapped);
    assert_eq!(lines[0], "boxed: Group of 2");
    assert_eq!(lines[3], "shared: Group of 2");
    assert_eq!(lines[6], "counted: Group of 2");
    assert_eq!(lines[9], "cow: Group of 2");
    assert_eq!(lines.len(), 12);
    assert_eq!(reloaded(&wrapped), wrapped);
}

#[test]
fn roots_that_are_maps_and_sequences_name_their_values_directly() {
    let dict = BTreeMap::from([("b".to_owned(), vec![1.0f32]), ("a".to_owned(), vec![])]);
    assert_eq!(listing_of(&dict), ["a: float32[0]", "b: float32[1]"]);
    assert_eq!(reloaded(&dict), dict);

    let layers = vec![linear(1.0), linear(2.0)];
    assert_eq!(listing_of(&layers)[..2], ["0: Group of 2", "  0.weight: float32[1, 2]"]);
    assert_eq!(reloaded(&layers), layers);

    let names: BTreeMap<String, String> = BTreeMap::from([("x".into(), "y".into())]);
    assert_eq!(reloaded(&names), names);

    assert_eq!(reloaded(&Vec::<Linear>::new()), []);
    assert_eq!(reloaded(&BTreeMap::<String, Linear>::new()), BTreeMap::new());
}

#[test]
fn a_root_without_fields_of_its_own_is_refused() {
    #[derive(HurraySave)]
    enum Kind {
        Relu,
    }
    let tensor = Tensor::from_vec(vec![1.0f32], &[1]).unwrap();
    assert!(matches!(hurray::to_bytes(&tensor), Err(SaveError::Root { .. })));
    assert!(matches!(hurray::to_bytes(&vec![1.0f32]), Err(SaveError::Root { .. })));
    assert!(matches!(hurray::to_bytes(&[1u8, 2]), Err(SaveError::Root { .. })));
    assert!(matches!(hurray::to_bytes(&7u32), Err(SaveError::Root { .. })));
    assert!(matches!(hurray::to_bytes("text"), Err(SaveError::Root { .. })));
    assert!(matches!(hurray::to_bytes(&Kind::Relu), Err(SaveError::Root { .. })));
}

#[test]
fn a_struct_of_entries_only_has_a_head_unless_it_is_metadata() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Plain {
        rate: f64,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    #[hurray(metadata)]
    struct Config {
        rate: f64,
        names: Vec<String>,
        nested: Nested,
        maybe: Option<u32>,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Nested {
        steps: usize,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Unit;
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Model {
        plain: Plain,
        config: Config,
        unit: Unit,
    }
    let model = Model {
        plain: Plain { rate: 0.5 },
        config: Config { rate: 0.25, names: vec!["a".into()], nested: Nested { steps: 3 }, maybe: None },
        unit: Unit,
    };
    assert_eq!(
        listing_of(&model),
        [
            "plain: Group of 0",
            "unit: Group of 0",
            "plain.rate = float64 0.5",
            "config.rate = float64 0.25",
            "config.names = utf8 [\"a\"]",
            "config.nested.steps = uint64 3",
        ]
    );
    assert_eq!(reloaded(&model), model);
}

#[test]
fn a_tensor_inside_metadata_is_refused() {
    #[derive(HurraySave)]
    #[hurray(metadata)]
    struct Config {
        table: Vec<f32>,
    }
    #[derive(HurraySave)]
    struct Model {
        config: Config,
    }
    let error = hurray::to_bytes(&Model { config: Config { table: vec![1.0] } }).unwrap_err();
    assert!(matches!(&error, SaveError::TensorInMetadata { path } if &**path == "config.table"), "{error}");
}

#[test]
fn entries_of_different_fields_may_not_have_one_name() {
    #[derive(HurraySave)]
    struct Inner {
        b: [f32; 1],
    }
    #[derive(HurraySave)]
    struct Model {
        a: Inner,
        #[hurray(rename = "a.b")]
        other: [f32; 1],
    }
    let error = hurray::to_bytes(&Model { a: Inner { b: [1.0] }, other: [2.0] }).unwrap_err();
    assert!(matches!(&error, SaveError::Collision { name, .. } if &**name == "a.b"), "{error}");
}

#[test]
fn the_root_name_hurray_is_reserved() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Inner {
        hurray: [u8; 1],
    }
    #[derive(HurraySave)]
    struct Reserved {
        hurray: [u8; 1],
    }
    #[derive(HurraySave)]
    struct Dotted {
        #[hurray(rename = "hurray.seq.x")]
        x: u32,
    }
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Deeper {
        inner: Inner,
        hurray_: [u8; 1],
    }
    let refused = |error| matches!(error, SaveError::Name { .. });
    assert!(refused(hurray::to_bytes(&Reserved { hurray: [1] }).unwrap_err()));
    assert!(refused(hurray::to_bytes(&Dotted { x: 1 }).unwrap_err()));
    let map = BTreeMap::from([("hurray".to_owned(), [1u8])]);
    assert!(refused(hurray::to_bytes(&map).unwrap_err()));
    let deeper = Deeper { inner: Inner { hurray: [1] }, hurray_: [2] };
    assert_eq!(reloaded(&deeper), deeper);
}
