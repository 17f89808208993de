//! ndarray's arrays as fields, and views as arrays.
#![cfg(test)]

use hurray::descriptor::{Layout, TensorDescriptor};
use hurray::{
    Element, ElementType, File, HurrayLoad, HurraySave, LoadError, ProblemKind, TensorError, TensorView,
};
use ndarray::{
    ArcArray, Array, Array1, Array2, Array3, ArrayD, ArrayView, ArrayView1, ArrayView2, ArrayView3,
    ArrayViewD, CowArray, Dimension, Ix1, Ix2, Ix3, IxDyn, ShapeBuilder, array, s,
};

#[derive(HurraySave, HurrayLoad)]
struct Model<A> {
    weight: A,
}

fn bytes_of(weight: &impl HurraySave) -> Vec<u8> {
    hurray::to_bytes(&Model { weight: ByRef(weight) }).unwrap()
}

/// A field that is borrowed.
struct ByRef<'a, T>(&'a T);

impl<T: HurraySave> HurraySave for ByRef<'_, T> {
    fn save<'s>(&'s self, saver: hurray::Saver<'_, 's>) -> Result<(), hurray::SaveError> {
        self.0.save(saver)
    }
}

fn file_of(weight: &impl HurraySave) -> File {
    File::from_vec(bytes_of(weight)).unwrap()
}

fn problem<'f, A: HurrayLoad<'f>>(file: &'f File) -> (ProblemKind, String, String) {
    match file.load::<Model<A>>() {
        Err(LoadError::Report(report)) => {
            let [problem] = report.problems() else { panic!("{report}") };
            assert_eq!(problem.path, "weight");
            (problem.kind, problem.expected.clone(), problem.found.clone())
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("loaded"),
    }
}

/// Saves an array, and compares every way of loading it by index.
fn assert_survives<D: Dimension>(array: ArrayView<'_, i32, D>) {
    let file = file_of(&array);
    let entry = file.tensor("weight").unwrap();
    assert_eq!(*entry.descriptor().unwrap().layout(), Layout::RowMajor);

    let view: Model<ArrayView<'_, i32, D>> = file.load().unwrap();
    assert_eq!(view.weight, array);
    let (range, first) = (entry.buffer(0).unwrap().as_ptr_range(), view.weight.as_ptr().cast());
    assert!(array.is_empty() || range.contains(&first), "the view is not in the file");
    let open: Model<ArrayViewD<'_, i32>> = file.load().unwrap();
    assert_eq!(open.weight, array.view().into_dyn());
    let owned: Model<Array<i32, D>> = file.load().unwrap();
    assert_eq!(owned.weight, array);
    assert!(owned.weight.is_standard_layout());
    let cow: Model<CowArray<'_, i32, D>> = file.load().unwrap();
    assert!(cow.weight.is_view());
    assert_eq!(cow.weight, array);
    let shared: Model<ArcArray<i32, D>> = file.load().unwrap();
    assert_eq!(shared.weight, array);

    let in_order: Vec<i32> = array.iter().copied().collect();
    assert_eq!(entry.view::<i32>().unwrap().as_slice(), Some(&in_order[..]));
}

#[test]
fn c12_arrays_of_any_memory_order_keep_their_values_by_index() {
    let column_major = Array2::from_shape_vec((2, 3).f(), vec![11, 21, 12, 22, 13, 23]).unwrap();
    assert_eq!(column_major, array![[11, 12, 13], [21, 22, 23]]);
    assert_survives(column_major.view());
    assert_survives(column_major.t());
    assert_survives(column_major.slice(s![.., ..;2]));
    assert_survives(column_major.slice(s![..;-1, ..]));
    let row_major = array![[11, 12, 13], [21, 22, 23]];
    assert_survives(row_major.view());
    assert_survives(row_major.slice(s![.., 1..]));
    assert_survives(row_major.slice(s![.., ..;-2]));
    assert_survives(array![7].broadcast(4).unwrap());
    let cube = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    assert_survives(cube.view().permuted_axes([2, 0, 1]));
    assert_survives(cube.slice(s![..;-1, 1..;2, ..;-3]));
}

#[test]
fn c12_slices_of_a_saved_array_are_in_row_major_order() {
    let column_major = Array2::from_shape_vec((2, 3).f(), vec![11, 21, 12, 22, 13, 23]).unwrap();
    let file = file_of(&column_major);
    let slice: Model<&[[i32; 3]]> = file.load().unwrap();
    assert_eq!(slice.weight, [[11, 12, 13], [21, 22, 23]]);
}

/// A file with one tensor of 2 times 3 that lies as `layout` says.
fn laid_out(layout: Layout, byte_offset: u64, elements: &[i32]) -> File {
    let descriptor = TensorDescriptor::builder(ElementType::Int32, [2, 3])
        .layout(layout)
        .byte_offset(byte_offset)
        .buffer_sizes([4 * elements.len() as u64])
        .build()
        .unwrap();
    struct Raw<'e>(TensorDescriptor, &'e [i32]);
    impl HurraySave for Raw<'_> {
        fn save<'s>(&'s self, saver: hurray::Saver<'_, 's>) -> Result<(), hurray::SaveError> {
            saver.tensor(&self.0, [bytemuck::cast_slice::<i32, u8>(self.1).into()])
        }
    }
    file_of(&Raw(descriptor, elements))
}

