//! Round trips over random tensors and models, and random damage to files.

use std::collections::{BTreeMap, HashMap};

use half::{bf16, f16};
use hurray::{Element, File, HurrayLoad, HurraySave, OpenOptions, Tensor, TensorView};
use hurray_tests::{Patch, file_of, reloaded};
use proptest::prelude::*;

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone)]
struct Field<T> {
    field: T,
}

/// Shapes of rank 0 to 8 with at most a few thousand elements; empty and size-1 dimensions are frequent.
fn shapes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![1 => Just(0), 3 => Just(1), 6 => 2usize..5], 0..=8)
        .prop_filter("small", |shape| shape.iter().product::<usize>() <= 4096)
}

/// Elements by their bit patterns, NaNs with a payload among them; compared as bytes.
fn same_bytes<T: Element>(left: &[T], right: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(left) == bytemuck::cast_slice::<T, u8>(right)
}

fn pattern<T: Element>(count: usize, seed: u64) -> Vec<T> {
    let bytes = count * size_of::<T>();
    let mut state = seed;
    let random: Vec<u8> = (0..bytes)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state.to_le_bytes()[7]
        })
        .collect();
    bytemuck::pod_collect_to_vec(&random)
}

fn tensor_round_trip<T: Element>(shape: &[usize], seed: u64) -> Result<(), TestCaseError> {
    let data: Vec<T> = pattern(shape.iter().product(), seed);
    let view = TensorView::from_slice(&data, shape).unwrap();
    let file = file_of(&Field { field: view });
    let loaded: Field<TensorView<'_, T>> = file.load().unwrap();
    prop_assert_eq!(loaded.field.shape(), shape);
    let slice = loaded.field.as_slice().unwrap();
    prop_assert!(same_bytes(slice, &data));
    prop_assert!(slice.as_ptr().is_aligned());
    let owned: Field<Tensor<T>> = file.load().unwrap();
    prop_assert!(same_bytes(&owned.field.to_vec(), &data));
    Ok(())
}

/// Shape, strides and origin of a view into `data`: any permutation, steps, and reversed axes.
fn strided() -> impl Strategy<Value = (Vec<usize>, Vec<isize>, usize, usize)> {
    let axis = (0usize..4, 1usize..4, any::<bool>(), any::<u32>(), prop::bool::weighted(0.1));
    prop::collection::vec(axis, 0..5).prop_map(|axes| {
        let mut order: Vec<usize> = (0..axes.len()).collect();
        order.sort_by_key(|axis| axes[*axis].3);
        let (mut strides, mut origin, mut unit) = (vec![0isize; axes.len()], 0usize, 1usize);
        for axis in order {
            let (dim, step, is_reversed, _, is_broadcast) = axes[axis];
            if is_broadcast {
                continue;
            }
            let stride = unit * step;
            if is_reversed {
                origin += dim.saturating_sub(1) * stride;
                strides[axis] = -stride.cast_signed();
            } else {
                strides[axis] = stride.cast_signed();
            }
            unit = stride * dim.max(1);
        }
        (axes.iter().map(|axis| axis.0).collect(), strides, origin, unit)
    })
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone)]
struct Node {
    weight: Option<Vec<i16>>,
    bits: Vec<bool>,
    name: String,
    rate: f64,
    kind: Kind,
    kids: Vec<Option<Node>>,
    named: BTreeMap<String, Node>,
    table: HashMap<String, u32>,
    pair: (Option<()>, Option<Option<u8>>),
    fixed: [Vec<u8>; 2],
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone)]
enum Kind {
    Relu,
    #[hurray(rename = " a.b%")]
    OddlyNamed,
}

fn keys() -> impl Strategy<Value = String> {
    prop_oneof![".{0,6}", "[.%25E]{0,5}", "[ab]{1,2}", Just("hurray".to_owned())]
}

