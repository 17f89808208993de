//! Private element types, layouts and schemes: refused, understood by opt-in, or kept as bytes.

use hurray::descriptor::{ExtensionKind, ExtensionType, Layout, Quantization, TensorDescriptor};
use hurray::{
    DynTensor, DynTensorView, ElementType, File, HurrayLoad, HurraySave, Limits, OpenOptions, PrivateTags,
    Rule, Scalar, TensorError, TensorView,
};

#[derive(HurraySave)]
struct Written {
    nibbles: DynTensor,
    wide: DynTensor,
    columns: DynTensor,
    sparse: DynTensor,
    layout: DynTensor,
    scheme: DynTensor,
    known: Vec<f32>,
}

#[derive(HurrayLoad, HurraySave)]
struct Read<'a> {
    nibbles: DynTensorView<'a>,
    wide: DynTensorView<'a>,
    columns: DynTensorView<'a>,
    sparse: DynTensorView<'a>,
    layout: DynTensorView<'a>,
    scheme: DynTensorView<'a>,
    known: TensorView<'a, f32>,
}

const NIBBLE: ElementType = ElementType::Private(0xF0);
const WIDE: ElementType = ElementType::Private(0xF1);

fn integer(bit_width: u32) -> ExtensionType {
    ExtensionType { bit_width, kind: ExtensionKind::Integer { is_signed: false } }
}

fn bytes() -> Vec<u8> {
    let tensor = |descriptor: hurray::descriptor::DescriptorBuilder, buffers: &[&[u8]]| {
        DynTensor::from_parts(descriptor.build().unwrap(), buffers).unwrap()
    };
    let builder =
        |element_type, shape: &[u64]| TensorDescriptor::builder(element_type, shape.iter().copied());
    let coo = Layout::Coo { nnz: 1, is_sorted: true };
    let layout = Layout::Extension { tag: 0xFE, id: 7, data: vec![1, 2].into() };
    let scheme = Quantization::Unknown { tag: 0xF3, bytes: vec![0xF3, 1, 0, 0, 9].into() };
    let model = Written {
        nibbles: tensor(builder(NIBBLE, &[5]).extension_type(integer(4)), &[&[0x21, 0x43, 0x05]]),
        wide: tensor(builder(WIDE, &[2]).extension_type(integer(24)), &[&[1, 2, 3, 4, 5, 6]]),
        columns: tensor(
            builder(NIBBLE, &[2, 3]).extension_type(integer(4)).layout(Layout::ColumnMajor),
            &[&[0x41, 0x52, 0x63]],
        ),
        sparse: tensor(
            builder(WIDE, &[4]).extension_type(integer(24)).layout(coo),
            &[&[7, 8, 9], &2u64.to_le_bytes()],
        ),
        layout: tensor(
            builder(ElementType::Float32, &[3]).layout(layout).buffer_sizes([2, 1]),
            &[&[1, 2], &[3]],
        ),
        scheme: tensor(
            builder(ElementType::Int8, &[2]).quantization(scheme).buffer_sizes([2, 1]),
            &[&[1, 2], &[3]],
        ),
        known: vec![0.5],
    };
    hurray::to_bytes(&model).unwrap()
}

fn tags() -> PrivateTags {
    let mut tags = PrivateTags::default();
    tags.element_types = vec![0xF0, 0xF1];
    tags.layouts = vec![(0xFE, 7)];
    tags.schemes = vec![0xF3];
    tags
}

fn raw(bytes: &[u8]) -> Scalar {
    Scalar::Raw(bytes.to_vec().into())
}

