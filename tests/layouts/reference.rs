//! Where an element lies, by the formulas of FORMAT §4.2 and §5 written down as they stand: one element at a time, no
//! short cut, and nothing of the library but the fields of the descriptor.

use hurray::ElementType;
use hurray::descriptor::{Layout, Quantization, TensorDescriptor, TileOrder, Tiled};

/// The bits of one element.
pub(crate) fn bits(element_type: ElementType) -> i128 {
    match element_type {
        ElementType::Bool => 1,
        ElementType::Int2 | ElementType::UInt2 => 2,
        ElementType::Int4 | ElementType::UInt4 | ElementType::Float4E2M1 => 4,
        ElementType::Float6E2M3 | ElementType::Float6E3M2 => 6,
        ElementType::Int8 | ElementType::UInt8 | ElementType::Float8E4M3 | ElementType::Float8E5M2 => 8,
        ElementType::Int16 | ElementType::UInt16 | ElementType::Float16 => 16,
        ElementType::Int32 | ElementType::UInt32 | ElementType::Float32 => 32,
        ElementType::Float64 | ElementType::Complex64 => 64,
        other => panic!("no test has {other}"),
    }
}

/// The first byte of the unit that holds an element, the unit's bytes, and the element's first bit in it (§4.2, §5.0).
fn unit(bits: i128, byte_offset: i128, offset: i128) -> (usize, usize, i128) {
    let (per_unit, unit_bytes) = match bits {
        6 => (4, 3),
        1 | 2 | 4 => (8 / bits, 1),
        _ => (1, bits / 8),
    };
    let byte = byte_offset + unit_bytes * offset.div_euclid(per_unit);
    (byte.try_into().unwrap(), unit_bytes as usize, offset.rem_euclid(per_unit) * bits)
}

fn load(unit: &[u8]) -> u128 {
    unit.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))
}

/// The bit pattern of the element at an offset, in elements.
pub(crate) fn read(bits: i128, byte_offset: u64, buffer: &[u8], offset: i128) -> u64 {
    let (byte, length, shift) = unit(bits, byte_offset.into(), offset);
    let word = load(&buffer[byte..byte + length]) >> shift;
    u64::try_from(word & ((1u128 << bits) - 1)).unwrap()
}

/// Sets the bit pattern of the element at an offset.
pub(crate) fn write(bits: i128, byte_offset: u64, buffer: &mut [u8], offset: i128, pattern: u64) {
    let (byte, length, shift) = unit(bits, byte_offset.into(), offset);
    let mask = ((1u128 << bits) - 1) << shift;
    let word = load(&buffer[byte..byte + length]) & !mask | u128::from(pattern) << shift & mask;
    buffer[byte..byte + length].copy_from_slice(&word.to_le_bytes()[..length]);
}

fn row_major(index: &[i128], shape: &[i128]) -> i128 {
    index.iter().zip(shape).fold(0, |offset, (at, dim)| offset * dim + at)
}

fn column_major(index: &[i128], shape: &[i128]) -> i128 {
    index.iter().zip(shape).rev().fold(0, |offset, (at, dim)| offset * dim + at)
}

fn by_strides(index: &[i128], strides: &[i64]) -> i128 {
    index.iter().zip(strides).map(|(at, stride)| at * i128::from(*stride)).sum()
}

fn tiled(index: &[i128], dims: &[i128], level: &Tiled) -> i128 {
    let tile: Vec<i128> = level.tile_shape.iter().map(|t| i128::from(*t)).collect();
    let grid: Vec<i128> = dims.iter().zip(&tile).map(|(d, t)| (d + t - 1) / t).collect();
    let t: Vec<i128> = index.iter().zip(&tile).map(|(i, t)| i / t).collect();
    let e: Vec<i128> = index.iter().zip(&tile).map(|(i, t)| i % t).collect();
    let number = match &level.outer {
        TileOrder::RowMajor => row_major(&t, &grid),
        TileOrder::ColumnMajor => column_major(&t, &grid),
        TileOrder::Strided(strides) => by_strides(&t, strides),
        TileOrder::Tiled(_) => panic!("no outer order"),
    };
    let intra = match &level.inner {
        TileOrder::RowMajor => row_major(&e, &tile),
        TileOrder::ColumnMajor => column_major(&e, &tile),
        TileOrder::Strided(strides) => by_strides(&e, strides),
        TileOrder::Tiled(inner) => tiled(&e, &tile, inner),
    };
    number * tile.iter().product::<i128>() + intra
}

fn morton(index: &[i128], bits: &[u32]) -> i128 {
    let r = index.len();
    let mut o = 0;
    for d in 0..r {
        for b in 0..bits[d] as usize {
            o |= (index[d] >> b & 1) << (b * r + d);
        }
    }
    o
}

