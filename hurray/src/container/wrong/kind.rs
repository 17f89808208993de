//! Telling formats apart by their first bytes.

use crate::error::FileKind;

/// What the bytes look like.
pub(super) fn of(file: &[u8]) -> FileKind {
    const BY_MAGIC: &[(&[u8], FileKind)] = &[
        (b"HRRYFILE", FileKind::Hurray),
        (b"version https://git-lfs", FileKind::GitLfsPointer),
        (b"GGUF", FileKind::Gguf),
        (b"PK\x03\x04", FileKind::Zip),
        (b"PK\x05\x06", FileKind::Zip),
        (b"\x93NUMPY", FileKind::Npy),
        (b"\x89HDF\r\n\x1a\n", FileKind::Hdf5),
    ];
    if file.is_empty() {
        return FileKind::Empty;
    }
    if let Some((_, kind)) = BY_MAGIC.iter().find(|(magic, _)| file.starts_with(magic)) {
        return *kind;
    }
    if is_safetensors(file) {
        return FileKind::Safetensors;
    }
    match file {
        // A descriptor begins with its magic and major version (FORMAT §2.1).
        [b'H', b'R', b'R', b'Y', 1, ..] => FileKind::DescriptorStream,
        // `PROTO`, in the versions that there are.
        [0x80, 2..=5, ..] => FileKind::Pickle,
        _ => of_text(file),
    }
}

/// An 8-byte length of a JSON object, and its start.
fn is_safetensors(file: &[u8]) -> bool {
    // The limit that the format sets for the length.
    const MAX_HEADER: u64 = 100_000_000;
    let Some((length, json)) = file.split_first_chunk::<8>() else { return false };
    (2..=MAX_HEADER).contains(&u64::from_le_bytes(*length)) && json.starts_with(b"{")
}

fn of_text(file: &[u8]) -> FileKind {
    let text = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file).trim_ascii_start();
    let starts_with =
        |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if starts_with(b"<!doctype html") || starts_with(b"<html") || starts_with(b"<head") {
        return FileKind::Html;
    }
    match text.split_first() {
        Some((b'{', rest)) if is_any_of(rest, b"\"}") => FileKind::Json,
        Some((b'[', rest)) if is_any_of(rest, b"\"{[]-0123456789tfn") => FileKind::Json,
        _ => FileKind::Unknown,
    }
}

fn is_any_of(text: &[u8], any: &[u8]) -> bool {
    text.trim_ascii_start().first().is_some_and(|byte| any.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::error::FileKind;

    #[test]
    fn tells_formats_apart() {
        let cases: [(&[u8], FileKind); 17] = [
            (b"", FileKind::Empty),
            (b"HRRYFILE\x01\0", FileKind::Hurray),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:..", FileKind::GitLfsPointer),
            (b"\x10\0\0\0\0\0\0\0{\"a\":{}}", FileKind::Safetensors),
            (b"GGUF\x03\0\0\0", FileKind::Gguf),
            (b"PK\x03\x04\x14\0", FileKind::Zip),
            (b"\x80\x02}q\0", FileKind::Pickle),
            (b"\x80\x04\x95", FileKind::Pickle),
            (b"\x93NUMPY\x01\0", FileKind::Npy),
            (b"\x89HDF\r\n\x1a\n\0", FileKind::Hdf5),
            (b"\n <!DOCTYPE html><p>", FileKind::Html),
            (b"{ \"error\": \"not found\"}", FileKind::Json),
            (b"[1, 2]", FileKind::Json),
            (b"HRRY\x01\0", FileKind::DescriptorStream),
            (b"HRRYfile", FileKind::Unknown),
            (b"{oops", FileKind::Unknown),
            (&[0; 64], FileKind::Unknown),
        ];
        for (bytes, kind) in cases {
            assert_eq!(of(bytes), kind, "{:?}", bytes.escape_ascii().to_string());
        }
    }
}
