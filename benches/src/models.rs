//! The models that all workloads are about, for every contender, and their files.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use hurray::{HurrayLoad, HurraySave, SaveOptions, TensorView};
use memmap2::Mmap;
use safetensors::Dtype;

use crate::reference::Reference;

/// The names of the tensors of a layer: long enough for 40 bytes in all, as in real checkpoints.
const TENSORS: [&str; 4] = [
    "attention_output_dense_weight",
    "attention_output_layer_normal",
    "attention_self_query_weight__",
    "attention_self_values_weight_",
];

/// Four tensors.
#[derive(HurraySave, HurrayLoad)]
pub(crate) struct Layer<'a> {
    #[hurray(rename = "attention_output_dense_weight")]
    dense: TensorView<'a, f32>,
    #[hurray(rename = "attention_output_layer_normal")]
    norm: TensorView<'a, f32>,
    #[hurray(rename = "attention_self_query_weight__")]
    query: TensorView<'a, f32>,
    #[hurray(rename = "attention_self_values_weight_")]
    value: TensorView<'a, f32>,
}

impl<'a> Layer<'a> {
    /// The tensors in order.
    pub(crate) fn tensors(&self) -> [&TensorView<'a, f32>; 4] {
        [&self.dense, &self.norm, &self.query, &self.value]
    }
}

/// As many layers as it takes.
#[derive(HurraySave, HurrayLoad)]
pub(crate) struct Model<'a> {
    /// Four tensors each.
    pub(crate) layers: Vec<Layer<'a>>,
}

/// The same for rkyv.
#[derive(rkyv::Archive, rkyv::Serialize)]
pub(crate) struct Archive {
    /// All tensors in order.
    pub(crate) tensors: Vec<Named>,
}

/// A tensor as rkyv can hold it.
#[derive(rkyv::Archive, rkyv::Serialize)]
pub(crate) struct Named {
    /// The full name.
    pub(crate) name: String,
    /// A tag.
    pub(crate) element_type: u8,
    /// In elements.
    pub(crate) shape: Vec<u64>,
    /// In bytes.
    pub(crate) data: Vec<u8>,
}

/// How many tensors of how many elements, rows by columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Tensors; a multiple of 4.
    pub(crate) tensors: usize,
    /// Rows of each.
    pub(crate) rows: usize,
    /// Columns of each.
    pub(crate) columns: usize,
}

impl Size {
    /// The bytes of one tensor.
    pub(crate) fn tensor_bytes(self) -> usize {
        self.rows * self.columns * 4
    }

    /// The bytes of all tensors.
    pub(crate) fn bytes(self) -> usize {
        self.tensor_bytes() * self.tensors
    }

    /// The full names.
    pub(crate) fn names(self) -> Vec<String> {
        (0..self.tensors / 4).flat_map(|layer| TENSORS.map(|name| format!("layers.{layer}.{name}"))).collect()
    }
}

/// One tensor's worth of numbers after another, all in one vector.
pub(crate) fn weights(size: Size) -> Vec<f32> {
    let count = size.bytes() / 4;
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0
    };
    (0..count).map(|_| next()).collect()
}

/// The model over those numbers.
pub(crate) fn model(size: Size, weights: &[f32]) -> Model<'_> {
    let shape = [size.rows, size.columns];
    let mut tensors = weights
        .chunks_exact(size.rows * size.columns)
        .map(|data| TensorView::from_slice(data, &shape).expect("the shape is the chunk's"));
    let mut next = || tensors.next().expect("as many chunks as tensors");
    let layers = (0..size.tensors / 4)
        .map(|_| Layer { dense: next(), norm: next(), query: next(), value: next() })
        .collect();
    Model { layers }
}

/// The same tensors as safetensors takes them.
pub(crate) fn for_safetensors<'a>(
    size: Size,
    names: &'a [String],
    weights: &'a [f32],
) -> impl Iterator<Item = (&'a str, safetensors::tensor::TensorView<'a>)> {
    let shape = vec![size.rows, size.columns];
    names.iter().zip(weights.chunks_exact(size.rows * size.columns)).map(move |(name, data)| {
        let view = safetensors::tensor::TensorView::new(Dtype::F32, shape.clone(), as_bytes(data));
        (name.as_str(), view.expect("the shape is the chunk's"))
    })
}

