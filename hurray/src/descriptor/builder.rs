//! Descriptors made by hand: the builder, and the constructors of the commonest kinds.

use smallvec::{SmallVec, smallvec};

use crate::element::ElementType;
use crate::error::{FormatError, Rule};

use super::buffers::BufferHandle;
use super::layout::{CompositeHead, CompositionRule, Layout};
use super::quantization::Quantization;
use super::sections::{ExtensionType, MemberRole, Shard, Statistics};
use super::sizes::BufferSize;
use super::{TensorDescriptor, at};

/// Builds a [`TensorDescriptor`]. From [`TensorDescriptor::builder`].
#[derive(Debug, Clone)]
#[must_use]
pub struct DescriptorBuilder(TensorDescriptor);

impl TensorDescriptor {
    /// Starts a descriptor: row-major unless told otherwise, with buffers of just the size that it takes.
    pub fn builder(element_type: ElementType, shape: impl IntoIterator<Item = u64>) -> DescriptorBuilder {
        DescriptorBuilder(Self::plain(element_type, shape, Layout::RowMajor))
    }

    /// A row-major tensor in one host buffer of `byte_size` bytes. Nothing is checked here; writers do.
    pub(crate) fn row_major(
        element_type: ElementType,
        shape: impl IntoIterator<Item = u64>,
        byte_size: u64,
    ) -> Self {
        let mut descriptor = Self::plain(element_type, shape, Layout::RowMajor);
        descriptor.buffers.push(BufferHandle::host(byte_size));
        descriptor
    }

    /// The same with another alignment in every handle, in bytes.
    pub(crate) fn with_alignment(mut self, bytes: u32) -> Self {
        for buffer in &mut self.buffers {
            buffer.alignment = bytes;
        }
        self
    }

    /// The head of a group: shape `[member_count]`, element type uint8.
    pub(crate) fn group(member_count: u32) -> Self {
        let head = CompositeHead { rule: CompositionRule::Group, member_count };
        Self::plain(ElementType::UInt8, [u64::from(member_count)], Layout::Composite(head))
    }

    fn plain(element_type: ElementType, shape: impl IntoIterator<Item = u64>, layout: Layout) -> Self {
        Self {
            version_minor: 0,
            element_type,
            shape: shape.into_iter().collect(),
            byte_offset: 0,
            layout,
            buffers: SmallVec::new(),
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
            member_role: None,
            trailing_bytes: 0,
        }
    }
}

impl DescriptorBuilder {
    /// How the elements lie in the buffers.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.0.layout = layout;
        self
    }

    /// From the start of buffer 0 to element `[0, ..., 0]`, in bytes.
    pub fn byte_offset(mut self, byte_offset: u64) -> Self {
        self.0.byte_offset = byte_offset;
        self
    }

    /// Adds a buffer. With none added, all buffers are host buffers of just the size that they need.
    pub fn buffer(mut self, handle: BufferHandle) -> Self {
        self.0.buffers.push(handle);
        self
    }

    /// Adds host buffers of these sizes in bytes.
    pub fn buffer_sizes(mut self, byte_sizes: impl IntoIterator<Item = u64>) -> Self {
        self.0.buffers.extend(byte_sizes.into_iter().map(BufferHandle::host));
        self
    }

    /// How stored elements become real numbers.
    pub fn quantization(mut self, quantization: Quantization) -> Self {
        self.0.quantization = Some(quantization);
        self
    }

    /// The box of a larger tensor that this one is.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.0.shard = Some(Box::new(shard));
        self
    }

    /// Facts about the values.
    pub fn statistics(mut self, statistics: Statistics) -> Self {
        self.0.statistics = Some(Box::new(statistics));
        self
    }

    /// The width and kind of a private element type.
    pub fn extension_type(mut self, extension_type: ExtensionType) -> Self {
        self.0.extension_type = Some(extension_type);
        self
    }

    /// The role of a member of an overlay.
    pub fn member_role(mut self, member_role: MemberRole) -> Self {
        self.0.member_role = Some(member_role);
        self
    }

    /// The descriptor.
    ///
    /// # Errors
    ///
    /// The rule of the format that it would break: sizes that don't fit the shape, a layout that doesn't fit
    /// the rank, and so on. `BUF-02` also where no buffers were added and the layout leaves their size open.
    pub fn build(mut self) -> Result<TensorDescriptor, FormatError> {
        if self.0.buffers.is_empty() {
            self.0.buffers = self.0.exact_buffers()?;
        }
        self.0.check_as_built()?;
        Ok(self.0)
    }
}

