//! Morton (FORMAT §5.5) and Hilbert (§5.6).

use hurray::descriptor::{Layout, TensorDescriptor};
use hurray::{DynTensor, Hilbert, HilbertView, Morton, MortonView};
use proptest::prelude::*;

use super::common::{One, Sample, compare, for_every_element, indices, shaped, through_a_file, values};
use super::reference;

fn morton<T: Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    through_a_file(Morton::<T>::from_dense(&source, shape).unwrap(), |file| {
        let One::<MortonView<'_, T>> { tensor } = file.load().unwrap();
        compare::<T>(file, (shape, &source), &[], |index| tensor.get(index), &tensor.to_dense().unwrap());
        let One::<Morton<T>> { tensor: twin } = file.load().unwrap();
        assert!(twin.view().to_dense().unwrap() == source);
    });
}

fn hilbert<T: Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    through_a_file(Hilbert::<T>::from_dense(&source, shape).unwrap(), |file| {
        let One::<HilbertView<'_, T>> { tensor } = file.load().unwrap();
        compare::<T>(file, (shape, &source), &[], |index| tensor.get(index), &tensor.to_dense().unwrap());
        let One::<Hilbert<T>> { tensor: twin } = file.load().unwrap();
        assert!(twin.view().to_dense().unwrap() == source);
    });
}

/// Bits of a dimension that differ from those of the others leave gaps in the code.
fn uneven<T: Sample>(shape: &[usize], bits: &[u32], seeds: &[u64]) {
    let layout = Layout::Morton { bits: bits.into() };
    let dims = shape.iter().map(|dim| *dim as u64);
    let descriptor = TensorDescriptor::builder(T::STORED_TYPE, dims).layout(layout).build().unwrap();
    let mut bytes = vec![0; descriptor.buffers()[0].byte_size as usize];
    let width = reference::bits(T::STORED_TYPE);
    for (index, seed) in indices(shape).iter().zip(seeds) {
        let offset = reference::offset(&descriptor, &[], &[], index).unwrap();
        reference::write(width, 0, &mut bytes, offset, *seed);
    }
    let source: Vec<T::Value> = seeds.iter().map(|seed| T::of(*seed)).collect();
    through_a_file(DynTensor::from_parts(descriptor, &[bytes]).unwrap(), |file| {
        let One::<MortonView<'_, T>> { tensor } = file.load().unwrap();
        compare::<T>(file, (shape, &source), &[], |index| tensor.get(index), &tensor.to_dense().unwrap());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn morton_of_any_shape((shape, seeds) in shaped(1..=5)) {
        for_every_element!(morton(&shape, &seeds));
    }

    #[test]
    fn morton_with_uneven_bits((shape, seeds) in shaped(1..=5), more in prop::collection::vec(0u32..2, 5)) {
        let seeds: Vec<u64> = seeds.iter().map(|seed| seed & 0x3FFF_FFFF_3FFF_FFFF).collect();
        let bits: Vec<u32> =
            shape.iter().zip(more).map(|(dim, more)| dim.next_power_of_two().ilog2().max(1) + more).collect();
        for_every_element!(uneven(&shape, &bits, &seeds));
    }

    #[test]
    fn hilbert_of_any_cube(rank in 2usize..6, order in 1u32..4, seed in any::<u64>()) {
        prop_assume!(rank as u32 * order <= 10);
        let shape = vec![1usize << order; rank];
        let count: u64 = 1 << (rank as u32 * order);
        let seeds: Vec<u64> = (0..count).map(|at| seed.wrapping_mul(at * at + 1).rotate_left(at as u32)).collect();
        for_every_element!(hilbert(&shape, &seeds));
    }
}
