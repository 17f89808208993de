//! Arithmetic on shapes: counts that may exceed 64 bits (FORMAT §0, §3.4).

use super::DYNAMIC;

/// The number of elements, saturated; `None` if a dimension is not resolved.
pub(crate) fn element_count(shape: &[u64]) -> Option<u128> {
    if shape.contains(&DYNAMIC) { None } else { Some(product(shape.iter().copied())) }
}

/// The same where it fits 64 bits, as that of every real dense tensor does.
#[inline]
pub(crate) fn small_element_count(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1_u64, |count, length| count.checked_mul(*length).filter(|_| *length != DYNAMIC))
}

/// The product, saturated; 0 if any factor is 0, 1 for no factors.
pub(crate) fn product(factors: impl IntoIterator<Item = u64>) -> u128 {
    let mut product = 1_u128;
    for factor in factors {
        if factor == 0 {
            return 0;
        }
        product = product.saturating_mul(u128::from(factor));
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate_and_zero_wins() {
        assert_eq!(element_count(&[]), Some(1));
        assert_eq!(element_count(&[3, 4]), Some(12));
        assert_eq!(element_count(&[u64::MAX - 1; 3]), Some(u128::MAX));
        assert_eq!(element_count(&[u64::MAX - 1, u64::MAX - 1, u64::MAX - 1, 0]), Some(0));
        assert_eq!(element_count(&[0, DYNAMIC]), None);
        assert_eq!(small_element_count(&[3, 4]), Some(12));
        assert_eq!(small_element_count(&[0, DYNAMIC]), None);
        assert_eq!(small_element_count(&[u64::MAX - 1, 2]), None);
    }
}
