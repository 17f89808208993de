//! Index and KV section as a whole: what is encoded is decoded, what is broken is refused.

use super::{
    FileFlags, Header, Index, IndexEntry, KvArray, KvRef, KvValue, Metadata, MetadataError, Parsed, Section,
    Trailer, encode_index,
};
use crate::bytes::Sink;
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
