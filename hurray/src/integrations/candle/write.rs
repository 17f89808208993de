//! The bytes of a candle tensor, from where they lie.

use std::io::Write;

use bytemuck::NoUninit;
use candle_core::{CpuStorage, DType, Device, Storage, StridedBlocks, Tensor};

use super::dtype::{element_type_of, is_raw};
use crate::descriptor::{Dims, TensorDescriptor};
use crate::element::ElementType;
use crate::error::Rule;
use crate::writer::{BoxError, TensorSource};

/// What is written as one piece; elements that lie apart are collected into pieces of this size, in bytes.
const PIECE: usize = 64 * 1024;

/// What is to be written of a tensor: its row-major form, made while it is written.
///
/// The source holds a clone, which shares the tensor's memory, and looks at it when its turn comes. A tensor
/// on another device is fetched then, so that one at a time is in memory.
pub(super) fn plan_of<'s>(tensor: &Tensor) -> Result<(TensorDescriptor, TensorSource<'s>), BoxError> {
    let dtype = tensor.dtype();
    let element_type = element_type_of(dtype).ok_or_else(|| format!("no element type for {dtype:?}"))?;
    let dims: Dims = tensor.dims().iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect();
    let count = u64::try_from(tensor.elem_count()).unwrap_or(u64::MAX);
    let size = element_type.bytes_for(count).ok_or("more bytes than a file can have")?;
    let descriptor = TensorDescriptor::row_major(element_type, dims, size);
    let tensor = tensor.clone();
    Ok((descriptor, TensorSource::stream(size, move |writer| write(&tensor, size, writer))))
}

fn write(tensor: &Tensor, size: u64, writer: &mut dyn Write) -> Result<(), BoxError> {
    if tensor.device().is_cpu() {
        write_host(tensor, size, writer)
    } else {
        write_host(&tensor.to_device(&Device::Cpu)?, size, writer)
    }
}

fn write_host(tensor: &Tensor, size: u64, writer: &mut dyn Write) -> Result<(), BoxError> {
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(storage) = &*storage else { return Err("not in the memory of the host".into()) };
    let blocks = tensor.strided_blocks();
    match storage {
        CpuStorage::U8(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::U32(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::I16(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::I32(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::I64(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::BF16(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::F16(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::F32(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::F64(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::F8E4M3(elements) => write_blocks(elements, blocks, writer),
        CpuStorage::F6E2M3(bytes)
        | CpuStorage::F6E3M2(bytes)
        | CpuStorage::F4(bytes)
        | CpuStorage::F8E8M0(bytes) => {
            let is_whole = layout.is_contiguous() && layout.start_offset() == 0;
            write_raw(bytes, tensor.dtype(), is_whole, size, writer)
        }
    }
}

/// Writes elements in row-major order. Offsets of `blocks` are in elements.
fn write_blocks<T: NoUninit>(
    elements: &[T],
    blocks: StridedBlocks<'_>,
    writer: &mut dyn Write,
) -> Result<(), BoxError> {
    let block_at = |start: usize, len: usize| -> Result<&[T], BoxError> {
        let block = start.checked_add(len).and_then(|end| elements.get(start..end));
        block.ok_or_else(|| "a layout that reaches past its storage".into())
    };
    let mut pieces = Pieces { waiting: Vec::new(), writer };
    match blocks {
        StridedBlocks::SingleBlock { start_offset, len } => pieces.push(block_at(start_offset, len)?)?,
        StridedBlocks::UniformBlocks { start_offset, block_len, count, src_stride } => {
            for index in 0..count {
                let start = index.checked_mul(src_stride).and_then(|at| at.checked_add(start_offset));
                pieces.push(block_at(start.unwrap_or(usize::MAX), block_len)?)?;
            }
        }
        StridedBlocks::MultipleBlocks { block_start_index, block_len } => {
            for start in block_start_index {
                pieces.push(block_at(start, block_len)?)?;
            }
        }
    }
    pieces.flush()
}

/// Small blocks are collected, large ones written from where they are.
struct Pieces<'w, T> {
    waiting: Vec<T>,
    writer: &'w mut dyn Write,
}

impl<T: NoUninit> Pieces<'_, T> {
    #[inline]
    fn push(&mut self, block: &[T]) -> Result<(), BoxError> {
        if size_of_val(block) >= PIECE {
            self.flush()?;
            self.writer.write_all(bytemuck::cast_slice(block))?;
            return Ok(());
        }
        self.waiting.extend_from_slice(block);
        if size_of_val(self.waiting.as_slice()) >= PIECE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BoxError> {
        self.writer.write_all(bytemuck::cast_slice(&self.waiting))?;
        self.waiting.clear();
        Ok(())
    }
}

/// Writes a tensor of which candle knows the bytes only: it can't be strided, and nobody has checked its size.
fn write_raw(
    bytes: &[u8],
    dtype: DType,
    is_whole: bool,
    size: u64,
    writer: &mut dyn Write,
) -> Result<(), BoxError> {
    debug_assert!(is_raw(dtype), "the others have elements");
    if !is_whole {
        return Err(format!("a part of a {dtype:?} tensor, which candle keeps as raw bytes").into());
    }
    if u64::try_from(bytes.len()) != Ok(size) {
        return Err(format!("{} raw bytes of {dtype:?}, where {size} belong", bytes.len()).into());
    }
    if element_type_of(dtype) == Some(ElementType::Float8E8M0)
        && let Some(bad) = bytes.iter().find(|byte| matches!(byte, 0 | 0xFF))
    {
        return Err(Rule::Typ05.broken().but_found(format_args!("{bad:#04x}")).into());
    }
    writer.write_all(bytes)?;
    Ok(())
}
