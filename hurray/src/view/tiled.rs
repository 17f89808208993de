//! Dense tensors in tiles (FORMAT §5.4).

use super::curves::curve_access;
use super::dense::{Dense, lay_out};
use super::index::{self, Extents};
use super::raw::{RawTensor, SharedTensor};
use super::twin::views;
use crate::descriptor::{Layout, TileOrder, Tiled as TiledLayout};
use crate::element::Stored;
use crate::error::{Rule, TensorError};
use crate::limits::Limits;

#[derive(Debug, Clone)]
struct TiledPlan<T>(Dense<T>);

impl<T: Stored> TiledPlan<T> {
    fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        match raw.descriptor().layout() {
            Layout::Tiled(_) => Ok(Self(Dense::of(raw)?)),
            _ => Err(raw.wrong_layout("tiled")),
        }
    }

    fn shape(&self) -> &[usize] {
        &self.0.geometry.shape
    }
}

views! {
    /// A borrowed tensor in tiles, nested up to 8 levels.
    view TiledView;
    /// The `'static` twin of [`TiledView`].
    ///
    /// ```
    /// use hurray::Tiled;
    ///
    /// let values: Vec<f32> = (0..48_u8).map(f32::from).collect();
    /// let tiled = Tiled::<f32>::from_dense(&values, &[6, 8], &[2, 4])?;
    /// assert_eq!(tiled.view().get(&[3, 5]), Some(29.0));
    /// assert_eq!(tiled.view().values().unwrap()[29], 29.0);
    /// assert_eq!(tiled.view().to_dense()?, values);
    /// # Ok::<(), hurray::TensorError>(())
    /// ```
    twin Tiled;
    plan TiledPlan;
    elements Stored;
}

curve_access! { TiledView }

impl<T: Stored> Tiled<T> {
    /// Lays a row-major slice out in tiles: row-major tiles of row-major elements. Boundary tiles are stored
    /// full, their padding is zero.
    ///
    /// # Errors
    ///
    /// [`TensorError::Rank`] for a scalar, [`TensorError::Parts`] if there is not one value per element or not
    /// one tile extent per dimension, [`TensorError::Format`] if a tile extent is 0, [`TensorError::Value`] if
    /// a value does not fit, [`TensorError::Limit`] if the tiles are more than memory.
    pub fn from_dense(
        values: &[T::Value],
        shape: &[usize],
        tile_shape: &[usize],
    ) -> Result<Self, TensorError> {
        Self::from_dense_nested(values, shape, &[tile_shape])
    }

    /// As [`from_dense`](Self::from_dense), with tiles in tiles: the outermost shape first, each a multiple of
    /// the next in every dimension.
    ///
    /// # Errors
    ///
    /// As [`from_dense`](Self::from_dense); [`TensorError::Format`] if a tile does not divide the one around
    /// it, or for more than 8 levels.
    pub fn from_dense_nested(
        values: &[T::Value],
        shape: &[usize],
        tile_shapes: &[&[usize]],
    ) -> Result<Self, TensorError> {
        let (row, mut order) = (TileOrder::RowMajor, TileOrder::RowMajor);
        for tile_shape in tile_shapes.iter().rev() {
            let tile_shape = tile_shape.iter().map(|t| u64::try_from(*t).unwrap_or(u64::MAX)).collect();
            order = TileOrder::Tiled(Box::new(TiledLayout { tile_shape, outer: row.clone(), inner: order }));
        }
        match order {
            TileOrder::Tiled(layout) => Self::from_dense_as(values, shape, *layout),
            _ => Err(TensorError::Parts { what: "tile shapes", expected: 1, found: 0 }),
        }
    }

    /// Lays a row-major slice out in tiles of any order that has neither gaps nor overlaps.
    ///
    /// # Errors
    ///
    /// As [`from_dense_nested`](Self::from_dense_nested); [`TensorError::Limit`] too if explicit strides reach
    /// beyond the slots of the tiles.
    pub fn from_dense_as(
        values: &[T::Value],
        shape: &[usize],
        layout: TiledLayout,
    ) -> Result<Self, TensorError> {
        if shape.is_empty() {
            return Err(TensorError::Rank { expected: 1, found: 0 });
        }
        let tile = check_levels(shape.len(), &layout)?;
        let padded: Option<Extents> =
            shape.iter().zip(&tile).map(|(extent, tile)| extent.checked_next_multiple_of(*tile)).collect();
        let slots = padded.map_or(u128::MAX, |padded| index::element_count(&padded));
        let slots = u64::try_from(slots).unwrap_or(u64::MAX);
        let (descriptor, bytes) = lay_out::<T>(values, shape, Layout::Tiled(Box::new(layout)), slots)?;
        Self::made(SharedTensor::new(descriptor, [bytes]))
    }
}

/// Checks the tile shapes of all levels, and gives the outermost.
fn check_levels(rank: usize, layout: &TiledLayout) -> Result<Extents, TensorError> {
    let parts = |what, found: usize| TensorError::Parts {
        what,
        expected: u64::try_from(rank).unwrap_or(u64::MAX),
        found: u64::try_from(found).unwrap_or(u64::MAX),
    };
    let mut outermost: Option<Extents> = None;
    let mut around: Option<&TiledLayout> = None;
    let mut level = Some(layout);
    let mut depth = 0_usize;
    while let Some(tiled) = level {
        depth = depth.saturating_add(1);
        Rule::LayTil05.check(depth <= 8, |e| e.expected_to_be("at most 8 levels"))?;
        if tiled.tile_shape.len() != rank {
            return Err(parts("tile extents", tiled.tile_shape.len()));
        }
        for order in [&tiled.outer, &tiled.inner] {
            if let TileOrder::Strided(strides) = order
                && strides.len() != rank
            {
                return Err(parts("tile strides", strides.len()));
            }
        }
        Rule::LayTil02.check(!matches!(tiled.outer, TileOrder::Tiled(_)), |e| {
            e.expected_to_be("a row-major, column-major or strided grid")
        })?;
        Rule::LayTil01
            .check(!tiled.tile_shape.contains(&0), |e| e.but_found(format_args!("{:?}", tiled.tile_shape)))?;
        if let Some(around) = around {
            let divides = tiled.tile_shape.iter().zip(&around.tile_shape).all(|(t, a)| a.is_multiple_of(*t));
            Rule::LayTil06.check(divides, |e| {
                e.expected_to_be(format!("divisors of {:?}", around.tile_shape))
                    .but_found(format_args!("{:?}", tiled.tile_shape))
            })?;
        }
        if outermost.is_none() {
            outermost = Some(index::extents(&tiled.tile_shape)?);
        }
        around = Some(tiled);
        level = match &tiled.inner {
            TileOrder::Tiled(inner) => Some(inner),
            _ => None,
        };
    }
    Ok(outermost.unwrap_or_default())
}