/// The bytes of numbers.
pub(crate) fn as_bytes(numbers: &[f32]) -> &[u8] {
    // SAFETY: any byte of a float is a byte, and these lie one after another.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), std::mem::size_of_val(numbers)) }
}

/// The files of one model.
#[derive(Debug)]
pub(crate) struct Files {
    /// Which tensors.
    pub(crate) size: Size,
    /// As this library writes it.
    pub(crate) ours: PathBuf,
    /// The same tensors without a table of descriptors, written in pieces of a page as other writers of the format do.
    pub(crate) foreign: PathBuf,
    /// As hurray-io writes it, without heads; in pieces of a page, too.
    pub(crate) hurray_io: PathBuf,
    /// As safetensors writes it.
    pub(crate) safetensors: PathBuf,
    /// As rkyv writes it; not made for the largest.
    pub(crate) rkyv: PathBuf,
}

impl Files {
    /// Writes all, and flushes them to the disk.
    pub(crate) fn new(folder: &Path, size: Size) -> Self {
        let path = |ending: &str| folder.join(format!("{}x{}.{ending}", size.tensors, size.tensor_bytes()));
        let files = Self {
            size,
            ours: path("hrry"),
            foreign: path("foreign.hrry"),
            hurray_io: path("hurray_io.hrry"),
            safetensors: path("safetensors"),
            rkyv: path("rkyv"),
        };
        let (weights, names) = (weights(size), size.names());
        let model = model(size, &weights);
        SaveOptions::new().save(&files.ours, &model).expect("saves");
        let plain = SaveOptions::new().descriptor_table(false).to_bytes(&model).expect("saves");
        write_in_pages(&files.foreign, &plain);
        write_in_pages(&files.hurray_io, &Reference::new().to_bytes(size, &names, &weights));
        assert_holds(&files.hurray_io, size, &names, &weights);
        let tensors = for_safetensors(size, &names, &weights);
        safetensors::serialize_to_file(tensors, None, &files.safetensors).expect("saves");
        let tensors =
            names.iter().zip(weights.chunks_exact(size.rows * size.columns)).map(|(name, data)| Named {
                name: name.clone(),
                element_type: 11,
                shape: vec![size.rows as u64, size.columns as u64],
                data: as_bytes(data).to_vec(),
            });
        let archive = Archive { tensors: tensors.collect() };
        let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(&archive).expect("saves");
        fs::write(&files.rkyv, &bytes).expect("writes");
        for path in [&files.foreign, &files.hurray_io, &files.safetensors, &files.rkyv] {
            File::open(path).and_then(|file| file.sync_all()).expect("syncs");
        }
        files
    }

    /// Takes the pages of all files out of the page cache.
    pub(crate) fn drop_cache(path: &Path) {
        let file = File::open(path).expect("opens");
        // SAFETY: the call takes no pointers, and the file is open.
        let failed = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } != 0;
        assert!(!failed, "posix_fadvise");
    }
}

/// Whoever wrote the file, the tensors are in it.
fn assert_holds(path: &Path, size: Size, names: &[String], weights: &[f32]) {
    let file = open(path, hurray::OpenOptions::new().strict().validate_descriptors(true));
    assert!(file.tensors().len() == names.len());
    for (name, data) in names.iter().zip(weights.chunks_exact(size.rows * size.columns)) {
        let view = file.tensor(name).and_then(|entry| entry.view::<f32>()).expect("is there");
        assert!(view.shape() == [size.rows, size.columns] && view.as_slice() == Some(data), "{name}");
    }
}

fn write_in_pages(path: &Path, bytes: &[u8]) {
    let mut file = File::create(path).expect("creates");
    bytes.chunks(4096).for_each(|page| file.write_all(page).expect("writes"));
}

/// Maps a file that nobody changes.
pub(crate) fn map(path: &Path) -> Mmap {
    let file = File::open(path).expect("opens");
    // SAFETY: the files of the benches belong to this process alone.
    unsafe { Mmap::map(&file) }.expect("maps")
}

/// The same, with this library.
pub(crate) fn open(path: &Path, options: hurray::OpenOptions) -> hurray::File {
    // SAFETY: the files of the benches belong to this process alone.
    unsafe { options.map(path) }.expect("opens")
}
