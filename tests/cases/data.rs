//! C10, C11, C12, C14, C15: lifetimes, alignment, order of elements, emptiness, determinism.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hurray::{File, HurrayLoad, HurraySave, LoadError, OpenError, SaveOptions, Tensor, TensorView};
use hurray_tests::{file_of, listing, reloaded};

/// Bytes at an address that is a multiple of 16.
fn aligned(bytes: &[u8]) -> Vec<u128> {
    let mut words = vec![0u128; bytes.len().div_ceil(16)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Views<'a> {
    m: &'a [u8],
    w: TensorView<'a, f32>,
    d: &'a [f64; 2],
}

fn views() -> Views<'static> {
    Views { m: &[1, 2, 3], w: TensorView::from_slice(&[1.0, 2.0, 3.0, 4.0], &[4]).unwrap(), d: &[5.0, 6.0] }
}

#[test]
fn c10_views_outlive_the_parsed_file() {
    fn parse(bytes: &[u8]) -> Result<Views<'_>, LoadError> {
        hurray::from_slice(bytes)
    }
    let bytes = hurray::to_bytes(&views()).unwrap();
    let words = aligned(&bytes);
    let model = parse(&bytemuck::cast_slice(&words)[..bytes.len()]).unwrap();
    assert_eq!(model, views());
}

#[test]
fn c10_a_model_that_owns_its_mapping_goes_to_other_threads() {
    #[derive(HurraySave, HurrayLoad)]
    struct Owned {
        m: Tensor<u8>,
        w: Tensor<f32>,
        d: Tensor<f64>,
    }
    struct Server {
        file: File,
        model: Arc<Owned>,
    }
    fn is_state<T: 'static + Send + Sync>(state: T) -> Arc<T> {
        Arc::new(state)
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &views()).unwrap();
    // SAFETY: nobody changes the file in the test's own folder.
    let file = unsafe { File::map(&path) }.unwrap();
    let model = Arc::new(file.load::<Owned>().unwrap());
    let server = is_state(Server { file, model });
    let on_thread = Arc::clone(&server);
    let sum = std::thread::spawn(move || {
        let again: Views<'_> = on_thread.file.load().unwrap();
        again.w.iter().sum::<f32>() + on_thread.model.w.to_vec().iter().sum::<f32>()
    });
    assert_eq!(sum.join().unwrap(), 20.0);
    let model = Arc::clone(&server.model);
    drop(server);
    assert_eq!((model.m.to_vec(), model.d.to_vec()), (vec![1, 2, 3], vec![5.0, 6.0]));
    // That a file can't be dropped before what borrows from it: `ui/lifetime/file_dropped_first.rs`.
}

#[test]
fn c11_odd_lengths_never_shift_what_follows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &views()).unwrap();
    // SAFETY: nobody changes the file in the test's own folder.
    let file = unsafe { File::map(&path) }.unwrap();
    assert_eq!(file.load::<Views<'_>>().unwrap(), views());

    let bytes = std::fs::read(&path).unwrap();
    let words = aligned(&bytes);
    let at_16: &[u8] = &bytemuck::cast_slice(&words)[..bytes.len()];
    let loaded: Views<'_> = hurray::from_slice(at_16).unwrap();
    assert_eq!(loaded, views());
    assert!(at_16.as_ptr_range().contains(&loaded.m.as_ptr()));
    // A `Vec` of bytes lies anywhere; one that suits lends, any other says what it needs.
    match hurray::from_slice::<Views<'_>>(&bytes) {
        Ok(loaded) => assert_eq!(loaded, views()),
        Err(error) => assert!(matches!(error, LoadError::Open(OpenError::Misaligned { .. })), "{error}"),
    }
    let words: &'static [u128] = aligned(&bytes).leak();
    let file = File::from_static(&bytemuck::cast_slice(words)[..bytes.len()]).unwrap();
    assert_eq!(file.load::<Views<'_>>().unwrap(), views());
}

