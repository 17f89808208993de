//! Every layout through a file: made from dense values, saved, mapped, and read back by index and as a whole.

use hurray::{
    Bool, Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView, File, Hilbert, HilbertView, HurrayLoad,
    HurraySave, I4, Morton, MortonView, Packed, PackedView, Tiled, TiledView,
};
use proptest::prelude::*;

/// Saves a model, maps the file, and hands it to `check`.
fn through_a_file<M: HurraySave>(model: &M, check: impl FnOnce(&File)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layouts.hrry");
    hurray::SaveOptions::new().sync(false).save(&path, model).unwrap();
    // SAFETY: the file lies in a folder of its own, and nobody changes it.
    let file = unsafe { File::map(&path) }.unwrap();
    assert!(file.validate_structure().is_empty() && file.validate_data().is_empty());
    check(&file);
}

/// All indices of a shape in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &dim| {
        all.iter().flat_map(|index| (0..dim).map(move |at| [index.as_slice(), &[at]].concat())).collect()
    })
}

#[derive(HurraySave)]
struct Saved<A, B> {
    whole: A,
    packed: B,
}

#[derive(HurrayLoad)]
struct PackedPair<'a> {
    whole: PackedView<'a, Bool>,
    packed: PackedView<'a, I4>,
}

/// One layout, for a whole-byte and a packed type.
macro_rules! round_trip {
    ($twin:ident, $view:ident, $shape:expr, $values:expr, $nibbles:expr, |$data:ident, $dims:ident| $make:expr,
        |$got:ident| $value:expr) => {{
        #[derive(HurrayLoad)]
        struct Loaded<'a> {
            whole: $view<'a, i32>,
            packed: $view<'a, I4>,
        }
        let ($dims, values, nibbles): (&[usize], &[i32], &[i8]) = ($shape, $values, $nibbles);
        let whole: $twin<i32> = {
            let $data = values;
            $make
        };
        let packed: $twin<I4> = {
            let $data = nibbles;
            $make
        };
        through_a_file(&Saved { whole, packed }, |file| {
            let loaded: Loaded<'_> = file.load().unwrap();
            assert_eq!(loaded.whole.to_dense().unwrap(), values);
            assert_eq!(loaded.packed.to_dense().unwrap(), nibbles);
            for (index, (&value, &nibble)) in indices($dims).iter().zip(values.iter().zip(nibbles)) {
                let $got = loaded.whole.get(index);
                assert_eq!($value, value);
                let $got = loaded.packed.get(index);
                assert_eq!($value, nibble);
            }
        });
    }};
}

fn shape_and_values(
    rank: std::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = (Vec<usize>, Vec<i32>, Vec<i8>)> {
    prop::collection::vec(0usize..5, rank).prop_flat_map(|shape| {
        let count = shape.iter().product::<usize>();
        // Half of them zero, so that sparse layouts have something to leave out.
        let value = prop_oneof![Just(0i32), any::<i32>()];
        let nibble = prop_oneof![Just(0i8), -8i8..8];
        (Just(shape), prop::collection::vec(value, count), prop::collection::vec(nibble, count))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn dense_and_curved((shape, values, nibbles) in shape_and_values(1..=5), tile in 1usize..4) {
        let tiles = vec![tile; shape.len()];
        round_trip!(Tiled, TiledView, &shape, &values, &nibbles,
            |data, dims| Tiled::from_dense(data, dims, &tiles).unwrap(), |got| got.unwrap());
        round_trip!(Morton, MortonView, &shape, &values, &nibbles,
            |data, dims| Morton::from_dense(data, dims).unwrap(), |got| got.unwrap());
        let bools: Vec<bool> = values.iter().map(|value| value & 1 == 1).collect();
        let saved = Saved {
            whole: Packed::<Bool>::from_values(&bools, &shape).unwrap(),
            packed: Packed::<I4>::from_values(&nibbles, &shape).unwrap(),
        };
        through_a_file(&saved, |file| {
            let loaded: PackedPair<'_> = file.load().unwrap();
            assert_eq!(loaded.whole.to_dense().unwrap(), bools);
            assert_eq!(loaded.packed.iter().collect::<Vec<_>>(), nibbles);
        });
    }

    #[test]
    fn hilbert_cubes(rank in 2usize..4, order in 1u32..3, seed in any::<i32>()) {
        let shape = vec![1usize << order; rank];
        let count: usize = shape.iter().product();
        let values: Vec<i32> = (0..count).map(|at| seed.wrapping_mul(at as i32)).collect();
        let nibbles: Vec<i8> = values.iter().map(|value| (value.rem_euclid(16) - 8) as i8).collect();
        round_trip!(Hilbert, HilbertView, &shape, &values, &nibbles,
            |data, dims| Hilbert::from_dense(data, dims).unwrap(), |got| got.unwrap());
    }

    #[test]
    fn coordinates((shape, values, nibbles) in shape_and_values(1..=5)) {
        round_trip!(Coo, CooView, &shape, &values, &nibbles,
            |data, dims| Coo::from_dense(data, dims).unwrap(), |got| got.unwrap());
    }

    #[test]
    fn compressed_rows_and_columns((shape, values, nibbles) in shape_and_values(2..=2)) {
        round_trip!(Csr, CsrView, &shape, &values, &nibbles,
            |data, dims| Csr::from_dense(data, dims).unwrap(), |got| got.unwrap());
        round_trip!(Csc, CscView, &shape, &values, &nibbles,
            |data, dims| Csc::from_dense(data, dims).unwrap(), |got| got.unwrap());
    }

    #[test]
    fn compressed_fibres((shape, values, nibbles) in shape_and_values(3..=5)) {
        round_trip!(Csf, CsfView, &shape, &values, &nibbles,
            |data, dims| Csf::from_dense(data, dims).unwrap(), |got| got.unwrap());
    }
}
