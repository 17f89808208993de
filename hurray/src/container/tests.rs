//! Index and KV section as a whole: what is encoded is decoded, what is broken is refused.

use super::{
    DESCRIPTORS, FileFlags, Header, Index, IndexEntry, KvArray, KvRef, KvValue, Metadata, MetadataError,
    Parsed, Section, Trailer, encode_index,
};
use crate::bytes::Sink;
use crate::descriptor::TensorDescriptor;
use crate::element::ElementType;
use crate::error::{FileKind, OpenError, Rule};
use crate::policy::{Mode, Policy};

/// A file of 24-byte descriptors of zeros, one per name, without data; `change` may break the index.
fn file(
    names: &[&str],
    metadata: Option<&Metadata>,
    sorted: bool,
    change: impl FnOnce(&mut Vec<u8>),
) -> Vec<u8> {
    let flags =
        FileFlags { has_kv_metadata: metadata.is_some(), sorted_index: sorted, has_index_crc32c: true };
    let header = Header {
        version_minor: 0,
        flags,
        alignment: 4096,
        first_descriptor_offset: Header::END,
        tensor_count_hint: None,
    };
    let mut sink = Sink::default();
    header.encode(&mut sink);
    let mut entries: Vec<_> = (0_u64..)
        .zip(names)
        .map(|(i, name)| IndexEntry {
            name,
            descriptor_offset: 64 + 24 * i,
            descriptor_length: 24,
            data_offset: 0,
            data_length: 0,
        })
        .collect();
    sink.zeros(24 * names.len());
    let kv = metadata.map(|metadata| {
        let start = sink.len();
        sink.bytes(&metadata.encode().unwrap());
        Section::new(start as u64, (sink.len() - start) as u64).unwrap()
    });
    sink.zeros(sink.len().next_multiple_of(8) - sink.len());
    if sorted {
        entries.sort_by_key(|entry| entry.name);
    }
    let mut index = encode_index(&entries).unwrap();
    change(&mut index);
    let section = Section::new(sink.len() as u64, index.len() as u64).unwrap();
    sink.bytes(&index);
    Trailer { index: section, kv, index_crc32c: crc32c::crc32c(&index) }.encode(&mut sink);
    sink.into_vec()
}

fn broken_rule(bytes: &[u8], mode: Mode) -> Option<Rule> {
    match Parsed::decode(bytes, &Policy { mode, ..Policy::default() }) {
        Ok(_) => None,
        Err(error) => Some(error.rule().unwrap()),
    }
}

