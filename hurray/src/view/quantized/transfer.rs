//! Dequantization of runs of elements: one pass over the stored elements, in chunks that stay in the cache.

use super::elements::{Elements, Kind};
use super::parameters::{Parameter, ParameterIndex, ParameterValues};
use crate::view::walk::Transfer;

/// Elements decoded at a time.
pub(super) const CHUNK: usize = 512;

/// Writes real numbers to a row-major slice.
pub(super) struct Dequantize<'p, 'a, 'o> {
    elements: Elements<'a>,
    index: &'p ParameterIndex,
    /// Decoded once: few beside the elements.
    parameters: Vec<Parameter>,
    /// Whether every difference to a zero point fits in an i32.
    is_narrow: bool,
    out: &'o mut [f32],
    /// Elements on their way, by their kind.
    small: [i32; CHUNK],
    large: [i64; CHUNK],
    real: [f32; CHUNK],
}

/// Where elements come from: one after another, or from all over.
#[derive(Clone, Copy)]
enum Source<'s> {
    Run(usize),
    Scattered { base: usize, offsets: &'s [usize] },
}

impl Source<'_> {
    /// Where the first element of a run is. Only runs are told apart by that.
    fn first(self) -> usize {
        match self {
            Self::Run(from) => from,
            Self::Scattered { base, .. } => base,
        }
    }

    /// Reads elements, all at once or one by one.
    #[inline]
    fn read<V>(self, out: &mut [V], read: impl Fn(usize, &mut [V]) -> Option<()>) -> Option<()> {
        match self {
            Self::Run(from) => read(from, out),
            Self::Scattered { base, offsets } => {
                for (value, offset) in out.iter_mut().zip(offsets) {
                    read(base.wrapping_add(*offset), std::slice::from_mut(value))?;
                }
                Some(())
            }
        }
    }
}

impl<'p, 'a, 'o> Dequantize<'p, 'a, 'o> {
    pub(super) fn new(
        elements: Elements<'a>,
        parameters: ParameterValues<'_>,
        index: &'p ParameterIndex,
        out: &'o mut [f32],
    ) -> Self {
        let parameters: Vec<Parameter> = (0..parameters.count()).filter_map(|at| parameters.at(at)).collect();
        let is_narrow = parameters.iter().all(|parameter| parameter.zero_point.unsigned_abs() < 1 << 30);
        let (small, large, real) = ([0; CHUNK], [0; CHUNK], [0.0; CHUNK]);
        Self { elements, index, parameters, is_narrow, out, small, large, real }
    }

    /// Dequantizes at most [`CHUNK`] elements.
    fn chunk(&mut self, source: Source<'_>, to: usize, len: usize) -> Option<()> {
        let out = self.out.get_mut(to..to.checked_add(len)?)?;
        let (parameters, elements, from) = (self.parameters.as_slice(), self.elements, source.first());
        match elements.kind() {
            Kind::Small => {
                let values = self.small.get_mut(..len)?;
                source.read(values, |from, values| elements.small(from, values))?;
                if self.is_narrow {
                    segments(self.index, from, to, values, out, parameters, narrow)
                } else {
                    segments(self.index, from, to, values, out, parameters, |q, p| p.affine((*q).into()))
                }
            }
            Kind::Large => {
                let values = self.large.get_mut(..len)?;
                source.read(values, |from, values| elements.large(from, values))?;
                segments(self.index, from, to, values, out, parameters, |q, p| p.affine(*q))
            }
            Kind::Real => {
                let values = self.real.get_mut(..len)?;
                source.read(values, |from, values| elements.real(from, values))?;
                segments(self.index, from, to, values, out, parameters, |value, p| p.scale * value)
            }
        }
    }
}

/// [`Parameter::affine`] for a difference that fits in an i32, which is exact there and vectorised.
#[inline]
#[expect(clippy::as_conversions, reason = "rounding to f32 is the formula")]
fn narrow(q: &i32, parameter: Parameter) -> f32 {
    parameter.scale * (q.wrapping_sub(parameter.zero_point) as f32)
}

