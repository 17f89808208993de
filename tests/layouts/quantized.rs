//! Quantized tensors (FORMAT §6): every scheme in every layout, every real number to its last bit.

use hurray::descriptor::{Layout, Quantization, ScaleType, TensorDescriptor, TileOrder, Tiled};
use hurray::{
    Coo, Csc, Csf, Csr, DynTensor, ElementType, QuantizedTensor, QuantizedView, Rule, Symmetry, TensorError,
};
use hurray_tests::quantizable::{AFFINE, MICRO};
use proptest::prelude::*;

use super::common::{One, indices, through_a_file};
use super::paged::{Sequences, sequences};
use super::reference;
use super::schemes::{Numbers, parameters, real};

const SCALES: [ScaleType; 3] = [ScaleType::Float16, ScaleType::BFloat16, ScaleType::Float32];

/// A tensor from its parts goes through a file, and every number is that of the formula.
fn check(descriptor: &TensorDescriptor, buffers: &[Vec<u8>], tokens: &[usize]) {
    let given: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
    let shape: Vec<usize> = descriptor.shape().iter().map(|dim| *dim as usize).collect();
    let tensor = QuantizedTensor::from_parts(descriptor.clone(), buffers).unwrap();
    through_a_file(tensor, |file| {
        let One::<QuantizedView<'_>> { tensor } = file.load().unwrap();
        let One::<QuantizedTensor> { tensor: twin } = file.load().unwrap();
        let twin = twin.view();
        let paged = matches!(descriptor.layout(), Layout::BlockPaged(_));
        let [tensor, twin] =
            [tensor, twin].map(|view| if paged { view.with_token_counts(tokens).unwrap() } else { view });
        let (dense, of_twin) = (tensor.dequantize().unwrap(), twin.dequantize().unwrap());
        assert_eq!(dense.len(), shape.iter().product::<usize>());
        for (index, (dense, of_twin)) in indices(&shape).iter().zip(dense.iter().zip(&of_twin)) {
            let expected = real(descriptor, &given, tokens, index);
            for found in [*dense, *of_twin, tensor.get(index).unwrap()] {
                let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                assert!(same, "{found:e} is not {expected:e} at {index:?} of {descriptor:?}");
            }
        }
        for axis in 0..shape.len() {
            let mut outside = vec![0; shape.len()];
            outside[axis] = shape[axis];
            assert!(matches!(tensor.get(&outside), Err(TensorError::Index { .. })));
        }
        // What was given lies in the file as it is.
        let entry = file.tensor("tensor").unwrap();
        assert_eq!(entry.buffers().unwrap().as_slice(), given);
    });
}

fn dims(shape: &[usize]) -> impl Iterator<Item = u64> {
    shape.iter().map(|dim| *dim as u64)
}

/// The dense layouts that a shape can have, with a byte offset where there is something before the first element.
fn dense_layouts(shape: &[usize], storage: ElementType, numbers: &mut Numbers) -> Vec<(Layout, u64)> {
    let mut layouts = vec![(Layout::RowMajor, 0), (Layout::ColumnMajor, 0)];
    // Every axis backwards, with a gap after each element.
    let strides: Vec<i64> =
        (0..shape.len()).map(|axis| -2 * shape[axis + 1..].iter().product::<usize>() as i64).collect();
    let lowest = 2 * shape.iter().product::<usize>().saturating_sub(1) as u64;
    let offset = if shape.contains(&0) {
        0
    } else {
        match reference::bits(storage) as u64 {
            6 => lowest.div_ceil(4) * 3,
            bits @ (1 | 2 | 4) => lowest.div_ceil(8 / bits),
            bits => lowest * bits / 8,
        }
    };
    layouts.push((Layout::Strided { strides: strides.into() }, offset));
    let tile = || -> Vec<u64> { shape.iter().map(|_| 1 + numbers.below(3) as u64).collect() };
    let mut tile = tile;
    let inner =
        Tiled { tile_shape: tile().into(), outer: TileOrder::ColumnMajor, inner: TileOrder::RowMajor };
    let around = inner.tile_shape.iter().map(|t| t * 2).collect();
    let nested = TileOrder::Tiled(Box::new(inner.clone()));
    layouts.push((Layout::Tiled(Box::new(inner)), 0));
    layouts.push((
        Layout::Tiled(Box::new(Tiled { tile_shape: around, outer: TileOrder::RowMajor, inner: nested })),
        0,
    ));
    let bits = shape.iter().max().unwrap().next_power_of_two().ilog2().max(1);
    layouts.push((Layout::Morton { bits: shape.iter().map(|_| bits).collect() }, 0));
    let side = shape[0];
    if side > 1 && side.is_power_of_two() && shape.len() > 1 && shape.iter().all(|dim| *dim == side) {
        layouts.push((Layout::Hilbert { order: side.ilog2() }, 0));
    }
    layouts
}

