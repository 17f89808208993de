//! A tensor as it comes from a file: a checked descriptor and the bytes of its buffers.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::bytes::SharedBytes;
use super::data;
use super::index::Extents;
use crate::bytes::to_usize;
use crate::descriptor::{MemberRole, Shard, TensorDescriptor};
use crate::element::ElementType;
use crate::error::{FormatError, Rule, TensorError};
use crate::limits::Limits;

/// A descriptor that satisfies every structure rule, with the bytes of each of its buffers.
///
/// Views of data that may lie (permissive mode) stay in bounds all the same: each checks the sizes it needs.
#[derive(Debug, Clone)]
pub(crate) struct RawTensor<'a> {
    head: Arc<Head>,
    /// A vector, since a `SmallVec` of borrows would tie the lifetimes of all views (it is not covariant).
    buffers: Vec<&'a [u8]>,
}

/// What a tensor's views share: the descriptor, and whether the indices in the data were found sound.
#[derive(Debug)]
struct Head {
    descriptor: TensorDescriptor,
    /// In the file, for errors; `None` for a tensor that was made here.
    name: Option<Box<str>>,
    /// In the file, per buffer; empty if not known.
    file_offsets: SmallVec<[u64; 3]>,
    /// [`Limits::dense_bytes`] of the file, or the default.
    dense_bytes: u64,
    indices: OnceLock<Result<(), FormatError>>,
}

impl Head {
    /// Of a tensor that was made here.
    fn new(descriptor: TensorDescriptor) -> Self {
        let dense_bytes = Limits::default().dense_bytes;
        Self { descriptor, name: None, file_offsets: SmallVec::new(), dense_bytes, indices: OnceLock::new() }
    }
}

impl<'a> RawTensor<'a> {
    /// `buffers` are in the order of the buffer table.
    pub(crate) fn new(descriptor: TensorDescriptor, buffers: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self { head: Arc::new(Head::new(descriptor)), buffers: buffers.into_iter().collect() }
    }

    /// With its name and where each buffer starts in the file, so that errors found later can say where they are,
    /// and the file's limits.
    pub(crate) fn placed(
        name: &str,
        descriptor: TensorDescriptor,
        buffers: impl IntoIterator<Item = &'a [u8]>,
        file_offsets: impl IntoIterator<Item = u64>,
        limits: &Limits,
    ) -> Self {
        let head = Head {
            name: Some(name.into()),
            file_offsets: file_offsets.into_iter().collect(),
            dense_bytes: limits.dense_bytes,
            ..Head::new(descriptor)
        };
        Self { head: Arc::new(head), buffers: buffers.into_iter().collect() }
    }

    #[inline]
    pub(crate) fn descriptor(&self) -> &TensorDescriptor {
        &self.head.descriptor
    }

    /// How many bytes a copy of a view may take.
    pub(crate) fn dense_bytes(&self) -> u64 {
        self.head.dense_bytes
    }

    /// The bytes of a buffer; empty if there is none at `index`.
    #[inline]
    pub(crate) fn buffer(&self, index: usize) -> &'a [u8] {
        self.buffers.get(index).copied().unwrap_or_default()
    }

    pub(crate) fn buffers(&self) -> &[&'a [u8]] {
        &self.buffers
    }

    /// The offset in the file of a byte of a buffer, if it is known.
    pub(crate) fn file_offset(&self, buffer: usize, byte: u64) -> Option<u64> {
        self.head.file_offsets.get(buffer)?.checked_add(byte)
    }

    /// The shape in memory.
    pub(crate) fn extents(&self) -> Result<Extents, TensorError> {
        super::index::extents(self.descriptor().shape())
    }

    /// Refuses a quantized tensor, and one whose elements are of another type.
    pub(crate) fn expect_plain(&self, element_type: ElementType) -> Result<(), TensorError> {
        let found = self.descriptor().element_type();
        if let Some(quantization) = self.descriptor().quantization() {
            return Err(TensorError::quantized(quantization.name()));
        }
        if found != element_type {
            return Err(TensorError::element_type(element_type, found));
        }
        Ok(())
    }

    /// The layout is not what the view can show.
    #[cold]
    pub(crate) fn wrong_layout(&self, expected: &'static str) -> TensorError {
        TensorError::layout(expected, self.descriptor().layout().name())
    }

    /// The first `count` indices of a buffer.
    #[inline]
    pub(crate) fn indices(&self, buffer: usize, count: u64) -> Result<&'a [u64], TensorError> {
        let size = count.checked_mul(8).and_then(to_usize);
        let bytes = size.and_then(|size| self.buffer(buffer).get(..size));
        let bytes = bytes.ok_or_else(|| self.too_small(buffer, count.saturating_mul(8)))?;
        if bytes.is_empty() {
            return Ok(&[]);
        }
        bytemuck::try_cast_slice(bytes).map_err(|_| misaligned(bytes, align_of::<u64>()))
    }

    /// All indices of a buffer.
    #[inline]
    pub(crate) fn all_indices(&self, buffer: usize) -> Result<&'a [u64], TensorError> {
        self.indices(buffer, u64::try_from(self.buffer(buffer).len() >> 3).unwrap_or(u64::MAX))
    }

    /// The first `count` elements of buffer 0, for an element type that is borrowed as a slice or packed.
    pub(crate) fn values<T: crate::element::Stored>(&self, count: u64) -> Result<T::Values<'a>, TensorError> {
        values_in::<T>(self, self.buffer(0), count)
    }

    /// A buffer is smaller than what the descriptor makes of it (rule BUF-14).
    #[cold]
    pub(crate) fn too_small(&self, buffer: usize, needed: u64) -> TensorError {
        let found = self.buffer(buffer).len();
        let error = Rule::Buf14
            .broken()
            .expected_to_be(format!("at least {needed} bytes in buffer {buffer}"))
            .but_found(found);
        TensorError::Format(self.named(match self.file_offset(buffer, 0) {
            Some(offset) => error.at(offset),
            None => error,
        }))
    }

    /// Adds the tensor's name to an error.
    fn named(&self, error: FormatError) -> FormatError {
        match &self.head.name {
            Some(name) => error.in_tensor(name),
            None => error,
        }
    }

    /// Adds the tensor's name to an error, if it has one.
    #[cold]
    pub(crate) fn blamed(&self, error: TensorError) -> TensorError {
        match &self.head.name {
            Some(name) => error.in_tensor(name),
            None => error,
        }
    }

    /// Checks the indices in the data of a sparse or paged tensor, once for all its views.
    pub(crate) fn check_indices(&self) -> Result<(), TensorError> {
        let checked =
            self.head.indices.get_or_init(|| data::indices(self).map_err(|error| self.named(error)));
        checked.clone().map_err(TensorError::Format)
    }

    /// The tensor with its buffers kept alive by what `share` makes of them.
    pub(crate) fn share(&self, share: &dyn Fn(&'a [u8]) -> SharedBytes) -> SharedTensor {
        let buffers = self.buffers.iter().map(|bytes| share(bytes)).collect();
        SharedTensor { head: Arc::clone(&self.head), buffers }
    }
}

