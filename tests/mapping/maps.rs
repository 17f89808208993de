//! Maps: keys as names, with their escapes.

use std::collections::{BTreeMap, HashMap};

use hurray::{HurrayLoad, HurraySave, ProblemKind, Tensor};
use hurray_tests::{file_of, listing_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Layer {
    weight: [f32; 1],
}

#[derive(HurraySave, HurrayLoad, Debug, Clone, PartialEq)]
struct Model<T> {
    map: T,
}

fn map<T>(items: impl IntoIterator<Item = (&'static str, T)>) -> Model<BTreeMap<String, T>> {
    Model { map: items.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }
}

const KEYS: [&str; 14] =
    ["", "%", "%25", ".", "a", "a.b", "a%2Eb", "a-b", "é", "e\u{301}", "0", "a\0b", "/abs", "hurray"];

#[test]
fn keys_are_escaped_and_come_back() {
    let model = map(KEYS.map(|key| (key, Layer { weight: [key.len() as f32] })));
    let names: Vec<String> =
        listing_of(&model).into_iter().filter(|line| line.starts_with("  map")).collect();
    assert_eq!(names[0], "  map.%: Group of 1");
    assert!(names.contains(&"  map.%25: Group of 1".to_owned()));
    assert!(names.contains(&"  map.%2525: Group of 1".to_owned()));
    assert!(names.contains(&"  map.%2E: Group of 1".to_owned()));
    assert!(names.contains(&"  map.a%2Eb: Group of 1".to_owned()));
    assert!(names.contains(&"  map.a%252Eb: Group of 1".to_owned()));
    assert_eq!(reloaded(&model), model);
}

#[test]
fn keys_of_every_kind_of_value_come_back() {
    let model = map(KEYS.map(|key| (key, vec![key.len() as u8])));
    assert_eq!(reloaded(&model), model);
    let model = map(KEYS.map(|key| (key, key.len())));
    assert_eq!(reloaded(&model), model);
    let model = map(KEYS.map(|key| (key, ())));
    assert_eq!(reloaded(&model), model);
    let model = map(KEYS.map(|key| (key, (key.len() > 1).then_some(Layer { weight: [1.0] }))));
    assert_eq!(reloaded(&model), model);
    let model = map(KEYS.map(|key| (key, vec![Layer { weight: [1.0] }; key.len() % 3])));
    assert_eq!(reloaded(&model), model);
    let model = map(KEYS.map(|key| (key, Tensor::from_vec(vec![1i16], &[]).unwrap())));
    assert_eq!(reloaded(&model), model);
}

#[test]
fn values_without_members_write_their_keys() {
    assert_eq!(
        listing_of(&map([("a.b", 1u32), ("c", 2)])),
        [
            "map: Group of 0",
            "map.a%2Eb = uint64 1",
            "map.c = uint64 2",
            "hurray.keys.map = utf8 [\"a.b\", \"c\"]",
        ]
    );
    let model = map([("a", None), ("b", Some(vec![1.0f32]))]);
    assert_eq!(
        listing_of(&model),
        ["map: Group of 1", "  map.b: float32[1]", "hurray.keys.map = utf8 [\"a\", \"b\"]"]
    );
}

#[test]
fn empty_maps_are_not_missing_ones() {
    let empty: Model<BTreeMap<String, Layer>> = map([]);
    assert_eq!(listing_of(&empty), ["map: Group of 0"]);
    assert_eq!(reloaded(&empty), empty);
    let report = report_of::<Model<BTreeMap<String, Layer>>>(&file_of(&()));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Missing, "map"));
}

#[test]
fn maps_nest() {
    let model = Model { map: map([("x", map([("a.b", [1u8])]).map), ("y.z", map([]).map)]).map };
    assert_eq!(
        listing_of(&model),
        ["map: Group of 2", "  map.x: Group of 1", "    map.x.a%2Eb: uint8[1]", "  map.y%2Ez: Group of 0"]
    );
    assert_eq!(reloaded(&model), model);
}

#[test]
fn the_order_of_a_hash_map_is_that_of_its_keys() {
    let items = || (0..50).map(|index| (format!("k{index}"), Layer { weight: [index as f32] }));
    let forward: HashMap<String, Layer> = items().collect();
    let backward: HashMap<String, Layer> = items().rev().collect();
    let sorted: BTreeMap<String, Layer> = items().collect();
    let bytes = hurray::to_bytes(&Model { map: forward.clone() }).unwrap();
    assert_eq!(bytes, hurray::to_bytes(&Model { map: backward }).unwrap());
    assert_eq!(bytes, hurray::to_bytes(&Model { map: sorted }).unwrap());
    assert_eq!(reloaded(&Model { map: forward.clone() }).map, forward);
}

#[test]
fn a_hasher_of_the_users_is_kept() {
    #[derive(Default, Clone, Debug)]
    struct Build;
    impl std::hash::BuildHasher for Build {
        type Hasher = std::hash::DefaultHasher;
        fn build_hasher(&self) -> Self::Hasher {
            Self::Hasher::new()
        }
    }
    let map: HashMap<String, Vec<u8>, Build> = [("a".to_owned(), vec![1])].into_iter().collect();
    assert_eq!(reloaded(&Model { map: map.clone() }).map, map);
}

#[test]
fn keys_that_sort_between_a_name_and_its_members_do_not_split_it() {
    // `-` sorts before `.`: in order of names, `a-b` lies between `a` and `a.weight`.
    let model = map([
        ("a", Layer { weight: [1.0] }),
        ("a-b", Layer { weight: [2.0] }),
        ("a b", Layer { weight: [3.0] }),
    ]);
    assert_eq!(reloaded(&model), model);
}