/// Patterns at the places that the reference finds; whatever else the layout stores is 0.
fn check_dense(
    (layout, byte_offset): (Layout, u64),
    shape: &[usize],
    storage: ElementType,
    scheme: &Quantization,
    numbers: &mut Numbers,
) {
    let descriptor = TensorDescriptor::builder(storage, dims(shape))
        .layout(layout)
        .byte_offset(byte_offset)
        .quantization(scheme.clone())
        .build()
        .unwrap();
    let count = parameters(scheme, descriptor.layout(), shape);
    let mut buffers = vec![vec![0u8; descriptor.buffers()[0].byte_size as usize]];
    let bits = reference::bits(storage);
    for index in indices(shape) {
        let offset = reference::offset(&descriptor, &[], &[], &index).unwrap();
        let pattern = numbers.next() & ((1 << bits) - 1);
        reference::write(bits, descriptor.byte_offset(), &mut buffers[0], offset, pattern);
    }
    buffers.extend(numbers.parameters(scheme, storage, count));
    check(&descriptor, &buffers, &[]);
}

/// The scheme with its parameter buffers after those of the layout.
fn after(scheme: &Quantization, own: u32) -> Quantization {
    let mut scheme = scheme.clone();
    match &mut scheme {
        Quantization::PerChannel { scales, zero_points, .. }
        | Quantization::PerBlock { scales, zero_points, .. } => {
            *scales = own;
            *zero_points = zero_points.map(|_| own + 1);
        }
        Quantization::Nf4 { scales, .. } | Quantization::Mxfp { scales, .. } => *scales = own,
        _ => {}
    }
    scheme
}

/// The same components with patterns in place of the values.
fn check_components(
    plain: &DynTensor,
    slots: usize,
    storage: ElementType,
    scheme: &Quantization,
    tokens: &[usize],
    numbers: &mut Numbers,
) {
    let view = plain.view();
    let shape: Vec<usize> = view.shape().iter().map(|dim| *dim as usize).collect();
    let bits = reference::bits(storage);
    let size = match bits {
        6 => slots.div_ceil(4) * 3,
        1 | 2 | 4 => slots.div_ceil(8 / bits as usize),
        _ => slots * bits as usize / 8,
    };
    let mut values = vec![0u8; size];
    for slot in 0..slots {
        let pattern = numbers.next() & ((1 << bits) - 1);
        reference::write(bits, 0, &mut values, slot as i128, pattern);
    }
    let scheme = after(scheme, view.buffers().len() as u32);
    let count = parameters(&scheme, view.layout(), &shape);
    let mut buffers = vec![values];
    buffers.extend(view.buffers()[1..].iter().map(|bytes| bytes.to_vec()));
    buffers.extend(numbers.parameters(&scheme, storage, count));
    let descriptor = TensorDescriptor::builder(storage, dims(&shape))
        .layout(view.layout().clone())
        .quantization(scheme)
        .buffer_sizes(buffers.iter().map(|bytes| bytes.len() as u64))
        .build()
        .unwrap();
    check(&descriptor, &buffers, tokens);
}

