//! Whole descriptors: the byte-exact ones of the format, and round trips of random ones.

use proptest::prelude::*;
use smallvec::smallvec;

use super::*;
use crate::bytes::Sink;
use crate::error::{FormatError, Rule};
use crate::policy::{Mode, Policy};

fn from_hex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks_exact(2).map(byte).collect()
}

fn encode(descriptor: &TensorDescriptor) -> Vec<u8> {
    let mut sink = Sink::default();
    descriptor.encode(&mut sink);
    assert_eq!(sink.len(), descriptor.encoded_len());
    sink.into_vec()
}

fn decode(bytes: &[u8]) -> Result<TensorDescriptor, FormatError> {
    TensorDescriptor::decode(bytes, &Policy::default())
}

fn permissive() -> Policy {
    Policy { mode: Mode::Permissive, ..Policy::default() }
}

/// The rule that a row-major f32 `[3, 4]` breaks with the bytes at `offset` replaced.
fn broken_with(offset: usize, bytes: &[u8]) -> Rule {
    let mut patched = from_hex(F32_3X4);
    patched[offset..][..bytes.len()].copy_from_slice(bytes);
    decode(&patched).unwrap_err().rule()
}

const F32_3X4: &str = "48525259 0100 3D000000 00000000 03 01 02000000 0300000000000000 0400000000000000
    0000000000000000 01 3000000000000000 40000000 00 00 00 00";

/// FORMAT, appendix A.
#[test]
fn the_formats_own_vectors_are_written_byte_for_byte() {
    let build = |builder: DescriptorBuilder| builder.build().unwrap();
    let float = |shape: [u64; 2]| TensorDescriptor::builder(ElementType::Float32, shape);
    let strided = Layout::Strided { strides: smallvec![4, 1] };
    let partition = CompositeHead { rule: CompositionRule::Partition, member_count: 2 };
    let shard = Shard { parent_shape: smallvec![8, 8], offset: smallvec![0, 4] };
    let per_block = Quantization::PerBlock {
        axis: 1,
        block_size: 128,
        scales: 1,
        zero_points: None,
        scale_type: ScaleType::Float16,
    };
    let vectors = [
        (build(float([3, 4])), F32_3X4),
        (
            build(TensorDescriptor::builder(ElementType::Bool, [10])),
            "48525259 0100 35000000 00000000 20 01 01000000 0A00000000000000 0000000000000000 01
             0200000000000000 40000000 00000000",
        ),
        (
            build(float([3, 4]).layout(strided)),
            "48525259 0100 4D000000 00000000 03 03 02000000 0300000000000000 0400000000000000
             0000000000000000 0400000000000000 0100000000000000 01 3000000000000000 40000000 00000000",
        ),
        (
            build(float([4, 4]).layout(Layout::Morton { bits: smallvec![2, 2] })),
            "48525259 0100 45000000 00000000 03 05 02000000 0400000000000000 0400000000000000
             0000000000000000 02000000 02000000 01 4000000000000000 40000000 00000000",
        ),
        (
            build(float([8, 4]).shard(shard)),
            "48525259 0100 5D000000 02000000 03 01 02000000 0800000000000000 0400000000000000
             0000000000000000 01 8000000000000000 40000000 00000000
             0800000000000000 0800000000000000 0000000000000000 0400000000000000",
        ),
        (
            build(float([3, 3]).layout(Layout::Csr { nnz: 2 })),
            "48525259 0100 6D000000 00000000 03 07 02000000 0300000000000000 0300000000000000
             0000000000000000 0200000000000000 0000000000000000 03
             0800000000000000 40000000 00000000 1000000000000000 40000000 00000000
             2000000000000000 40000000 00000000",
        ),
        (
            build(float([8, 8]).layout(Layout::Composite(partition))),
            "48525259 0100 35000000 00000000 03 0B 02000000 0800000000000000 0800000000000000
             0000000000000000 01 00 0000 02000000 00",
        ),
        (
            build(TensorDescriptor::builder(ElementType::Int4, [128, 128]).quantization(per_block)),
            "48525259 0100 69000000 01000000 48 01 02000000 8000000000000000 8000000000000000
             0000000000000000 02 0020000000000000 40000000 00000000 0001000000000000 40000000 00000000
             18000000 03 01 0100 01000000 80000000 01000000 FFFFFFFF 01 000000",
        ),
    ];
    for (descriptor, hex) in vectors {
        let bytes = from_hex(hex);
        assert_eq!(encode(&descriptor), bytes);
        assert_eq!(decode(&bytes).unwrap(), descriptor);
        assert_eq!(descriptor.validate_for_writing(4096), Ok(()));
    }
}

