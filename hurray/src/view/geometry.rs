//! Where the elements of a dense tensor lie: the layout and the part of the buffer that it reaches.

use smallvec::SmallVec;

use super::axes::{self, Axes, Axis};
use super::hilbert_curve::{self, Cubes};
use super::index::{self, Extents};
use super::raw::RawTensor;
use super::rows::Rows;
use super::walk::{self, Transfer};
use crate::bytes::to_usize;
use crate::descriptor::{Layout, TensorDescriptor};
use crate::error::TensorError;

/// How indices become positions in the elements that a dense layout reaches.
#[derive(Debug, Clone)]
pub(crate) struct Geometry {
    pub(crate) shape: Extents,
    map: Map,
    /// Where the reachable elements lie in buffer 0, in bytes, and how many there are.
    start_byte: usize,
    end_byte: usize,
    pub(crate) count: usize,
    /// The position of element `[0, ..., 0]`, which strides below zero move up.
    first: usize,
}

#[derive(Debug, Clone)]
enum Map {
    Axes(Axes),
    Hilbert { order: u32 },
}

impl Geometry {
    /// The geometry of a dense tensor, whose buffer holds every element that an index can reach.
    pub(crate) fn of(raw: &RawTensor<'_>) -> Result<Self, TensorError> {
        let geometry = Self::plan(raw.descriptor(), raw.extents()?, group(raw.descriptor())?);
        let geometry = geometry.ok_or_else(|| raw.wrong_layout("a dense one"))?;
        geometry
            .and_then(|geometry| geometry.within(raw.buffer(0).len()))
            .map_err(|need| raw.too_small(0, need))
    }

    /// The geometry of a dense tensor; `None` for other layouts, an error with the size in bytes that the
    /// buffer would need if that is beyond memory. Group: elements and bytes of the smallest whole unit.
    pub(crate) fn plan(
        descriptor: &TensorDescriptor,
        shape: Extents,
        group: (u64, u64),
    ) -> Option<Result<Self, u64>> {
        let mut geometry =
            Self { shape, map: Map::Axes(Axes::new()), start_byte: 0, end_byte: 0, count: 0, first: 0 };
        let is_empty = geometry.is_empty();
        let extremes = match descriptor.layout() {
            Layout::Hilbert { order } => {
                geometry.map = Map::Hilbert { order: *order };
                let slots = index::element_count(&geometry.shape).saturating_sub(1);
                i128::try_from(slots).ok().map(|last| (0, last))
            }
            Layout::RowMajor
            | Layout::ColumnMajor
            | Layout::Strided { .. }
            | Layout::Tiled(_)
            | Layout::Morton { .. }
                if !is_empty =>
            {
                axes::axes(descriptor, &geometry.shape).and_then(|axes| {
                    let extremes = axes::extremes(&axes, &geometry.shape);
                    geometry.map = Map::Axes(axes);
                    extremes
                })
            }
            Layout::RowMajor
            | Layout::ColumnMajor
            | Layout::Strided { .. }
            | Layout::Tiled(_)
            | Layout::Morton { .. } => return Some(Ok(geometry)),
            _ => return None,
        };
        let placed = extremes.and_then(|extremes| geometry.place(descriptor.byte_offset(), extremes, group));
        Some(placed.map(|()| geometry).ok_or(u64::MAX))
    }

    /// Sets the window that offsets from `low` to `high` need (FORMAT §5.0); `None` if it is beyond memory.
    fn place(&mut self, byte_offset: u64, (low, high): (i128, i128), group: (u64, u64)) -> Option<()> {
        let (per_group, group_bytes) = (i128::from(group.0), i128::from(group.1));
        let below = low.checked_div_euclid(per_group)?;
        let above = high.checked_div_euclid(per_group)?.checked_add(1)?;
        let byte_offset = i128::from(byte_offset);
        let first = below.checked_mul(per_group)?.checked_neg()?;
        self.start_byte = usize::try_from(byte_offset.checked_add(below.checked_mul(group_bytes)?)?).ok()?;
        self.end_byte = usize::try_from(byte_offset.checked_add(above.checked_mul(group_bytes)?)?).ok()?;
        self.first = usize::try_from(first).ok()?;
        self.count = usize::try_from(high.checked_add(first)?.checked_add(1)?).ok()?;
        Some(())
    }

