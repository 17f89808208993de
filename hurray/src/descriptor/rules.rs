//! The rules that tie the parts of one descriptor together (FORMAT §9.5–§9.8).

use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::buffers::{BufferHandle, MAX_BUFFERS};
use super::layout::Layout;
use super::quantization::Quantization;
use super::{MAX_RANK, TensorDescriptor, at};

impl TensorDescriptor {
    /// Every rule that one descriptor decides, but for those of the element type's tag, which the header
    /// checks, those that only concern the form of its bytes, and those of the statistics. Permissive mode
    /// leaves sizes unchecked: whoever reads elements checks each access.
    #[inline]
    pub(super) fn check(&self, policy: &Policy) -> Result<(), FormatError> {
        Rule::Dsc08.check(self.rank() <= MAX_RANK, |e| {
            e.at(16).expected_to_be("rank at most 64").but_found(self.rank())
        })?;
        self.layout.check(&self.shape, at(self.layout_at()), policy)?;
        if self.is_cut_short() {
            return Ok(());
        }
        self.check_byte_offset()?;
        self.check_buffers(policy)?;
        if let Some(quantization) = &self.quantization {
            Rule::Cmp03.check(self.composite().is_none(), |e| {
                e.at(at(self.quantization_at())).expected_to_be("no quantization with a composite head")
            })?;
            self.check_quantization(quantization)?;
        }
        self.check_buffer_count()?;
        if !policy.is_permissive() {
            self.check_sizes()?;
        }
        self.check_sections()
    }

    /// Whether the layout is unknown, so that nothing behind its tag is.
    fn is_cut_short(&self) -> bool {
        matches!(self.layout, Layout::Unknown { .. })
    }

    /// DSC-11, CMP-02.
    #[inline]
    fn check_byte_offset(&self) -> Result<(), FormatError> {
        let rule = match self.layout {
            _ if self.byte_offset == 0 => return Ok(()),
            Layout::Coo { .. }
            | Layout::Csr { .. }
            | Layout::Csc { .. }
            | Layout::Csf { .. }
            | Layout::BlockPaged(_) => Rule::Dsc11,
            Layout::Composite(_) => Rule::Cmp02,
            _ => return Ok(()),
        };
        Err(rule
            .broken()
            .at(at(self.byte_offset_at()))
            .expected_to_be(format!("byte offset 0 with layout {}", self.layout.name()))
            .but_found(self.byte_offset))
    }

    /// BUF-01 and CMP-01, the rules of every handle, BUF-13, DSC-10.
    #[inline]
    fn check_buffers(&self, policy: &Policy) -> Result<(), FormatError> {
        let Some(first) = self.buffers.first() else {
            return Rule::Buf01.check(self.composite().is_some(), |e| {
                e.at(at(self.buffer_table_at())).expected_to_be("at least one buffer").but_found(0)
            });
        };
        Rule::Cmp01.check(self.composite().is_none(), |e| {
            e.at(at(self.buffer_table_at()))
                .expected_to_be("no buffers of a composite head")
                .but_found(self.buffers.len())
        })?;
        for (index, handle) in self.buffers.iter().enumerate() {
            handle.check(at(self.handle_at(index)), policy)?;
            let is_with_first = (handle.device, handle.memory_class) == (first.device, first.memory_class);
            Rule::Buf13.check(is_with_first, |e| {
                let told = |handle: &BufferHandle| {
                    format!("device {:#04x}, memory class {:#04x}", handle.device.0, handle.memory_class.0)
                };
                e.at(at(self.handle_at(index).saturating_add(12)))
                    .expected_to_be(format!("{} as in buffer 0", told(first)))
                    .but_found(told(handle))
            })?;
        }
        Rule::Dsc10.check(self.byte_offset <= first.byte_size, |e| {
            e.at(at(self.byte_offset_at()))
                .expected_to_be(format!("a byte offset within the {} bytes of buffer 0", first.byte_size))
                .but_found(self.byte_offset)
        })
    }

    /// BUF-02: as many buffers as the layout has, and one for each parameter of the quantization.
    #[inline]
    fn check_buffer_count(&self) -> Result<(), FormatError> {
        let found = self.buffers.len();
        let Some(own) = self.layout.buffer_count(self.rank()) else {
            return self.check_at_most_255();
        };
        let parameters = match &self.quantization {
            None => Some(0),
            Some(quantization) => quantization.parameter_buffers().map(|buffers| buffers.len()),
        };
        let (holds, expected) = match parameters {
            Some(parameters) => (found == own.saturating_add(parameters), own.saturating_add(parameters)),
            None => (found >= own, own),
        };
        Rule::Buf02.check(holds, |e| {
            e.at(at(self.buffer_table_at())).expected_to_be(format!("{expected} buffers")).but_found(found)
        })?;
        self.check_at_most_255()
    }

    fn check_at_most_255(&self) -> Result<(), FormatError> {
        Rule::Buf17.check(self.buffers.len() <= MAX_BUFFERS, |e| {
            e.at(at(self.buffer_table_at()))
                .expected_to_be("at most 255 buffers")
                .but_found(self.buffers.len())
        })
    }

    /// The shard section, the extension type section, and CMP-04.
    #[inline]
    fn check_sections(&self) -> Result<(), FormatError> {
        let shard_at = at(self.shard_at());
        if let Some(shard) = &self.shard {
            shard.check(&self.shape, &self.layout, shard_at)?;
        }
        if let Some(extension_type) = &self.extension_type {
            extension_type.check(shard_at)?;
        }
        Rule::Cmp04.check(self.member_role.is_none() || self.composite().is_none(), |e| {
            e.expected_to_be("no composite member section with a composite head")
        })
    }

    /// STA-03..06.
    pub(super) fn check_statistics(&self) -> Result<(), FormatError> {
        let Some(statistics) = &self.statistics else { return Ok(()) };
        statistics.check(at(self.statistics_at()))?;
        match (statistics.nnz, self.layout.nnz()) {
            (Some(told), Some(stored)) => Rule::Sta03.check(told == stored, |e| {
                e.at(at(self.statistics_at().saturating_add(8)))
                    .expected_to_be(format!("{stored} entries, as the layout has"))
                    .but_found(told)
            }),
            _ => Ok(()),
        }
    }

    /// The same; permissive mode drops statistics that contradict the tensor.
    pub(super) fn check_or_drop_statistics(&mut self, policy: &Policy) -> Result<(), FormatError> {
        match self.check_statistics() {
            Err(_) if policy.is_permissive() => {
                self.statistics = None;
                Ok(())
            }
            checked => checked,
        }
    }

    /// Whether the elements can be dequantized, as far as the format defines it (QNT-BP-05).
    pub(crate) fn has_defined_dequantization(&self) -> bool {
        match &self.quantization {
            None | Some(Quantization::Unknown { .. }) => false,
            Some(Quantization::Nf4 { .. } | Quantization::Mxfp { .. }) => {
                !matches!(self.layout, Layout::BlockPaged(_))
            }
            Some(_) => true,
        }
    }
}