/// Skilling's transform, as §5.6 has it.
fn hilbert(index: &[i128], p: u32) -> i128 {
    let (r, mut x) = (index.len(), index.to_vec());
    for q in (1..p).rev().map(|b| 1 << b) {
        let m = q - 1;
        for i in 0..r {
            if x[i] & q != 0 {
                x[0] ^= m;
            } else {
                let t = (x[0] ^ x[i]) & m;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
    }
    for i in 1..r {
        x[i] ^= x[i - 1];
    }
    let mut t = 0;
    for q in (1..p).rev().map(|b| 1 << b) {
        if x[r - 1] & q != 0 {
            t ^= q - 1;
        }
    }
    let mut h = 0;
    for (d, x) in x.iter().enumerate() {
        for b in 0..p as usize {
            h |= ((x ^ t) >> b & 1) << (b * r + r - 1 - d);
        }
    }
    h
}

/// The index of the first dimension that blocks run along, their size, and how many there are along it (§6.3).
pub(crate) fn blocks(descriptor: &TensorDescriptor) -> Option<(usize, i128, i128)> {
    let (axis, size) = match *descriptor.quantization()? {
        Quantization::PerBlock { axis, block_size, .. }
        | Quantization::Nf4 { axis, block_size, .. }
        | Quantization::Mxfp { axis, block_size, .. } => (axis as usize, i128::from(block_size)),
        _ => return None,
    };
    Some((axis, size, (i128::from(descriptor.shape()[axis]) + size - 1) / size))
}

fn u64s(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|eight| u64::from_le_bytes(eight.try_into().unwrap())).collect()
}

fn narrow(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().unwrap()).into()).collect()
}

/// The page and the slot in it of a token of the flat shape of a paged tensor, given the tokens of each sequence (§5.10).
pub(crate) fn page_of(
    descriptor: &TensorDescriptor,
    buffers: &[&[u8]],
    tokens: &[usize],
    mut t: usize,
) -> (i128, i128) {
    let Layout::BlockPaged(fields) = descriptor.layout() else { panic!("not paged") };
    let read = if fields.wide_indices { u64s } else { narrow };
    let (block_table, seq_ptr) = (read(buffers[1]), read(buffers[2]));
    let mut s = 0;
    while t >= tokens[s] {
        t -= tokens[s];
        s += 1;
    }
    let page_size = fields.page_size as usize;
    let page = block_table[seq_ptr[s] as usize + t / page_size];
    (page.into(), (t % page_size) as i128)
}

/// The offset of an element in buffer 0, in elements; `None` where a sparse tensor stores nothing. `tokens` are the
/// token counts of the sequences of a paged tensor.
pub(crate) fn offset(
    descriptor: &TensorDescriptor,
    buffers: &[&[u8]],
    tokens: &[usize],
    index: &[usize],
) -> Option<i128> {
    let shape: Vec<i128> = descriptor.shape().iter().map(|dim| i128::from(*dim)).collect();
    let mut storage_shape = shape.clone();
    if let Some((axis, size, count)) = blocks(descriptor) {
        storage_shape[axis] = size * count;
    }
    let wide: Vec<i128> = index.iter().map(|at| *at as i128).collect();
    let stored: Vec<u64> = index.iter().map(|at| *at as u64).collect();
    Some(match descriptor.layout() {
        Layout::RowMajor => row_major(&wide, &storage_shape),
        Layout::ColumnMajor => column_major(&wide, &storage_shape),
        Layout::Strided { strides } => by_strides(&wide, strides),
        Layout::Tiled(level) => tiled(&wide, &shape, level),
        Layout::Morton { bits } => morton(&wide, bits),
        Layout::Hilbert { order } => hilbert(&wide, *order),
        Layout::Coo { nnz, .. } => {
            let entries = u64s(buffers[1]);
            let r = index.len();
            (0..*nnz as usize).find(|i| entries[i * r..i * r + r] == stored)? as i128
        }
        Layout::Csr { .. } | Layout::Csc { .. } => {
            let (minor, ptr) = (u64s(buffers[1]), u64s(buffers[2]));
            let by_rows = matches!(descriptor.layout(), Layout::Csr { .. });
            let (j, i) = if by_rows { (index[0], stored[1]) } else { (index[1], stored[0]) };
            (ptr[j]..ptr[j + 1]).find(|at| minor[*at as usize] == i)?.into()
        }
        Layout::Csf { mode_order, .. } => {
            let mut p = 0;
            for (l, mode) in mode_order.iter().enumerate() {
                let (pos, crd) = (u64s(buffers[2 * l + 1]), u64s(buffers[2 * l + 2]));
                p = (pos[p]..pos[p + 1]).find(|j| crd[*j as usize] == stored[*mode as usize])? as usize;
            }
            p as i128
        }
        Layout::BlockPaged(fields) => {
            let (page, slot) = page_of(descriptor, buffers, tokens, index[0]);
            ((page * i128::from(fields.page_size) + slot) * shape[1] + wide[1]) * shape[2] + wide[2]
        }
        other => panic!("no test has {}", other.name()),
    })
}

/// The bit pattern of an element; `None` where a sparse tensor stores nothing.
pub(crate) fn pattern(
    descriptor: &TensorDescriptor,
    buffers: &[&[u8]],
    tokens: &[usize],
    index: &[usize],
) -> Option<u64> {
    let offset = offset(descriptor, buffers, tokens, index)?;
    Some(read(bits(descriptor.element_type()), descriptor.byte_offset(), buffers[0], offset))
}