    /// Checks that a buffer of `len` bytes holds the window; the error is the size that it needs.
    fn within(self, len: usize) -> Result<Self, u64> {
        if self.end_byte <= len { Ok(self) } else { Err(u64::try_from(self.end_byte).unwrap_or(u64::MAX)) }
    }

    /// The bytes from the first element that an index can reach.
    #[inline]
    pub(crate) fn bytes<'a>(&self, raw: &RawTensor<'a>) -> &'a [u8] {
        raw.buffer(0).get(self.start_byte..).unwrap_or_default()
    }

    /// The position of an element, counted from the start of [`bytes`](Self::bytes); `None` outside the shape.
    #[inline]
    pub(crate) fn position(&self, index: &[usize]) -> Option<usize> {
        let shape = self.shape.as_slice();
        match &self.map {
            // Of an empty tensor there are no axes, and no element is inside.
            Map::Axes(axes) if index.len() == shape.len() && index.len() == axes.len() => {
                let mut position = self.first;
                for ((at, extent), axis) in index.iter().zip(shape).zip(axes.as_slice()) {
                    if at >= extent {
                        return None;
                    }
                    position = position.wrapping_add(axis.offset(*at));
                }
                Some(position)
            }
            Map::Hilbert { order } if index.len() == shape.len() => {
                let is_inside = index.iter().zip(shape).all(|(at, extent)| at < extent);
                is_inside.then(|| hilbert_curve::encode(*order, &mut Extents::from_slice(index)))
            }
            Map::Axes(_) | Map::Hilbert { .. } => None,
        }
    }

    /// The same elements, with one index in each dimension whose indices all lead to the same ones.
    pub(crate) fn without_repetition(mut self) -> Self {
        if let (Map::Axes(axes), false) = (&self.map, self.is_empty()) {
            for (extent, axis) in self.shape.iter_mut().zip(axes) {
                if axis.is_constant() {
                    *extent = 1;
                }
            }
        }
        self
    }

    /// Whether there is no element.
    pub(crate) fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The rows of a non-empty tensor of whose dimensions each has one stride.
    pub(super) fn rows(&self) -> Option<Rows> {
        let Map::Axes(axes) = &self.map else { return None };
        let strides: Option<SmallVec<[isize; 8]>> = axes.iter().map(Axis::stride).collect();
        Some(Rows::new(self.first, self.shape.iter().copied().zip(strides?)))
    }

    /// Hands every element to `transfer`.
    pub(crate) fn walk(&self, transfer: &mut impl Transfer) {
        if self.is_empty() {
            return;
        }
        match &self.map {
            Map::Axes(axes) => walk::walk(axes, &self.shape, self.first, transfer),
            Map::Hilbert { order } => {
                let strides = index::row_major(&self.shape);
                if let Some(cubes) = Cubes::new(*order, self.shape.len()) {
                    let mut position = 0_usize;
                    cubes.each(&strides, |to| {
                        transfer.run(position, to, 1);
                        position = position.wrapping_add(1);
                    });
                    return;
                }
                let mut point = self.shape.clone();
                for position in 0..self.count {
                    hilbert_curve::decode(*order, position, &mut point);
                    let terms = point.iter().zip(&strides).map(|(at, stride)| at.wrapping_mul(*stride));
                    transfer.run(position, terms.fold(0, usize::wrapping_add), 1);
                }
            }
        }
    }
}

/// Elements and bytes of the smallest whole unit of an element type, private ones included.
pub(crate) fn group(descriptor: &TensorDescriptor) -> Result<(u64, u64), TensorError> {
    let private = || {
        let bits = u64::from(descriptor.extension_type()?.bit_width);
        if bits < 8 { Some((8_u64.checked_div(bits)?, 1)) } else { Some((1, bits >> 3)) }
    };
    descriptor
        .element_type()
        .group()
        .or_else(private)
        .ok_or_else(|| TensorError::not_understood(format!("element type {}", descriptor.element_type())))
}

/// The bytes of one element, or `Err` with its bits if several share a byte.
pub(crate) fn width(descriptor: &TensorDescriptor) -> Result<Result<usize, u32>, TensorError> {
    let (per_group, bytes) = group(descriptor)?;
    Ok(match (per_group, bytes) {
        (1, bytes) => Ok(to_usize(bytes).unwrap_or(usize::MAX)),
        (8, _) => Err(1),
        (2, _) => Err(4),
        (4, 1) => Err(2),
        _ => Err(6),
    })
}
