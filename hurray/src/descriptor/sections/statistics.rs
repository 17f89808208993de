//! The statistics section (FORMAT §3.10).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::decode_reserved;
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::Statistics;

/// The bits of the mask.
mod valid {
    pub(super) const NNZ: u32 = 1 << 0;
    pub(super) const SPARSITY: u32 = 1 << 1;
    pub(super) const VALUE_RANGE: u32 = 1 << 2;
    pub(super) const VALUE_STATS: u32 = 1 << 3;
    pub(super) const NM_SPARSITY: u32 = 1 << 4;
    pub(super) const NAN_INF: u32 = 1 << 5;
    pub(super) const ALL: u32 = 0x3F;
}

impl Statistics {
    /// In bytes.
    pub(in crate::descriptor) const ENCODED_LEN: usize = 72;

    /// STA-01, STA-02, STA-04..07. Fields whose bit is clear are unknown, whatever they hold (STA-08).
    ///
    /// `None` where permissive mode drops statistics that contradict themselves.
    pub(in crate::descriptor) fn decode(
        fields: &mut Cursor<'_>,
        policy: &Policy,
    ) -> Result<Option<Self>, FormatError> {
        let at = fields.offset();
        let mask = fields.u32()?;
        Rule::Sta01.check(mask & !valid::ALL == 0, |e| {
            e.at(at).expected_to_be("mask bits 6..31 zero").but_found(format_args!("{mask:#010x}"))
        })?;
        decode_reserved::<4>(fields, Rule::Sta02)?;
        let has = |bit: u32| mask & bit != 0;
        let nnz = Some(fields.u64()?).filter(|_| has(valid::NNZ));
        let sparsity_ratio = Some(fields.f64()?).filter(|_| has(valid::SPARSITY));
        let range = (fields.f64()?, fields.f64()?, fields.f64()?);
        let moments = (fields.f64()?, fields.f64()?);
        let n_of_m = (fields.u8()?, fields.u8()?);
        let [has_nan, has_inf] = fields.array::<2>()?;
        decode_reserved::<4>(fields, Rule::Sta02)?;

        let statistics = Self {
            nnz,
            sparsity_ratio,
            range: Some(range).filter(|_| has(valid::VALUE_RANGE)),
            moments: Some(moments).filter(|_| has(valid::VALUE_STATS)),
            n_of_m: Some(n_of_m).filter(|_| has(valid::NM_SPARSITY)),
            nan_inf: Some((has_nan == 1, has_inf == 1)).filter(|_| has(valid::NAN_INF)),
        };
        let flags_are_bools = !has(valid::NAN_INF) || (has_nan <= 1 && has_inf <= 1);
        let consistent = statistics.check(at).and_then(|()| {
            Rule::Sta07.check(flags_are_bools, |e| {
                e.at(at.saturating_add(66))
                    .expected_to_be("`has_nan` and `has_inf` 0 or 1")
                    .but_found(format_args!("{has_nan} and {has_inf}"))
            })
        });
        match consistent {
            Ok(()) => Ok(Some(statistics)),
            Err(_) if policy.is_permissive() => Ok(None),
            Err(broken) => Err(broken),
        }
    }

    /// STA-04..06. `at`: where the section starts.
    pub(in crate::descriptor) fn check(&self, at: u64) -> Result<(), FormatError> {
        if let Some((_, deviation)) = self.moments {
            // NaN is unknown, not negative.
            Rule::Sta04.check(deviation.is_nan() || deviation >= 0.0, |e| {
                e.at(at.saturating_add(56))
                    .expected_to_be("a deviation that is not negative")
                    .but_found(deviation)
            })?;
        }
        if let Some(ratio) = self.sparsity_ratio {
            Rule::Sta05.check((0.0..=1.0).contains(&ratio), |e| {
                e.at(at.saturating_add(16)).expected_to_be("a sparsity ratio from 0 to 1").but_found(ratio)
            })?;
        }
        if let Some((n, m)) = self.n_of_m {
            Rule::Sta06.check(n <= m, |e| {
                e.at(at.saturating_add(64)).expected_to_be(format!("at most {m} of {m}")).but_found(n)
            })?;
        }
        Ok(())
    }

