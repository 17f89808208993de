use proptest::prelude::*;

use super::{QuantizedTensor, Symmetry};
use crate::descriptor::{
    BlockPaged, BufferHandle, KvRole, Layout, Quantization, ScaleType, TileOrder, Tiled,
};
use crate::element::ElementType;
use crate::view::dense::describe;
use crate::view::index;
use crate::view::tests::shapes;

fn reals(shape: &[usize], seed: u64) -> Vec<f32> {
    let mut state = seed | 1;
    (0..index::element_count(shape))
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / (1 << 23) as f32 - 1.0) * 10.0
        })
        .collect()
}

/// `get` and `dequantize` agree, and every value is within its scale's rounding.
fn check(tensor: &QuantizedTensor, values: &[f32], bound: impl Fn(f32, f32) -> f32) {
    let view = tensor.view();
    let dense = view.dequantize().unwrap();
    let mut by_index = Vec::new();
    index::each(view.shape(), |at| by_index.push(view.get(at).unwrap()));
    assert_eq!(
        dense.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        by_index.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    );
    let scale = view.scales().unwrap().into_iter().fold(0.0, f32::max);
    for (value, back) in values.iter().zip(&dense) {
        assert!((value - back).abs() <= bound(scale, value.abs()), "{value} {back} {scale}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn affine_round_trips_stay_within_a_step(shape in shapes(1..=4), seed: u64, axis in 0..4_usize) {
        let values = reals(&shape, seed);
        let axis = axis % shape.len();
        for symmetry in [Symmetry::Symmetric, Symmetry::Asymmetric] {
            for storage in [ElementType::Int8, ElementType::Int4, ElementType::Int2, ElementType::Int16, ElementType::Int32] {
                let tensor = QuantizedTensor::quantize_per_tensor(&values, &shape, storage, symmetry).unwrap();
                check(&tensor, &values, |scale, x| scale + x * 1e-6);
                let tensor = QuantizedTensor::quantize_per_channel(&values, &shape, storage, axis, symmetry).unwrap();
                check(&tensor, &values, |scale, x| scale + x * 1e-6);
            }
            if shape[axis] < 2 { continue }
            for (storage, scales) in [(ElementType::Int4, ScaleType::Float16), (ElementType::UInt8, ScaleType::Float32), (ElementType::Int8, ScaleType::BFloat16)] {
                if storage == ElementType::UInt8 && symmetry == Symmetry::Symmetric { continue }
                for block in [2, 4] {
                    if block as usize > shape[axis] { continue }
                    let tensor = QuantizedTensor::quantize_per_block(&values, &shape, storage, (axis, block), scales, symmetry).unwrap();
check(&tensor, &values, |scale, x| scale + x * 1e-6);
                }
            }
        }
    }

    #[test]
    fn table_round_trips_stay_within_the_gaps(rows in 1..4_usize, columns in 8..40_usize, seed: u64) {
        let values = reals(&[rows, columns], seed);
        let tensor = QuantizedTensor::quantize_nf4(&values, &[rows, columns], 1, 8).unwrap();
        check(&tensor, &values, |scale, _| scale * 0.16);
        let values = reals(&[32, rows], seed);
        for (storage, share) in [
            (ElementType::Float8E4M3, 0.125), (ElementType::Float8E5M2, 0.25), (ElementType::Float4E2M1, 0.34),
            (ElementType::Float6E2M3, 0.07), (ElementType::Float6E3M2, 0.13), (ElementType::Int8, 0.02), (ElementType::Int4, 0.2),
        ] {
            let tensor = QuantizedTensor::quantize_mxfp(&values, &[32, rows], storage, 0, 16).unwrap();
            check(&tensor, &values, |scale, x| share * x + scale * 0.5);
        }
    }
}

/// Bytes of stored elements in an order of their own.
fn tensor(
    layout: Layout,
    shape: &[usize],
    scheme: Quantization,
    storage: ElementType,
    buffers: Vec<Vec<u8>>,
) -> QuantizedTensor {
    let mut descriptor = describe(storage, shape, layout, []);
    descriptor.buffers = buffers.iter().map(|bytes| BufferHandle::host(bytes.len() as u64)).collect();
    descriptor.quantization = Some(scheme);
    QuantizedTensor::from_parts(descriptor, &buffers).unwrap()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn partial_blocks_are_stored_whole_and_addressed_as_the_format_says() {
    // The example of §6.3: int8 [2, 5], K 4: rows of 8, element [1, 4] at 12, block 3.
    let mut stored = vec![0_u8; 16];
    for (at, value) in (0..5).chain(8..13).zip(1..) {
        stored[at] = value;
    }
    let scheme = Quantization::PerBlock {
        axis: 1,
        block_size: 4,
        scales: 1,
        zero_points: Some(1),
        scale_type: ScaleType::Float32,
    };
    // One buffer for scales and zero points.
    let shared = [
        floats(&[1.0, 10.0, 100.0, 1000.0]),
        [0_i32, 1, 2, 3].iter().flat_map(|z| z.to_le_bytes()).collect(),
    ]
    .concat();
    let tensor = tensor(Layout::RowMajor, &[2, 5], scheme, ElementType::Int8, vec![stored, shared]);
    let expected = [1.0, 2.0, 3.0, 4.0, 40.0, 400.0, 500.0, 600.0, 700.0, 7000.0];
    assert_eq!(tensor.view().dequantize().unwrap(), expected);
    assert_eq!(tensor.view().get(&[1, 4]).unwrap(), 7000.0);
    assert_eq!(tensor.view().zero_points().unwrap(), [0, 1, 2, 3]);
}

#[test]
fn every_layout_dequantizes() {
    let per_channel = Quantization::PerChannel { axis: 0, scales: 1, zero_points: None };
    let scales = floats(&[1.0, -2.0]);
    let column = tensor(
        Layout::ColumnMajor,
        &[2, 2],
        per_channel.clone(),
        ElementType::UInt8,
        vec![vec![1, 3, 2, 4], scales.clone()],
    );
    assert_eq!(column.view().dequantize().unwrap(), [1.0, 2.0, -6.0, -8.0]);
    let tiles = Tiled {
        tile_shape: [2, 1].as_slice().into(),
        outer: TileOrder::RowMajor,
        inner: TileOrder::RowMajor,
    };
    let tiled = tensor(
        Layout::Tiled(Box::new(tiles)),
        &[2, 2],
        per_channel,
        ElementType::UInt8,
        vec![vec![1, 3, 2, 4], scales],
    );
    assert_eq!(tiled.view().dequantize().unwrap(), [1.0, 2.0, -6.0, -8.0]);
    let wide = Quantization::PerTensor { scale: 0.5, zero_point: i32::MAX };
    let far = tensor(Layout::RowMajor, &[2], wide, ElementType::UInt32, vec![[[0xFF; 4], [0; 4]].concat()]);
    assert_eq!(far.view().dequantize().unwrap(), [1_073_741_824.0, -0.5 * 2_147_483_647_i64 as f32]);
    // The narrow path must not be taken when the difference leaves i32: readers let any zero point of a block pass.
    let far = Quantization::PerBlock {
        axis: 0,
        block_size: 2,
        scales: 1,
        zero_points: Some(2),
        scale_type: ScaleType::Float32,
    };
    let zero_point = i32::MAX.to_le_bytes().to_vec();
    let far = tensor(
        Layout::RowMajor,
        &[2],
        far,
        ElementType::Int8,
        vec![vec![0x80, 0], floats(&[1.0]), zero_point],
    );
    assert_eq!(far.view().dequantize().unwrap(), [-2_147_483_775_i64 as f32, -2_147_483_647_i64 as f32]);
    let csr = Layout::Csr { nnz: 2 };
    let column = Quantization::PerChannel { axis: 1, scales: 3, zero_points: None };
    let u64s = |values: &[u64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let sparse = tensor(
        csr,
        &[2, 2],
        column,
        ElementType::Int8,
        vec![vec![3, 0xFF], u64s(&[1, 0]), u64s(&[0, 1, 2]), floats(&[2.0, 4.0])],
    );
    assert_eq!(sparse.view().dequantize().unwrap(), [0.0, 12.0, -2.0, 0.0]);
    assert_eq!(sparse.view().get(&[1, 0]).unwrap(), -2.0);
    assert_eq!(sparse.view().get(&[1, 1]).unwrap(), 0.0);
}

#[test]
fn paged_blocks_have_one_parameter_per_slot() {
    let layout = Layout::BlockPaged(BlockPaged {
        page_size: 2,
        num_pages: 2,
        paged_axis: 0,
        num_seqs: 1,
        kv_role: KvRole::Key,
        layer_index: None,
        wide_indices: false,
    });
    let scheme = Quantization::PerBlock {
        axis: 0,
        block_size: 2,
        scales: 3,
        zero_points: None,
        scale_type: ScaleType::Float32,
    };
    let u32s = |values: &[u32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    // The only sequence has page 1 first, then page 0, and 3 tokens of 1 x 2.
    let buffers =
        vec![vec![1, 2, 3, 4, 5, 6, 7, 8], u32s(&[1, 0]), u32s(&[0, 2]), floats(&[1.0, 10.0, 100.0, 1000.0])];
    let paged = tensor(layout, &[3, 1, 2], scheme, ElementType::UInt8, buffers);
    let view = paged.view();
    assert_eq!(view.dequantize().unwrap(), [500.0, 600.0, 7000.0, 8000.0, 1.0, 2.0]);
    assert_eq!(view.get(&[1, 0, 1]).unwrap(), 8000.0);
}