/// A scheme in every layout that the shape allows.
fn everywhere(shape: &[usize], storage: ElementType, scheme: &Quantization, seed: u64) {
    let numbers = &mut Numbers(seed);
    for layout in dense_layouts(shape, storage, numbers) {
        check_dense(layout, shape, storage, scheme, numbers);
    }
    let mask: Vec<i32> = (0..shape.iter().product()).map(|_| numbers.below(2) as i32).collect();
    let slots = mask.iter().filter(|mark| **mark != 0).count();
    let mut sparse = vec![DynTensor::from(Coo::<i32>::from_dense(&mask, shape).unwrap())];
    if shape.len() == 2 {
        sparse.push(Csr::<i32>::from_dense(&mask, shape).unwrap().into());
        sparse.push(Csc::<i32>::from_dense(&mask, shape).unwrap().into());
    }
    if shape.len() > 2 {
        sparse.push(Csf::<i32>::from_dense(&mask, shape).unwrap().into());
    }
    for plain in &sparse {
        check_components(plain, slots, storage, scheme, &[], numbers);
    }
}

fn by_channel(axis: usize, symmetric: bool) -> Quantization {
    Quantization::PerChannel {
        axis: axis as u32,
        scales: 1,
        zero_points: if symmetric { None } else { Some(2) },
    }
}

