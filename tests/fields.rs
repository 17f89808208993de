//! Every type that a field can have comes back, by every way to open a file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use half::{bf16, f16};
use hurray::{Element, File, HurrayLoad, HurrayLoadOwned, HurraySave, Tensor, TensorView};
use hurray_tests::file_of;

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Field<T> {
    field: T,
}

/// Saves a value as a field, and loads it by every route.
fn comes_back<T>(field: T)
where
    T: HurraySave + HurrayLoadOwned + PartialEq + Debug,
{
    let model = Field { field };
    let bytes = hurray::to_bytes(&model).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &model).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "a file holds the same as memory");
    let mut written = Vec::new();
    hurray::to_writer(&mut written, &model).unwrap();
    assert_eq!(written, bytes);

    let load = |route: &str, file: File| {
        let loaded = file.load().unwrap_or_else(|error| panic!("by {route}: {error}"));
        assert_eq!(model, loaded, "by {route}");
        assert_eq!(hurray::to_bytes(&loaded).unwrap(), bytes, "saved again, loaded by {route}");
    };
    load("read", File::read(&path).unwrap());
    load("from_vec", File::from_vec(bytes.clone()).unwrap());
    load("copy_from_slice", File::copy_from_slice(&bytes).unwrap());
    // SAFETY: nobody changes the file in the test's own folder.
    load("map", unsafe { File::map(&path) }.unwrap());
    assert_eq!(hurray::load::<Field<T>>(&path).unwrap(), model, "by hurray::load");
    // SAFETY: nobody changes the file in the test's own folder.
    assert_eq!(unsafe { hurray::map::<Field<T>>(&path) }.unwrap(), model, "by hurray::map");
    // A slice at an address that suits: the mapping's own.
    let aligned = Aligned::of(&bytes);
    let loaded = hurray::from_slice(aligned.bytes()).unwrap_or_else(|error| panic!("from_slice: {error}"));
    assert_eq!(model, loaded, "by from_slice");
}

/// Bytes at an address that is a multiple of 16.
struct Aligned(Vec<u128>, usize);

