//! Every layout against the formulas of FORMAT §5, written here as directly as possible.

use proptest::prelude::*;

use super::index;
use super::values::logical_values;
use super::*;
use crate::descriptor::{KvRole, Layout, TileOrder, Tiled as TiledLayout};
use crate::element::{Bool, F6E2M3, I4, Stored, U2};

/// Shapes up to rank 5, with empty dimensions and such of size 1.
pub(super) fn shapes(ranks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(prop_oneof![1 => Just(0_usize), 3 => Just(1), 12 => 2..7_usize], ranks)
}

/// Distinct bytes, so that a swapped element is seen.
fn numbers(shape: &[usize]) -> Vec<u16> {
    (0..index::element_count(shape)).map(|i| i as u16 + 1).collect()
}

fn pattern<T: Stored>(shape: &[usize], seed: u64, of: impl Fn(u64) -> T::Value) -> Vec<T::Value> {
    let mut state = seed | 1;
    (0..index::element_count(shape))
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            of(state >> 33)
        })
        .collect()
}

fn row_major(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |offset, (i, n)| offset * n + i)
}

fn column_major(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).rev().fold(0, |offset, (i, n)| offset * n + i)
}

fn ordered(order: &TileOrder, index: &[usize], shape: &[usize]) -> i64 {
    match order {
        TileOrder::RowMajor => row_major(index, shape) as i64,
        TileOrder::ColumnMajor => column_major(index, shape) as i64,
        TileOrder::Strided(strides) => index.iter().zip(strides).map(|(&i, s)| i as i64 * s).sum(),
        TileOrder::Tiled(inner) => tiled_offset(inner, index, shape),
    }
}

/// FORMAT §5.4.
fn tiled_offset(layout: &TiledLayout, index: &[usize], dims: &[usize]) -> i64 {
    let tile: Vec<usize> = layout.tile_shape.iter().map(|t| *t as usize).collect();
    let grid: Vec<usize> = dims.iter().zip(&tile).map(|(d, t)| d.div_ceil(*t)).collect();
    let t: Vec<usize> = index.iter().zip(&tile).map(|(i, t)| i / t).collect();
    let e: Vec<usize> = index.iter().zip(&tile).map(|(i, t)| i % t).collect();
    ordered(&layout.outer, &t, &grid) * tile.iter().product::<usize>() as i64
        + ordered(&layout.inner, &e, &tile)
}

/// FORMAT §5.5.
fn morton_offset(index: &[usize], bits: u32) -> usize {
    let rank = index.len();
    let mut offset = 0;
    for (d, i) in index.iter().enumerate() {
        for b in 0..bits as usize {
            offset |= (i >> b & 1) << (b * rank + d);
        }
    }
    offset
}

/// All elements by index.
fn by_index<V: Copy>(shape: &[usize], get: impl Fn(&[usize]) -> V) -> Vec<V> {
    let mut all = Vec::new();
    index::each(shape, |at| all.push(get(at)));
    all
}

fn check_tiled<T: Stored>(values: &[T::Value], shape: &[usize], layout: &TiledLayout) {
    let tiled = Tiled::<T>::from_dense_as(values, shape, layout.clone()).unwrap();
    let view = tiled.view();
    assert_eq!(view.to_dense().unwrap(), values, "{layout:?}");
    assert_eq!(by_index(shape, |at| view.get(at).unwrap()), values, "{layout:?}");
    if let Some(stored) = view.values() {
        let reference =
            by_index(shape, |at| T::get(stored, tiled_offset(layout, at, shape) as usize).unwrap());
        assert_eq!(reference, values, "{layout:?}");
    }
    assert_eq!(view.get(shape), None);
}

fn order() -> impl Strategy<Value = TileOrder> {
    prop_oneof![
        Just(TileOrder::RowMajor),
        Just(TileOrder::ColumnMajor),
        Just(TileOrder::Strided(Default::default()))
    ]
}

