//! Tiles (FORMAT §5.4): of any extents, in any order, and in one another.

use hurray::descriptor::{TileOrder, Tiled as Level};
use hurray::{Rule, TensorError, Tiled, TiledView};
use proptest::prelude::*;

use super::common::{One, Sample, compare, for_every_element, shaped, through_a_file, values};

fn check<T: Sample>(shape: &[usize], seeds: &[u64], make: &dyn Fn() -> Level) {
    let source = values::<T>(seeds);
    let tiled = Tiled::<T>::from_dense_as(&source, shape, make()).unwrap();
    through_a_file(tiled, |file| {
        let One::<TiledView<'_, T>> { tensor } = file.load().unwrap();
        compare::<T>(file, (shape, &source), &[], |index| tensor.get(index), &tensor.to_dense().unwrap());
        let One::<Tiled<T>> { tensor: twin } = file.load().unwrap();
        assert!(twin.view().to_dense().unwrap() == source);
    });
}

/// A level around an inner order.
fn level(tile: &[usize], outer: TileOrder, inner: TileOrder) -> Level {
    Level { tile_shape: tile.iter().map(|t| *t as u64).collect(), outer, inner }
}

fn order(choice: u8) -> TileOrder {
    if choice == 0 { TileOrder::RowMajor } else { TileOrder::ColumnMajor }
}

/// Row-major strides of a box whose dimensions are taken in a rotated order: neither row- nor column-major.
fn rotated(extents: &[usize], turn: usize) -> TileOrder {
    let rank = extents.len();
    let mut strides = vec![0i64; rank];
    let mut stride = 1;
    for at in 0..rank {
        let axis = (at + turn) % rank;
        strides[axis] = stride;
        stride *= extents[axis] as i64;
    }
    TileOrder::Strided(strides.into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn one_level_in_either_order(
        (shape, seeds) in shaped(1..=5), tiles in prop::collection::vec(1usize..4, 5), outer in 0u8..2, inner in 0u8..2,
    ) {
        let tile = &tiles[..shape.len()];
        for_every_element!(check(&shape, &seeds, &|| level(tile, order(outer), order(inner))));
    }

    #[test]
    fn tiles_by_strides((shape, seeds) in shaped(1..=5), tiles in prop::collection::vec(1usize..4, 5), turn in 0usize..5) {
        let tile = &tiles[..shape.len()];
        let grid: Vec<usize> = shape.iter().zip(tile).map(|(dim, tile)| dim.div_ceil(*tile)).collect();
        for_every_element!(check(&shape, &seeds, &|| level(tile, rotated(&grid, turn), rotated(tile, turn + 1))));
    }

    #[test]
    fn tiles_in_tiles_in_tiles(
        (shape, seeds) in shaped(1..=5), factors in prop::collection::vec(1usize..3, 15), orders in prop::collection::vec(0u8..2, 4),
    ) {
        let rank = shape.len();
        let small = &factors[..rank];
        let middle: Vec<usize> = small.iter().zip(&factors[rank..]).map(|(a, b)| a * b).collect();
        let large: Vec<usize> = middle.iter().zip(&factors[2 * rank..]).map(|(a, b)| a * b).collect();
        let nested = || {
            let inner = level(small, order(orders[0]), order(orders[1]));
            let inner = level(&middle, order(orders[2]), TileOrder::Tiled(Box::new(inner)));
            level(&large, order(orders[3]), TileOrder::Tiled(Box::new(inner)))
        };
        for_every_element!(check(&shape, &seeds, &nested));
    }
}

#[test]
fn eight_levels_are_the_most() {
    let tiles: Vec<Vec<usize>> = (0..9).rev().map(|power| vec![1 << power]).collect();
    let shapes: Vec<&[usize]> = tiles.iter().map(Vec::as_slice).collect();
    let source: Vec<i32> = (0..300).collect();
    let tiled = Tiled::<i32>::from_dense_nested(&source, &[300], &shapes[1..]).unwrap();
    through_a_file(tiled, |file| {
        let One::<TiledView<'_, i32>> { tensor } = file.load().unwrap();
        compare::<i32>(file, (&[300], &source), &[], |index| tensor.get(index), &tensor.to_dense().unwrap());
    });
    let refused = Tiled::<i32>::from_dense_nested(&source, &[300], &shapes).unwrap_err();
    assert!(matches!(&refused, TensorError::Format(error) if error.rule() == Rule::LayTil05), "{refused}");
}