#[test]
fn c12_other_layouts_load_as_arrays_without_a_copy_and_are_refused_as_slices() {
    let expected = array![[11, 12, 13], [21, 22, 23]];
    let strided = |strides: [i64; 2]| Layout::Strided { strides: strides.into_iter().collect() };
    let files = [
        laid_out(Layout::ColumnMajor, 0, &[11, 21, 12, 22, 13, 23]),
        laid_out(strided([4, 1]), 0, &[11, 12, 13, 0, 21, 22, 23, 0]),
        laid_out(strided([-3, 1]), 12, &[21, 22, 23, 11, 12, 13]),
        laid_out(strided([3, -1]), 8, &[13, 12, 11, 23, 22, 21]),
    ];
    for file in files {
        let model: Model<ArrayView2<'_, i32>> = file.load().unwrap();
        assert_eq!(model.weight, expected);
        let owned: Model<Array2<i32>> = file.load().unwrap();
        assert_eq!(owned.weight, expected);
        assert!(owned.weight.is_standard_layout());
        assert_eq!(problem::<&[[i32; 3]]>(&file).0, ProblemKind::Layout);
    }
    let broadcast = laid_out(strided([0, 1]), 0, &[11, 12, 13]);
    let model: Model<ArrayView2<'_, i32>> = broadcast.load().unwrap();
    assert_eq!(model.weight, array![[11, 12, 13], [11, 12, 13]]);
}