impl Aligned {
    fn of(bytes: &[u8]) -> Self {
        let mut words = vec![0u128; bytes.len().div_ceil(16)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self(words, bytes.len())
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

fn tensor<T: Element>(values: &[T], shape: &[usize]) -> Tensor<T> {
    Tensor::from_vec(values.to_vec(), shape).unwrap()
}

macro_rules! elements {
    ($($name:ident: $element:ty = $values:expr;)*) => {$(
        #[test]
        fn $name() {
            let values: [$element; 6] = $values;
            comes_back(tensor(&values, &[2, 3]));
            comes_back(tensor(&values[..1], &[]));
            comes_back(tensor(&values[..0], &[3, 0, 2]));
            comes_back(tensor(&values, &[1, 6, 1, 1, 1, 1, 1, 1]));
            comes_back(values.to_vec());
            comes_back(Vec::<$element>::new());
            comes_back(values.to_vec().into_boxed_slice());
            comes_back(Arc::<[$element]>::from(values.to_vec()));
            comes_back(VecDeque::from(values));
            comes_back(values);
            comes_back([[values[0], values[1]], [values[2], values[3]]]);
            comes_back(Box::new(values));
            comes_back(vec![[values[4]], [values[5]]]);
            comes_back(values[0]);
            borrowed(&values);
        }
    )*};
}

elements! {
    elements_f16: f16 = [0.0, -0.0, 0.5, -65504.0, 1e-7, 3.0].map(f16::from_f32);
    elements_bf16: bf16 = [0.0, -0.0, 0.5, -3e38, 1e-30, 3.0].map(bf16::from_f32);
    elements_f32: f32 = [0.0, -0.0, f32::MIN, f32::MAX, f32::EPSILON, f32::INFINITY];
    elements_f64: f64 = [0.0, -0.0, f64::MIN, f64::MAX, f64::EPSILON, f64::INFINITY];
    elements_i8: i8 = [i8::MIN, i8::MAX, 0, 1, -1, 5];
    elements_u8: u8 = [u8::MIN, u8::MAX, 0, 1, 127, 128];
    elements_i16: i16 = [i16::MIN, i16::MAX, 0, 1, -1, 5];
    elements_u16: u16 = [u16::MIN, u16::MAX, 0, 1, 258, 5];
    elements_i32: i32 = [i32::MIN, i32::MAX, 0, 1, -1, 5];
    elements_u32: u32 = [u32::MIN, u32::MAX, 0, 1, 258, 5];
    elements_i64: i64 = [i64::MIN, i64::MAX, 0, 1, -1, 5];
    elements_u64: u64 = [u64::MIN, u64::MAX, 0, 1, 258, 5];
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Borrowed<'a, T: Element> {
    view: TensorView<'a, T>,
    scalar: TensorView<'a, T>,
    empty: TensorView<'a, T>,
    slice: &'a [T],
    rows: &'a [[T; 2]],
    fixed: &'a [T; 6],
    cow: Cow<'a, [T]>,
    maybe: Option<&'a [T]>,
    views: Vec<TensorView<'a, T>>,
}

/// Where the bytes of a slice lie.
fn place<T>(slice: &[T]) -> Range<usize> {
    let range = slice.as_ptr_range();
    range.start.addr()..range.end.addr()
}

fn lies_in<T>(slice: &[T], memory: &Range<usize>) -> bool {
    let place = place(slice);
    memory.start <= place.start && place.end <= memory.end && place.start.is_multiple_of(align_of::<T>())
}

fn borrowed<T: Element + HurraySave + Debug>(values: &[T; 6]) {
    let model = Borrowed {
        view: TensorView::from_slice(values, &[3, 2]).unwrap(),
        scalar: TensorView::from_slice(&values[..1], &[]).unwrap(),
        empty: TensorView::from_slice(&[], &[0]).unwrap(),
        slice: values,
        rows: bytemuck::cast_slice(values),
        fixed: values,
        cow: Cow::Borrowed(&values[2..]),
        maybe: Some(&values[1..]),
        views: vec![TensorView::from_slice(values, &[6]).unwrap()],
    };
    let bytes = hurray::to_bytes(&model).unwrap();
    let aligned = Aligned::of(&bytes);
    let loaded: Borrowed<'_, T> = hurray::from_slice(aligned.bytes()).unwrap();
    assert_eq!(loaded, model);
    let memory = place(aligned.bytes());
    assert!(lies_in(loaded.view.as_slice().unwrap(), &memory));
    assert!(lies_in(loaded.scalar.as_slice().unwrap(), &memory));
    assert!(lies_in(loaded.slice, &memory));
    assert!(lies_in(loaded.rows, &memory));
    assert!(lies_in(loaded.fixed, &memory));
    assert!(matches!(&loaded.cow, Cow::Borrowed(slice) if lies_in(slice, &memory)));
    assert!(lies_in(loaded.maybe.unwrap(), &memory));
    assert!(lies_in(loaded.views[0].as_slice().unwrap(), &memory));
}

#[test]
fn bools_are_packed_and_come_back() {
    let bits = |count: usize| -> Vec<bool> { (0..count).map(|index| index % 3 == 1).collect() };
    for count in [0, 1, 7, 8, 9, 64, 1001] {
        comes_back(bits(count));
        comes_back(bits(count).into_boxed_slice());
    }
    comes_back([[true, false, true], [false, true, true]]);
    comes_back(true);
    comes_back(Arc::<[bool]>::from(bits(13)));
}

#[test]
fn strings_and_characters() {
    comes_back(String::from("héllo\n\0"));
    comes_back(Box::<str>::from(""));
    comes_back('\u{10ffff}');
    comes_back(vec![String::new(), "a".repeat(70_000)]);
    comes_back(Arc::new(String::from("shared")));

    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Text<'a> {
        text: &'a str,
        cow: Cow<'a, str>,
        #[hurray(kv)]
        bytes: &'a [u8],
    }
    let model = Text { text: "tëxt", cow: "cow".into(), bytes: &[0, 255] };
    let file = file_of(&model);
    let loaded: Text<'_> = file.load().unwrap();
    assert_eq!(loaded, model);
    assert!(matches!(loaded.cow, Cow::Borrowed(_)));
}

#[test]
fn wrappers_and_options() {
    comes_back(Box::new(tensor(&[1u8, 2], &[2])));
    comes_back(Arc::new(tensor(&[1u8, 2], &[2])));
    comes_back(Rc::new(vec![1i32]));
    comes_back(Cow::<Tensor<u8>>::Owned(tensor(&[1u8, 2], &[2])));
    comes_back(Option::<Tensor<f32>>::None);
    comes_back(Some(tensor(&[1.0f32], &[1])));
    comes_back(Some(Box::new(Some(String::from("x")))));
    comes_back(Some(Vec::<Tensor<f32>>::new()));
    comes_back(Arc::new(Field { field: [1u8] }));
}

#[test]
fn collections_of_structs() {
    let field = |value: f32| Field { field: vec![value] };
    comes_back(vec![field(1.0), field(2.0)]);
    comes_back(VecDeque::from([field(1.0)]));
    comes_back([field(1.0), field(2.0), field(3.0)]);
    comes_back(vec![field(1.0)].into_boxed_slice());
    comes_back(Arc::<[Field<Vec<f32>>]>::from(vec![field(1.0)]));
    comes_back(BTreeMap::from([("b".to_owned(), field(1.0)), ("a".to_owned(), field(2.0))]));
    comes_back(HashMap::from([("b".to_owned(), field(1.0)), ("a".to_owned(), field(2.0))]));
    comes_back((field(1.0),));
    comes_back((field(1.0), 2u32, String::from("three"), [4u8]));
    comes_back((1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 10u8, 11u8, 12u8));
    comes_back(Box::new([field(1.0), field(2.0)]));
}

#[test]
fn nothing_is_saved_as_nothing() {
    comes_back(());
    comes_back(PhantomData::<Rc<str>>);
    comes_back(vec![(); 4]);
    comes_back(((), PhantomData::<u8>));
}

#[test]
fn strided_tensors_come_back_by_index() {
    let data: Vec<i32> = (0..24).collect();
    for (origin, shape, strides) in [
        (0, &[2usize, 3][..], &[1isize, 2][..]),
        (5, &[2, 3], &[-3, -1]),
        (0, &[4], &[0]),
        (0, &[4, 3, 2], &[1, 4, 12]),
        (3, &[3, 2], &[7, 2]),
        (0, &[0, 5], &[1, 9]),
    ] {
        let view = TensorView::from_strided(&data, origin, shape, strides).unwrap();
        let file = file_of(&Field { field: view });
        let loaded: Field<TensorView<'_, i32>> = file.load().unwrap();
        assert_eq!(loaded.field.shape(), shape);
        assert_eq!(loaded.field.to_vec(), view.to_vec());
        // A large gather runs over several blocks.
    }
    let large: Vec<u16> = (0..60_000).collect();
    let transposed = TensorView::from_strided(&large, 0, &[200, 300], &[1, 200]).unwrap();
    let file = file_of(&Field { field: transposed });
    assert_eq!(file.load::<Field<Vec<[u16; 300]>>>().unwrap().field.as_flattened(), transposed.to_vec());
}

#[test]
fn tensors_share_the_file_and_outlive_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    hurray::save(&path, &Field { field: tensor(&values, &[10, 100]) }).unwrap();

    let kept: Field<Tensor<f64>> = {
        // SAFETY: nobody changes the file in the test's own folder.
        let file = unsafe { File::map(&path) }.unwrap();
        let view: Field<TensorView<'_, f64>> = file.load().unwrap();
        let tensor: Field<Tensor<f64>> = file.load().unwrap();
        assert!(tensor.field.is_shared());
        assert_eq!(place(tensor.field.as_slice().unwrap()), place(view.field.as_slice().unwrap()));
        tensor
    };
    let on_another_thread = std::thread::spawn(move || kept.field.to_vec());
    assert_eq!(on_another_thread.join().unwrap(), values);

    let read: Field<Tensor<f64>> = hurray::load(&path).unwrap();
    assert!(read.field.is_shared());
    let owned = read.field.into_owned();
    assert!(!owned.is_shared());
    assert_eq!(owned.to_vec(), values);
}

#[test]
fn changing_a_shared_tensor_changes_no_other() {
    let file = file_of(&Field { field: tensor(&[1i16, 2, 3], &[3]) });
    let mut first: Field<Tensor<i16>> = file.load().unwrap();
    let second: Field<Tensor<i16>> = file.load().unwrap();
    first.field.make_mut()[0] = 9;
    assert_eq!(first.field.to_vec(), [9, 2, 3]);
    assert_eq!(second.field.to_vec(), [1, 2, 3]);
    assert_eq!(file.load::<Field<Vec<i16>>>().unwrap().field, [1, 2, 3]);
}

#[test]
fn static_bytes_are_borrowed_for_ever() {
    static FILE: LazyLock<File> = LazyLock::new(|| {
        let bytes = Aligned::of(&hurray::to_bytes(&Field { field: [1.0f32, 2.0] }).unwrap());
        let length = bytes.1;
        let words: &'static [u128] = bytes.0.leak();
        File::from_static(&bytemuck::cast_slice(words)[..length]).unwrap()
    });
    let model: Field<&'static [f32]> = FILE.load().unwrap();
    assert_eq!(model.field, [1.0, 2.0]);
}

#[test]
fn a_model_is_loaded_into_one_that_is_there_or_not_at_all() {
    let file = file_of(&Field { field: vec![1.0f32] });
    let mut model = Field { field: vec![0.0f32] };
    file.load_into(&mut model).unwrap();
    assert_eq!(model.field, [1.0]);
    let mut other = Field { field: vec![7u8] };
    assert!(file.load_into(&mut other).is_err());
    assert_eq!(other.field, [7]);
}
