//! Statistics of values (FORMAT §3.10).

use crate::descriptor::Statistics;
use crate::element::Scalar;

impl Statistics {
    /// The statistics of real values, all of them, zeros included. A group whose result would be NaN is left
    /// unknown: range and moments with a NaN among the values, moments with an infinity (rule STA-09). The
    /// pattern `n_of_m` is never guessed.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sums = Sums::default();
        values.into_iter().for_each(|value| sums.add(value));
        sums.finish()
    }

    /// The statistics of scalars: of their real values, and only the number of zeros if any has none (complex
    /// and private types).
    #[must_use]
    pub fn of_scalars(scalars: impl IntoIterator<Item = Scalar>) -> Self {
        let (mut sums, mut all_real, mut nonzero) = (Sums::default(), true, 0_u64);
        for scalar in scalars {
            nonzero = nonzero.saturating_add(u64::from(!scalar.is_zero()));
            match scalar.to_f64() {
                Some(value) => sums.add(value),
                None => {
                    all_real = false;
                    sums.count = sums.count.saturating_add(1);
                }
            }
        }
        // A small integer or float128 may become zero as an f64, and still is not.
        let mut statistics = Sums { nonzero, ..sums }.finish();
        if !all_real {
            statistics = Self { range: None, moments: None, nan_inf: None, ..statistics };
        }
        statistics
    }
}

/// What one pass collects. Mean and deviation by Welford's method, which does not lose small differences.
#[derive(Debug, Clone, Copy)]
struct Sums {
    count: u64,
    nonzero: u64,
    low: f64,
    high: f64,
    mean: f64,
    squares: f64,
    has_nan: bool,
    has_inf: bool,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            count: 0,
            nonzero: 0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            mean: 0.0,
            squares: 0.0,
            has_nan: false,
            has_inf: false,
        }
    }
}

impl Sums {
    fn add(&mut self, value: f64) {
        self.count = self.count.saturating_add(1);
        self.nonzero = self.nonzero.saturating_add(u64::from(value != 0.0));
        self.has_nan |= value.is_nan();
        self.has_inf |= value.is_infinite();
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        let distance = value - self.mean;
        self.mean += distance / as_f64(self.count);
        self.squares += distance * (value - self.mean);
    }

    fn finish(self) -> Statistics {
        let count = as_f64(self.count);
        let is_empty = self.count == 0;
        let deviation = (self.squares / count).max(0.0).sqrt();
        let is_known = |value: &f64| !value.is_nan();
        Statistics {
            nnz: Some(self.nonzero),
            sparsity_ratio: (!is_empty).then(|| as_f64(self.count.saturating_sub(self.nonzero)) / count),
            range: (!is_empty && !self.has_nan)
                .then(|| (self.low, self.high, self.low.abs().max(self.high.abs()))),
            moments: (!is_empty && !self.has_nan && !self.has_inf)
                .then_some((self.mean, deviation))
                .filter(|(mean, deviation)| is_known(mean) && is_known(deviation)),
            n_of_m: None,
            nan_inf: Some((self.has_nan, self.has_inf)),
        }
    }
}

#[expect(
    clippy::as_conversions,
    reason = "a count past 2^53 is rounded, as any statistic of so many values is"
)]
fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use crate::descriptor::Statistics;
    use crate::element::Scalar;

    #[test]
    fn are_those_of_the_values() {
        let statistics = Statistics::of([1.5, 0.0, -2.0, 1.0]);
        let (mean, deviation) = statistics.moments.unwrap();
        assert_eq!((statistics.nnz, statistics.sparsity_ratio), (Some(3), Some(0.25)));
        assert_eq!(statistics.range, Some((-2.0, 1.5, 2.0)));
        assert!((mean - 0.125).abs() < 1e-15 && (deviation - 1.340_475_661_845_451).abs() < 1e-14);
        assert_eq!(statistics.nan_inf, Some((false, false)));
    }

    #[test]
    fn groups_that_would_be_nan_are_unknown() {
        let nan = Statistics::of([1.0, f64::NAN]);
        assert_eq!((nan.range, nan.moments, nan.nan_inf), (None, None, Some((true, false))));
        let infinite = Statistics::of([1.0, f64::NEG_INFINITY]);
        assert_eq!(infinite.range, Some((f64::NEG_INFINITY, 1.0, f64::INFINITY)));
        assert_eq!((infinite.moments, infinite.nan_inf), (None, Some((false, true))));
        let none = Statistics::of([]);
        assert_eq!((none.nnz, none.sparsity_ratio, none.range, none.moments), (Some(0), None, None, None));
        let complex = Statistics::of_scalars([
            Scalar::Complex { re: 0.0, im: 1.0 },
            Scalar::Complex { re: 0.0, im: 0.0 },
        ]);
        assert_eq!((complex.nnz, complex.sparsity_ratio, complex.range), (Some(1), Some(0.5), None));
    }
}
