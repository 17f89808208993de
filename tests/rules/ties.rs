//! How many ties a load follows: as many as the file has, and within the limit where they multiply.

use std::rc::Rc;
use std::sync::Arc;

use hurray::{HurrayLoad, HurraySave, Limits, LoadOptions, Tensor};

#[derive(HurraySave, HurrayLoad)]
struct Wide {
    clones: Vec<Arc<Tensor<f32>>>,
}

#[test]
fn as_many_ties_as_the_file_has_are_followed() {
    let one = Arc::new(Tensor::from_vec(vec![1.0f32], &[1]).unwrap());
    let model = Wide { clones: vec![one; 70_000] };
    let file = hurray_tests::file_of(&model);
    let loaded: Wide = file.load().unwrap();
    assert_eq!(loaded.clones.len(), 70_000);
    assert!(Arc::ptr_eq(&loaded.clones[0], &loaded.clones[69_999]));
}

/// Each level has the one below twice, so that ties multiply where the load makes each anew.
#[derive(HurraySave, HurrayLoad, Debug)]
struct Level {
    weight: Option<Tensor<f32>>,
    left: Option<Rc<Level>>,
    right: Option<Rc<Level>>,
}

fn levels(depth: usize) -> Level {
    let below = (depth > 0).then(|| Rc::new(levels(depth - 1)));
    let weight = (depth == 0).then(|| Tensor::from_vec(vec![1.0f32], &[1]).unwrap());
    Level { weight, left: below.clone(), right: below }
}

#[test]
fn ties_that_multiply_are_bounded() {
    let mut limits = Limits::default();
    limits.ties = 64;
    let options = LoadOptions::new().limits(limits);
    for depth in 1..12 {
        let file = hurray_tests::file_of(&levels(depth));
        match file.load_with::<Level>(&options) {
            Ok(_) => assert!(depth <= 6, "{depth}"),
            Err(error) => {
                assert!(depth > 6, "{depth}");
                assert!(error.to_string().contains("at most 64 ties to follow (`Limits::ties`)"), "{error}");
            }
        }
    }
}
