//! Evolution, names, packed types, enums and ties.

use std::collections::BTreeMap;
use std::sync::Arc;

use hurray::{
    F4E2M1, F6E2M3, File, HurrayLoad, HurraySave, I4, KvValue, LoadOptions, OpenOptions, Packed, PackedView,
    ProblemKind, SaveError, Tensor, TensorView, TieProblem,
};
use hurray_tests::{file_of, reloaded, report_of};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq, Default)]
enum Act {
    #[default]
    Relu,
    Gelu,
}

#[test]
fn c03_a_field_added_later_takes_its_default_and_the_report_says_so() {
    #[derive(HurraySave)]
    struct V1 {
        w: [f32; 2],
    }
    #[derive(HurrayLoad, Debug)]
    struct V2 {
        w: [f32; 2],
        #[hurray(default)]
        scale: [f32; 2],
        #[hurray(default)]
        act: Act,
        note: Option<String>,
    }
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    struct Strict {
        w: [f32; 2],
        scale: [f32; 2],
    }
    let file = file_of(&V1 { w: [1.0, 2.0] });
    let (v2, report) = file.load_with::<V2>(&LoadOptions::new()).unwrap();
    assert_eq!((v2.w, v2.scale, v2.act, v2.note), ([1.0, 2.0], [0.0, 0.0], Act::Relu, None));
    assert_eq!(report.defaulted(), ["scale", "act"]);
    let report = report_of::<Strict>(&file);
    assert_eq!(
        (report.problems()[0].kind, report.problems()[0].path.as_str()),
        (ProblemKind::Missing, "scale")
    );
}

