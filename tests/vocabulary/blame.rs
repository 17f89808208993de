//! What is wrong in the data is found when it is used, and the error says what, in which tensor, and where.

use hurray::{Csr, CsrView, File, FormatError, HurrayLoad, HurraySave, Limits, Rule, TensorError};
use hurray_tests::manifest::vectors;

fn broken<T>(result: Result<T, TensorError>) -> FormatError {
    match result.map(drop).unwrap_err() {
        TensorError::Format(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn every_broken_index_is_found_by_whoever_reads_elements() {
    let mut seen = 0;
    for vector in vectors("invalid") {
        let rule = vector.text("rule").unwrap();
        if vector.text("stage") != Some("data") || !rule.starts_with("LAY-") {
            continue;
        }
        let file = File::read(&vector.path).unwrap();
        let name = vector.text("tensor").unwrap();
        let entry = file.tensor(name).unwrap();
        let view = entry.dyn_view().unwrap();
        let errors = [
            broken(view.get(&vec![0; view.rank()])),
            broken(view.values(&Limits::default())),
            broken(entry.values(&Limits::default())),
            entry.validate_data().swap_remove(0),
        ];
        for error in errors {
            assert_eq!((error.rule().id(), error.tensor()), (rule, Some(name)), "{}", vector.name);
            let place = error.offset().unwrap();
            assert!(entry.data_offset() <= place && place < entry.data_offset() + entry.data_length());
            let text = error.to_string();
            assert!(text.contains("expected") && text.contains("found"), "{text}");
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn views_of_fields_name_their_tensor() {
    #[derive(HurraySave)]
    struct Written {
        layers: Vec<Csr<f32>>,
    }

    #[derive(HurrayLoad)]
    struct Read<'a> {
        layers: Vec<CsrView<'a, f32>>,
    }

    let csr = || Csr::<f32>::from_dense(&[0.0, 1.0, 2.0, 0.0], &[2, 2]).unwrap();
    let mut bytes = hurray::to_bytes(&Written { layers: vec![csr(), csr()] }).unwrap();
    let file = File::from_vec(bytes.clone()).unwrap();
    let columns = file.tensor("layers.1").unwrap().buffer(1).unwrap();
    let place = columns.as_ptr().addr() - file.tensor("layers.1").unwrap().raw_data().as_ptr().addr()
        + file.tensor("layers.1").unwrap().data_offset() as usize;
    bytes[place] = 7;
    let file = File::from_vec(bytes).unwrap();
    let Read { layers } = file.load().unwrap();
    assert_eq!(layers[0].to_dense().unwrap(), [0.0, 1.0, 2.0, 0.0]);
    let view = &layers[1];
    let errors =
        [broken(view.get(&[1, 1])), broken(view.to_dense()), broken(view.check()), broken(view.entries())];
    for error in errors {
        assert_eq!(
            (error.rule(), error.tensor(), error.offset()),
            (Rule::LayCsr07, Some("layers.1"), Some(place as u64))
        );
        assert_eq!(
            error.to_string(),
            format!("LAY-CSR-07 in tensor `layers.1` at byte {place}: expected below 2, found 7")
        );
    }
    // What is borrowed as it lies is not checked, and says so.
    assert_eq!(view.col_indices().unwrap(), [7, 0]);
}