/// The first `count` elements of `bytes`.
pub(crate) fn values_in<'a, T: crate::element::Stored>(
    raw: &RawTensor<'a>,
    bytes: &'a [u8],
    count: u64,
) -> Result<T::Values<'a>, TensorError> {
    let size = T::STORED_TYPE.bytes_for(count);
    let fits = size.is_some_and(|size| size <= u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    let count = to_usize(count).filter(|_| fits);
    let count = count.ok_or_else(|| raw.too_small(0, size.unwrap_or(u64::MAX)))?;
    T::borrow(bytes, count).ok_or_else(|| misaligned(bytes, T::STORED_TYPE.natural_alignment()))
}

#[cold]
fn misaligned(bytes: &[u8], need: usize) -> TensorError {
    let zeros = bytes.as_ptr().addr().trailing_zeros();
    TensorError::misaligned(need, 1_usize.checked_shl(zeros).unwrap_or(need))
}

/// A descriptor, with the bytes of each buffer owned or shared: what the `'static` twin of every view holds.
#[derive(Debug, Clone)]
pub(crate) struct SharedTensor {
    head: Arc<Head>,
    buffers: SmallVec<[SharedBytes; 3]>,
}

impl SharedTensor {
    pub(crate) fn new(descriptor: TensorDescriptor, buffers: impl IntoIterator<Item = SharedBytes>) -> Self {
        Self { head: Arc::new(Head::new(descriptor)), buffers: buffers.into_iter().collect() }
    }

    /// A tensor that somebody else laid out, its buffers copied: they are those of the descriptor, and that
    /// breaks no rule.
    ///
    /// # Errors
    /// [`TensorError::Parts`] for other buffers, [`TensorError::Format`] for the rule that is broken.
    pub(crate) fn from_parts(
        descriptor: TensorDescriptor,
        buffers: &[impl AsRef<[u8]>],
    ) -> Result<Self, TensorError> {
        let parts = |what, expected, found| TensorError::Parts { what, expected, found };
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        if buffers.len() != descriptor.buffers().len() {
            return Err(parts("buffers", number(descriptor.buffers().len()), number(buffers.len())));
        }
        for (handle, bytes) in descriptor.buffers().iter().zip(buffers) {
            let found = number(bytes.as_ref().len());
            if found != handle.byte_size {
                return Err(parts("bytes of a buffer", handle.byte_size, found));
            }
        }
        descriptor.check_as_built()?;
        Ok(Self::new(descriptor, buffers.iter().map(|bytes| SharedBytes::copy_from(bytes.as_ref()))))
    }

    /// The same tensor as a member of a whole.
    ///
    /// # Errors
    /// [`TensorError::Format`] for layouts that no member of a partition or an overlay has (SHD-03), and for a
    /// box that does not lie inside the whole.
    pub(crate) fn as_member(&self, shard: Shard, role: Option<MemberRole>) -> Result<Self, TensorError> {
        let mut descriptor = self.descriptor().clone();
        descriptor.shard = Some(Box::new(shard));
        descriptor.member_role = role;
        descriptor.check_as_built()?;
        Ok(Self::new(descriptor, self.buffers.iter().cloned()))
    }

    /// The bytes of each buffer.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &[u8]> {
        self.buffers.iter().map(SharedBytes::as_slice)
    }

    pub(crate) fn as_raw(&self) -> RawTensor<'_> {
        RawTensor {
            head: Arc::clone(&self.head),
            buffers: self.buffers.iter().map(SharedBytes::as_slice).collect(),
        }
    }

    pub(crate) fn descriptor(&self) -> &TensorDescriptor {
        &self.head.descriptor
    }
}