    /// Whether a field is NaN, which is not to be written (STA-09).
    pub(in crate::descriptor) fn has_nan(&self) -> bool {
        let (value_min, value_max, value_abs_max) = self.range.unwrap_or_default();
        let (mean, deviation) = self.moments.unwrap_or_default();
        let ratio = self.sparsity_ratio.unwrap_or_default();
        [ratio, value_min, value_max, value_abs_max, mean, deviation].iter().any(|value| value.is_nan())
    }

    /// STA-09: what is unknown has its bit clear and its field 0.
    pub(in crate::descriptor) fn encode(&self, sink: &mut Sink) {
        let bits = [
            (valid::NNZ, self.nnz.is_some()),
            (valid::SPARSITY, self.sparsity_ratio.is_some()),
            (valid::VALUE_RANGE, self.range.is_some()),
            (valid::VALUE_STATS, self.moments.is_some()),
            (valid::NM_SPARSITY, self.n_of_m.is_some()),
            (valid::NAN_INF, self.nan_inf.is_some()),
        ];
        let mask = bits.iter().filter(|(_, known)| *known).fold(0, |mask, (bit, _)| mask | bit);
        let (value_min, value_max, value_abs_max) = self.range.unwrap_or_default();
        let (mean, deviation) = self.moments.unwrap_or_default();
        let (n, m) = self.n_of_m.unwrap_or_default();
        let (has_nan, has_inf) = self.nan_inf.unwrap_or_default();
        sink.u32(mask)
            .zeros(4)
            .u64(self.nnz.unwrap_or_default())
            .f64(self.sparsity_ratio.unwrap_or_default())
            .f64(value_min)
            .f64(value_max)
            .f64(value_abs_max)
            .f64(mean)
            .f64(deviation)
            .u8(n)
            .u8(m)
            .u8(u8::from(has_nan))
            .u8(u8::from(has_inf))
            .zeros(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Mode;

    fn decode(patches: &[(usize, u8)], policy: &Policy) -> Result<Option<Statistics>, Rule> {
        let mut sink = Sink::default();
        Statistics {
            nnz: Some(3),
            n_of_m: Some((2, 4)),
            nan_inf: Some((false, true)),
            ..Statistics::default()
        }
        .encode(&mut sink);
        let mut bytes = sink.into_vec();
        for (at, value) in patches {
            bytes[*at] = *value;
        }
        Statistics::decode(&mut Cursor::new(&bytes, 0, Rule::Dsc04), policy).map_err(|broken| broken.rule())
    }

    #[test]
    fn fields_without_their_bit_are_unknown() {
        let strict = Policy::default();
        let known = decode(&[], &strict).unwrap().unwrap();
        assert_eq!((known.nnz, known.n_of_m, known.nan_inf), (Some(3), Some((2, 4)), Some((false, true))));
        assert_eq!((known.sparsity_ratio, known.range, known.moments), (None, None, None));
        // Only `nnz` is valid: what the others hold is ignored.
        let only_nnz = decode(&[(0, 1), (64, 9), (66, 7), (63, 0xFF)], &strict).unwrap().unwrap();
        assert_eq!(only_nnz, Statistics { nnz: Some(3), ..Statistics::default() });
    }

    #[test]
    fn contradictions_are_refused_or_dropped() {
        let permissive = Policy { mode: Mode::Permissive, ..Policy::default() };
        for (patch, rule) in [((64, 5), Rule::Sta06), ((66, 2), Rule::Sta07)] {
            assert_eq!(decode(&[patch], &Policy::default()), Err(rule));
            assert_eq!(decode(&[patch], &permissive), Ok(None));
        }
        for (patch, rule) in [((1, 1), Rule::Sta01), ((4, 1), Rule::Sta02), ((71, 1), Rule::Sta02)] {
            assert_eq!(decode(&[patch], &permissive), Err(rule));
        }
    }
}
