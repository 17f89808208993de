use hurray::{
    DynTensor, File, HurrayLoad, HurraySave, Overlay, Packed, Partition, PartitionView, QuantizedTensor,
    Rule, Symmetry, Tensor, TensorError, U4,
};

use crate::random::{Random, cut, indices, position};

#[derive(HurraySave, HurrayLoad)]
struct Saved<'a> {
    before: Vec<u8>,
    w: PartitionView<'a, i32>,
    after: Vec<u8>,
}

#[derive(HurraySave, HurrayLoad)]
struct Owned {
    before: Vec<u8>,
    w: Partition<i32>,
    after: Vec<u8>,
}

#[derive(HurrayLoad)]
struct Merged {
    #[expect(dead_code)]
    before: Vec<u8>,
    w: Tensor<i32>,
    after: Vec<u8>,
}

fn assert_is(view: &PartitionView<'_, i32>, values: &[i32], shape: &[usize], random: &mut Random) {
    assert_eq!(view.shape(), shape);
    assert_eq!(view.to_dense().unwrap(), values);
    for index in indices(shape) {
        assert_eq!(view.get(&index).unwrap(), values[position(&index, shape)], "{index:?}");
        let part = view.part(view.part_at(&index).unwrap()).unwrap();
        let local: Vec<usize> = index.iter().zip(part.offset()).map(|(at, offset)| at - offset).collect();
        assert_eq!(part.get(&local).unwrap(), values[position(&index, shape)]);
    }
    for part in view.parts() {
        assert_eq!(part.to_dense().unwrap(), cut(values, shape, part.offset(), part.shape()));
    }
    let (offset, size) = random.part(shape);
    let ranges: Vec<_> = offset.iter().zip(&size).map(|(offset, size)| *offset..offset + size).collect();
    let mut covered = 0;
    for piece in view.slice(&ranges).unwrap() {
        let inside: Vec<usize> = piece.ranges().iter().map(|range| range.len()).collect();
        assert!(inside.iter().all(|size| *size > 0));
        assert!(piece.offset().iter().zip(&ranges).all(|(at, range)| range.contains(at)));
        covered += inside.iter().product::<usize>();
        if let Ok(dense) = piece.view() {
            assert_eq!(dense.to_vec(), cut(values, shape, &piece.offset(), &inside));
        }
    }
    assert_eq!(covered, size.iter().product::<usize>(), "the pieces are the box");
    assert!(matches!(view.get(shape), Err(TensorError::Index { .. })));
}

#[test]
fn random_partitions_are_their_source_at_every_index() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let shape = random.shape();
        let values = random.values(shape.iter().product());
        let boxes = random.cover(&shape);
        let parts = boxes.iter().map(|(offset, part)| {
            (offset.clone(), random.laid_out(&cut(&values, &shape, offset, part), part))
        });
        let parts: Vec<(Vec<usize>, DynTensor)> = parts.collect();
        let partition = Partition::<i32>::from_parts(&shape, parts).unwrap();
        assert_eq!(partition.part_count(), boxes.len());
        assert_is(&partition.view(), &values, &shape, &mut random);

        let owned = Owned { before: vec![1], w: partition, after: vec![2] };
        let file = File::from_vec(hurray::to_bytes(&owned).unwrap()).unwrap();
        assert!(file.validate_structure().is_empty() && file.validate_data().is_empty());
        let saved: Saved<'_> = file.load().unwrap();
        assert_is(&saved.w, &values, &shape, &mut random);
        assert_is(&file.partition("w").unwrap(), &values, &shape, &mut random);
        // What was read is written as it is.
        let again = hurray::to_bytes(&saved).unwrap();
        assert_eq!(again, hurray::to_bytes(&owned).unwrap());
        let merged: Merged = file.load().unwrap();
        assert_eq!(
            (merged.w.shape(), merged.w.to_vec(), merged.after),
            (&shape[..], values.clone(), vec![2])
        );
        // The twin keeps the file alive.
        let loaded: Owned = file.load().unwrap();
        drop(file);
        assert_is(&loaded.w.view(), &values, &shape, &mut random);
        assert_eq!(hurray::to_bytes(&loaded).unwrap(), again);
    }
}

