//! Scalars and strings: the types of their entries, and what a load takes for them.

use half::{bf16, f16};
use hurray::descriptor::TensorDescriptor;
use hurray::{
    Element, ElementType, File, HurrayLoad, HurraySave, KvArray, KvValue, Metadata, ProblemKind, Writer,
    WriterOptions,
};
use hurray_tests::{listing_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Clone, Copy)]
enum Kind {
    Relu,
    Silu,
}

/// A file with nothing but one entry `x`.
fn entry(value: impl Into<KvValue>) -> File {
    let mut metadata = Metadata::new();
    metadata.insert("x", value).unwrap();
    let writer =
        Writer::new(Vec::new(), WriterOptions { metadata: Some(metadata), ..WriterOptions::default() });
    File::from_vec(writer.unwrap().finish().unwrap().0).unwrap()
}

/// A file with nothing but a tensor `x` of rank 0.
fn rank_0<T: Element>(element_type: ElementType, value: T) -> File {
    let descriptor = TensorDescriptor::builder(element_type, []).build().unwrap();
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    writer.tensor("x", &descriptor, &[bytemuck::bytes_of(&value)]).unwrap();
    File::from_vec(writer.finish().unwrap().0).unwrap()
}

#[derive(HurrayLoad, Debug)]
struct X<T> {
    x: T,
}

fn x<T: for<'f> HurrayLoad<'f>>(file: &File) -> T {
    match file.load::<X<T>>() {
        Ok(model) => model.x,
        Err(error) => panic!("does not load: {error}"),
    }
}

fn refused<T: for<'f> HurrayLoad<'f>>(file: &File) -> (ProblemKind, String, String) {
    let report = report_of::<X<T>>(file);
    let [problem] = report.problems() else { panic!("one problem: {report}") };
    assert_eq!(problem.path, "x");
    (problem.kind, problem.expected.clone(), problem.found.clone())
}

#[test]
fn each_scalar_has_its_type_of_entry() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Scalars {
        u8: u8,
        u16: u16,
        u32: u32,
        u64: u64,
        usize: usize,
        i8: i8,
        i16: i16,
        i32: i32,
        i64: i64,
        isize: isize,
        f16: f16,
        bf16: bf16,
        f32: f32,
        f64: f64,
        bool: bool,
        char: char,
        string: String,
        boxed: Box<str>,
        kind: Kind,
    }
    let scalars = Scalars {
        u8: u8::MAX,
        u16: u16::MAX,
        u32: u32::MAX,
        u64: u64::MAX,
        usize: usize::MAX,
        i8: i8::MIN,
        i16: i16::MIN,
        i32: i32::MIN,
        i64: i64::MIN,
        isize: isize::MIN,
        f16: f16::from_f32(0.1),
        bf16: bf16::from_f32(0.1),
        f32: 0.1,
        f64: -0.1,
        bool: true,
        char: 'é',
        string: String::new(),
        boxed: "a\0b".into(),
        kind: Kind::Silu,
    };
    assert_eq!(
        listing_of(&scalars),
        [
            "u8 = uint64 255",
            "u16 = uint64 65535",
            "u32 = uint64 4294967295",
            "u64 = uint64 18446744073709551615",
            "usize = uint64 18446744073709551615",
            "i8 = int64 -128",
            "i16 = int64 -32768",
            "i32 = int64 -2147483648",
            "i64 = int64 -9223372036854775808",
            "isize = int64 -9223372036854775808",
            "f16 = float64 0.0999755859375",
            "bf16 = float64 0.10009765625",
            "f32 = float64 0.10000000149011612",
            "f64 = float64 -0.1",
            "bool = bool true",
            "char = utf8 \"é\"",
            "string = utf8 \"\"",
            "boxed = utf8 \"a\\0b\"",
            "kind = utf8 \"Silu\"",
        ]
    );
    assert_eq!(reloaded(&scalars), scalars);
}

