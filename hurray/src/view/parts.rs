//! What is written of a tensor that was read or made: its descriptor and buffers as writers owe them.

use smallvec::SmallVec;

use super::paged::Pages;
use super::quantized::{ParameterBytes, parameter_bytes};
use super::raw::RawTensor;
use super::sparse::Fibres;
use crate::bytes::to_usize;
use crate::descriptor::{BufferHandle, BufferSize, Layout, Quantization, SyncMode, TensorDescriptor};
use crate::error::TensorError;

/// A descriptor and the bytes of its buffers.
pub(crate) type Parts<'a> = (TensorDescriptor, SmallVec<[&'a [u8]; 3]>);

impl<'a> RawTensor<'a> {
    /// The descriptor and buffers to be written: index and pool buffers cut to their exact size (BUF-17), scales
    /// and zero points in buffers of their own (QNT-09), nothing that only a newer reader would know.
    ///
    /// # Errors
    ///
    /// [`TensorError::Format`] if the indices in the data, which some sizes follow from, break a rule.
    pub(crate) fn parts(&self) -> Result<Parts<'a>, TensorError> {
        let mut descriptor = self.descriptor().clone();
        descriptor.version_minor = 0;
        descriptor.trailing_bytes = 0;
        let mut buffers: SmallVec<[&'a [u8]; 3]> = self.buffers().into();
        if !descriptor.layout().is_dense() {
            for (index, bytes) in buffers.iter_mut().enumerate() {
                if let Some(size) = self.exact_size(index)? {
                    *bytes = bytes.get(..size).ok_or_else(|| self.too_small(index, u64::MAX))?;
                }
            }
        }
        if let Some(shared) = shared_zero_points(descriptor.quantization.as_mut())
            && let Some(ParameterBytes { scales, zero_points: Some(zero_points), .. }) = parameter_bytes(self)
        {
            if let Some(bytes) = buffers.get_mut(shared) {
                *bytes = scales;
            }
            descriptor.buffers.extend(descriptor.buffers.get(shared).copied());
            buffers.push(zero_points);
            let own = u32::try_from(buffers.len().saturating_sub(1)).ok();
            set_zero_points(descriptor.quantization.as_mut(), own);
        }
        for (handle, bytes) in descriptor.buffers.iter_mut().zip(&buffers) {
            let byte_size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            // An empty buffer may have any alignment, one with bytes has at least that of a plain host buffer.
            let alignment = if byte_size > 0 {
                handle.alignment.max(BufferHandle::host(0).alignment)
            } else {
                handle.alignment
            };
            *handle = BufferHandle { byte_size, alignment, sync_mode: SyncMode::ProducerSynced, ..*handle };
        }
        Ok((descriptor, buffers))
    }

    /// The exact size in bytes of a buffer of a sparse or paged layout, some of which only the data tell.
    fn exact_size(&self, index: usize) -> Result<Option<usize>, TensorError> {
        match self.descriptor().required_size(index) {
            Some(BufferSize::Exactly(size)) => Ok(usize::try_from(size).ok()),
            Some(BufferSize::AtLeast(_)) => {
                self.check_indices()?;
                match self.descriptor().layout() {
                    Layout::Csf { .. } => Ok(Fibres::of(self)?.size_of(index)),
                    Layout::BlockPaged(_) => {
                        let pages = Pages::of(self)?;
                        let used =
                            pages.seq_ptr.get(pages.seq_ptr.len().saturating_sub(1)).and_then(to_usize);
                        let width = if pages.fields.wide_indices { 8 } else { 4 };
                        Ok(used.and_then(|used| used.checked_mul(width)))
                    }
                    _ => Ok(None),
                }
            }
            None => Ok(None),
        }
    }
}

impl Fibres<'_> {
    /// The size in bytes that a buffer of positions or coordinates has exactly.
    fn size_of(&self, index: usize) -> Option<usize> {
        let mut parents = 1_usize;
        for (level, buffer) in self.levels.iter().zip((1_usize..).step_by(2)) {
            let nodes = level.positions.get(parents).and_then(|nodes| to_usize(*nodes)).unwrap_or(0);
            if index == buffer {
                return parents.checked_add(1)?.checked_mul(8);
            }
            if index == buffer.checked_add(1)? {
                return nodes.checked_mul(8);
            }
            parents = nodes;
        }
        None
    }
}

/// The buffer that holds both scales and zero points, if one does.
fn shared_zero_points(quantization: Option<&mut Quantization>) -> Option<usize> {
    let quantization = quantization?;
    let shared = quantization.zero_points().filter(|own| quantization.scales() == Some(*own))?;
    usize::try_from(shared).ok()
}

fn set_zero_points(quantization: Option<&mut Quantization>, own: Option<u32>) {
    if let Some(Quantization::PerChannel { zero_points, .. } | Quantization::PerBlock { zero_points, .. }) =
        quantization
    {
        *zero_points = own;
    }
}

#[cfg(test)]
mod tests {
    use crate::descriptor::{BufferHandle, Layout, Quantization};
    use crate::element::ElementType;
    use crate::view::dense::describe;
    use crate::view::raw::RawTensor;

    #[test]
    fn oversized_buffers_are_cut_and_shared_ones_split() {
        let indices = [0_u64, 1, 1, 9, 9];
        let descriptor = describe(ElementType::UInt8, &[2, 3], Layout::Csr { nnz: 1 }, [4, 16, 40]);
        let raw = RawTensor::new(
            descriptor,
            [&[7, 9, 9, 9][..], bytemuck::cast_slice(&indices[..2]), bytemuck::cast_slice(&indices)],
        );
        let (descriptor, buffers) = raw.parts().unwrap();
        assert_eq!(buffers.iter().map(|bytes| bytes.len()).collect::<Vec<_>>(), [1, 8, 24]);
        assert!(descriptor.validate_for_writing(4096).is_ok());

        let mut descriptor = describe(ElementType::Int8, &[2, 2], Layout::RowMajor, [4, 16]);
        descriptor.quantization = Some(Quantization::PerChannel { axis: 0, scales: 1, zero_points: Some(1) });
        let parameters: Vec<u8> = [1.0_f32, 2.0].iter().flat_map(|s| s.to_le_bytes()).chain([5; 8]).collect();
        let raw = RawTensor::new(descriptor, [&[1, 2, 3, 4][..], &parameters]);
        let (descriptor, buffers) = raw.parts().unwrap();
        assert_eq!(buffers[1..], [&parameters[..8], &[5; 8][..]]);
        assert_eq!(descriptor.buffers()[2], BufferHandle::host(8));
        assert!(descriptor.validate_for_writing(4096).is_ok());
    }

    #[test]
    fn trees_are_cut_to_their_nodes() {
        let tensor = crate::Csf::<u8>::from_dense(&[0, 1, 0, 0, 2, 3, 0, 0], &[2, 2, 2]).unwrap();
        let raw = crate::view::View::raw(&tensor.view()).clone();
        let (descriptor, buffers) = raw.parts().unwrap();
        assert_eq!(buffers.as_slice(), raw.buffers());
        assert_eq!(&descriptor, tensor.descriptor());
        assert!(descriptor.validate_for_writing(4096).is_ok());
    }
}