#[test]
fn splits_are_even_and_share_the_memory_of_rows() {
    let tensor = Tensor::from_vec((0..30_u16).collect(), &[5, 6]).unwrap();
    for axis in 0..2 {
        for parts in 1..8 {
            let split = Partition::split(&tensor, axis, parts).unwrap();
            assert_eq!(split.part_count(), parts);
            assert_eq!(split.view().to_dense().unwrap(), tensor.to_vec());
            let sizes: Vec<usize> = split.view().parts().map(|part| part.shape()[axis]).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
    }
    let rows = Partition::split(&tensor, 0, 2).unwrap();
    let rows = rows.view();
    let second = rows.part(1).unwrap().view().unwrap().as_slice().unwrap();
    assert!(std::ptr::eq(second, &tensor.as_slice().unwrap()[18..]));
    assert!(matches!(Partition::split(&tensor, 2, 2), Err(TensorError::Rank { expected: 3, found: 2 })));
    assert!(matches!(Partition::split(&tensor, 0, 0), Err(TensorError::Parts { .. })));
}

#[test]
fn parts_have_to_cover_the_whole() {
    let part = |size: usize| Tensor::from_vec(vec![0_u8; size], &[size]).unwrap();
    let rule = |shape: &[usize], parts: Vec<([usize; 1], Tensor<u8>)>| match Partition::<u8>::from_parts(
        shape, parts,
    ) {
        Err(TensorError::Format(error)) => Some(error.rule()),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    };
    assert_eq!(rule(&[4], vec![([0], part(1)), ([1], part(3))]), None);
    assert_eq!(rule(&[4], vec![([0], part(1)), ([2], part(2))]), Some(Rule::Cmp26));
    assert_eq!(rule(&[4], vec![([0], part(3)), ([2], part(2))]), Some(Rule::Cmp25));
    assert_eq!(rule(&[4], vec![([0], part(3)), ([3], part(2))]), Some(Rule::Shd01));
    let other = Partition::<u16>::from_parts(&[4], [([0], part(4))]).unwrap_err();
    assert_eq!(other.format().unwrap().rule(), Rule::Cmp18);
    let rank = Partition::<u8>::from_parts(&[4], [([0, 0], part(4))]).unwrap_err();
    assert!(matches!(rank, TensorError::Rank { expected: 1, found: 2 }));
}

#[test]
fn packed_and_quantized_parts_are_elements_of_the_whole() {
    let nibbles: Vec<u8> = (0..12).collect();
    let parts = [([0, 0], &nibbles[..6]), ([2, 0], &nibbles[6..])];
    let parts = parts.map(|(offset, values)| (offset, Packed::<U4>::from_values(values, &[2, 3]).unwrap()));
    let partition = Partition::<U4>::from_parts(&[4, 3], parts).unwrap();
    assert_eq!(partition.view().to_dense().unwrap(), nibbles);
    assert_eq!(partition.view().get(&[3, 1]).unwrap(), 10);

    let real: Vec<f32> = (0..16_u8).map(f32::from).collect();
    let quantized = QuantizedTensor::quantize_per_tensor(
        &real,
        &[4, 4],
        hurray::ElementType::UInt8,
        Symmetry::Asymmetric,
    )
    .unwrap();
    let expected: Vec<half::f16> =
        quantized.view().dequantize().unwrap().into_iter().map(half::f16::from_f32).collect();
    let exact: Vec<half::f16> = real[..4].iter().map(|value| half::f16::from_f32(-value)).collect();
    let parts: [([usize; 2], DynTensor); 2] =
        [([1, 0], quantized.into()), ([0, 0], Tensor::from_vec(exact.clone(), &[1, 4]).unwrap().into())];
    let partition = Partition::<half::f16>::from_parts(&[5, 4], parts).unwrap();
    let whole = [exact, expected].concat();
    assert_eq!(partition.view().to_dense().unwrap(), whole);
    for index in indices(&[5, 4]) {
        assert_eq!(partition.view().get(&index).unwrap(), whole[position(&index, &[5, 4])]);
    }
}

#[test]
fn an_overlay_is_no_partition_and_other_types_are_refused() {
    #[derive(HurraySave)]
    struct Model {
        p: Partition<f32>,
        o: Overlay<f32>,
        plain: Vec<f32>,
    }
    let tensor = Tensor::from_vec(vec![1.0_f32, 2.0], &[2]).unwrap();
    let model = Model {
        p: Partition::split(&tensor, 0, 2).unwrap(),
        o: Overlay::new(tensor.clone()).add(&[1], Tensor::from_vec(vec![0.5_f32], &[1]).unwrap()).unwrap(),
        plain: vec![1.0],
    };
    let file = File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap();
    assert_eq!(file.overlay::<f32>("o").unwrap().to_dense().unwrap(), [1.0, 2.5]);
    assert!(matches!(file.partition::<f32>("o"), Err(TensorError::Layout { .. })));
    assert!(matches!(file.overlay::<f32>("p"), Err(TensorError::Layout { .. })));
    assert!(matches!(file.partition::<f32>("plain"), Err(TensorError::Layout { .. })));
    assert!(matches!(file.partition::<f64>("p"), Err(TensorError::ElementType { .. })));
    assert!(matches!(file.partition::<f32>("q"), Err(TensorError::NotFound { .. })));
}
