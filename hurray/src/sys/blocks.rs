//! Bytes as the quantized blocks of ggml, which are plain data without saying so.

use candle_core::quantized::k_quants::{
    BlockQ2K, BlockQ3K, BlockQ4_0, BlockQ4_1, BlockQ4K, BlockQ5_0, BlockQ5_1, BlockQ5K, BlockQ6K, BlockQ8_0,
    BlockQ8_1, BlockQ8K, GgmlType,
};

/// A block type of ggml that any bytes are a value of.
///
/// # Safety
/// The type is `repr(C)`, and all its fields are integers, floats, or arrays of such.
pub(crate) unsafe trait Block: GgmlType + 'static {}

macro_rules! blocks {
    ($($block:ty)*) => {
        $(
            // SAFETY: candle declares the type `repr(C)`, with fields of u8, i8, i16, half::f16, f32, and arrays
            // of them.
            unsafe impl Block for $block {}
        )*
    };
}

blocks! {
    BlockQ4_0 BlockQ4_1 BlockQ5_0 BlockQ5_1 BlockQ8_0 BlockQ8_1
    BlockQ2K BlockQ3K BlockQ4K BlockQ5K BlockQ6K BlockQ8K
}

/// Bytes as whole blocks; `None` if they are misaligned or do not come out even.
pub(crate) fn cast_blocks<T: Block>(bytes: &[u8]) -> Option<&[T]> {
    if bytes.is_empty() {
        return Some(&[]);
    }
    let start = bytes.as_ptr().cast::<T>();
    if !start.is_aligned() || !bytes.len().is_multiple_of(size_of::<T>()) {
        return None;
    }
    let count = bytes.len().checked_div(size_of::<T>())?;
    // SAFETY: `start` is aligned, and the `count` blocks from it are exactly the memory of `bytes`, which is
    // initialized, lives as long as the result, and is not written to meanwhile. Any bytes are a value of a
    // `Block`.
    Some(unsafe { std::slice::from_raw_parts(start, count) })
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::k_quants::{BlockQ8_0, BlockQ8K};

    use super::cast_blocks;
    use crate::bytes::AlignedBytes;

    #[test]
    fn only_whole_aligned_blocks_pass() {
        let bytes = AlignedBytes::copy_from(&[0; 34 * 3]);
        let bytes = bytes.as_slice();
        assert_eq!(cast_blocks::<BlockQ8_0>(bytes).map(<[_]>::len), Some(3));
        assert!(cast_blocks::<BlockQ8_0>(&bytes[1..35]).is_none(), "odd address");
        assert!(cast_blocks::<BlockQ8_0>(&bytes[..35]).is_none(), "half a block");
        assert!(cast_blocks::<BlockQ8K>(bytes).is_none());
        assert_eq!(cast_blocks::<BlockQ8K>(&[]).map(<[_]>::len), Some(0));
    }
}