fn nodes() -> impl Strategy<Value = Node> {
    let parts = || {
        (
            prop::option::of(prop::collection::vec(any::<i16>(), 0..5)),
            prop::collection::vec(any::<bool>(), 0..20),
            ".{0,8}",
            -1e300..1e300f64,
            prop_oneof![Just(Kind::Relu), Just(Kind::OddlyNamed)],
            prop::collection::hash_map(keys(), any::<u32>(), 0..3),
            (prop::option::of(Just(())), prop::option::of(prop::option::of(any::<u8>()))),
            [prop::collection::vec(any::<u8>(), 0..3), prop::collection::vec(any::<u8>(), 0..3)],
        )
    };
    let node = |(weight, bits, name, rate, kind, table, pair, fixed), kids, named| Node {
        weight,
        bits,
        name,
        rate,
        kind,
        kids,
        named,
        table,
        pair,
        fixed,
    };
    let leaf = parts().prop_map(move |parts| node(parts, Vec::new(), BTreeMap::new()));
    leaf.prop_recursive(10, 24, 3, move |inner| {
        let kids = prop::collection::vec(prop::option::of(inner.clone()), 0..3);
        let named = prop::collection::btree_map(keys(), inner, 0..3);
        (parts(), kids, named).prop_map(move |(parts, kids, named)| node(parts, kids, named))
    })
}

/// Every rule of the format that can be checked without a model.
fn is_valid(bytes: &[u8]) -> bool {
    OpenOptions::new().validate_descriptors(true).validate_data(true).copy_from_slice(bytes).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn tensors_of_any_type_and_shape_come_back(shape in shapes(), seed: u64) {
        tensor_round_trip::<f16>(&shape, seed)?;
        tensor_round_trip::<bf16>(&shape, seed)?;
        tensor_round_trip::<f32>(&shape, seed)?;
        tensor_round_trip::<f64>(&shape, seed)?;
        tensor_round_trip::<i8>(&shape, seed)?;
        tensor_round_trip::<u8>(&shape, seed)?;
        tensor_round_trip::<i16>(&shape, seed)?;
        tensor_round_trip::<u16>(&shape, seed)?;
        tensor_round_trip::<i32>(&shape, seed)?;
        tensor_round_trip::<u32>(&shape, seed)?;
        tensor_round_trip::<i64>(&shape, seed)?;
        tensor_round_trip::<u64>(&shape, seed)?;
    }

    #[test]
    fn strided_views_come_back_by_index((shape, strides, origin, reach) in strided(), seed: u64) {
        let data: Vec<u32> = pattern(origin + reach, seed);
        let view = TensorView::from_strided(&data, origin, &shape, &strides).unwrap();
        let file = file_of(&Field { field: view });
        let loaded: Field<TensorView<'_, u32>> = file.load().unwrap();
        prop_assert_eq!(loaded.field.shape(), &shape[..]);
        prop_assert!(loaded.field.iter().eq(view.iter()));
        prop_assert!(loaded.field.as_slice().is_some(), "stored in row-major order");
    }

    #[test]
    fn models_come_back_and_keep_the_rules(node in nodes()) {
        let bytes = hurray::to_bytes(&node).unwrap();
        prop_assert!(is_valid(&bytes));
        prop_assert_eq!(hurray::to_bytes(&node.clone()).unwrap(), bytes, "the same model, the same bytes");
        prop_assert_eq!(&reloaded(&node), &node);
    }

    #[test]
    fn models_under_other_names_come_back(nodes in prop::collection::btree_map(keys(), nodes(), 0..3)) {
        // At the root, one key is the library's.
        let is_reserved = nodes.contains_key("hurray");
        match hurray::to_bytes(&nodes) {
            Err(error) => prop_assert!(is_reserved, "{}", error),
            Ok(_) => prop_assert_eq!(reloaded(&nodes), nodes),
        }
    }

    #[test]
    fn damaged_files_never_panic(
        node in nodes(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        is_sealed: bool,
    ) {
        let mut bytes = hurray::to_bytes(&node).unwrap();
        // Nearly all bytes of a small file are padding: aim at the others.
        let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0 || *at > bytes.len() - 400).collect();
        for (index, value) in damage {
            let at = *index.get(&places);
            bytes[at] = value;
        }
        if is_sealed {
            bytes = Patch::of(&bytes).sealed();
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        for options in [OpenOptions::new(), OpenOptions::new().permissive()] {
            if let Ok(file) = options.clone().copy_from_slice(&bytes) {
                let _ = file.load::<Node>().map_err(|error| error.to_string());
                let _ = file.load::<BTreeMap<String, Tensor<i16>>>();
                let _ = file.composites().map_err(|error| error.to_string());
                for entry in file.tensors() {
                    let _ = entry.view::<i16>().map(|view| view.to_vec());
                    let _ = entry.buffers();
                }
            }
            let _ = options.validate_descriptors(true).validate_data(true).copy_from_slice(&bytes);
        }
        let _ = File::from_vec(bytes);
    }
}
