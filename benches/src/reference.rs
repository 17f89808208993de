//! What the format's own crates, `hurray-core` and `hurray-io`, do of the workloads. Their files are asynchronous, over
//! tokio; what a file of tokio does in threads of its own is in the times, but neither in the faults nor on the heap.

use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;

use hurray_core::{
    BufferHandle, DeviceTag, ElementType, LayoutDescriptor, MIN_BUFFER_ALIGNMENT, Shape, SyncMode,
    TensorDescriptor,
};
use hurray_io::file::{FileReader, FileWriter, IndexEntry};
use memmap2::Mmap;
use tokio::fs::File;
use tokio::io::{AsyncWrite, BufWriter};
use tokio::runtime::{Builder, Runtime};

use crate::clock::Clock;
use crate::models::{Size, as_bytes, map};

/// Opened as its page shows it. There are no views: the data stay where they are.
pub(crate) const FILE: &str = "hurray-io, `read_descriptor`";
/// Opened over a mapping.
pub(crate) const MAPPED: &str = "hurray-io over mmap, `read_descriptor`";
/// One after another, without a look-up.
pub(crate) const DECODED: &str = "hurray-io's index over mmap, hurray-core's `decode`";
/// Copies.
pub(crate) const READ: &str = "hurray-io, `read_tensor` (copies)";
/// Written as its page shows it.
pub(crate) const SAVE: &str = "hurray-io, `write_tensor`";
/// Written through a buffer.
pub(crate) const SAVE_BUFFERED: &str = "hurray-io, `write_tensor`, buffer of 1 MiB";
/// The same, on the disk.
pub(crate) const SAVE_DURABLE: &str = "hurray-io, buffer of 1 MiB, then fsync";

const BUFFER: usize = 1 << 20;

/// Both crates, and what runs them.
pub(crate) struct Reference(Runtime);

impl Reference {
    /// A runtime on this thread, up to files: an application has one already, so it is on no clock.
    pub(crate) fn new() -> Self {
        Self(Builder::new_current_thread().build().expect("starts"))
    }

    /// Opens a file, and asks for the descriptor of every name.
    pub(crate) fn open(&self, clock: &mut Clock, path: &Path, names: &[String]) {
        let mut descriptors = Vec::with_capacity(names.len());
        clock.start();
        self.0.block_on(async {
            let file = File::open(path).await.expect("opens");
            let mut reader = FileReader::open(file).await.expect("parses");
            for name in names {
                let descriptor = reader.read_descriptor(name).await.expect("is there");
                check(&descriptor);
                descriptors.push(descriptor);
            }
        });
        clock.stop();
        black_box(&descriptors);
    }

    /// Opens a mapping, and asks for the descriptor of every name; the names are in the order of the file.
    pub(crate) fn open_mapped(&self, clock: &mut Clock, path: &Path, names: &[String]) {
        let mut views = Vec::with_capacity(names.len());
        clock.start();
        let map = map(path);
        let mut reader = self.reader(&map);
        self.0.block_on(async {
            for (at, name) in names.iter().enumerate() {
                let descriptor = reader.read_descriptor(name).await.expect("is there");
                check(&descriptor);
                views.push((descriptor, data(&map, &reader.index[at])));
            }
        });
        clock.stop();
        black_box(&views);
    }

    /// Opens a mapping, and decodes the descriptor of every entry; the names are in the order of the file.
    pub(crate) fn decode_mapped(&self, clock: &mut Clock, path: &Path, names: &[String]) {
        let mut views = Vec::with_capacity(names.len());
        clock.start();
        let map = map(path);
        let reader = self.reader(&map);
        for (entry, name) in reader.index.iter().zip(names) {
            assert!(entry.name == *name);
            let descriptor = decode(&map, entry);
            check(&descriptor);
            views.push((descriptor, data(&map, entry)));
        }
        clock.stop();
        black_box(&views);
    }

