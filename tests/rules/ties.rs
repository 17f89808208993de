//! How many ties a load follows: as many as the file has, and within the limit where they multiply; a save refuses what
//! a load would.

use std::rc::Rc;
use std::sync::Arc;

use hurray::{File, HurrayLoad, HurraySave, Limits, LoadOptions, SaveError, SaveOptions, Tensor};

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

/// Saves with limits and without, and tells which limit refuses; a load has to agree.
fn refused<M: HurraySave + for<'f> HurrayLoad<'f>>(model: &M, limits: &Limits) -> Option<&'static str> {
    let file = File::from_vec(SaveOptions::new().to_bytes(model).unwrap()).unwrap();
    let loaded = file.load_with::<M>(&LoadOptions::new().limits(limits.clone()));
    match SaveOptions::new().limits(limits.clone()).to_bytes(model) {
        Ok(_) => {
            assert!(loaded.is_ok(), "{}", loaded.err().unwrap());
            None
        }
        Err(SaveError::Limit { limit, allowed, found }) => {
            assert!(found > allowed);
            let named = format!("`Limits::{limit}`");
            assert!(loaded.err().unwrap().to_string().contains(&named), "{named}");
            Some(limit)
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_save_refuses_ties_that_a_load_would_refuse() {
    let mut limits = Limits::default();
    limits.ties = 64;
    for depth in 1..12 {
        let expected = (depth > 6).then_some("ties");
        assert_eq!(refused(&levels(depth), &limits), expected, "{depth}");
    }
    // No load could be waited for.
    let error = hurray::to_bytes(&levels(100)).unwrap_err();
    assert!(matches!(error, SaveError::Limit { limit: "ties", allowed: 65_536, found: u64::MAX }), "{error}");
}

/// As [`Level`], of a type of which a load makes each value once.
#[derive(HurraySave, HurrayLoad)]
struct Kept {
    weight: Option<Tensor<f32>>,
    rows: Vec<Option<Tensor<f32>>>,
    left: Option<Arc<Kept>>,
    right: Option<Arc<Kept>>,
}

#[test]
fn what_a_load_makes_once_does_not_multiply() {
    let tensor = || Tensor::from_vec(vec![1.0f32], &[1]).unwrap();
    let kept = (0..100).fold(None, |below: Option<Arc<Kept>>, _| {
        let rows = vec![Some(tensor())];
        Some(Arc::new(Kept { weight: Some(tensor()), rows, left: below.clone(), right: below }))
    });
    let mut limits = Limits::default();
    (limits.ties, limits.sequence) = (10, 60);
    let kept = Arc::into_inner(kept.unwrap()).unwrap();
    assert_eq!(refused(&kept, &limits), None);

    // Nor does it where what holds it is loaded anew.
    #[derive(HurraySave, HurrayLoad)]
    struct Held {
        list: Vec<Rc<Holder>>,
    }
    #[derive(HurraySave, HurrayLoad)]
    struct Holder {
        kept: Arc<Kept>,
    }
    let holder = Rc::new(Holder { kept: Arc::new(kept) });
    let held = Held { list: vec![holder; 50] };
    assert_eq!(refused(&held, &limits), None);
}

#[test]
fn a_save_refuses_elements_that_a_load_would_refuse() {
    #[derive(HurraySave, HurrayLoad)]
    struct Listed {
        list: Vec<Option<Tensor<f32>>>,
        left: Option<Rc<Listed>>,
        right: Option<Rc<Listed>>,
    }
    fn listed(depth: usize, tensor: &Tensor<f32>) -> Listed {
        let below = (depth > 0).then(|| Rc::new(listed(depth - 1, tensor)));
        Listed { list: vec![Some(tensor.clone()); 10], left: below.clone(), right: below }
    }
    let tensor = Tensor::from_vec(vec![1.0f32], &[1]).unwrap();
    let mut limits = Limits::default();
    limits.sequence = 1000;
    let found: Vec<bool> =
        (0..10).map(|depth| refused(&listed(depth, &tensor), &limits) == Some("sequence")).collect();
    assert!(!found[0] && found[9] && found.is_sorted(), "{found:?}");
}