#[test]
fn strict_readers_refuse_what_they_were_not_told_of_and_nothing_else() {
    let file = File::from_vec(bytes()).unwrap();
    for (name, rule, data) in [
        ("nibbles", Rule::Typ03, &[0x21, 0x43, 0x05][..]),
        ("wide", Rule::Typ03, &[1, 2, 3, 4, 5, 6]),
        ("layout", Rule::Lay03, &[1, 2]),
        ("scheme", Rule::Qnt03, &[1, 2]),
    ] {
        let entry = file.tensor(name).unwrap();
        let error = entry.descriptor().unwrap_err();
        assert_eq!((error.rule(), error.tensor()), (rule, Some(name)));
        assert!(error.offset().is_some(), "{error}");
        assert!(matches!(entry.dyn_view(), Err(TensorError::Format(error)) if error.rule() == rule));
        assert!(matches!(entry.values(&Limits::default()), Err(TensorError::Format(_))));
        // The bytes are there all the same.
        assert_eq!(&entry.raw_data()[..data.len()], data);
    }
    assert_eq!(file.tensor("known").unwrap().view::<f32>().unwrap().to_vec(), [0.5]);
    assert_eq!(file.tensors().len(), 7);

    // Another id of the same layout is another layout.
    let mut other = tags();
    other.layouts = vec![(0xFE, 8), (0xFD, 7)];
    let file = OpenOptions::new().private_tags(other).from_vec(bytes()).unwrap();
    assert_eq!(file.tensor("layout").unwrap().descriptor().unwrap_err().rule(), Rule::Lay03);
    assert!(file.tensor("nibbles").unwrap().descriptor().is_ok());
}

#[test]
fn opt_in_and_permissive_readers_get_patterns_and_bytes() {
    let bytes = bytes();
    for options in [OpenOptions::new().private_tags(tags()), OpenOptions::new().permissive()] {
        let file = options.from_vec(bytes.clone()).unwrap();
        assert_eq!((file.validate_structure(), file.validate_data()), (vec![], vec![]));
        let read: Read<'_> = file.load().unwrap();
        let patterns = |view: &DynTensorView<'_>| -> Vec<Scalar> {
            view.values(&Limits::default()).unwrap().iter().collect()
        };
        assert_eq!(patterns(&read.nibbles), [1, 2, 3, 4, 5].map(|nibble| raw(&[nibble])));
        assert_eq!(patterns(&read.wide), [raw(&[1, 2, 3]), raw(&[4, 5, 6])]);
        assert_eq!(patterns(&read.columns), [1, 2, 3, 4, 5, 6].map(|nibble| raw(&[nibble])));
        assert_eq!(read.columns.get(&[1, 0]).unwrap(), Some(raw(&[4])));
        assert_eq!(read.sparse.get(&[2]).unwrap(), Some(raw(&[7, 8, 9])));
        assert_eq!(read.sparse.get(&[0]).unwrap(), None);
        // What the elements of a layout or a scheme are, only the application knows.
        assert_eq!(read.layout.buffers(), [&[1u8, 2][..], &[3]]);
        assert!(matches!(
            read.layout.layout(),
            Layout::Extension { tag: 0xFE, id: 7, data } if **data == [1, 2]
        ));
        assert!(matches!(read.layout.get(&[0]), Err(TensorError::NotUnderstood { .. })));
        assert!(matches!(read.layout.typed::<f32>(), Err(TensorError::Layout { .. })));
        assert_eq!(read.scheme.buffers(), [&[1u8, 2][..], &[3]]);
        assert!(matches!(read.scheme.quantized(), Err(TensorError::NotUnderstood { .. })));
        assert!(matches!(read.scheme.typed::<i8>(), Err(TensorError::Quantized { .. })));
        // Copied into another file as it is.
        assert_eq!(hurray::to_bytes(&read).unwrap(), bytes);
    }
}

#[test]
fn unused_bits_of_private_elements_are_zero_too() {
    let bytes = bytes();
    let data_at = File::from_vec(bytes.clone()).unwrap().tensor("nibbles").unwrap().data_offset() as usize;
    let mut stray = bytes;
    stray[data_at + 2] |= 0x80;
    let file = OpenOptions::new().private_tags(tags()).from_vec(stray).unwrap();
    let found = file.validate_data();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].rule(), found[0].offset()), (Rule::Typ06, Some(data_at as u64 + 2)));
}