#[test]
fn refuses_a_header_by_the_rule_it_breaks() {
    assert_eq!(broken_with(0, b"HRRX"), Rule::Dsc01);
    assert_eq!(broken_with(4, &[2]), Rule::Dsc02);
    assert_eq!(broken_with(6, &[19]), Rule::Dsc03);
    assert_eq!(broken_with(6, &[60]), Rule::Dsc04);
    assert_eq!(broken_with(6, &[62]), Rule::Dsc04);
    assert_eq!(broken_with(10, &[0x20]), Rule::Dsc07);
    assert_eq!(broken_with(10, &[0x04]), Rule::Typ04);
    assert_eq!(broken_with(14, &[0]), Rule::Typ01);
    assert_eq!(broken_with(14, &[0x47]), Rule::Typ02);
    assert_eq!(broken_with(14, &[0xF0]), Rule::Typ04);
    assert_eq!(broken_with(15, &[0xFF]), Rule::Lay01);
    assert_eq!(broken_with(15, &[0x0C]), Rule::Lay02);
    assert_eq!(broken_with(16, &[65]), Rule::Dsc08);
    assert_eq!(broken_with(36, &[49]), Rule::Dsc10);
    assert_eq!(broken_with(36, &[4]), Rule::Buf14);
}

#[test]
fn the_index_and_the_descriptor_agree_on_the_length() {
    let bytes = from_hex(F32_3X4);
    let rule =
        |length| TensorDescriptor::decode_indexed(&bytes, length, &Policy::default()).map_err(|e| e.rule());
    assert!(rule(61).is_ok());
    assert_eq!(rule(60), Err(Rule::Idx15));
    assert_eq!(header::peek_length(&bytes[..10]), Ok(61));
}

#[test]
fn a_newer_minor_may_have_more_at_its_end() {
    let mut bytes = from_hex(F32_3X4);
    bytes.extend([1, 2, 3]);
    bytes[6] = 64;
    assert_eq!(decode(&bytes).unwrap_err().rule(), Rule::Dsc05);
    bytes[5] = 1;
    let descriptor = decode(&bytes).unwrap();
    assert_eq!((descriptor.version_minor(), descriptor.trailing_bytes()), (1, 3));
    assert_eq!(encode(&descriptor), from_hex(F32_3X4));
}

#[test]
fn permissive_keeps_what_can_be_known_of_an_unknown_layout() {
    let mut bytes = from_hex(F32_3X4);
    bytes[15] = 0x0C;
    let descriptor = TensorDescriptor::decode(&bytes, &permissive()).unwrap();
    assert_eq!(descriptor.layout(), &Layout::Unknown { tag: 0x0C });
    assert_eq!(descriptor.shape(), [3, 4]);
    assert!(descriptor.buffers().is_empty());
    assert_eq!(descriptor.validate_for_writing(4096).unwrap_err().rule(), Rule::Lay02);
}

#[test]
fn errors_tell_the_place_and_what_is_wanted_there() {
    let mut bytes = from_hex(F32_3X4);
    bytes[45] = 47;
    let broken = decode(&bytes).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "BUF-14 at byte 45: expected at least 48 bytes in buffer 0, found 47 bytes"
    );
}

#[test]
fn refuses_to_write_what_only_readers_accept() {
    let float = || TensorDescriptor::builder(ElementType::Float32, [4]);
    let refused = |builder: DescriptorBuilder| {
        builder.build().unwrap().validate_for_writing(4096).map_err(|broken| broken.rule())
    };
    let handle = BufferHandle::host(16);
    assert_eq!(refused(float()), Ok(()));
    assert_eq!(refused(float().buffer(BufferHandle { alignment: 8192, ..handle })), Err(Rule::Plc12));
    let event = BufferHandle { device: DeviceTag(1), sync_mode: SyncMode::Event, ..handle };
    assert_eq!(refused(float().buffer(event)), Err(Rule::Buf17));
    assert_eq!(refused(float().buffer_sizes([18]).byte_offset(2)), Err(Rule::Dsc16));
    let dynamic = TensorDescriptor::builder(ElementType::Float32, [DYNAMIC]).buffer(handle);
    assert_eq!(refused(dynamic), Err(Rule::Dsc13));
    let coo = || float().layout(Layout::Coo { nnz: 1, is_sorted: true });
    assert_eq!(refused(coo().buffer_sizes([4, 8])), Ok(()));
    assert_eq!(refused(coo().buffer_sizes([4, 9])), Err(Rule::Buf17));
    let shared = Quantization::PerChannel { axis: 0, scales: 1, zero_points: Some(1) };
    let shared = TensorDescriptor::builder(ElementType::Int8, [4]).quantization(shared).buffer_sizes([4, 32]);
    assert_eq!(refused(shared), Err(Rule::Qnt09));
    let nan = Statistics { range: Some((f64::NAN, 0.0, 0.0)), ..Statistics::default() };
    assert_eq!(refused(float().statistics(nan)), Err(Rule::Sta09));
}

