//! The metadata of a file, for people.

use std::io::{self, Write};

use super::super::text::{Count, Ink, Style, counted, printable};
use super::{MAX_NAME, shown_name};
use crate::container::{KvArray, KvValue};
use crate::reader::File;

/// More entries are summed up.
const MAX_ENTRIES: usize = 40;

/// More elements of an array, or bytes, are left out.
const MAX_ELEMENTS: usize = 8;

pub(super) fn write(file: &File, all: bool, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let metadata = file.metadata();
    let is_shown = |key: &str| all || !is_ours(key);
    let shown: Vec<_> = metadata.iter().filter(|(key, _)| is_shown(key)).collect();
    let hidden = metadata.len().saturating_sub(shown.len());
    if metadata.is_empty() || (shown.is_empty() && hidden == 0) {
        return Ok(());
    }
    writeln!(out, "\n{}", style.paint(Ink::Heading, "metadata"))?;
    let most = if all { usize::MAX } else { MAX_ENTRIES };
    for (key, value) in shown.iter().take(most) {
        let key = shown_name(key);
        writeln!(out, "  {} = {}", style.paint(Ink::Name, key), text(value, all))?;
    }
    let more = shown.len().saturating_sub(most);
    let notes = [(more, "more"), (hidden, "of the library itself")];
    for (count, what) in notes.into_iter().filter(|(count, _)| *count > 0) {
        let note = format!("… {} {what}, --all shows them", Count(count));
        writeln!(out, "  {}", style.paint(Ink::Quiet, note))?;
    }
    Ok(())
}

/// Keys by which the library remembers what files have no other place for.
fn is_ours(key: &str) -> bool {
    key.starts_with("hurray.")
}

fn text(value: &KvValue, all: bool) -> String {
    let width = if all { usize::MAX } else { MAX_NAME };
    match value {
        KvValue::String(value) => quoted(value, width),
        KvValue::Int64(value) => value.to_string(),
        KvValue::UInt64(value) => value.to_string(),
        KvValue::Float64(value) => format!("{value:?}"),
        KvValue::Bool(value) => value.to_string(),
        KvValue::Bytes(value) => bytes(value),
        KvValue::Array(values) => array(values, if all { usize::MAX } else { MAX_ELEMENTS }, width),
    }
}

fn quoted(text: &str, width: usize) -> String {
    format!("\"{}\"", printable(text, width))
}

fn bytes(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().take(MAX_ELEMENTS).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > MAX_ELEMENTS { "…" } else { "" };
    let count = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    format!("{} {digits}{more}", counted(count, "byte")).trim_end().to_owned()
}

fn array(values: &KvArray, most: usize, width: usize) -> String {
    fn some<T>(values: &[T], most: usize, show: impl Fn(&T) -> String) -> Vec<String> {
        values.iter().take(most).map(show).collect()
    }
    let shown = match values {
        KvArray::Strings(values) => some(values, most, |value| quoted(value, width)),
        KvArray::Int64s(values) => some(values, most, i64::to_string),
        KvArray::UInt64s(values) => some(values, most, u64::to_string),
        KvArray::Float64s(values) => some(values, most, |value| format!("{value:?}")),
        KvArray::Bools(values) => some(values, most, bool::to_string),
        KvArray::ByteStrings(values) => some(values, most, |value| bytes(value)),
    };
    let more = values.len().saturating_sub(shown.len());
    let ending = if more > 0 { format!(", … {} more", Count(more)) } else { String::new() };
    format!("[{}{ending}]", shown.join(", "))
}
