//! Row-major, column-major and strided (FORMAT §5.1 to §5.3), of whole bytes and packed.

use hurray::descriptor::Layout;
use hurray::{
    Bool, Complex64, Element, F6E2M3, HurrayLoad, HurraySave, I4, Packed, PackedElement, PackedView, Tensor,
    TensorError, TensorView,
};
use proptest::prelude::*;

use super::common::{One, Sample, compare, model_through_a_file, shaped, through_a_file, values};

/// A view that is saved as it lies.
#[derive(HurraySave, HurrayLoad)]
struct Kept<'a, T: Element> {
    #[hurray(layout = "keep")]
    tensor: TensorView<'a, T>,
}

fn kept<T: Element + Sample<Value = T>>(view: TensorView<'_, T>, layout: &str) {
    let source = view.to_vec();
    model_through_a_file(&Kept { tensor: view }, |file| {
        assert_eq!(file.tensor("tensor").unwrap().descriptor().unwrap().layout().name(), layout);
        let Kept::<'_, T> { tensor } = file.load().unwrap();
        compare::<T>(file, (view.shape(), &source), &[], |index| tensor.get(index), &tensor.to_vec());
        let One::<Tensor<T>> { tensor: twin } = file.load().unwrap();
        assert!(twin.is_shared() && twin.to_vec() == source);
        // Saved again without the attribute, it is gathered.
        model_through_a_file(&One { tensor }, |file| {
            let One::<TensorView<'_, T>> { tensor } = file.load().unwrap();
            assert!(tensor.as_slice() == Some(&source[..]));
        });
    });
}

fn packed<T: PackedElement + Sample>(made: Packed<T>, source: &[T::Value], layout: &str) {
    let shape = made.shape().to_vec();
    through_a_file(made, |file| {
        assert_eq!(file.tensor("tensor").unwrap().descriptor().unwrap().layout().name(), layout);
        let One::<PackedView<'_, T>> { tensor } = file.load().unwrap();
        compare::<T>(file, (&shape, source), &[], |index| tensor.get(index), &tensor.to_dense().unwrap());
        assert!(tensor.iter().eq(source.iter().copied()) && tensor.to_vec() == source);
        let One::<Packed<T>> { tensor: twin } = file.load().unwrap();
        assert!(twin.view().to_vec() == source);
    });
}

fn whole_rows<T: Element + Sample<Value = T>>(shape: &[usize], seeds: &[u64]) {
    kept(TensorView::from_slice(&values::<T>(seeds), shape).unwrap(), "row_major");
}

fn packed_rows<T: PackedElement + Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    packed(Packed::<T>::from_values(&source, shape).unwrap(), &source, "row_major");
}

/// Strides of columns, which are those of rows where at most one dimension has more than one index.
fn whole_columns<T: Element + Sample<Value = T>>(shape: &[usize], seeds: &[u64]) {
    let strides: Vec<isize> =
        (0..shape.len()).map(|axis| shape[..axis].iter().product::<usize>() as isize).collect();
    let stored = values::<T>(seeds);
    let view = TensorView::from_strided(&stored, 0, shape, &strides).unwrap();
    kept(view, if view.as_slice().is_some() { "row_major" } else { "column_major" });
}

fn packed_columns<T: PackedElement + Sample>(shape: &[usize], seeds: &[u64]) {
    let source = values::<T>(seeds);
    packed(Packed::<T>::from_values_column_major(&source, shape).unwrap(), &source, "column_major");
}

/// What strides show of some memory: axes in another order, reversed, in steps, or repeated.
#[derive(Debug, Clone)]
struct Shown {
    origin: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
    /// Of the memory.
    count: usize,
}

impl Shown {
    fn values<V: Copy>(&self, stored: &[V]) -> Vec<V> {
        let at = |index: &Vec<usize>| {
            let terms = index.iter().zip(&self.strides).map(|(at, stride)| *at as isize * stride);
            stored[(self.origin as isize + terms.sum::<isize>()) as usize]
        };
        super::common::indices(&self.shape).iter().map(at).collect()
    }
}

fn shown() -> impl Strategy<Value = Shown> {
    let axis = (0usize..4, 1usize..3, 0u8..4);
    (prop::collection::vec(axis, 1..=5), 0usize..8, Just([0usize, 1, 2, 3, 4]).prop_shuffle()).prop_map(
        |(axes, before, order)| {
            let mut shown = Shown { origin: before, shape: vec![], strides: vec![], count: 1 };
            for (extent, step, kind) in axes {
                // 0 repeats one element, 1 goes backwards.
                let step = if kind == 0 { 0 } else { step * shown.count };
                if kind == 1 {
                    shown.origin += extent.saturating_sub(1) * step;
                }
                shown.shape.push(extent);
                shown.strides.push(if kind == 1 { -(step as isize) } else { step as isize });
                shown.count += extent.saturating_sub(1) * step;
            }
            shown.count += before;
            let order: Vec<usize> = order.into_iter().filter(|axis| *axis < shown.shape.len()).collect();
            shown.shape = order.iter().map(|axis| shown.shape[*axis]).collect();
            shown.strides = order.iter().map(|axis| shown.strides[*axis]).collect();
            shown
        },
    )
}