    /// A reader over a mapping.
    pub(crate) fn reader<'m>(&self, map: &'m Mmap) -> FileReader<Cursor<&'m [u8]>> {
        self.0.block_on(FileReader::open(Cursor::new(&map[..]))).expect("parses")
    }

    /// Looks names up, and checks element type and shape.
    pub(crate) fn look_up(&self, reader: &mut FileReader<Cursor<&[u8]>>, names: &[&str], size: Size) {
        let shape = [size.rows as u64, size.columns as u64];
        self.0.block_on(async {
            for name in names {
                let descriptor = reader.read_descriptor(name).await.expect("is there");
                assert!(descriptor.element_type == ElementType::Float32 && descriptor.shape.dims() == shape);
                black_box(&descriptor);
            }
        });
    }

    /// Opens a file, reads every tensor, and adds up what `sum` makes of each one's bytes.
    pub(crate) fn sum_of_read(&self, path: &Path, names: &[String], sum: impl Fn(&[u8]) -> f32) -> f32 {
        self.0.block_on(async {
            let file = File::open(path).await.expect("opens");
            let mut reader = FileReader::open(file).await.expect("parses");
            let mut total = 0.0;
            for name in names {
                total += sum(&reader.read_tensor(name).await.expect("is there").buffers[0]);
            }
            total
        })
    }

    /// Opens a mapping, and adds up what `sum` makes of the bytes of each tensor.
    pub(crate) fn sum_of_mapped(&self, path: &Path, sum: impl Fn(&[u8]) -> f32) -> f32 {
        let map = map(path);
        let reader = self.reader(&map);
        let tensors = reader.index.iter().inspect(|entry| check(&decode(&map, entry)));
        tensors.map(|entry| sum(data(&map, entry))).sum()
    }

    /// Writes a file, each tensor as it comes.
    pub(crate) fn save(&self, path: &Path, size: Size, names: &[String], weights: &[f32]) {
        self.0.block_on(async {
            let file = File::create(path).await.expect("creates");
            write(file, size, names, weights).await;
        });
    }

    /// Writes a file through a buffer, and perhaps waits for the disk.
    pub(crate) fn save_buffered(
        &self,
        path: &Path,
        size: Size,
        names: &[String],
        weights: &[f32],
        sync: bool,
    ) {
        self.0.block_on(async {
            let file = BufWriter::with_capacity(BUFFER, File::create(path).await.expect("creates"));
            let file = write(file, size, names, weights).await.into_inner();
            if sync {
                file.sync_all().await.expect("syncs");
            }
        });
    }

    /// The bytes of a file.
    pub(crate) fn to_bytes(&self, size: Size, names: &[String], weights: &[f32]) -> Vec<u8> {
        self.0.block_on(write(Vec::new(), size, names, weights))
    }
}

async fn write<W: AsyncWrite + Unpin>(sink: W, size: Size, names: &[String], weights: &[f32]) -> W {
    let mut writer = FileWriter::new(sink).await.expect("starts");
    for (name, data) in names.iter().zip(weights.chunks_exact(size.rows * size.columns)) {
        writer.write_tensor(name, &descriptor(size), &[as_bytes(data)]).await.expect("writes");
    }
    writer.finish(Vec::new()).await.expect("finishes")
}

fn descriptor(size: Size) -> TensorDescriptor {
    let shape = Shape::new([size.rows as u64, size.columns as u64]).expect("rank 2");
    let bytes = size.tensor_bytes() as u64;
    let buffer = BufferHandle::new(bytes, MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced);
    let (layout, buffers) = (LayoutDescriptor::RowMajor, vec![buffer.expect("a buffer")]);
    TensorDescriptor::new(1, 0, ElementType::Float32, shape, 0, layout, buffers, None, None, None, None)
        .expect("a descriptor")
}

fn check(descriptor: &TensorDescriptor) {
    assert!(descriptor.element_type == ElementType::Float32 && descriptor.shape.rank() == 2);
}

fn decode(bytes: &[u8], entry: &IndexEntry) -> TensorDescriptor {
    let descriptor = slice(bytes, entry.descriptor_offset, u64::from(entry.descriptor_length));
    TensorDescriptor::decode(descriptor).expect("decodes")
}

fn data<'b>(bytes: &'b [u8], entry: &IndexEntry) -> &'b [u8] {
    slice(bytes, entry.data_offset, entry.data_length)
}

fn slice(bytes: &[u8], offset: u64, length: u64) -> &[u8] {
    &bytes[offset as usize..][..length as usize]
}