#[test]
fn vectors_with_kv_are_one_entry() {
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Arrays {
        #[hurray(kv)]
        bytes: Vec<u8>,
        #[hurray(kv)]
        counts: Vec<u32>,
        #[hurray(kv)]
        deltas: Vec<i16>,
        #[hurray(kv)]
        rates: Vec<f32>,
        #[hurray(kv)]
        flags: Vec<bool>,
        #[hurray(kv)]
        no_rates: Vec<f64>,
        #[hurray(kv)]
        kind: Kind,
        #[hurray(kv)]
        maybe: Option<u32>,
        names: Vec<String>,
        sizes: Vec<usize>,
        letters: Vec<char>,
        kinds: Vec<Kind>,
    }
    let arrays = Arrays {
        bytes: vec![0, 255],
        counts: vec![1, 2],
        deltas: vec![-1],
        rates: vec![0.5],
        flags: vec![true, false],
        no_rates: vec![],
        kind: Kind::Relu,
        maybe: None,
        names: vec!["a".into(), String::new()],
        sizes: vec![usize::MAX],
        letters: vec!['x'],
        kinds: vec![Kind::Silu, Kind::Relu],
    };
    assert_eq!(
        listing_of(&arrays),
        [
            "bytes = bytes [0, 255]",
            "counts = uint64 [1, 2]",
            "deltas = int64 [-1]",
            "rates = float64 [0.5]",
            "flags = bool [true, false]",
            "no_rates = float64 []",
            "kind = utf8 \"Relu\"",
            "names = utf8 [\"a\", \"\"]",
            "sizes = uint64 [18446744073709551615]",
            "letters = utf8 [\"x\"]",
            "kinds = utf8 [\"Silu\", \"Relu\"]",
        ]
    );
    assert_eq!(reloaded(&arrays), arrays);
    assert_eq!(reloaded(&Arrays { maybe: Some(3), ..arrays }).maybe, Some(3));
}

#[test]
fn special_floats_survive() {
    #[derive(HurraySave, HurrayLoad)]
    struct Floats {
        nan: f32,
        negative_zero: f64,
        infinity: f32,
        tiny: f32,
        half: f16,
    }
    let floats = reloaded(&Floats {
        nan: f32::NAN,
        negative_zero: -0.0,
        infinity: f32::NEG_INFINITY,
        tiny: f32::from_bits(1),
        half: f16::INFINITY,
    });
    assert!(floats.nan.is_nan());
    assert!(floats.negative_zero.is_sign_negative());
    assert_eq!(floats.infinity, f32::NEG_INFINITY);
    assert_eq!(floats.tiny.to_bits(), 1);
    assert_eq!(floats.half, f16::INFINITY);
}

#[test]
fn integers_are_taken_from_any_number_that_fits() {
    assert_eq!(x::<u8>(&entry(255i64)), 255);
    assert_eq!(x::<i64>(&entry(7u64)), 7);
    assert_eq!(x::<u32>(&entry(3.0)), 3);
    assert_eq!(x::<i8>(&entry(-128.0)), -128);
    assert_eq!(x::<u64>(&entry(u64::MAX)), u64::MAX);

    let (kind, expected, found) = refused::<u8>(&entry(256u64));
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Metadata, "uint64 that fits u8", "uint64 256"));
    assert_eq!(refused::<u64>(&entry(-1i64)).2, "int64 -1");
    assert_eq!(refused::<i64>(&entry(u64::MAX)).2, "uint64 18446744073709551615");
    assert_eq!(refused::<u32>(&entry(0.5)).2, "float64 0.5");
    assert_eq!(refused::<u32>(&entry(f64::NAN)).2, "float64 NaN");
    assert_eq!(refused::<u64>(&entry(1e300)).2, "float64 1e300");
    assert_eq!(refused::<u64>(&entry(2f64.powi(64))).2, "float64 1.8446744073709552e19");
    assert_eq!(refused::<u32>(&entry("3")).2, "utf8 \"3\"");
    assert_eq!(refused::<u32>(&entry(true)).2, "bool true");
}

