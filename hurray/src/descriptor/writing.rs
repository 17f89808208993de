//! What a writer owes beyond what readers check (the rules marked `W` in FORMAT §9).

use crate::error::{FormatError, Rule};
use crate::policy::{Policy, is_private};

use super::buffers::SyncMode;
use super::header::check_element_type;
use super::layout::{CompositionRule, Layout};
use super::quantization::Quantization;
use super::sizes::BufferSize;
use super::{DYNAMIC, TensorDescriptor, at};

impl TensorDescriptor {
    /// Every rule that readers check and those that only bind writers, for a file whose buffers are aligned to
    /// `alignment`: DSC-09, DSC-12, DSC-13, DSC-16, BUF-17, PLC-12, QNT-09, QNT-BP-05, LAY-BP-12, STA-09,
    /// VER-04. The private tags that the descriptor itself has are taken to be meant.
    pub(crate) fn validate_for_writing(&self, alignment: u32) -> Result<(), FormatError> {
        self.check_as_built()?;
        Rule::Dsc12.check(u32::try_from(self.encoded_len()).is_ok(), |e| {
            e.at(6).expected_to_be("a descriptor below 4 GiB").but_found(self.encoded_len())
        })?;
        self.check_written_shape()?;
        let natural = u64::try_from(self.element_type.natural_alignment()).unwrap_or(1);
        Rule::Dsc16.check(self.byte_offset.is_multiple_of(natural), |e| {
            e.at(at(self.byte_offset_at()))
                .expected_to_be(format!("a byte offset that is a multiple of {natural}"))
                .but_found(self.byte_offset)
        })?;
        self.check_written_buffers(alignment)?;
        self.check_written_quantization()?;
        self.check_written_pages()?;
        Rule::Sta09.check(self.statistics.as_ref().is_none_or(|statistics| !statistics.has_nan()), |e| {
            e.at(at(self.statistics_at())).expected_to_be("statistics without NaN")
        })
    }

    /// The rules that readers check, strictly.
    pub(crate) fn check_as_built(&self) -> Result<(), FormatError> {
        let policy = self.own_tags();
        check_element_type(self.element_type, self.extension_type.is_some(), &policy)?;
        Rule::Lay02.check(!matches!(self.layout, Layout::Unknown { .. }), |e| {
            e.at(15).expected_to_be("a known layout").but_found(format_args!("{:#04x}", self.layout.tag()))
        })?;
        self.check(&policy)?;
        self.check_statistics()
    }

    /// The policy of one who understands the private tags of this descriptor.
    fn own_tags(&self) -> Policy {
        let mut policy = Policy::default();
        let tags = &mut policy.private_tags;
        tags.element_types.extend(Some(self.element_type.tag()).filter(|tag| is_private(*tag)));
        if let Layout::Extension { tag, id, .. } = self.layout {
            tags.layouts.push((tag, id));
        }
        if let Layout::Composite(head) = &self.layout
            && let CompositionRule::Private { tag, .. } = head.rule
        {
            tags.composition_rules.push(tag);
        }
        for handle in &self.buffers {
            tags.devices.extend(Some(handle.device.0).filter(|tag| is_private(*tag)));
            tags.memory_classes.extend(Some(handle.memory_class.0).filter(|tag| is_private(*tag)));
        }
        policy
    }

    /// DSC-13, and DSC-09 as it binds writers.
    fn check_written_shape(&self) -> Result<(), FormatError> {
        let is_group = self.composite().is_some_and(|head| head.rule == CompositionRule::Group);
        Rule::Dsc13.check(is_group || !self.shape.contains(&DYNAMIC), |e| {
            e.at(20)
                .expected_to_be("dimensions that are resolved")
                .but_found(format_args!("{:?}", self.shape))
        })?;
        Rule::Dsc09.check(is_group || self.composite().is_none() || self.rank() > 0, |e| {
            e.at(16).expected_to_be("rank 0 only for the head of a group").but_found(self.layout.name())
        })
    }

    /// BUF-17, PLC-12.
    fn check_written_buffers(&self, alignment: u32) -> Result<(), FormatError> {
        for (index, handle) in self.buffers.iter().enumerate() {
            let handle_at = at(self.handle_at(index));
            Rule::Plc12.check(handle.alignment <= alignment, |e| {
                e.at(handle_at)
                    .expected_to_be(format!("an alignment of at most {alignment}, as the file gives"))
                    .but_found(handle.alignment)
            })?;
            Rule::Buf17.check(handle.sync_mode == SyncMode::ProducerSynced, |e| {
                e.at(handle_at).expected_to_be("sync mode 0 in a file").but_found(handle.sync_mode.tag())
            })?;
            if self.layout.is_dense() {
                continue;
            }
            if let Some(BufferSize::Exactly(bytes)) = self.required_size(index) {
                Rule::Buf17.check(u128::from(handle.byte_size) == bytes, |e| {
                    e.at(handle_at)
                        .expected_to_be(format!("exactly {bytes} bytes in buffer {index}"))
                        .but_found(handle.byte_size)
                })?;
            }
        }
        Ok(())
    }

    /// QNT-03, QNT-09, QNT-BP-05.
    fn check_written_quantization(&self) -> Result<(), FormatError> {
        let Some(quantization) = &self.quantization else { return Ok(()) };
        let section_at = at(self.quantization_at());
        if let Quantization::Unknown { tag, bytes } = quantization {
            Rule::Qnt01.check(bytes.len() >= 4 && bytes.first() == Some(tag), |e| {
                e.at(section_at).expected_to_be("at least 4 bytes, the scheme's tag first")
            })?;
            return Rule::Qnt03.check(is_private(*tag), |e| {
                e.at(section_at).expected_to_be("a known scheme").but_found(format_args!("{tag:#04x}"))
            });
        }
        let shares =
            quantization.zero_points().is_some() && quantization.scales() == quantization.zero_points();
        Rule::Qnt09.check(!shares, |e| {
            e.at(section_at).expected_to_be("scales and zero points in buffers of their own")
        })?;
        Rule::QntBp05.check(self.has_defined_dequantization(), |e| {
            e.at(section_at)
                .expected_to_be("an affine scheme for a block-paged tensor")
                .but_found(quantization.name())
        })
    }

    /// LAY-BP-12.
    fn check_written_pages(&self) -> Result<(), FormatError> {
        let Layout::BlockPaged(paged) = &self.layout else { return Ok(()) };
        let logical_pages =
            self.buffers.get(1).map_or(0, |table| table.byte_size.div_ceil(paged.index_width()));
        let most = u64::from(u32::MAX);
        Rule::LayBp12.check(paged.wide_indices || (paged.num_pages <= most && logical_pages <= most), |e| {
            e.at(at(self.layout_at()))
                .expected_to_be("indices of 64 bits for so many pages")
                .but_found(format_args!("{} pages, {logical_pages} logical ones", paged.num_pages))
        })
    }
}