impl Transfer for Dequantize<'_, '_, '_> {
    #[inline]
    fn run(&mut self, from: usize, to: usize, len: usize) {
        let mut done = 0;
        while done < len {
            let chunk = CHUNK.min(len.wrapping_sub(done));
            let _ = self.chunk(Source::Run(from.wrapping_add(done)), to.wrapping_add(done), chunk);
            done = done.wrapping_add(chunk);
        }
    }

    fn gather(&mut self, base: usize, offsets: &[usize], to: usize) {
        if let ParameterIndex::Slot { .. } = self.index {
            // Neighbours in the result may have different slots.
            for (to, offset) in (to..).zip(offsets) {
                self.run(base.wrapping_add(*offset), to, 1);
            }
            return;
        }
        for (to, offsets) in (to..).step_by(CHUNK).zip(offsets.chunks(CHUNK)) {
            let _ = self.chunk(Source::Scattered { base, offsets }, to, offsets.len());
        }
    }
}

/// Applies parameters to a chunk, in segments that share one or have one each at an equal distance.
#[inline]
fn segments<V>(
    index: &ParameterIndex,
    from: usize,
    to: usize,
    values: &[V],
    out: &mut [f32],
    parameters: &[Parameter],
    real: impl Fn(&V, Parameter) -> f32 + Copy,
) -> Option<()> {
    match index {
        ParameterIndex::One => {
            apply(values, out, *parameters.first()?, real);
            Some(())
        }
        ParameterIndex::Slot { elements } => {
            let mut slot = from.checked_div(*elements)?;
            let mut room = elements.checked_sub(from.checked_rem(*elements)?)?;
            let (mut values, mut out) = (values, out);
            while !values.is_empty() {
                let len = room.min(values.len());
                let (own, rest) = values.split_at_checked(len)?;
                let (own_out, rest_out) = out.split_at_mut_checked(len)?;
                apply(own, own_out, *parameters.get(slot)?, real);
                (values, out, room, slot) = (rest, rest_out, *elements, slot.checked_add(1)?);
            }
            Some(())
        }
        ParameterIndex::Logical { axes, shape } => {
            let (Some((inner, outer)), Some((columns, rows))) = (axes.split_last(), shape.split_last())
            else {
                return segments(&ParameterIndex::One, from, to, values, out, parameters, real);
            };
            let (mut row, mut column) = (to.checked_div(*columns)?, to.checked_rem(*columns)?);
            let (mut values, mut out) = (values, out);
            while !values.is_empty() {
                let mut base = 0_usize;
                let mut rest = row;
                for (axis, extent) in outer.iter().zip(rows).rev() {
                    base = base.wrapping_add(axis.offset(rest.checked_rem(*extent)?));
                    rest = rest.checked_div(*extent)?;
                }
                let len = columns.checked_sub(column)?.min(values.len());
                let (own, rest_values) = values.split_at_checked(len)?;
                let (own_out, rest_out) = out.split_at_mut_checked(len)?;
                match *inner.digits.as_slice() {
                    [digit] if digit.stride == 0 => apply(own, own_out, *parameters.get(base)?, real),
                    [digit] if digit.stride == 1 => {
                        let first = base.checked_add(column)?;
                        let own_parameters = parameters.get(first..first.checked_add(len)?)?;
                        for ((value, out), parameter) in own.iter().zip(own_out).zip(own_parameters) {
                            *out = real(value, *parameter);
                        }
                    }
                    [digit] => {
                        let step = usize::try_from(digit.stride).ok()?;
                        let first = base.checked_add(column.checked_mul(step)?)?;
                        let own_parameters = parameters.get(first..)?.iter().step_by(step);
                        for ((value, out), parameter) in own.iter().zip(own_out).zip(own_parameters) {
                            *out = real(value, *parameter);
                        }
                    }
                    [block, ..] => {
                        // The first segment may start within a block.
                        let mut number = base.checked_add(column.checked_div(block.extent)?)?;
                        let room = block.extent.checked_sub(column.checked_rem(block.extent)?)?.min(len);
                        let (head, whole) = own.split_at_checked(room)?;
                        let (head_out, whole_out) = own_out.split_at_mut_checked(room)?;
                        apply(head, head_out, *parameters.get(number)?, real);
                        for (own, out) in whole.chunks(block.extent).zip(whole_out.chunks_mut(block.extent)) {
                            number = number.checked_add(1)?;
                            apply(own, out, *parameters.get(number)?, real);
                        }
                    }
                    [] => return None,
                }
                (values, out, row, column) = (rest_values, rest_out, row.checked_add(1)?, 0);
            }
            Some(())
        }
    }
}

#[inline]
fn apply<V>(values: &[V], out: &mut [f32], parameter: Parameter, real: impl Fn(&V, Parameter) -> f32) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = real(value, parameter);
    }
}