#[test]
fn c11_bytes_at_an_odd_address_are_an_error_that_says_what_is_needed() {
    let bytes = hurray::to_bytes(&views()).unwrap();
    for shift in 1..16 {
        let shifted: Vec<u8> = std::iter::repeat_n(0, shift).chain(bytes.iter().copied()).collect();
        let words = aligned(&shifted);
        let slice: &[u8] = &bytemuck::cast_slice(&words)[shift..shift + bytes.len()];
        let loaded = hurray::from_slice::<Views<'_>>(slice);
        if shift == 8 {
            assert_eq!(loaded.unwrap(), views());
            continue;
        }
        let error = loaded.unwrap_err();
        let LoadError::Open(OpenError::Misaligned { need: 8, have }) = error else {
            panic!("{shift}: {error}")
        };
        assert_eq!(have, 1 << shift.trailing_zeros());
        // The documented way out, by every route that owns its bytes.
        assert_eq!(File::copy_from_slice(slice).unwrap().load::<Views<'_>>().unwrap(), views());
        assert_eq!(File::from_vec(slice.to_vec()).unwrap().load::<Views<'_>>().unwrap(), views());
    }
}

#[derive(HurraySave, HurrayLoad)]
struct Matrix<'a> {
    a: TensorView<'a, i32>,
}

#[derive(HurraySave, HurrayLoad)]
struct Slice<'a> {
    a: &'a [i32],
}

#[test]
fn c12_every_order_of_elements_comes_back_by_index() {
    // [[11, 12, 13], [21, 22, 23]] in column-major order, and what can be made of it.
    let f_order = [11, 21, 12, 22, 13, 23];
    let cube: Vec<i32> = (0..24).collect();
    let one = [7];
    let view = |data, origin, shape, strides| TensorView::from_strided(data, origin, shape, strides).unwrap();
    let cases: [(&str, TensorView<'_, i32>, &[i32]); 8] = [
        ("column-major", view(&f_order, 0, &[2, 3], &[1, 2]), &[11, 12, 13, 21, 22, 23]),
        ("transposed", view(&f_order, 0, &[3, 2], &[2, 1]), &[11, 21, 12, 22, 13, 23]),
        ("every second column", view(&f_order, 0, &[2, 2], &[1, 4]), &[11, 13, 21, 23]),
        ("reversed rows", view(&f_order, 1, &[2, 3], &[-1, 2]), &[21, 22, 23, 11, 12, 13]),
        ("reversed both", view(&f_order, 5, &[2, 3], &[-1, -2]), &[23, 22, 21, 13, 12, 11]),
        ("broadcast", view(&one, 0, &[4], &[0]), &[7, 7, 7, 7]),
        (
            "permuted",
            view(&cube, 0, &[4, 2, 3], &[1, 12, 4]),
            &[0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23],
        ),
        ("row 1 of 2", view(&cube, 12, &[1, 2], &[12, 1]), &[12, 13]),
    ];
    for (name, a, expected) in cases {
        let file = file_of(&Matrix { a });
        let loaded: Matrix<'_> = file.load().unwrap();
        assert_eq!(loaded.a.shape(), a.shape(), "{name}");
        assert_eq!(loaded.a.to_vec(), expected, "{name}");
        for (position, value) in expected.iter().enumerate() {
            let mut rest = position;
            let mut index = vec![0; a.rank()];
            for (axis, dim) in a.shape().iter().enumerate().rev() {
                index[axis] = rest % dim;
                rest /= dim;
            }
            assert_eq!(loaded.a.get(&index), Some(*value), "{name} at {index:?}");
        }
    }
}

#[test]
fn c12_a_slice_of_another_order_is_refused_and_never_lent() {
    use hurray::descriptor::{Layout, TensorDescriptor};
    use hurray::{ElementType, ProblemKind, Writer, WriterOptions};

    let stored = |layout: Layout, shape: &[u64], data: &[i32]| -> File {
        let builder = TensorDescriptor::builder(ElementType::Int32, shape.iter().copied()).layout(layout);
        let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
        writer.tensor("a", &builder.build().unwrap(), &[bytemuck::cast_slice(data)]).unwrap();
        File::from_vec(writer.finish().unwrap().0).unwrap()
    };
    #[derive(HurrayLoad)]
    struct Rows<'a> {
        #[expect(dead_code, reason = "never loads")]
        a: &'a [[i32; 3]],
    }
    let file = stored(Layout::ColumnMajor, &[2, 3], &[11, 21, 12, 22, 13, 23]);
    let loaded: Matrix<'_> = file.load().unwrap();
    assert_eq!(loaded.a.to_vec(), [11, 12, 13, 21, 22, 23]);
    assert_eq!(loaded.a.as_slice(), None);
    let error = file.load::<Rows<'_>>().err().expect("a slice would show another order");
    assert_eq!(error.report().unwrap().count(ProblemKind::Layout), 1, "{error}");

    // Reversed: the slice would show 3, 2, 1.
    let strided = Layout::Strided { strides: [2].into_iter().collect() };
    let file = stored(strided, &[2], &[1, 0, 2]);
    assert_eq!(file.load::<Matrix<'_>>().unwrap().a.to_vec(), [1, 2]);
    assert!(file.load::<Slice<'_>>().is_err());
    // An owned vector is in order, whatever the file's is.
    let owned: BTreeMap<String, Vec<i32>> = file.load().unwrap();
    assert_eq!(owned["a"], [1, 2]);
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Default)]
struct Unit {}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct L {
    w: Tensor<f32>,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Empties {
    a: Tensor<f32>,
    b: Tensor<i64>,
    c: Vec<L>,
    d: HashMap<String, L>,
    e: Unit,
    z: Tensor<half::f16>,
}

#[test]
fn c14_empty_tensors_lists_and_structs_are_not_missing() {
    let model = Empties {
        a: Tensor::from_vec(vec![], &[0, 10]).unwrap(),
        b: Tensor::from_vec(vec![5], &[]).unwrap(),
        c: vec![],
        d: HashMap::new(),
        e: Unit {},
        z: Tensor::from_vec(vec![], &[3, 0]).unwrap(),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &model).unwrap();
    // SAFETY: nobody changes the file in the test's own folder.
    let mapped = unsafe { File::map(&path) }.unwrap();
    for file in [mapped, File::read(&path).unwrap(), file_of(&model)] {
        assert_eq!(
            listing(&file),
            [
                "a: float32[0, 10]",
                "b: int64[]",
                "c: Group of 0",
                "d: Group of 0",
                "e: Group of 0",
                "z: float16[3, 0]",
            ]
        );
        let loaded: Empties = file.load().unwrap();
        assert_eq!(
            (loaded.a.shape(), loaded.b.shape(), loaded.z.shape()),
            (&[0, 10][..], &[][..], &[3, 0][..])
        );
        assert_eq!(loaded, model);
    }
}

#[test]
fn c14_a_model_of_metadata_only_and_one_of_nothing() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Metadata {
        name: String,
        none: Option<u32>,
    }
    let model = Metadata { name: String::new(), none: None };
    assert_eq!(reloaded(&model), model);
    assert_eq!(reloaded(&Unit {}), Unit {});
}

#[test]
fn c14_an_empty_file_is_said_to_be_empty_by_every_route() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.hrry");
    std::fs::write(&path, []).unwrap();
    // SAFETY: nobody changes the file in the test's own folder.
    let mapped = unsafe { File::map(&path) }.unwrap_err();
    let read = File::read(&path).unwrap_err();
    assert_eq!(mapped.to_string(), read.to_string());
    assert!(read.to_string().contains("empty.hrry") && read.to_string().contains("is empty"), "{read}");
    assert!(File::from_vec(vec![]).unwrap_err().to_string().contains("is empty"));
}