#[test]
fn a_fixed_rank_and_the_element_type_are_checked() {
    let file = file_of(&array![[1.0f32, 2.0]]);
    assert_eq!(problem::<ArrayView1<'_, f32>>(&file), (ProblemKind::Rank, "rank 1".into(), "rank 2".into()));
    assert_eq!(problem::<Array3<f32>>(&file), (ProblemKind::Rank, "rank 3".into(), "rank 2".into()));
    assert_eq!(problem::<ArrayViewD<'_, i32>>(&file).0, ProblemKind::ElementType);
    assert_eq!(problem::<Array2<bool>>(&file).0, ProblemKind::ElementType);
    assert_eq!(problem::<Array1<bool>>(&file_of(&array![[true]])).0, ProblemKind::Rank);
}

#[derive(HurraySave, HurrayLoad)]
struct Linear<'a> {
    #[hurray(shape = [out_features, in_features])]
    weight: ArrayView2<'a, f32>,
    #[hurray(shape = [out_features])]
    bias: Array1<f32>,
}

#[test]
fn shape_rules_hold_for_arrays() {
    let weight = Array2::<f32>::zeros((3, 2));
    let linear = Linear { weight: weight.view(), bias: Array1::zeros(3) };
    let file = File::from_vec(hurray::to_bytes(&linear).unwrap()).unwrap();
    let loaded: Linear<'_> = file.load().unwrap();
    assert_eq!((loaded.weight.dim(), loaded.bias.dim()), ((3, 2), 3));
    let wrong = Linear { weight: weight.view(), bias: Array1::zeros(2) };
    assert!(matches!(hurray::to_bytes(&wrong), Err(hurray::SaveError::Shape { .. })));
}

#[test]
fn scalars_and_empty_arrays_keep_their_shape() {
    assert_survives(ndarray::arr0(7).view());
    assert_survives(Array2::zeros((0, 10)).view());
    assert_survives(Array2::zeros((3, 0).f()).view());
    assert_survives(Array3::zeros((2, 0, 3)).view().permuted_axes([2, 1, 0]));
}

#[test]
fn arrays_of_bools_are_packed() {
    let mask = Array2::from_shape_fn((3, 5), |(i, j)| (i + j) % 3 == 0);
    for array in [mask.view(), mask.slice(s![..;-1, ..]), mask.slice(s![.., ..;2])] {
        let file = file_of(&array);
        assert_eq!(file.tensor("weight").unwrap().descriptor().unwrap().element_type(), ElementType::Bool);
        assert_eq!(file.load::<Model<Array2<bool>>>().unwrap().weight, array);
        assert_eq!(file.load::<Model<ArrayD<bool>>>().unwrap().weight, array.into_dyn());
    }
}

#[test]
fn ranks_above_eight_are_for_arrays_of_any_rank() {
    let array = ArrayD::from_shape_fn(IxDyn(&[2, 1, 2, 1, 2, 1, 2, 1, 2, 1]), |index| index[0] as u8);
    let file = file_of(&array);
    assert_eq!(file.load::<Model<ArrayViewD<'_, u8>>>().unwrap().weight, array);
    assert_eq!(file.load::<Model<ArrayD<u8>>>().unwrap().weight, array);
    assert_eq!(problem::<ArrayView2<'_, u8>>(&file), (ProblemKind::Rank, "rank 2".into(), "rank 10".into()));
    assert!(matches!(TensorView::try_from(array.view()), Err(TensorError::RankTooHigh { found: 10, .. })));
}

#[test]
fn a_large_strided_array_is_gathered_in_blocks() {
    let array = Array2::from_shape_fn((300, 257), |(i, j)| (i * 1000 + j) as i32);
    assert_survives(array.t());
    assert_survives(array.slice(s![.., 1..]));
    assert_survives(array.slice(s![..;2, ..;-1]));
}

/// Converts there and back, and looks at the addresses.
fn assert_same_memory<T: Element, D: Dimension>(array: ArrayView<'_, T, D>) {
    let view = TensorView::try_from(array.view()).unwrap();
    assert_eq!(view.shape(), array.shape());
    let in_order: Vec<T> = array.iter().copied().collect();
    assert_eq!(view.to_vec(), in_order);
    let back: ArrayView<'_, T, D> = view.try_into().unwrap();
    assert_eq!(back, array);
    assert!(array.is_empty() || back.as_ptr() == array.as_ptr());
}

#[test]
fn views_and_arrays_become_each_other_without_a_copy() {
    let cube = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as f64);
    assert_same_memory(cube.view());
    assert_same_memory(cube.t());
    assert_same_memory(cube.view().permuted_axes([1, 2, 0]));
    assert_same_memory(cube.slice(s![..;-1, .., ..;-1]));
    assert_same_memory(cube.slice(s![1.., .., ..]));
    assert_same_memory(cube.slice(s![.., 1..2, ..]).index_axis(ndarray::Axis(0), 1));
    assert_same_memory(array![1u8, 2].broadcast((3, 2)).unwrap());
    assert_same_memory(ndarray::arr0(1i64).view());
    assert_same_memory(Array2::<f32>::zeros((0, 4)).view());
    assert_same_memory(Array2::<f32>::zeros((4, 0)).t());
}

#[test]
fn an_array_with_gaps_is_no_view_but_is_saved() {
    let array = array![[11, 12, 13], [21, 22, 23]];
    let gaps = array.slice(s![.., ..;2]);
    assert!(matches!(TensorView::try_from(gaps), Err(TensorError::Layout { .. })));
    assert_survives(gaps);
}

#[test]
fn a_view_becomes_an_array_of_its_own_rank_only() {
    let data = [1, 2, 3, 4, 5, 6];
    let view = TensorView::from_slice(&data, &[2, 3]).unwrap();
    assert_eq!(view.to_ndarray::<Ix2>().unwrap(), array![[1, 2, 3], [4, 5, 6]]);
    assert_eq!(view.to_ndarray::<IxDyn>().unwrap().ndim(), 2);
    assert_eq!(view.to_ndarray::<Ix1>(), Err(TensorError::Rank { expected: 1, found: 2 }));
    assert_eq!(ArrayView3::<i32>::try_from(view), Err(TensorError::Rank { expected: 3, found: 2 }));
    // More elements than an address space has, all of them the same one.
    let huge = TensorView::from_strided(&data, 0, &[1 << 40, 1 << 40, 1], &[0, 0, 0]).unwrap();
    assert!(matches!(huge.to_ndarray::<Ix3>(), Err(TensorError::Limit { .. })));
}
