//! ggml blocks that stay where the file has them.

use std::borrow::Cow;

use candle_core::quantized::k_quants::{
    self, BlockQ2K, BlockQ3K, BlockQ4_0, BlockQ4_1, BlockQ4K, BlockQ5_0, BlockQ5_1, BlockQ5K, BlockQ6K,
    BlockQ8_0, BlockQ8_1, BlockQ8K,
};
use candle_core::quantized::{GgmlDType, QuantizedType};
use candle_core::{CpuStorage, Result, bail};
use half::f16;

use crate::sys::{Block, cast_blocks};
use crate::view::SharedBytes;

/// Blocks in shared memory, of the type that the KV entry names: computed with as candle does with its own.
/// `None` for the types that are no blocks, and for bytes that do not come out even or are misaligned.
pub(super) fn shared_blocks(dtype: GgmlDType, memory: SharedBytes) -> Option<Box<dyn QuantizedType>> {
    match dtype {
        GgmlDType::Q4_0 => Blocks::<BlockQ4_0>::boxed(memory),
        GgmlDType::Q4_1 => Blocks::<BlockQ4_1>::boxed(memory),
        GgmlDType::Q5_0 => Blocks::<BlockQ5_0>::boxed(memory),
        GgmlDType::Q5_1 => Blocks::<BlockQ5_1>::boxed(memory),
        GgmlDType::Q8_0 => Blocks::<BlockQ8_0>::boxed(memory),
        GgmlDType::Q8_1 => Blocks::<BlockQ8_1>::boxed(memory),
        GgmlDType::Q2K => Blocks::<BlockQ2K>::boxed(memory),
        GgmlDType::Q3K => Blocks::<BlockQ3K>::boxed(memory),
        GgmlDType::Q4K => Blocks::<BlockQ4K>::boxed(memory),
        GgmlDType::Q5K => Blocks::<BlockQ5K>::boxed(memory),
        GgmlDType::Q6K => Blocks::<BlockQ6K>::boxed(memory),
        GgmlDType::Q8K => Blocks::<BlockQ8K>::boxed(memory),
        GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => None,
    }
}

/// Blocks in memory that is shared until someone writes to them.
enum Blocks<T> {
    /// Checked: whole and aligned.
    Shared(SharedBytes),
    Owned(Vec<T>),
}

impl<T: Block> Blocks<T> {
    fn boxed(memory: SharedBytes) -> Option<Box<dyn QuantizedType>> {
        cast_blocks::<T>(memory.as_slice())?;
        Some(Box::new(Self::Shared(memory)))
    }

    fn as_slice(&self) -> &[T] {
        match self {
            Self::Shared(memory) => cast_blocks(memory.as_slice()).unwrap_or_default(),
            Self::Owned(blocks) => blocks,
        }
    }

    /// The file's memory is not to be written to.
    fn to_mut(&mut self) -> &mut [T] {
        if let Self::Shared(_) = self {
            *self = Self::Owned(self.as_slice().to_vec());
        }
        match self {
            Self::Owned(blocks) => blocks,
            Self::Shared(_) => &mut [],
        }
    }
}

impl<T: Block> QuantizedType for Blocks<T> {
    fn dtype(&self) -> GgmlDType {
        T::DTYPE
    }

    fn matmul_t(&self, mkn: (usize, usize, usize), lhs: &[f32], dst: &mut [f32]) -> Result<()> {
        k_quants::matmul(mkn, lhs, self.as_slice(), dst)
    }

    fn matmul_t_f16(&self, mkn: (usize, usize, usize), lhs: &[f16], dst: &mut [f16]) -> Result<()> {
        k_quants::matmul_f16(mkn, lhs, self.as_slice(), dst)
    }

    fn embedding(&self, ids: &[u32], rows: usize, hidden: usize) -> Result<CpuStorage> {
        let blocks = self.as_slice();
        let per_row = hidden.checked_div(T::BLCK_SIZE).filter(|_| hidden.is_multiple_of(T::BLCK_SIZE));
        let Some(per_row) = per_row.filter(|per_row| rows.checked_mul(*per_row) == Some(blocks.len())) else {
            bail!("{} blocks are not {rows} rows of {hidden} elements", blocks.len())
        };
        let Some(count) = ids.len().checked_mul(hidden) else { bail!("an embedding past memory") };
        let mut embedded = vec![0f32; count];
        if hidden == 0 {
            return Ok(CpuStorage::F32(embedded));
        }
        for (&id, to) in ids.iter().zip(embedded.chunks_exact_mut(hidden)) {
            let row = usize::try_from(id).ok().filter(|row| *row < rows);
            let from = row.and_then(|row| blocks.chunks_exact(per_row).nth(row));
            let Some(from) = from else { bail!("embedding id {id} is outside {rows} rows") };
            T::to_float(from, to);
        }
        Ok(CpuStorage::F32(embedded))
    }

    fn dequantize(&self, elem_count: usize) -> Result<CpuStorage> {
        let mut elements = vec![0f32; elem_count];
        T::to_float(self.as_slice(), &mut elements);
        Ok(CpuStorage::F32(elements))
    }

    fn storage_size_in_bytes(&self) -> usize {
        size_of_val(self.as_slice())
    }

    fn as_ptr(&self) -> *const u8 {
        self.as_slice().as_ptr().cast()
    }

    fn block_size(&self) -> usize {
        T::BLCK_SIZE
    }

    fn from_float(&mut self, elements: &[f32]) {
        T::from_float(elements, self.to_mut());
    }

    fn from_float_imatrix(&mut self, elements: &[f32], weights: &[f32], row: usize) {
        T::from_float_imatrix(elements, self.to_mut(), weights, row);
    }

    fn size(&self) -> usize {
        self.storage_size_in_bytes()
    }
}

/// ggml's own names.
const NAMES: [(GgmlDType, &str); 12] = [
    (GgmlDType::Q4_0, "q4_0"),
    (GgmlDType::Q4_1, "q4_1"),
    (GgmlDType::Q5_0, "q5_0"),
    (GgmlDType::Q5_1, "q5_1"),
    (GgmlDType::Q8_0, "q8_0"),
    (GgmlDType::Q8_1, "q8_1"),
    (GgmlDType::Q2K, "q2_K"),
    (GgmlDType::Q3K, "q3_K"),
    (GgmlDType::Q4K, "q4_K"),
    (GgmlDType::Q5K, "q5_K"),
    (GgmlDType::Q6K, "q6_K"),
    (GgmlDType::Q8K, "q8_K"),
];

/// ggml's name of a block type; `None` for the plain floats.
pub(super) fn name_of(dtype: GgmlDType) -> Option<&'static str> {
    NAMES.iter().find(|(named, _)| *named == dtype).map(|(_, name)| *name)
}

/// The block type of a name.
pub(super) fn block_type_of(name: &str) -> Option<GgmlDType> {
    NAMES.iter().find(|(_, known)| *known == name).map(|(dtype, _)| *dtype)
}

/// The names, for messages.
pub(super) fn known() -> Cow<'static, str> {
    NAMES.map(|(_, name)| name).join(", ").into()
}
