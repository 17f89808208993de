//! Bytes: the one little-endian reader, the one writer, aligned owned memory, and checked offsets.

mod aligned;
mod cursor;
mod names;
mod offset;
mod sink;

pub(crate) use aligned::AlignedBytes;
pub(crate) use cursor::Cursor;
pub(crate) use names::{ends, halves, is_same};
pub(crate) use offset::{align_up, is_aligned, piece, to_usize};
pub(crate) use sink::Sink;
