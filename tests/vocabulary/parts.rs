//! Tensors from parts, each rule of the format broken once: refused before anything is written.

use hurray::descriptor::{Layout, Statistics, TensorDescriptor};
use hurray::{Coo, Csc, Csf, Csr, DynTensor, ElementType, File, Rule, Scalar, TensorError};

fn rule<T>(result: Result<T, TensorError>) -> Rule {
    match result.map(drop).unwrap_err() {
        TensorError::Format(error) => error.rule(),
        other => panic!("{other}"),
    }
}

#[test]
fn compressed_rows_with_broken_invariants_are_refused_by_rule() {
    let csr = |pointers: &[u64], columns: &[u64]| {
        Csr::<f32>::from_parts(&[2, 3], pointers.to_vec(), columns.to_vec(), &vec![1.0; columns.len()])
    };
    let csc = |pointers: &[u64], rows: &[u64]| {
        Csc::<f32>::from_parts(&[3, 2], pointers.to_vec(), rows.to_vec(), &vec![1.0; rows.len()])
    };
    assert_eq!(csr(&[0, 2, 3], &[0, 2, 1]).unwrap().view().to_dense().unwrap(), [1., 0., 1., 0., 1., 0.]);
    for (pointers, indices, by_rows, by_columns) in [
        (&[1, 2, 3][..], &[0, 2, 1][..], Rule::LayCsr04, Rule::LayCsc04),
        (&[0, 2, 2], &[0, 2, 1], Rule::LayCsr04, Rule::LayCsc04),
        (&[0, 2, 4], &[0, 2, 1], Rule::LayCsr04, Rule::LayCsc04),
        (&[0, 4, 3], &[0, 2, 1], Rule::LayCsr05, Rule::LayCsc05),
        (&[0, u64::MAX, 3], &[0, 2, 1], Rule::LayCsr05, Rule::LayCsc05),
        (&[0, 2, 3], &[2, 0, 1], Rule::LayCsr06, Rule::LayCsc06),
        (&[0, 2, 3], &[0, 0, 1], Rule::LayCsr06, Rule::LayCsc06),
        (&[0, 2, 3], &[0, 3, 1], Rule::LayCsr07, Rule::LayCsc07),
        (&[0, 2, 3], &[0, u64::MAX, 1], Rule::LayCsr07, Rule::LayCsc07),
        (&[0, 4, 7], &[0, 1, 2, 3, 0, 1, 2], Rule::LayCsr03, Rule::LayCsc03),
    ] {
        assert_eq!((rule(csr(pointers, indices)), rule(csc(pointers, indices))), (by_rows, by_columns));
    }
    assert!(matches!(
        csr(&[0, 2], &[0, 2]),
        Err(TensorError::Parts { what: "pointers", expected: 3, found: 2 })
    ));
    let short = Csr::<f32>::from_parts(&[2, 3], vec![0, 2, 3], vec![0, 2], &[1.0; 3]);
    assert!(matches!(short, Err(TensorError::Parts { what: "indices", expected: 3, found: 2 })));
    let cube = Csr::<f32>::from_parts(&[2, 3, 1], vec![0, 0, 0], vec![], &[]);
    assert!(matches!(cube, Err(TensorError::Rank { expected: 2, found: 3 })));
}

#[test]
fn coordinates_and_fibres_with_broken_invariants_are_refused_by_rule() {
    let coo = |indices: &[[usize; 3]]| Coo::<u8>::from_parts(&[2, 2, 2], indices, &vec![1; indices.len()]);
    let csf = |modes: &[u32], indices: &[[usize; 3]]| {
        Csf::<u8>::from_parts(&[2, 2, 2], modes, indices, &vec![1; indices.len()])
    };
    assert_eq!(coo(&[[1, 1, 1], [0, 0, 0]]).unwrap().view().get(&[1, 1, 1]).unwrap(), 1);
    assert_eq!(rule(coo(&[[0, 0, 2]])), Rule::LayCoo04);
    assert_eq!(rule(coo(&[[0, 1, 0], [0, 1, 0]])), Rule::LayCoo05);
    assert_eq!(rule(coo(&[[0, 1, 0], [1, 1, 1], [0, 1, 0]])), Rule::LayCoo05);
    assert_eq!(rule(coo(&[[0, 0, 0]; 9])), Rule::LayCoo03);
    assert_eq!(rule(csf(&[0, 1, 2], &[[0, 0, 2]])), Rule::LayCsf10);
    assert_eq!(rule(csf(&[0, 1, 2], &[[0, 1, 0], [0, 1, 0]])), Rule::LayCsf09);
    for modes in [&[0, 1, 1][..], &[0, 1, 3], &[0, 1], &[0, 1, 2, 3], &[]] {
        assert!(csf(modes, &[[0, 1, 0]]).is_err(), "{modes:?}");
    }
}

#[test]
fn a_tensor_from_any_parts_keeps_every_rule() {
    let coo = Layout::Coo { nnz: 1, is_sorted: true };
    let descriptor = TensorDescriptor::builder(ElementType::UInt8, [2]).layout(coo).build().unwrap();
    let make = |at: u64| DynTensor::from_parts(descriptor.clone(), &[&[9][..], &at.to_le_bytes()]);
    assert_eq!(make(1).unwrap().view().get(&[1]).unwrap(), Some(Scalar::UInt(9)));
    assert_eq!(rule(make(2)), Rule::LayCoo04);
    let parts = DynTensor::from_parts(descriptor.clone(), &[[9]]);
    assert!(matches!(parts, Err(TensorError::Parts { what: "buffers", expected: 2, found: 1 })));
    let parts = DynTensor::from_parts(descriptor, &[&[9][..], &[0; 7]]);
    assert!(matches!(parts, Err(TensorError::Parts { what: "bytes of a buffer", expected: 8, found: 7 })));
}

/// A model with statistics: made with the helper, written with the builder, read back from the descriptor.
#[test]
fn statistics_of_the_data_are_kept_with_it() {
    #[derive(hurray::HurraySave)]
    struct Model {
        weight: DynTensor,
    }

    let values = [1.0f32, 0.0, -2.0, 1.0];
    let statistics = Statistics::of(values.map(f64::from));
    let descriptor =
        TensorDescriptor::builder(ElementType::Float32, [2, 2]).statistics(statistics).build().unwrap();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let model = Model { weight: DynTensor::from_parts(descriptor, &[bytes]).unwrap() };
    let file = File::from_vec(hurray::to_bytes(&model).unwrap()).unwrap();
    let entry = file.tensor("weight").unwrap();
    let read = entry.descriptor().unwrap().statistics().copied().unwrap();
    assert_eq!(read, statistics);
    assert_eq!((read.nnz, read.sparsity_ratio, read.range), (Some(3), Some(0.25), Some((-2.0, 1.0, 2.0))));
    assert_eq!(read.moments, Some((0.0, 1.5f64.sqrt())));
    let of_scalars = Statistics::of_scalars(entry.values(&hurray::Limits::default()).unwrap().iter());
    assert_eq!(of_scalars, statistics);

    // A sparse tensor says how many entries it has.
    let wrong = Statistics { nnz: Some(2), ..Statistics::default() };
    let coo = Layout::Coo { nnz: 1, is_sorted: true };
    let refused = TensorDescriptor::builder(ElementType::UInt8, [2]).layout(coo).statistics(wrong).build();
    assert_eq!(refused.unwrap_err().rule(), Rule::Sta03);
}