#[test]
fn floats_are_taken_from_any_number_that_they_hold_exactly() {
    assert_eq!(x::<f64>(&entry(3u64)), 3.0);
    assert_eq!(x::<f32>(&entry(-3i64)), -3.0);
    assert_eq!(x::<f32>(&entry(0.5)), 0.5);
    assert_eq!(x::<f64>(&entry(1u64 << 60)), 2f64.powi(60));
    assert_eq!(refused::<f32>(&entry(0.1)).2, "float64 0.1");
    assert_eq!(refused::<f64>(&entry(u64::MAX)).2, "uint64 18446744073709551615");
    assert_eq!(refused::<f64>(&entry((1i64 << 53) + 1)).2, "int64 9007199254740993");
    assert_eq!(refused::<f16>(&entry(70000.0)).2, "float64 70000.0");
}

#[test]
fn other_types_are_not_converted() {
    assert_eq!(refused::<bool>(&entry(1u64)).1, "bool");
    assert_eq!(refused::<String>(&entry(1u64)).2, "uint64 1");
    assert_eq!(refused::<char>(&entry("ab")).1, "utf8 of one character");
    assert_eq!(refused::<char>(&entry("")).2, "utf8 \"\"");
    assert_eq!(refused::<Vec<String>>(&entry(vec![1u64])).2, "array of 1 uint64");
    let (kind, expected, found) = refused::<Kind>(&entry("Gelu"));
    assert_eq!(
        (kind, &*expected, &*found),
        (ProblemKind::Metadata, "one of `Relu`, `Silu`", "the variant `Gelu`")
    );
    let (_, _, found) = refused::<Vec<Kind>>(&entry(vec!["Relu".to_owned(), "Gelu".to_owned()]));
    assert_eq!(found, "the variant `Gelu`");
    // Of an empty array, the type of its elements says nothing.
    assert_eq!(x::<Vec<String>>(&entry(KvArray::UInt64s(vec![]))), Vec::<String>::new());
    assert!(x::<Vec<usize>>(&entry(KvArray::Strings(vec![]))).is_empty());
}

#[test]
fn a_missing_entry_is_missing() {
    let nothing = hurray_tests::file_of(&());
    let (kind, expected, found) = refused::<u32>(&nothing);
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Missing, "uint64 that fits u32", ""));
    assert_eq!(refused::<Kind>(&nothing).0, ProblemKind::Missing);
    assert_eq!(refused::<Vec<String>>(&nothing).0, ProblemKind::Missing);
}

#[test]
fn scalars_are_taken_from_tensors_of_rank_0() {
    assert_eq!(x::<f32>(&rank_0(ElementType::Float32, 0.5f32)), 0.5);
    assert_eq!(x::<f64>(&rank_0(ElementType::Float32, 0.5f32)), 0.5);
    assert_eq!(x::<f32>(&rank_0(ElementType::Float16, f16::from_f32(0.5))), 0.5);
    assert_eq!(x::<f32>(&rank_0(ElementType::BFloat16, bf16::from_f32(0.5))), 0.5);
    assert_eq!(x::<i8>(&rank_0(ElementType::Int8, -1i8)), -1);
    assert_eq!(x::<usize>(&rank_0(ElementType::Int64, 5i64)), 5);
    assert_eq!(x::<u64>(&rank_0(ElementType::UInt64, u64::MAX)), u64::MAX);
    assert!(x::<bool>(&rank_0(ElementType::Bool, 1u8)));

    let (kind, expected, found) = refused::<u32>(&rank_0(ElementType::Int64, -5i64));
    assert_eq!((kind, &*expected, &*found), (ProblemKind::Metadata, "uint64 that fits u32", "int64 -5"));
    // An array of one element is no scalar.
    let vector = hurray_tests::file_of(&std::collections::BTreeMap::from([("x".to_owned(), [1.0f32])]));
    let (kind, _, found) = refused::<f32>(&vector);
    assert_eq!((kind, &*found), (ProblemKind::Rank, "rank 1"));
}