#[test]
fn c04_every_name_comes_back_or_is_refused_before_the_first_byte() {
    for key in ["", "/abs", "a\0b", "a.b", "%", "%2E", "\u{e9}", "e\u{301}", "0", "hurray_", "x.hurray"] {
        let map = BTreeMap::from([(key.to_owned(), vec![1.0f32])]);
        assert_eq!(reloaded(&map), map, "{key:?}");
    }
    let both = BTreeMap::from([("\u{e9}".to_owned(), vec![1.0f32]), ("e\u{301}".to_owned(), vec![2.0])]);
    assert_eq!(reloaded(&both), both);
    for key in ["hurray".to_owned(), "x".repeat(70_000)] {
        let map = BTreeMap::from([(key, vec![1.0f32])]);
        let mut sink = Vec::new();
        let error = hurray::to_writer(&mut sink, &map).unwrap_err();
        assert!(matches!(error, SaveError::Name { .. }), "{error}");
        assert!(sink.is_empty());
    }
    #[derive(HurraySave)]
    struct Raw {
        r#type: [f32; 1],
    }
    assert!(file_of(&Raw { r#type: [1.0] }).tensor("type").is_ok());
}

#[test]
fn c13_packed_tensors_of_odd_widths_are_exact_on_every_route() {
    #[derive(HurraySave, HurrayLoad, Clone)]
    struct Owned {
        a: Packed<I4>,
        b: Packed<I4>,
        empty: Packed<I4>,
        scalar: Packed<I4>,
        f4: Packed<F4E2M1>,
        f6: Packed<F6E2M3>,
        bools: Vec<bool>,
    }
    #[derive(HurrayLoad)]
    struct Borrowed<'a> {
        a: PackedView<'a, I4>,
        b: PackedView<'a, I4>,
        empty: PackedView<'a, I4>,
        scalar: PackedView<'a, I4>,
        f4: PackedView<'a, F4E2M1>,
        f6: PackedView<'a, F6E2M3>,
        bools: PackedView<'a, hurray::Bool>,
    }
    let fifteen: Vec<i8> = (-8..7).collect();
    let bools: Vec<bool> = (0..13).map(|n| n % 3 == 0).collect();
    let sixes = [0.125f32, 7.5, -1.0, 0.0, -7.5];
    let model = Owned {
        a: Packed::from_values(&[-1, 7, -8], &[3]).unwrap(),
        b: Packed::from_values(&fifteen, &[3, 5]).unwrap(),
        empty: Packed::from_values(&[], &[0]).unwrap(),
        scalar: Packed::from_values(&[5], &[]).unwrap(),
        f4: Packed::from_values(&[-6.0], &[1]).unwrap(),
        f6: Packed::from_values(&sixes, &[5]).unwrap(),
        bools: bools.clone(),
    };
    let check = |file: &File| {
        let borrowed: Borrowed<'_> = file.load().unwrap();
        assert_eq!(borrowed.a.to_vec(), [-1, 7, -8]);
        assert_eq!((borrowed.b.shape(), borrowed.b.to_vec()), (&[3, 5][..], fifteen.clone()));
        assert_eq!((borrowed.empty.shape(), borrowed.empty.to_vec()), (&[0][..], vec![]));
        assert_eq!((borrowed.scalar.shape(), borrowed.scalar.get(&[])), (&[][..], Some(5)));
        assert_eq!(borrowed.f4.to_vec(), [-6.0]);
        assert_eq!(borrowed.f6.to_vec(), sixes);
        assert_eq!(borrowed.bools.to_vec(), bools);
        let owned: Owned = file.load().unwrap();
        assert_eq!((owned.b.view().to_vec(), owned.bools), (fifteen.clone(), bools.clone()));
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed.hrry");
    hurray::save(&path, &model).unwrap();
    // SAFETY: the file lies in a folder of its own, and nobody changes it.
    check(&unsafe { File::map(&path) }.unwrap());
    check(&File::read(&path).unwrap());
    let mut bytes = hurray::to_bytes(&model).unwrap();
    check(&File::copy_from_slice(&bytes).unwrap());

    // A spare bit that is set is noticed when the data are checked.
    let at =
        usize::try_from(File::copy_from_slice(&bytes).unwrap().tensor("a").unwrap().data_offset()).unwrap();
    bytes[at + 1] |= 0x80;
    let error = OpenOptions::new().validate_data(true).copy_from_slice(&bytes).unwrap_err();
    assert_eq!(error.rule().map(hurray::Rule::id), Some("TYP-06"));
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Conv {
    weight: [[f32; 2]; 2],
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct NormLayer {
    weight: [f32; 2],
    bias: [f32; 2],
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
enum Layer {
    Conv(Conv),
    Norm(NormLayer),
    Act,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct Net {
    net: Vec<Layer>,
}

#[test]
fn c16_variants_come_back_as_what_they_were_in_their_order() {
    let conv = || Layer::Conv(Conv { weight: [[1.0, 2.0], [3.0, 4.0]] });
    let norm = || Layer::Norm(NormLayer { weight: [1.0, 2.0], bias: [0.5, 0.5] });
    let net = Net { net: vec![conv(), norm(), Layer::Act, norm(), conv()] };
    assert_eq!(reloaded(&net), net);

    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    enum Fewer {
        Conv(Conv),
        Act,
    }
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    struct Small {
        net: Vec<Fewer>,
    }
    let error = file_of(&net).load::<Small>().unwrap_err().to_string();
    assert!(error.contains("`net.1`") && error.contains("`Norm`"), "{error}");
    assert!(error.contains("one of `Conv`, `Act`"), "{error}");
}

#[derive(HurraySave, HurrayLoad, Debug)]
struct Tied {
    embed: Arc<Tensor<f32>>,
    head: Arc<Tensor<f32>>,
    other: Arc<Tensor<f32>>,
}

#[test]
fn c19_the_same_arc_is_stored_once_and_comes_back_as_one() {
    let embed = Arc::new(Tensor::from_vec(vec![1.0f32, 2.0], &[2]).unwrap());
    let other = Arc::new(Tensor::from_vec(vec![1.0f32, 2.0], &[2]).unwrap());
    let file = file_of(&Tied { embed: Arc::clone(&embed), head: embed, other });
    let names: Vec<&str> = file.tensors().map(|entry| entry.name()).collect();
    assert_eq!(names, ["embed", "other"]);
    assert_eq!(file.metadata().get("hurray.tied.head"), Some(&KvValue::String("embed".into())));
    let tied: Tied = file.load().unwrap();
    assert!(Arc::ptr_eq(&tied.embed, &tied.head));
    assert!(!Arc::ptr_eq(&tied.embed, &tied.other));
}

#[test]
fn c19_declared_ties_hold_only_between_equals() {
    #[derive(HurraySave, HurrayLoad)]
    struct Declared<'a> {
        embed: TensorView<'a, f32>,
        #[hurray(tied = "embed")]
        head: TensorView<'a, f32>,
    }
    let data = [1.0f32, 2.0, 3.0];
    let view = |from: usize, to: usize| TensorView::from_slice(&data[from..to], &[to - from]).unwrap();
    let file = file_of(&Declared { embed: view(0, 2), head: view(0, 2) });
    assert_eq!(file.tensors().len(), 1);
    let loaded: Declared<'_> = file.load().unwrap();
    assert_eq!(loaded.embed.as_slice().unwrap().as_ptr(), loaded.head.as_slice().unwrap().as_ptr());
    // Rows 0..2 and 1..3 of one buffer overlap, and are not the same.
    let error = hurray::to_bytes(&Declared { embed: view(0, 2), head: view(1, 3) }).unwrap_err();
    assert!(matches!(&error, SaveError::Tie { reason: TieProblem::Values(_), .. }), "{error}");
    assert!(error.to_string().contains("`head`") && error.to_string().contains("`embed`"), "{error}");
}

#[test]
fn c19_a_missing_name_is_a_tie_only_if_the_file_says_so() {
    #[derive(HurraySave)]
    struct Elsewhere {
        embed: Vec<f32>,
    }
    #[derive(HurrayLoad, Debug)]
    #[expect(dead_code, reason = "it does not load")]
    struct Both {
        embed: Vec<f32>,
        head: Vec<f32>,
    }
    let report = report_of::<Both>(&file_of(&Elsewhere { embed: vec![1.0] }));
    assert_eq!((report.count(ProblemKind::Missing), report.problems()[0].path.as_str()), (1, "head"));
}

#[test]
fn c19_loops_chains_and_ancestors_are_refused() {
    #[derive(HurraySave, HurrayLoad, Debug)]
    struct Two {
        a: Option<Vec<f32>>,
        b: Option<Vec<f32>>,
    }
    let with = |ties: &[(&str, &str)]| {
        let options = ties.iter().fold(hurray::WriterOptions::default(), |mut options, (key, target)| {
            let metadata = options.metadata.get_or_insert_with(hurray::Metadata::new);
            metadata.insert(format!("hurray.tied.{key}"), KvValue::String((*target).into())).unwrap();
            options
        });
        let mut writer = hurray::Writer::new(Vec::new(), options).unwrap();
        let descriptor =
            hurray::descriptor::TensorDescriptor::builder(hurray::ElementType::Float32, [1]).build().unwrap();
        writer.tensor("c", &descriptor, &[&[0; 4]]).unwrap();
        File::from_vec(writer.finish().unwrap().0).unwrap()
    };
    for ties in [&[("a", "b"), ("b", "a")][..], &[("a", "b"), ("b", "c")], &[("a", "a")], &[("a", "nowhere")]]
    {
        let report = report_of::<Two>(&with(ties));
        assert!(report.count(ProblemKind::Tie) >= 1, "{ties:?}: {report}");
    }
}