impl TensorDescriptor {
    /// Host buffers of just the size that layout and quantization need.
    fn exact_buffers(&self) -> Result<SmallVec<[BufferHandle; 1]>, FormatError> {
        let unsized_buffer = |index: usize| {
            let rule = if self.layout.is_dense() { Rule::Buf14 } else { Rule::Buf02 };
            rule.broken()
                .at(at(self.buffer_table_at()))
                .expected_to_be(format!("the size of buffer {index}"))
                .but_found("none given, and none that follows from the shape")
        };
        let own = self.layout.buffer_count(self.rank()).ok_or_else(|| unsized_buffer(0))?;
        let mut buffers: SmallVec<[BufferHandle; 1]> = smallvec![];
        for index in 0..own {
            match self.required_size(index) {
                Some(BufferSize::Exactly(bytes)) => {
                    let bytes = u64::try_from(bytes).map_err(|_| unsized_buffer(index))?;
                    buffers.push(BufferHandle::host(bytes));
                }
                _ => return Err(unsized_buffer(index)),
            }
        }
        let Some(parameters) = self.parameters() else { return Ok(buffers) };
        let sizes =
            [Some(parameters.scale_bytes()), parameters.zero_points.map(|_| parameters.zero_point_bytes())];
        for bytes in sizes.into_iter().flatten() {
            let bytes = u64::try_from(bytes).map_err(|_| unsized_buffer(buffers.len()))?;
            buffers.push(BufferHandle::host(bytes));
        }
        Ok(buffers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::ScaleType;

    #[test]
    fn buffers_get_the_size_that_they_need() {
        let sizes = |builder: DescriptorBuilder| -> Vec<u64> {
            builder.build().unwrap().buffers().iter().map(|handle| handle.byte_size).collect()
        };
        assert_eq!(sizes(TensorDescriptor::builder(ElementType::Float32, [3, 4])), [48]);
        assert_eq!(sizes(TensorDescriptor::builder(ElementType::Float32, [])), [4]);
        assert_eq!(sizes(TensorDescriptor::builder(ElementType::Bool, [10])), [2]);
        assert_eq!(sizes(TensorDescriptor::builder(ElementType::Float32, [0, 4])), [0]);
        let csr = TensorDescriptor::builder(ElementType::Float32, [3, 3]).layout(Layout::Csr { nnz: 2 });
        assert_eq!(sizes(csr), [8, 16, 32]);
        let morton = Layout::Morton { bits: smallvec![2, 2] };
        assert_eq!(sizes(TensorDescriptor::builder(ElementType::Float32, [3, 4]).layout(morton)), [64]);
        let hilbert = Layout::Hilbert { order: 2 };
        assert_eq!(sizes(TensorDescriptor::builder(ElementType::Int4, [4, 4]).layout(hilbert)), [8]);
    }

    #[test]
    fn partial_blocks_take_whole_ones_and_parameters_their_own_buffers() {
        let quantization = Quantization::PerBlock {
            axis: 1,
            block_size: 4,
            scales: 1,
            zero_points: Some(2),
            scale_type: ScaleType::Float16,
        };
        let descriptor =
            TensorDescriptor::builder(ElementType::Int8, [2, 5]).quantization(quantization).build().unwrap();
        let sizes: Vec<u64> = descriptor.buffers().iter().map(|handle| handle.byte_size).collect();
        assert_eq!(sizes, [16, 8, 16]);
    }

    #[test]
    fn refuses_what_readers_would() {
        let refused = |builder: DescriptorBuilder| builder.build().unwrap_err().rule();
        let float = |shape: &[u64]| TensorDescriptor::builder(ElementType::Float32, shape.iter().copied());
        assert_eq!(refused(float(&[1; 65])), Rule::Dsc08);
        assert_eq!(refused(float(&[]).layout(Layout::ColumnMajor)), Rule::Dsc09);
        assert_eq!(refused(float(&[3]).buffer_sizes([11])), Rule::Buf14);
        assert_eq!(refused(float(&[u64::MAX - 1; 4])), Rule::Buf14);
        assert_eq!(
            refused(float(&[3]).layout(Layout::Csr { nnz: 1 }).buffer_sizes([4, 8, 8])),
            Rule::LayCsr01
        );
        let strided = Layout::Strided { strides: smallvec![1, 1] };
        assert_eq!(refused(float(&[3]).layout(strided).buffer_sizes([12])), Rule::Dsc04);
        assert_eq!(refused(TensorDescriptor::builder(ElementType::Private(0xF0), [3])), Rule::Buf14);
        let role =
            float(&[3]).layout(TensorDescriptor::group(3).layout.clone()).member_role(MemberRole::Base);
        assert_eq!(refused(role), Rule::Cmp04);
    }
}
