use hurray::{
    ElementType, File, HurrayLoad, HurraySave, LoadError, LoadOptions, PartitionView, ProblemKind, Tensor,
    TensorView,
};

#[derive(HurraySave, HurrayLoad)]
struct Model {
    #[hurray(partition(axis = 0, parts = 4), shape = [rows, width])]
    w: Tensor<f32>,
    #[hurray(partition(axis = 1, parts = 2))]
    columns: Tensor<i16>,
    #[hurray(partition(axis = 0, parts = 3), element_type = "bfloat16", cast)]
    short: Vec<f32>,
    #[hurray(partition(axis = 0, parts = 2))]
    none: Option<Tensor<f32>>,
    #[hurray(shape = [rows])]
    bias: Vec<f32>,
}

fn model() -> Model {
    Model {
        w: Tensor::from_vec((0..40).map(|at| at as f32).collect(), &[10, 4]).unwrap(),
        columns: Tensor::from_vec((0..12).collect(), &[2, 6]).unwrap(),
        short: (0..7).map(|at| at as f32).collect(),
        none: None,
        bias: vec![0.5; 10],
    }
}

fn file() -> File {
    File::from_vec(hurray::to_bytes(&model()).unwrap()).unwrap()
}

#[test]
fn a_tensor_is_split_on_saving_and_whole_after_loading() {
    let file = file();
    let names: Vec<&str> = file.tensors().map(|entry| entry.name()).collect();
    let w = ["w", "w.0", "w.1", "w.2", "w.3", "columns", "columns.0", "columns.1"];
    assert_eq!(names, [&w[..], &["short", "short.0", "short.1", "short.2", "bias"]].concat());
    assert_eq!(file.tensor("w.1").unwrap().descriptor().unwrap().shape(), [3, 4]);
    assert_eq!(file.tensor("w.3").unwrap().descriptor().unwrap().shard().unwrap().offset[..], [8, 0]);
    assert_eq!(file.tensor("short").unwrap().descriptor().unwrap().element_type(), ElementType::BFloat16);
    assert!(file.validate_structure().is_empty());
    let (loaded, report) = file.load_with::<Model>(&LoadOptions::new()).unwrap();
    assert_eq!(report.problem_count(), 0);
    let model = model();
    assert_eq!((loaded.w, loaded.columns, loaded.short), (model.w, model.columns, model.short));
    assert!(loaded.none.is_none());
}

#[derive(HurraySave, HurrayLoad)]
struct Parts<'a> {
    #[hurray(partition(axis = 0, parts = 4))]
    w: PartitionView<'a, f32>,
    columns: PartitionView<'a, i16>,
}

#[derive(HurrayLoad)]
struct Shard<'a> {
    #[hurray(partition(axis = 0), shape = [rows, width])]
    w: TensorView<'a, f32>,
    #[hurray(partition(axis = 1))]
    columns: Tensor<i16>,
    #[hurray(partition(axis = 0, parts = 4), cast)]
    short: Vec<f32>,
    #[hurray(shape = [rows])]
    bias: Vec<f32>,
}

#[test]
fn parts_are_borrowed_as_they_are() {
    let file = file();
    let options = LoadOptions::new().unexpected(hurray::Strictness::Relaxed);
    let (parts, report) = file.load_with::<Parts<'_>>(&options).unwrap();
    assert_eq!((parts.w.part_count(), parts.columns.part_count()), (4, 2));
    assert_eq!(parts.w.part(2).unwrap().view().unwrap().shape(), [2, 4]);
    assert_eq!(parts.columns.to_dense().unwrap(), model().columns.to_vec());
    let unexpected: Vec<&str> = report.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(unexpected, ["bias", "short", "short.0", "short.1", "short.2"]);
    let again = File::from_vec(hurray::to_bytes(&parts).unwrap()).unwrap();
    assert_eq!(again.partition::<f32>("w").unwrap().to_dense().unwrap(), model().w.to_vec());
}

#[test]
fn a_rank_gets_its_part_and_misses_nothing() {
    let file = file();
    let whole = model();
    for rank in 0..4 {
        // As many ranks as `w` has parts; the two of `columns` and the three of `short` are divided again.
        let (shard, report) = file.load_with::<Shard<'_>>(&LoadOptions::new().rank(rank, 4)).unwrap();
        assert_eq!(report.problem_count(), 0);
        let start = [0, 3, 6, 8][rank];
        let rows = [3, 3, 2, 2][rank];
        assert_eq!(shard.w.as_slice().unwrap(), &whole.w.as_slice().unwrap()[start * 4..(start + rows) * 4]);
        let (at, columns) = [(0, 2), (2, 2), (4, 1), (5, 1)][rank];
        assert_eq!(shard.columns, whole.columns.view().narrow(1, at, columns).unwrap().to_dense());
        let (at, count) = [(0, 2), (2, 2), (4, 2), (6, 1)][rank];
        assert_eq!(shard.short, whole.short[at..at + count]);
        assert_eq!(shard.bias, whole.bias);
    }
}

#[test]
fn a_rank_gets_its_share_of_a_tensor_in_one_piece() {
    #[derive(HurraySave)]
    struct Plain {
        w: Tensor<f32>,
        columns: Tensor<i16>,
        short: Vec<f32>,
        bias: Vec<f32>,
    }
    let Model { w, columns, short, bias, .. } = model();
    let file = File::from_vec(hurray::to_bytes(&Plain { w, columns, short, bias }).unwrap()).unwrap();
    let (shard, _) = file.load_with::<Shard<'_>>(&LoadOptions::new().rank(1, 3)).unwrap();
    let whole = model();
    assert_eq!(shard.w.to_vec(), whole.w.as_slice().unwrap()[16..28]);
    assert_eq!(shard.columns, whole.columns.view().narrow(1, 2, 2).unwrap().to_dense());
    // Without a rank an owned field takes the whole, in one piece or not.
    let (loaded, _) = file.load_with::<Model>(&LoadOptions::new()).unwrap();
    assert_eq!(loaded.w, whole.w);
}

fn problems(result: Result<(Shard<'_>, hurray::LoadReport), LoadError>) -> Vec<(String, ProblemKind)> {
    match result {
        Err(LoadError::Report(report)) => {
            report.problems().iter().map(|problem| (problem.path.clone(), problem.kind)).collect()
        }
        Err(other) => panic!("{other}"),
        Ok(_) => Vec::new(),
    }
}

#[test]
fn a_part_is_not_loaded_without_a_rank_or_with_one_that_is_none() {
    let file = file();
    let expected = |path: &str| (path.to_owned(), ProblemKind::Refused);
    let without = problems(file.load_with(&LoadOptions::new()));
    assert!(without.contains(&expected("w")) && without.contains(&expected("columns")), "{without:?}");
    let outside = problems(file.load_with(&LoadOptions::new().rank(4, 4)));
    assert!(outside.contains(&expected("w")), "{outside:?}");
    // Two ranks over four parts: two of them each, which no view can show.
    let together = problems(file.load_with(&LoadOptions::new().rank(0, 2)));
    assert_eq!(together, [("w".to_owned(), ProblemKind::Layout)]);
}