fn stored<T: Sample>(count: usize, seed: u64) -> Vec<T::Value> {
    let seeds: Vec<u64> =
        (1..=count as u64).map(|at| (seed | 1).wrapping_mul(at * 0x9E37_79B9) >> 7).collect();
    values::<T>(&seeds)
}

fn whole_strided<T: Element + Sample<Value = T>>(shown: &Shown, seed: u64) {
    let stored = stored::<T>(shown.count, seed);
    let view = TensorView::from_strided(&stored, shown.origin, &shown.shape, &shown.strides).unwrap();
    assert!(view.to_vec() == shown.values(&stored));
    let columns = (0..shown.shape.len()).all(|axis| {
        shown.shape[axis] == 1
            || shown.strides[axis] == shown.shape[..axis].iter().product::<usize>() as isize
    });
    let layout = if columns { "column_major" } else { "strided" };
    kept(view, if view.as_slice().is_some() { "row_major" } else { layout });
}

fn packed_strided<T: PackedElement + Sample>(shown: &Shown, seed: u64) {
    let stored = stored::<T>(shown.count, seed);
    let made = Packed::<T>::from_strided(&stored, shown.origin, &shown.shape, &shown.strides).unwrap();
    packed(made, &shown.values(&stored), "strided");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn row_major((shape, seeds) in shaped(0..=5)) {
        whole_rows::<i32>(&shape, &seeds);
        whole_rows::<Complex64>(&shape, &seeds);
        packed_rows::<Bool>(&shape, &seeds);
        packed_rows::<I4>(&shape, &seeds);
        packed_rows::<F6E2M3>(&shape, &seeds);
    }

    #[test]
    fn column_major((shape, seeds) in shaped(1..=5)) {
        whole_columns::<i32>(&shape, &seeds);
        whole_columns::<Complex64>(&shape, &seeds);
        packed_columns::<Bool>(&shape, &seeds);
        packed_columns::<I4>(&shape, &seeds);
        packed_columns::<F6E2M3>(&shape, &seeds);
    }

    #[test]
    fn strided(shown in shown(), seed in any::<u64>()) {
        whole_strided::<i32>(&shown, seed);
        whole_strided::<Complex64>(&shown, seed);
        packed_strided::<Bool>(&shown, seed);
        packed_strided::<I4>(&shown, seed);
        packed_strided::<F6E2M3>(&shown, seed);
    }
}

#[test]
fn strides_that_leave_the_memory_are_refused() {
    let strided = |origin, shape: &[usize], strides: &[isize]| {
        Packed::<I4>::from_strided(&[1, 2, 3], origin, shape, strides).map(|packed| packed.view().to_vec())
    };
    assert_eq!(strided(2, &[3], &[-1]).unwrap(), [3, 2, 1]);
    assert!(strided(9, &[0, 2], &[1, 1]).unwrap().is_empty());
    for (origin, shape, strides) in [
        (1, &[3][..], &[1][..]),
        (1, &[3], &[-1]),
        (3, &[1], &[0]),
        (0, &[usize::MAX], &[isize::MAX]),
        (usize::MAX, &[1], &[1]),
    ] {
        let error = strided(origin, shape, strides).unwrap_err();
        assert!(matches!(error, TensorError::Shape { .. }), "{error}");
    }
    assert!(matches!(strided(0, &[3], &[1, 1]), Err(TensorError::Rank { .. })));
    assert!(matches!(strided(0, &[], &[]), Err(TensorError::Rank { .. })));
    let misfit = Packed::<I4>::from_strided(&[0, 0, 0, 9], 3, &[2], &[-1]);
    assert!(matches!(misfit, Err(TensorError::Value { position: 3, .. })));
}

#[test]
fn an_element_type_of_whole_bytes_keeps_its_columns() {
    let data: Vec<f32> = (0..6u8).map(f32::from).collect();
    let view = TensorView::from_strided(&data, 0, &[2, 3], &[1, 2]).unwrap();
    let bytes = hurray::to_bytes(&Kept { tensor: view }).unwrap();
    let file = hurray::File::from_vec(bytes).unwrap();
    let descriptor = file.tensor("tensor").unwrap().descriptor().unwrap();
    assert_eq!((descriptor.layout(), descriptor.byte_offset()), (&Layout::ColumnMajor, 0));
    assert_eq!(file.tensor("tensor").unwrap().buffer(0).unwrap(), bytemuck::cast_slice::<f32, u8>(&data));
}
