//! What is refused before the first byte, and why.

use super::*;
use crate::writer::{NameProblem, NameSpace, SaveOptions, Writer, WriterOptions};
use crate::{Metadata, Rule};

fn refused_name(name: &str) -> NameProblem {
    match plan(FileForm::default()).push(name, &uint8(1), borrowed(b"x")) {
        Err(SaveError::Name { name: refused, reason }) if *refused == *name => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_are_refused_with_the_reason_or_kept_as_they_are() {
    assert_eq!(refused_name(""), NameProblem::Empty);
    assert_eq!(refused_name(&"x".repeat(70_000)), NameProblem::TooLong { bytes: 70_000 });
    let longest = "x".repeat(65_535);
    let names = ["/abs", "a\0b", "\u{e9}", "e\u{301}", &longest];
    let mut plan = plan(FileForm::default());
    for name in names {
        plan.push(name, &uint8(1), borrowed(b"x")).unwrap();
    }
    let bytes = written(plan.seal().unwrap());
    for name in names {
        assert!(bytes.windows(name.len()).any(|window| window == name.as_bytes()), "{name:?}");
    }
}

#[test]
fn a_long_name_is_cut_in_the_message() {
    let error = plan(FileForm::default()).push(&"x".repeat(70_000), &uint8(1), borrowed(b"x")).unwrap_err();
    let message = error.to_string();
    assert!(message.len() < 400 && message.ends_with("70000 bytes, at most 65535 are possible"), "{message}");
}

#[test]
fn two_tensors_of_one_name_are_refused_naming_both() {
    let mut plan = plan(FileForm::default());
    plan.set_owner(Some("Linear"));
    plan.push("w", &uint8(1), borrowed(b"x")).unwrap();
    plan.push("v", &uint8(1), borrowed(b"x")).unwrap();
    plan.set_owner(Some("Norm"));
    let error = plan.push("w", &uint8(1), borrowed(b"x")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "two tensors are named `w`: tensor 0 (of `Linear`) and tensor 2 (of `Norm`)"
    );
    // Nothing of the refused tensor stays behind.
    plan.push("u", &uint8(2), borrowed(b"yz")).unwrap();
    assert_eq!(plan.seal().unwrap().tensor_count(), 3);
}

#[test]
fn two_entries_of_one_key_are_refused_naming_both() {
    let mut plan = plan(FileForm::default());
    plan.kv("k", true).unwrap();
    let error = plan.kv("k", false).unwrap_err();
    assert_eq!(error.to_string(), "two KV entries are named `k`: entry 0 and entry 1");
    assert!(matches!(error, SaveError::Collision { entries: NameSpace::Metadata, .. }));
    assert!(matches!(plan.kv("", true), Err(SaveError::Name { reason: NameProblem::Empty, .. })));
    assert!(plan.has_kv("k"));
}

#[test]
fn the_librarys_own_keys_are_refused_to_users() {
    for key in ["hurray", "hurray.descriptors"] {
        let refused = SaveOptions::new().metadata(key, true).plan().err().unwrap();
        assert!(matches!(refused, SaveError::Name { reason: NameProblem::Reserved, .. }), "{refused:?}");
    }
    assert!(SaveOptions::new().metadata("hurrays", true).plan().is_ok());
}

#[test]
fn sources_must_fit_the_descriptor() {
    let mut plan = plan(FileForm::default());
    let error = plan.push("w", &uint8(4), borrowed(b"abc")).unwrap_err();
    assert_eq!(error.format().unwrap().tensor(), Some("w"));
    assert_eq!(rule_of(error), Rule::Plc10);
    assert_eq!(rule_of(plan.push("w", &uint8(4), []).unwrap_err()), Rule::Plc10);
    // The name is still free.
    assert_eq!(plan.push("w", &uint8(3), borrowed(b"abc")).unwrap(), 0);
}

#[test]
fn alignments_that_no_file_has_are_refused() {
    let rule = |alignment| rule_of(SaveOptions::new().alignment(alignment).plan().err().unwrap());
    assert_eq!((rule(5000), rule(64)), (Rule::Hdr05, Rule::Hdr06));
    let options = WriterOptions { alignment: Some(64), ..WriterOptions::default() };
    assert_eq!(rule_of(Writer::new(Vec::new(), options).err().unwrap()), Rule::Hdr06);
}

#[test]
fn another_count_than_declared_is_refused_at_the_end() {
    let options = WriterOptions { tensor_count: Some(2), ..WriterOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    writer.tensor("a", &uint8(1), &[b"x"]).unwrap();
    assert!(matches!(writer.finish(), Err(SaveError::Count { declared: 2, written: 1 })));
}

#[test]
fn the_writer_goes_on_after_a_refusal_but_not_after_a_failed_write() {
    let mut writer = Writer::new(Vec::new(), WriterOptions::default()).unwrap();
    writer.tensor("a", &uint8(1), &[b"x"]).unwrap();
    assert!(matches!(writer.tensor("a", &uint8(1), &[b"x"]), Err(SaveError::Collision { .. })));
    assert_eq!(rule_of(writer.tensor("b", &uint8(1), &[b"xy"]).unwrap_err()), Rule::Plc10);
    writer.tensor("b", &uint8(1), &[b"x"]).unwrap();
    assert_eq!(writer.finish().unwrap().1.tensors, 2);

    let mut full = [0; 100];
    let mut writer = Writer::new(&mut full[..], WriterOptions::default()).unwrap();
    let large = vec![0; 3 << 20];
    assert!(matches!(writer.tensor("a", &uint8(3 << 20), &[&large]), Err(SaveError::Io { .. })));
    assert!(matches!(writer.tensor("b", &uint8(1), &[b"x"]), Err(SaveError::Incomplete)));
    assert!(matches!(writer.finish(), Err(SaveError::Incomplete)));
}

#[test]
fn entries_of_the_caller_come_first() {
    let mut plan = SaveOptions::new().metadata("a", 1_u64).plan().unwrap();
    plan.kv("b", 2_u64).unwrap();
    let keys: Vec<_> = plan.metadata.iter().map(|(key, _)| key.to_owned()).collect();
    assert_eq!(keys, ["a", "b"]);
    let _: &Metadata = &plan.metadata;
}