/// Explicit strides that mean the same as column-major order.
fn filled(order: TileOrder, shape: &[usize]) -> TileOrder {
    match order {
        TileOrder::Strided(_) => {
            let strides = (0..shape.len()).map(|k| shape[..k].iter().product::<usize>() as i64);
            TileOrder::Strided(strides.collect())
        }
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn packed_elements_come_back(shape in shapes(0..=5), seed: u64) {
        let bools = pattern::<Bool>(&shape, seed, |x| x & 1 == 1);
        let packed = Packed::<Bool>::from_values(&bools, &shape).unwrap();
        prop_assert_eq!(packed.view().to_vec(), &bools[..]);
        prop_assert_eq!(packed.view().iter().collect::<Vec<_>>(), &bools[..]);
        let sixes = pattern::<F6E2M3>(&shape, seed, |x| (x % 61) as f32 / 8.0 - 3.0);
        let packed = Packed::<F6E2M3>::from_values(&sixes, &shape).unwrap();
        let view = packed.view();
        let back = view.to_vec();
        prop_assert_eq!(by_index(&shape, |at| view.get(at).unwrap()), &back[..]);
        for (given, back) in sixes.iter().zip(back) {
            prop_assert!((given - back).abs() <= 0.25);
        }
    }

    #[test]
    fn tiles_come_back(
        shape in shapes(1..=5), seed: u64, outer in order(), inner in order(), middle in order(),
        inner_tile in proptest::collection::vec(1..3_u64, 5), factor in proptest::collection::vec(1..3_u64, 5),
    ) {
        let rank = shape.len();
        let small: Vec<u64> = inner_tile[..rank].to_vec();
        let large: Vec<u64> = small.iter().zip(&factor).map(|(a, b)| a * b).collect();
        let sizes = |dims: &[u64]| dims.iter().map(|d| *d as usize).collect::<Vec<_>>();
        let grid: Vec<usize> = shape.iter().zip(&large).map(|(d, t)| d.div_ceil(*t as usize)).collect();
        let flat = TiledLayout {
            tile_shape: large.clone().into(),
            outer: filled(outer.clone(), &grid),
            inner: filled(inner.clone(), &sizes(&large)),
        };
        let nested = TiledLayout {
            tile_shape: large.into(),
            outer: filled(outer, &grid),
            inner: TileOrder::Tiled(Box::new(TiledLayout {
                tile_shape: small.clone().into(),
                outer: filled(middle, &sizes(&factor[..rank])),
                inner: filled(inner, &sizes(&small)),
            })),
        };
        for layout in [flat, nested] {
            check_tiled::<u16>(&numbers(&shape), &shape, &layout);
            check_tiled::<I4>(&pattern::<I4>(&shape, seed, |x| (x % 16) as i8 - 8), &shape, &layout);
        }
    }

    #[test]
    fn morton_order_comes_back(shape in shapes(1..=5), seed: u64) {
        let numbers = numbers(&shape);
        let morton = Morton::<u16>::from_dense(&numbers, &shape).unwrap();
        let view = morton.view();
        prop_assert_eq!(view.to_dense().unwrap(), &numbers[..]);
        prop_assert_eq!(by_index(&shape, |at| view.get(at).unwrap()), &numbers[..]);
        let Layout::Morton { bits } = view.descriptor().layout() else { unreachable!() };
        let stored = view.values().unwrap();
        prop_assert_eq!(by_index(&shape, |at| stored[morton_offset(at, bits[0])]), &numbers[..]);
        let twos = pattern::<U2>(&shape, seed, |x| (x & 3) as u8);
        prop_assert_eq!(Morton::<U2>::from_dense(&twos, &shape).unwrap().view().to_dense().unwrap(), twos);
    }

    #[test]
    fn hilbert_order_comes_back(rank in 2..=4_usize, order in 1..=2_u32, seed: u64) {
        let shape = vec![1_usize << order; rank];
        let numbers = numbers(&shape);
        let hilbert = Hilbert::<u16>::from_dense(&numbers, &shape).unwrap();
        let view = hilbert.view();
        prop_assert_eq!(view.to_dense().unwrap(), &numbers[..]);
        prop_assert_eq!(by_index(&shape, |at| view.get(at).unwrap()), &numbers[..]);
        let sixes = pattern::<F6E2M3>(&shape, seed, |x| (x % 16) as f32 / 8.0);
        prop_assert_eq!(Hilbert::<F6E2M3>::from_dense(&sixes, &shape).unwrap().view().to_dense().unwrap(), sixes);
    }

    #[test]
    fn sparse_entries_come_back(shape in shapes(1..=5), seed: u64) {
        let values = pattern::<i32>(&shape, seed, |x| if x % 3 == 0 { x as i32 } else { 0 });
        let bits = pattern::<Bool>(&shape, seed, |x| x % 3 == 0);
        let stored = values.iter().filter(|value| **value != 0).count();
        macro_rules! check {
            ($twin:ident) => {
                let tensor = $twin::<i32>::from_dense(&values, &shape).unwrap();
                let view = tensor.view();
                prop_assert_eq!(view.to_dense().unwrap(), &values[..]);
                prop_assert_eq!(by_index(&shape, |at| view.get(at).unwrap()), &values[..]);
                prop_assert_eq!(view.nnz(), stored);
                let mut scattered = vec![0; values.len()];
                for (at, value) in view.entries().unwrap() {
                    scattered[row_major(&at, &shape)] = value;
                }
                prop_assert_eq!(&scattered[..], &values[..]);
                let packed = $twin::<Bool>::from_dense(&bits, &shape).unwrap();
                prop_assert_eq!(packed.view().to_dense().unwrap(), &bits[..]);
            };
        }
        check!(Coo);
        if shape.len() == 2 {
            check!(Csr);
            check!(Csc);
        }
        if shape.len() >= 3 {
            check!(Csf);
            let modes: Vec<u32> = (0..shape.len() as u32).rev().collect();
            let coo = Coo::<i32>::from_dense(&values, &shape).unwrap();
            let (indices, entries): (Vec<_>, Vec<_>) = coo.view().entries().unwrap().unzip();
            let csf = Csf::<i32>::from_parts(&shape, &modes, &indices, &entries).unwrap();
            prop_assert_eq!(csf.view().to_dense().unwrap(), &values[..]);
            prop_assert_eq!(by_index(&shape, |at| csf.view().get(at).unwrap()), &values[..]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn paged_tokens_come_back(
        tokens in proptest::collection::vec(0..7_usize, 0..4), heads in 1..3_usize, size in 1..4_usize, page in 1..4_u32,
    ) {
        let per_token = heads * size;
        let all = numbers(&[tokens.iter().sum(), heads, size]);
        let mut rest = all.as_slice();
        let mut sequences = Vec::new();
        for count in &tokens {
            let (own, after) = rest.split_at(count * per_token);
            sequences.push(own);
            rest = after;
        }
        let paged = BlockPaged::<u16>::from_sequences(&sequences, heads, size, page, KvRole::Key).unwrap();
        let view = paged.view();
        for (sequence, values) in sequences.iter().enumerate() {
            for (at, value) in values.iter().enumerate() {
                let (token, head, dim) = (at / per_token, at / size % heads, at % size);
                prop_assert_eq!(view.get_token(sequence, token, head, dim).unwrap(), *value);
            }
            // Never past the last page.
            let end = values.len().div_ceil(per_token * page as usize) * page as usize;
            prop_assert!(view.get_token(sequence, end, 0, 0).is_err());
        }
        // Counts that the file determines are the right ones, and any tensor is flat once they are told.
        match view.token_counts().unwrap() {
            Some(counts) => prop_assert_eq!(&counts[..], &tokens[..]),
            None => prop_assert!(matches!(view.to_dense(), Err(crate::TensorError::TokenCounts))),
        }
        let told = view.with_token_counts(&tokens).unwrap();
        prop_assert_eq!(told.to_dense().unwrap(), &all[..]);
        prop_assert_eq!(by_index(told.shape(), |at| told.get(at).unwrap()), &all[..]);
        let mut wrong = tokens.clone();
        if let Some(first) = wrong.first_mut() {
            *first += 1;
            prop_assert!(told.with_token_counts(&wrong).is_err());
        }
    }

    #[test]
    fn strides_of_any_sign_are_followed(shape in shapes(1..=4), flips in proptest::collection::vec(-1..=1_i64, 4)) {
        // Row-major strides, each kept, reversed or made a broadcast.
        let strides: Vec<i64> = (0..shape.len())
            .map(|k| shape[k + 1..].iter().product::<usize>() as i64 * flips[k])
            .collect();
        let count: usize = shape.iter().product();
        let start: i64 = strides.iter().zip(&shape).map(|(s, &n)| (n.max(1) as i64 - 1) * (-s).max(0)).sum();
        let bits = pattern::<Bool>(&[count.max(1) + start as usize + 8], 7, |x| x & 1 == 1);
        let buffer = if count == 0 { Vec::new() } else { Bool::encode(&bits).unwrap() };
        // The first element starts at a whole byte.
        let first = if count == 0 { 0 } else { (start as usize).next_multiple_of(8) };
        let mut descriptor = super::dense::describe(
            crate::ElementType::Bool, &shape, Layout::Strided { strides: strides.as_slice().into() }, [buffer.len() as u64],
        );
        descriptor.byte_offset = first as u64 / 8;
        let raw = RawTensor::new(descriptor, [buffer.as_slice()]);
        let view = PackedView::<Bool>::from_raw(raw.clone()).unwrap();
        let reference = by_index(&shape, |at| {
            let offset: i64 = at.iter().zip(&strides).map(|(&i, s)| i as i64 * s).sum();
            bits[(first as i64 + offset) as usize]
        });
        prop_assert_eq!(view.to_vec(), &reference[..]);
        prop_assert_eq!(by_index(&shape, |at| view.get(at).unwrap()), &reference[..]);
        let values = logical_values(&raw, &crate::Limits::default()).unwrap();
        prop_assert_eq!(values.iter().collect::<Vec<_>>(), reference.into_iter().map(crate::Scalar::Bool).collect::<Vec<_>>());
    }
}

#[test]
fn examples_of_the_format() {
    let numbers: Vec<u8> = (0..16).collect();
    let morton = Morton::<u8>::from_dense(&numbers, &[4, 4]).unwrap();
    assert_eq!(morton.view().values().unwrap()[14], 11);
    let mut dense = vec![0_u8; 24];
    for (value, at) in (1..).zip([1, 11, 16, 18]) {
        dense[at] = value;
    }
    let csf = Csf::<u8>::from_dense(&dense, &[2, 3, 4]).unwrap();
    let view = csf.view();
    let levels: Vec<_> = (0..3).map(|level| (view.pos(level).unwrap(), view.crd(level).unwrap())).collect();
    let expected: [(&[u64], &[u64]); 3] =
        [(&[0, 2], &[0, 1]), (&[0, 2, 3], &[0, 2, 1]), (&[0, 1, 2, 4], &[1, 3, 0, 2])];
    assert_eq!(levels, expected);
    assert_eq!(view.get(&[1, 1, 2]).unwrap(), 4);
}

#[test]
fn indices_that_break_a_rule_are_refused_when_a_tensor_is_made() {
    let rule = |result: Result<(), crate::TensorError>| result.unwrap_err().format().unwrap().rule().id();
    let csr = |pointers: &[u64], columns: &[u64]| {
        let values = vec![1.0; columns.len()];
        rule(Csr::<f32>::from_parts(&[2, 3], pointers.into(), columns.into(), &values).map(drop))
    };
    assert_eq!(csr(&[1, 1, 2], &[0, 1]), "LAY-CSR-04");
    assert_eq!(csr(&[0, 1, 1], &[0, 1]), "LAY-CSR-04");
    assert_eq!(csr(&[0, 3, 2], &[0, 1]), "LAY-CSR-05");
    assert_eq!(csr(&[0, 2, 2], &[1, 1]), "LAY-CSR-06");
    assert_eq!(csr(&[0, 2, 2], &[1, 3]), "LAY-CSR-07");
    let coo = |indices: &[[usize; 2]]| {
        rule(Coo::<f32>::from_parts(&[2, 3], indices, &vec![1.0; indices.len()]).map(drop))
    };
    assert_eq!(coo(&[[0, 3]]), "LAY-COO-04");
    assert_eq!(coo(&[[1, 1], [0, 0], [1, 1]]), "LAY-COO-05");
    let csf = Csf::<f32>::from_parts(&[2, 2, 2], &[0, 1, 2], &[[0, 0, 2]], &[1.0]);
    assert_eq!(rule(csf.map(drop)), "LAY-CSF-10");
    let csf = Csf::<f32>::from_parts(&[2, 2, 2], &[0, 1, 1], &[[0, 0, 0]], &[1.0]);
    assert_eq!(rule(csf.map(drop)), "LAY-CSF-02");
}

#[test]
fn a_result_beyond_the_limit_is_refused_before_memory_is_asked_for() {
    let coo = Coo::<f32>::from_parts(&[1 << 30, 1 << 30], &[[5, 1 << 29]], &[1.0]).unwrap();
    let error = coo.view().to_dense().unwrap_err();
    assert!(
        matches!(error, crate::TensorError::Limit { limit: "dense_bytes", found, .. } if found == 1 << 62)
    );
    assert_eq!(coo.view().get(&[5, 1 << 29]).unwrap(), 1.0);
    assert_eq!(coo.view().get(&[5, 0]).unwrap(), 0.0);
    let huge = Coo::<f32>::from_parts(&[usize::MAX - 1; 5], &[[0; 5]], &[1.0]).unwrap();
    assert!(matches!(huge.view().to_dense(), Err(crate::TensorError::Limit { .. })));
}