fn model_of_20_layers(order: impl Iterator<Item = u32>) -> HashMap<String, (Vec<f32>, HashMap<String, u32>)> {
    let entries = |layer: u32| (0..16).map(|key| (format!("meta{key}"), layer * key)).collect();
    order
        .map(|layer| (format!("layer{layer}"), (vec![0.5; 1 + layer as usize * 700], entries(layer))))
        .collect()
}

#[test]
fn c15_the_same_model_gives_the_same_bytes_on_every_run() {
    const PRINT: &str = "HURRAY_TESTS_PRINT_HASH";
    let options = (0..16).fold(SaveOptions::new(), |options, key| options.metadata(format!("key{key}"), key));
    let bytes = options.to_bytes(&model_of_20_layers(0..20)).unwrap();
    let hash = crc32c::crc32c(&bytes);
    if std::env::var_os(PRINT).is_some() {
        println!("hash {hash:08x} of {} bytes", bytes.len());
        return;
    }
    for round in 0..5 {
        // What a freed allocation held must not show in the padding.
        drop(vec![0xA5u8 + round; bytes.len()]);
        assert!(options.to_bytes(&model_of_20_layers((0..20).rev())).unwrap() == bytes);
        let clone: HashMap<_, _> = model_of_20_layers(0..20).into_iter().collect();
        assert!(options.to_bytes(&clone).unwrap() == bytes);
    }
    let mut written = Vec::new();
    options.to_writer(&mut written, &model_of_20_layers(0..20)).unwrap();
    assert!(written == bytes);
    // Other processes have other seeds for their hash maps.
    for _ in 0..8 {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args([
            "--exact",
            "data::c15_the_same_model_gives_the_same_bytes_on_every_run",
            "--nocapture",
        ]);
        let output = command.env(PRINT, "1").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("hash {hash:08x} of {} bytes", bytes.len())), "{text}");
    }
}
