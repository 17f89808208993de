//! The tiled layout, 0x04 (FORMAT §3.6, §5.4).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::{decode_dims, decode_reserved, decode_strides};
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::strided::check_count;
use super::{TileOrder, Tiled};

/// How many levels of tiles a layout may have, the outermost included.
const MAX_LEVELS: usize = 8;

impl Tiled {
    /// LAY-TIL-02..05.
    pub(super) fn decode(rank: usize, fields: &mut Cursor<'_>) -> Result<Self, FormatError> {
        Self::decode_level(rank, fields, 1)
    }

    fn decode_level(rank: usize, fields: &mut Cursor<'_>, level: usize) -> Result<Self, FormatError> {
        Rule::LayTil05.check(level <= MAX_LEVELS, |e| {
            e.at(fields.offset()).expected_to_be("at most 8 levels of tiles").but_found("a ninth")
        })?;
        let tile_shape = decode_dims(fields, rank)?;
        let outer_at = fields.offset();
        let outer = fields.u8()?;
        let inner = fields.u8()?;
        decode_reserved::<2>(fields, Rule::LayTil04)?;
        let outer = match outer {
            0x01 => TileOrder::RowMajor,
            0x02 => TileOrder::ColumnMajor,
            0x03 => TileOrder::Strided(decode_strides(fields, rank)?),
            tag => {
                return Err(unknown_order(Rule::LayTil02, "an outer layout of 0x01 to 0x03", outer_at, tag));
            }
        };
        let inner = match inner {
            0x01 => TileOrder::RowMajor,
            0x02 => TileOrder::ColumnMajor,
            0x03 => TileOrder::Strided(decode_strides(fields, rank)?),
            0x04 => {
                let nested = Self::decode_level(rank, fields, level.saturating_add(1))?;
                TileOrder::Tiled(Box::new(nested))
            }
            tag => {
                let inner_at = outer_at.saturating_add(1);
                return Err(unknown_order(Rule::LayTil03, "an inner layout of 0x01 to 0x04", inner_at, tag));
            }
        };
        Ok(Self { tile_shape, outer, inner })
    }

    pub(super) fn encode(&self, sink: &mut Sink) {
        for level in self.levels() {
            for dim in &level.tile_shape {
                sink.u64(*dim);
            }
            sink.u8(level.outer.tag()).u8(level.inner.tag()).zeros(2);
            for order in [&level.outer, &level.inner] {
                if let TileOrder::Strided(strides) = order {
                    super::strided::encode(strides, sink);
                }
            }
        }
    }

    pub(super) fn encoded_len(&self, rank: usize) -> usize {
        let per_dimension = rank.saturating_mul(8);
        let fixed = per_dimension.saturating_add(4);
        self.levels()
            .flat_map(|level| {
                [
                    Some(fixed),
                    level.outer.strides().map(|_| per_dimension),
                    level.inner.strides().map(|_| per_dimension),
                ]
            })
            .flatten()
            .fold(0, usize::saturating_add)
    }

    /// LAY-TIL-01, LAY-TIL-05, LAY-TIL-06.
    pub(super) fn check(&self, shape: &[u64], at: u64, policy: &Policy) -> Result<(), FormatError> {
        let mut enclosing: Option<&Self> = None;
        for (index, level) in self.levels().enumerate() {
            Rule::LayTil05.check(index < MAX_LEVELS, |e| {
                e.at(at).expected_to_be("at most 8 levels of tiles").but_found("a ninth")
            })?;
            check_count("tile dimensions", level.tile_shape.len(), shape, at)?;
            Rule::LayTil01.check(!level.tile_shape.contains(&0), |e| {
                e.at(at)
                    .expected_to_be("tile dimensions above 0")
                    .but_found(format_args!("{:?}", level.tile_shape))
            })?;
            Rule::LayTil02.check(!matches!(level.outer, TileOrder::Tiled(_)), |e| {
                e.at(at).expected_to_be("an outer layout of 0x01 to 0x03").but_found("tiled")
            })?;
            for strides in [&level.outer, &level.inner].into_iter().filter_map(|order| order.strides()) {
                check_count("strides", strides.len(), shape, at)?;
            }
            if let Some(enclosing) = enclosing.filter(|_| !policy.is_permissive()) {
                let divides = std::iter::zip(&enclosing.tile_shape, &level.tile_shape)
                    .all(|(outer, inner)| outer.checked_rem(*inner) == Some(0));
                Rule::LayTil06.check(divides, |e| {
                    e.at(at)
                        .expected_to_be(format!("nested tiles that divide {:?}", enclosing.tile_shape))
                        .but_found(format_args!("{:?}", level.tile_shape))
                })?;
            }
            enclosing = Some(level);
        }
        Ok(())
    }

    /// This level and the ones nested in it, outermost first.
    pub(crate) fn levels(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |level| match &level.inner {
            TileOrder::Tiled(nested) => Some(nested),
            _ => None,
        })
    }
}

impl TileOrder {
    fn tag(&self) -> u8 {
        match self {
            Self::RowMajor => 0x01,
            Self::ColumnMajor => 0x02,
            Self::Strided(_) => 0x03,
            Self::Tiled(_) => 0x04,
        }
    }

    fn strides(&self) -> Option<&[i64]> {
        match self {
            Self::Strided(strides) => Some(strides),
            _ => None,
        }
    }
}

#[cold]
fn unknown_order(rule: Rule, expected: &'static str, at: u64, tag: u8) -> FormatError {
    rule.broken().at(at).expected_to_be(expected).but_found(format_args!("{tag:#04x}"))
}