#[test]
fn an_index_in_any_order_is_found_by_name_and_listed_by_place() {
    for sorted in [false, true] {
        let bytes = file(&["b", "a", "c"], None, sorted, |_| {});
        let parsed = Parsed::decode(&bytes, &Policy::default()).unwrap();
        let names: Vec<&str> = parsed.index.records((&*bytes).into()).map(|record| record.name()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        let in_index: Vec<u64> = (0..3).map(|position| parsed.index.place_in_index(position)).collect();
        assert_eq!(in_index, if sorted { [1, 0, 2] } else { [0, 1, 2] });
        for (position, name) in names.iter().enumerate() {
            assert_eq!(parsed.index.find((&*bytes).into(), name), Some(position));
        }
        assert_eq!(parsed.index.find((&*bytes).into(), "d"), None);
    }
}

#[test]
fn an_index_out_of_order_is_refused_unless_permissive() {
    // The names of the first two entries are swapped after sorting.
    let bytes = file(&["a", "b"], None, true, |index| {
        (index[10], index[10 + 35]) = (b'b', b'a');
    });
    assert_eq!(broken_rule(&bytes, Mode::Strict), Some(Rule::Flag05));
    assert_eq!(broken_rule(&bytes, Mode::Permissive), None);
    let parsed = Parsed::decode(&bytes, &Policy { mode: Mode::Permissive, ..Policy::default() }).unwrap();
    assert_eq!(parsed.index.find((&*bytes).into(), "b"), Some(0));
}

#[test]
fn broken_entries_are_refused_by_their_rule() {
    let first = Index::COUNT_SIZE;
    let cases: [(usize, u8, Rule); 8] = [
        (0, 3, Rule::Idx01),
        (0, 1, Rule::Idx03),
        (first, 0, Rule::Idx04),
        (first + 2, 0xFF, Rule::Idx05),
        (first + 2, b'b', Rule::Idx06),
        (first + 3, 68, Rule::Idx08),
        (first + 11, 19, Rule::Idx09),
        (first + 31, 1, Rule::Idx07),
    ];
    for (at, value, rule) in cases {
        for mode in [Mode::Strict, Mode::Permissive] {
            let bytes = file(&["a", "b"], None, false, |index| index[at] = value);
            assert_eq!(broken_rule(&bytes, mode), Some(rule), "byte {at} = {value}");
        }
    }
    let shared = file(&["a", "b"], None, false, |index| index[first + 35 + 3] = 64);
    assert_eq!(broken_rule(&shared, Mode::Strict), Some(Rule::Idx13));
    let overlapping = file(&["a", "b"], None, false, |index| index[first + 35 + 3] = 80);
    assert_eq!(broken_rule(&overlapping, Mode::Strict), Some(Rule::Idx16));
}

fn one_of_each() -> Metadata {
    let mut metadata = Metadata::new();
    let values: [KvValue; 13] = [
        "text".into(),
        (-1_i64).into(),
        u64::MAX.into(),
        0.1_f64.into(),
        true.into(),
        vec![0_u8, 255].into(),
        vec!["a".to_owned(), String::new()].into(),
        vec![i64::MIN].into(),
        vec![1_u64, 2].into(),
        vec![0.5_f64].into(),
        vec![true, false].into(),
        vec![vec![1_u8], vec![]].into(),
        KvArray::Strings(Vec::new()).into(),
    ];
    for (number, value) in values.into_iter().enumerate() {
        metadata.insert(format!("key.{}", 20 - number), value).unwrap();
    }
    metadata
}

#[test]
fn metadata_survives_the_file() {
    let metadata = one_of_each();
    let bytes = file(&["a"], Some(&metadata), false, |_| {});
    let parsed = Parsed::decode(&bytes, &Policy::default()).unwrap();
    assert_eq!(parsed.kv.to_metadata((&*bytes).into()), metadata);
    for (key, value) in metadata.iter() {
        let found = parsed.kv.get((&*bytes).into(), key).unwrap();
        assert_eq!(&found.to_value(), value);
    }
    assert_eq!(parsed.kv.get((&*bytes).into(), "key.20"), Some(KvRef::String("text")));
    assert_eq!(parsed.kv.get((&*bytes).into(), "key"), None);
}

#[test]
fn keys_are_found_by_their_start() {
    let metadata = one_of_each();
    let bytes = file(&[], Some(&metadata), false, |_| {});
    let parsed = Parsed::decode(&bytes, &Policy::default()).unwrap();
    let under: Vec<&str> = metadata.keys_under("key.1").map(|(key, _)| key).collect();
    assert_eq!(under.len(), 10);
    assert!(under.is_sorted());
    assert!(parsed.kv.starting_with((&*bytes).into(), "key.1").map(|(key, _)| key).eq(under));
    assert_eq!(metadata.keys_under("l").count(), 0);
}

#[test]
fn metadata_refuses_a_second_value_and_bad_keys() {
    let mut metadata = Metadata::new();
    metadata.insert("a", 1_u32).unwrap();
    assert_eq!(metadata.insert("a", 2_u32), Err(MetadataError::Duplicate { key: "a".into() }));
    assert_eq!(metadata.insert("", 2_u32), Err(MetadataError::KeyLength { length: 0 }));
    let long = "k".repeat(65_536);
    assert_eq!(metadata.insert(long, 2_u32), Err(MetadataError::KeyLength { length: 65_536 }));
    assert_eq!(metadata.len(), 1);
}

#[test]
fn a_cut_file_says_how_long_it_should_be_once_its_index_is_there() {
    // Descriptors of zeros can't be walked, so there are none.
    let metadata = one_of_each();
    let bytes = file(&[], Some(&metadata), false, |_| {});
    let trailer_at = bytes.len() - Trailer::SIZE;
    for cut in 8..bytes.len() {
        match Parsed::decode(&bytes[..cut], &Policy::default()) {
            Err(OpenError::Truncated { needed, have, .. }) => {
                assert_eq!(have, cut as u64);
                let expected = (cut >= trailer_at).then_some(bytes.len() as u64);
                assert_eq!(needed, expected, "cut at {cut}");
            }
            other => panic!("cut at {cut}: {other:?}"),
        }
    }
    let longer = [&*bytes, &[0; 7]].concat();
    let error = Parsed::decode(&longer, &Policy::default()).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
    let error = Parsed::decode(b"", &Policy::default()).unwrap_err();
    assert!(matches!(error, OpenError::NotHurray { found: FileKind::Empty, .. }));
}

/// A table of descriptors with its checksum.
fn table(version: u32, kinds: u32, numbers: &[u32], copies: &[u8]) -> Vec<u8> {
    let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
    let rest: Vec<u8> =
        kinds.to_le_bytes().into_iter().chain(numbers).chain(copies.iter().copied()).collect();
    [&version.to_le_bytes()[..], &crc32c::crc32c(&rest).to_le_bytes(), &rest].concat()
}

/// Whether the table of a file of three tensors is gone by.
fn is_known(value: KvValue) -> bool {
    let mut metadata = Metadata::new();
    metadata.insert(DESCRIPTORS, value).unwrap();
    let bytes = file(&["a", "b", "c"], Some(&metadata), false, |_| {});
    let parsed = Parsed::decode(&bytes, &Policy::default()).unwrap();
    let records = parsed.index.records((&*bytes).into());
    let numbers: Vec<_> = records.map(|record| record.kind_number()).collect();
    assert_eq!(numbers.iter().all(Option::is_some), parsed.table.is_in_file());
    assert_eq!(numbers.iter().any(Option::is_some), parsed.table.is_in_file());
    parsed.table.is_in_file()
}

#[test]
fn a_table_that_is_not_whole_is_not_gone_by_whatever_its_checksum_says() {
    let one = TensorDescriptor::row_major(ElementType::Float32, [2, 3], 24).to_bytes();
    let copies = |count: usize| one.repeat(count);
    let of = |value: Vec<u8>| is_known(KvValue::Bytes(value));
    assert!(of(table(2, 1, &[0, 0, 0], &copies(1))));
    assert!(of(table(2, 3, &[0, 2, 0], &copies(3))));
    assert!(!of(table(1, 1, &[0, 0, 0], &copies(1))), "another version");
    assert!(!of(table(2, 1, &[0, 1, 0], &copies(1))), "a number without a copy");
    assert!(!of(table(2, 1, &[0, u32::MAX, 0], &copies(1))), "the number of none");
    assert!(!of(table(2, 4, &[0, 0, 0], &copies(4))), "more copies than tensors");
    assert!(!of(table(2, u32::MAX, &[0, 0, 0], &copies(1))), "more copies than bytes");
    assert!(!of(table(2, 0, &[0, 0, 0], &[])), "no copies");
    assert!(!of(table(2, 2, &[0, 0, 0], &copies(1))), "a copy is missing");
    assert!(!of(table(2, 1, &[0, 0, 0], &copies(2))), "a copy too many");
    assert!(!of(table(2, 1, &[0, 0], &copies(1))), "a number is missing");
    assert!(!of(table(2, 1, &[0, 0, 0, 0], &copies(1))), "a number too many");
    assert!(!of(table(2, 1, &[0, 0, 0], &[0; 64])), "no descriptor");
    let whole = table(2, 1, &[0, 0, 0], &copies(1));
    for length in 0..whole.len() {
        let rest = whole.get(8..length).unwrap_or_default();
        let mut cut = whole[..length].to_vec();
        if let Some(checksum) = cut.get_mut(4..8) {
            checksum.copy_from_slice(&crc32c::crc32c(rest).to_le_bytes());
        }
        assert!(!of(cut), "cut to {length}");
    }
    assert!(!is_known(KvValue::String("text".into())));
}

#[test]
fn a_second_name_is_found_wherever_it_stands_and_however_long_it_is() {
    let long = "n".repeat(65_535);
    let other = format!("{}m", &long[1..]);
    for mode in [Mode::Strict, Mode::Permissive] {
        assert_eq!(broken_rule(&file(&[&long, "a", &other], None, false, |_| {}), mode), None);
        assert_eq!(broken_rule(&file(&[&long, &other], None, true, |_| {}), mode), None);
        assert_eq!(broken_rule(&file(&[&long, "a", &long], None, false, |_| {}), mode), Some(Rule::Idx06));
        assert_eq!(broken_rule(&file(&["a", &long, &long], None, true, |_| {}), mode), Some(Rule::Idx06));
    }
    // Said to be sorted, but not: b, a, b.
    let unsorted = file(&["a", "b", "c"], None, true, |index| {
        for (entry, name) in [b'b', b'a', b'b'].into_iter().enumerate() {
            index[10 + 35 * entry] = name;
        }
    });
    assert_eq!(broken_rule(&unsorted, Mode::Strict), Some(Rule::Flag05));
    assert_eq!(broken_rule(&unsorted, Mode::Permissive), Some(Rule::Idx06));
}

#[test]
fn a_name_that_is_not_text_is_refused_in_a_sorted_index_too() {
    // Its bytes ascend: a, 0xFF.
    let bytes = file(&["a", "b"], None, true, |index| index[10 + 35] = 0xFF);
    for mode in [Mode::Strict, Mode::Permissive] {
        assert_eq!(broken_rule(&bytes, mode), Some(Rule::Idx05));
    }
}

#[test]
fn a_permissive_index_of_overlapping_descriptors_finds_every_name_at_its_place() {
    // `a` lies behind `b`, into which it reaches; both `c` and `d` have the descriptor of `b`.
    let bytes = file(&["a", "b", "c", "d"], None, false, |index| {
        for (entry, offset) in [72, 64, 64, 64].into_iter().enumerate() {
            index[11 + 35 * entry] = offset;
        }
    });
    let parsed = Parsed::decode(&bytes, &Policy { mode: Mode::Permissive, ..Policy::default() }).unwrap();
    let names: Vec<&str> = parsed.index.records((&*bytes).into()).map(|record| record.name()).collect();
    assert_eq!(names, ["b", "c", "d", "a"]);
    for (position, (name, in_index)) in names.iter().zip([1, 2, 3, 0]).enumerate() {
        assert_eq!(parsed.index.find((&*bytes).into(), name), Some(position));
        assert_eq!(parsed.index.place_in_index(position), in_index);
    }
    assert_eq!(broken_rule(&bytes, Mode::Strict), Some(Rule::Idx13));
}
