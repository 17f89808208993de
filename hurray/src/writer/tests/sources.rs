//! Bytes that come when their turn comes.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::writer::SaveOptions;

#[test]
fn every_kind_of_source_gives_its_bytes() {
    let data: Vec<u8> = (0..100_000).map(|i| (i % 253) as u8).collect();
    let len = data.len() as u64;
    let mut plan = plan(FileForm::default());
    plan.push("borrowed", &uint8(len), borrowed(&data)).unwrap();
    plan.push("owned", &uint8(len), [data.clone().into()]).unwrap();
    plan.push("lazy", &uint8(len), [TensorSource::lazy(len, || Ok(Cow::Borrowed(&data[..])))]).unwrap();
    plan.push("made", &uint8(len), [TensorSource::lazy(len, || Ok(Cow::Owned(data.clone())))]).unwrap();
    let in_blocks = TensorSource::stream(len, |sink| {
        data.chunks(777).try_for_each(|block| sink.write_all(block)).map_err(Into::into)
    });
    plan.push("stream", &uint8(len), [in_blocks]).unwrap();
    let bytes = written(plan.seal().unwrap());
    let step = 4096 + data.len().next_multiple_of(4096);
    for tensor in 0..5 {
        assert!(bytes[tensor * step + 4096..][..data.len()] == data, "{tensor}");
    }
}

#[test]
fn sources_are_asked_one_at_a_time_in_file_order() {
    let asked = RefCell::new(Vec::new());
    let mut plan = plan(FileForm::default());
    for name in ["a", "b", "c"] {
        let asked = &asked;
        let source = TensorSource::lazy(1, move || {
            asked.borrow_mut().push(name);
            Ok(Cow::Borrowed(b"x"))
        });
        plan.push(name, &uint8(1), [source]).unwrap();
    }
    let plan = plan.seal().unwrap();
    assert!(asked.borrow().is_empty());
    written(plan);
    assert_eq!(*asked.borrow(), ["a", "b", "c"]);
}

fn failure(source: TensorSource<'_>) -> SaveError {
    let mut plan = plan(FileForm::default());
    plan.push("w", &uint8(4), [source]).unwrap();
    plan.seal().unwrap().write_to(io::sink(), None).unwrap_err()
}

#[test]
fn a_failing_source_is_named() {
    let sources = [
        TensorSource::lazy(4, || Err("the device is gone".into())),
        TensorSource::stream(4, |_| Err("the device is gone".into())),
    ];
    for source in sources {
        match failure(source) {
            SaveError::Source { name, source } => {
                assert_eq!((&*name, source.to_string().as_str()), ("w", "the device is gone"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_source_of_another_length_is_refused() {
    let stream = |bytes: &'static [u8], minds: bool| {
        TensorSource::stream(4, move |sink| match sink.write_all(bytes) {
            Err(error) if minds => Err(error.into()),
            _ => Ok(()),
        })
    };
    let sources = [
        (TensorSource::lazy(4, || Ok(Cow::Borrowed(b"abc"))), "found 3"),
        (TensorSource::lazy(4, || Ok(Cow::Borrowed(b"abcde"))), "found 5"),
        (stream(b"abc", true), "found 3"),
        (stream(b"abcde", true), "found more"),
        (stream(b"abcde", false), "found more"),
    ];
    for (source, found) in sources {
        match failure(source) {
            SaveError::Source { source, .. } => {
                assert_eq!(source.to_string(), format!("PLC-10: expected 4 bytes, {found}"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_failing_sink_is_not_blamed_on_the_source() {
    let len = 5 << 20;
    let block = vec![1; 1 << 20];
    let source = TensorSource::stream(len, |sink| {
        (0..5).try_for_each(|_| sink.write_all(&block)).map_err(|_| "something failed".into())
    });
    let mut plan = plan(FileForm::default());
    plan.push("w", &uint8(len), [source]).unwrap();
    let mut small = vec![0; 3 << 20];
    let error = plan.seal().unwrap().write_to(&mut small[..], None).unwrap_err();
    match error {
        SaveError::Io { source, .. } => assert_eq!(source.kind(), io::ErrorKind::WriteZero),
        other => panic!("{other:?}"),
    }
}

/// Takes one byte at a time.
struct OneByOne(Vec<u8>);

impl Write for OneByOne {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend(bytes.first());
        Ok(bytes.len().min(1))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_sink_that_takes_one_byte_at_a_time_gets_the_same_file() {
    let mut sink = OneByOne(Vec::new());
    example(FileForm::default()).write_to(&mut sink, None).unwrap();
    assert!(sink.0 == written(example(FileForm::default())));
}

#[test]
fn progress_ends_at_the_size_of_the_file() {
    let data = vec![7; 5 << 20];
    let (calls, last) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let options = SaveOptions::new().progress({
        let (calls, last) = (calls.clone(), last.clone());
        move |done, total| {
            assert!(last.swap(done, Ordering::Relaxed) < done && done <= total);
            calls.fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut plan = options.plan().unwrap();
    plan.push("w", &uint8(5 << 20), borrowed(&data)).unwrap();
    let report = options.write_to(io::sink(), plan.seal().unwrap()).unwrap();
    assert_eq!(last.load(Ordering::Relaxed), report.bytes);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert_eq!(report.to_string(), format!("1 tensors, {} bytes", report.bytes));
}

#[test]
fn a_planned_tensor_takes_little_memory() {
    assert!(size_of::<TensorSource<'_>>() <= 32);
}
