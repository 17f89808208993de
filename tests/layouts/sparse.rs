//! COO, CSR, CSC and CSF (FORMAT §5.7 to §5.9).

use hurray::{Coo, CooView, Csc, CscView, Csf, CsfView, Csr, CsrView};
use proptest::prelude::*;

use super::common::{One, Sample, compare, for_every_element, indices, shaped, through_a_file, values};

/// Through a file as a view and as its twin; the stored entries are those that are not 0, with their indices.
macro_rules! check {
    ($twin:ident $view:ident, $made:expr, $shape:expr, $source:expr) => {
        through_a_file($made, |file| {
            let (shape, source): (&[usize], &[T::Value]) = ($shape, $source);
            let One::<$view<'_, T>> { tensor } = file.load().unwrap();
            let dense = tensor.to_dense().unwrap();
            compare::<T>(file, (shape, source), &[], |index| tensor.get(index).ok(), &dense);
            let One::<$twin<T>> { tensor: twin } = file.load().unwrap();
            assert!(twin.view().to_dense().unwrap() == source);
            let mut entries: Vec<(Vec<usize>, T::Value)> =
                tensor.entries().unwrap().map(|(index, value)| (index.to_vec(), value)).collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            let all = indices(shape).into_iter().zip(source.iter().copied());
            let expected: Vec<_> = all.filter(|(_, value)| *value != T::sample(0)).collect();
            assert_eq!((tensor.nnz(), entries), (expected.len(), expected));
        })
    };
}

fn coo<T: Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    check!(Coo CooView, Coo::<T>::from_dense(&source, shape).unwrap(), shape, &source);
}

/// The entries in an order of their own: found by a scan.
fn unsorted<T: Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    let all = indices(shape).into_iter().zip(source.iter().copied());
    let (at, stored): (Vec<_>, Vec<_>) = all.filter(|(_, value)| *value != T::sample(0)).rev().unzip();
    let made = Coo::<T>::from_parts(shape, &at, &stored).unwrap();
    assert_eq!(made.view().is_sorted(), at.len() < 2);
    check!(Coo CooView, made, shape, &source);
}

fn rows<T: Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    check!(Csr CsrView, Csr::<T>::from_dense(&source, shape).unwrap(), shape, &source);
}

fn columns<T: Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    check!(Csc CscView, Csc::<T>::from_dense(&source, shape).unwrap(), shape, &source);
}

fn fibres<T: Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    check!(Csf CsfView, Csf::<T>::from_dense(&source, shape).unwrap(), shape, &source);
}

fn fibres_by<T: Sample>(shape: &[usize], seeds: &[u64], modes: &[u32]) {
    let source = values::<T>(seeds);
    let all = indices(shape).into_iter().zip(source.iter().copied());
    let (at, stored): (Vec<_>, Vec<_>) = all.filter(|(_, value)| *value != T::sample(0)).unzip();
    check!(Csf CsfView, Csf::<T>::from_parts(shape, modes, &at, &stored).unwrap(), shape, &source);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn coordinates((shape, seeds) in shaped(1..=5)) {
        for_every_element!(coo(&shape, &seeds));
    }

    #[test]
    fn coordinates_in_any_order((shape, seeds) in shaped(1..=5)) {
        for_every_element!(unsorted(&shape, &seeds));
    }

    #[test]
    fn compressed_rows((shape, seeds) in shaped(2..=2)) {
        for_every_element!(rows(&shape, &seeds));
    }

    #[test]
    fn compressed_columns((shape, seeds) in shaped(2..=2)) {
        for_every_element!(columns(&shape, &seeds));
    }

    #[test]
    fn compressed_fibres((shape, seeds) in shaped(3..=5)) {
        for_every_element!(fibres(&shape, &seeds));
    }

    #[test]
    fn compressed_fibres_in_any_mode_order((shape, seeds) in shaped(3..=5), modes in Just([0u32, 1, 2, 3, 4]).prop_shuffle()) {
        let rank = shape.len() as u32;
        let modes: Vec<u32> = modes.into_iter().filter(|mode| *mode < rank).collect();
        for_every_element!(fibres_by(&shape, &seeds, &modes));
    }
}