/// A shape of rank 1 to 5 whose axis has one of some extents.
fn with_axis(extents: std::ops::Range<usize>) -> impl Strategy<Value = (Vec<usize>, usize)> {
    (prop::collection::vec(0usize..4, 1..=5), 0usize..5, extents).prop_map(|(mut shape, axis, extent)| {
        let axis = axis % shape.len();
        shape[axis] = extent;
        (shape, axis)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn per_tensor((shape, _) in with_axis(0..5), storage in prop::sample::select(&AFFINE[..]), seed in any::<u64>()) {
        let mut numbers = Numbers(seed);
        let scheme = Quantization::PerTensor { scale: numbers.float(), zero_point: numbers.zero_point(storage) };
        everywhere(&shape, storage, &scheme, seed);
    }

    #[test]
    fn per_channel(
        (shape, axis) in with_axis(0..5), storage in prop::sample::select(&AFFINE[..]), symmetric in any::<bool>(), seed in any::<u64>(),
    ) {
        everywhere(&shape, storage, &by_channel(axis, symmetric), seed);
    }

    #[test]
    fn per_block(
        (shape, axis) in with_axis(2..12), storage in prop::sample::select(&AFFINE[..6]), scale_type in prop::sample::select(&SCALES[..]),
        power in 1u32..4, symmetric in any::<bool>(), empty in 0u8..8, seed in any::<u64>(),
    ) {
        let mut shape = shape;
        if empty == 0 {
            shape[axis] = 0;
        }
        let block_size = if empty == 0 { 1 << power } else { (1 << power).min(1 << shape[axis].ilog2()) };
        let zero_points = if symmetric { None } else { Some(2) };
        let scheme = Quantization::PerBlock { axis: axis as u32, block_size, scales: 1, zero_points, scale_type };
        everywhere(&shape, storage, &scheme, seed);
    }

    #[test]
    fn nf4((shape, axis) in with_axis(8..40), power in 3u32..6, empty in 0u8..8, seed in any::<u64>()) {
        let mut shape = shape;
        if empty == 0 {
            shape[axis] = 0;
        }
        let block_size = if empty == 0 { 8 } else { (1 << power).min(1 << shape[axis].ilog2()) };
        let scheme = Quantization::Nf4 { axis: axis as u32, block_size, scales: 1 };
        everywhere(&shape, ElementType::UInt4, &scheme, seed);
    }

    #[test]
    fn mxfp((shape, axis) in with_axis(1..3), storage in prop::sample::select(&MICRO[..]), block in 4u32..6, seed in any::<u64>()) {
        let mut shape = shape;
        shape[axis] *= 1 << block;
        let scheme = Quantization::Mxfp { axis: axis as u32, block_size: 1 << block, scales: 1 };
        everywhere(&shape, storage, &scheme, seed);
    }

    #[test]
    fn along_a_hilbert_curve(rank in 2usize..4, storage in prop::sample::select(&AFFINE[..6]), seed in any::<u64>()) {
        let shape = vec![16 >> (rank - 2); rank];
        let axis = seed as u32 % rank as u32;
        let scheme = Quantization::PerBlock { axis, block_size: 4, scales: 1, zero_points: Some(2), scale_type: ScaleType::BFloat16 };
        everywhere(&shape, storage, &scheme, seed);
        if rank == 2 {
            everywhere(&shape, ElementType::UInt4, &Quantization::Nf4 { axis, block_size: 8, scales: 1 }, seed);
            everywhere(&shape, MICRO[seed as usize % 7], &Quantization::Mxfp { axis, block_size: 16, scales: 1 }, seed);
        }
        everywhere(&shape, storage, &by_channel(axis as usize, false), seed);
    }

    #[test]
    fn block_paged(
        sequences in sequences(&[2, 4, 8]), heads in 0usize..4, size in 0usize..4, storage in prop::sample::select(&AFFINE[..6]),
        scale_type in prop::sample::select(&SCALES[..]), symmetric in any::<bool>(), seed in any::<u64>(),
    ) {
        let numbers = &mut Numbers(seed);
        let slots = sequences.num_pages * sequences.page_size * heads * size;
        let plain = paged(&sequences, heads, size, slots);
        let zero_points = if symmetric { None } else { Some(4) };
        let block_size = sequences.page_size as u32;
        for scheme in [
            Quantization::PerTensor { scale: numbers.float(), zero_point: numbers.zero_point(storage) },
            Quantization::PerChannel { axis: 1, scales: 3, zero_points },
            Quantization::PerChannel { axis: 2, scales: 3, zero_points },
            Quantization::PerBlock { axis: 0, block_size, scales: 3, zero_points, scale_type },
        ] {
            check_components(&plain, slots, storage, &scheme, &sequences.tokens, numbers);
        }
    }

    #[test]
    fn from_real_numbers((shape, axis) in with_axis(1..3), storage in prop::sample::select(&AFFINE[..]), seed in any::<u64>()) {
        let mut shape = shape;
        shape[axis] *= 16;
        let mut numbers = Numbers(seed);
        let values: Vec<f32> = (0..shape.iter().product()).map(|_| numbers.next() as i32 as f32 / 1e8).collect();
        let symmetry = if seed % 2 == 0 { Symmetry::Symmetric } else { Symmetry::Asymmetric };
        let micro = MICRO[seed as usize % 7];
        let mut made = vec![
            QuantizedTensor::quantize_per_tensor(&values, &shape, storage, symmetry).unwrap(),
            QuantizedTensor::quantize_per_channel(&values, &shape, storage, axis, symmetry).unwrap(),
            QuantizedTensor::quantize_nf4(&values, &shape, axis, 8).unwrap(),
            QuantizedTensor::quantize_mxfp(&values, &shape, micro, axis, 16).unwrap(),
        ];
        if AFFINE[..6].contains(&storage) {
            made.push(QuantizedTensor::quantize_per_block(&values, &shape, storage, (axis, 4), SCALES[seed as usize % 3], symmetry).unwrap());
        }
        for tensor in made {
            let made = DynTensor::from(tensor);
            let buffers: Vec<Vec<u8>> = made.view().buffers().iter().map(|bytes| bytes.to_vec()).collect();
            check(made.view().descriptor(), &buffers, &[]);
        }
    }
}

fn paged(sequences: &Sequences, heads: usize, size: usize, slots: usize) -> DynTensor {
    let shape = [sequences.total(), heads, size];
    let pool = vec![0; slots];
    let (table, pointers) = (&sequences.block_table, &sequences.seq_ptr);
    hurray::BlockPaged::<i32>::from_parts(shape, sequences.fields(), table, pointers, &pool).unwrap().into()
}

#[test]
fn one_buffer_may_hold_scales_and_zero_points_and_is_saved_as_two() {
    let scheme = Quantization::PerBlock {
        axis: 1,
        block_size: 4,
        scales: 1,
        zero_points: Some(1),
        scale_type: ScaleType::Float16,
    };
    let numbers = &mut Numbers(7);
    // Blocks 0 to 3 of `[2, 5]`: 8 bytes of scales, then 16 of zero points.
    let mut apart = scheme.clone();
    if let Quantization::PerBlock { zero_points, .. } = &mut apart {
        *zero_points = Some(2);
    }
    let shared = numbers.parameters(&apart, ElementType::Int8, 4).concat();
    let stored: Vec<u8> = (1..6).chain([0; 3]).chain(251..=255).chain([0; 3]).collect();
    let buffers = [stored, shared];
    let descriptor = TensorDescriptor::builder(ElementType::Int8, [2, 5])
        .quantization(scheme)
        .buffer_sizes([16, 24])
        .build();
    let descriptor = descriptor.unwrap();
    let given: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
    let expected: Vec<f32> = indices(&[2, 5]).iter().map(|at| real(&descriptor, &given, &[], at)).collect();
    let tensor = QuantizedTensor::from_parts(descriptor, &buffers).unwrap();
    assert_eq!(tensor.view().dequantize().unwrap(), expected);
    through_a_file(tensor, |file| {
        assert_eq!(file.tensor("tensor").unwrap().buffers().unwrap().len(), 3);
        let One::<QuantizedView<'_>> { tensor } = file.load().unwrap();
        assert_eq!(tensor.dequantize().unwrap(), expected);
    });
}

#[test]
fn parts_that_break_a_rule_are_refused() {
    let scheme = Quantization::PerChannel { axis: 0, scales: 1, zero_points: None };
    let descriptor =
        TensorDescriptor::builder(ElementType::Int8, [2, 3]).quantization(scheme.clone()).build().unwrap();
    let make = |buffers: &[Vec<u8>]| QuantizedTensor::from_parts(descriptor.clone(), buffers).map(drop);
    assert!(make(&[vec![0; 6], vec![0; 8]]).is_ok());
    assert!(matches!(make(&[vec![0; 6]]), Err(TensorError::Parts { .. })));
    assert!(matches!(make(&[vec![0; 6], vec![0; 7]]), Err(TensorError::Parts { .. })));
    let refused = TensorDescriptor::builder(ElementType::Float32, [2, 3]).quantization(scheme).build();
    assert_eq!(refused.unwrap_err().rule(), Rule::Qnt13);
}

/// Tables of small floats are not defined for pages (QNT-BP-05): raw access only, and never written.
#[test]
fn paged_tensors_of_undefined_schemes_are_bytes() {
    let fields = hurray::descriptor::BlockPaged {
        page_size: 2,
        num_pages: 1,
        paged_axis: 0,
        num_seqs: 1,
        kv_role: hurray::descriptor::KvRole::Key,
        layer_index: None,
        wide_indices: false,
    };
    let descriptor = TensorDescriptor::builder(ElementType::UInt4, [2, 1, 8])
        .layout(Layout::BlockPaged(fields))
        .quantization(Quantization::Nf4 { axis: 2, block_size: 8, scales: 3 })
        .buffer_sizes([8, 4, 8, 8])
        .build()
        .unwrap();
    let buffers = [vec![0x21; 8], vec![0; 4], [0u32, 1].map(u32::to_le_bytes).concat(), vec![0; 8]];
    let quantized = QuantizedTensor::from_parts(descriptor.clone(), &buffers);
    assert!(matches!(quantized, Err(TensorError::NotUnderstood { .. })), "{quantized:?}");
    let tensor = DynTensor::from_parts(descriptor, &buffers).unwrap();
    assert_eq!(tensor.view().buffers()[0], buffers[0]);
    assert!(matches!(tensor.view().quantized(), Err(TensorError::NotUnderstood { .. })));
    let error = hurray::to_bytes(&One { tensor }).unwrap_err();
    assert!(matches!(&error, hurray::SaveError::Format(error) if error.rule() == Rule::QntBp05), "{error}");
}