fn element_type() -> impl Strategy<Value = ElementType> {
    prop::sample::select(ElementType::BUILT_IN)
}

fn layout(rank: usize) -> impl Strategy<Value = Layout> {
    let strides = prop::collection::vec(0_i64..100, rank);
    let tiles = (prop::collection::vec(1_u64..5, rank), strides.clone());
    prop_oneof![
        Just(Layout::RowMajor),
        Just(Layout::ColumnMajor),
        strides.prop_map(|strides| Layout::Strided { strides: strides.into() }),
        tiles.prop_map(|(tile_shape, strides)| {
            let inner = Tiled {
                tile_shape: smallvec![1; tile_shape.len()],
                outer: TileOrder::RowMajor,
                inner: TileOrder::ColumnMajor,
            };
            Layout::Tiled(Box::new(Tiled {
                tile_shape: tile_shape.into(),
                outer: TileOrder::Strided(strides.into()),
                inner: TileOrder::Tiled(Box::new(inner)),
            }))
        }),
        Just(Layout::Morton { bits: smallvec![4; rank] }),
        Just(Layout::Coo { nnz: 0, is_sorted: false }),
    ]
}

prop_compose! {
    fn descriptor()(shape in prop::collection::vec(0_u64..12, 1..12))(
        element_type in element_type(),
        layout in layout(shape.len()),
        with_shard in any::<bool>(),
        moments in prop::option::of((-9.0..9.0, 0.0..9.0)),
        role in prop::option::of(prop::sample::select(&[MemberRole::Base, MemberRole::Correction])),
        shape in Just(shape),
    ) -> TensorDescriptor {
        let mut builder = TensorDescriptor::builder(element_type, shape.iter().copied()).layout(layout);
        if with_shard {
            let parent_shape = shape.iter().map(|length| length + 3).collect();
            builder = builder.shard(Shard { parent_shape, offset: smallvec![2; shape.len()] });
        }
        if moments.is_some() {
            builder = builder.statistics(Statistics { moments, nnz: Some(0), ..Statistics::default() });
        }
        if let Some(role) = role {
            builder = builder.member_role(role);
        }
        builder.build().unwrap()
    }
}

proptest! {
    #[test]
    fn what_is_built_reads_back(descriptor in descriptor()) {
        let bytes = encode(&descriptor);
        prop_assert_eq!(decode(&bytes).unwrap(), descriptor);
    }

    #[test]
    fn every_element_lies_inside_its_buffer(descriptor in descriptor(), seed in prop::collection::vec(any::<u64>(), 12)) {
        let count = descriptor.element_count().unwrap();
        prop_assume!(count > 0 && descriptor.layout().is_dense());
        let index: Vec<u64> = std::iter::zip(&seed, descriptor.shape()).map(|(seed, length)| seed % length).collect();
        let offset = descriptor.offset_of(&index).unwrap();
        let (start, len) = descriptor.unit_at(offset).unwrap();
        prop_assert!(start + len <= descriptor.buffers()[0].byte_size);
    }

    #[test]
    fn broken_bytes_are_refused_or_stable(
        descriptor in descriptor(),
        patches in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = encode(&descriptor);
        for (at, value) in patches {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        for policy in [Policy::default(), permissive()] {
            let Ok(decoded) = TensorDescriptor::decode(&bytes, &policy) else { continue };
            if let Layout::Unknown { .. } = decoded.layout() {
                continue;
            }
            let again = encode(&decoded);
            let decoded = TensorDescriptor::decode(&again, &policy).unwrap();
            prop_assert_eq!(encode(&decoded), again);
        }
    }
}
