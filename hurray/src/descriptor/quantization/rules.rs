//! The rules of a quantization descriptor with the tensor that it belongs to (FORMAT §6, §9.7).

use crate::descriptor::{BlockPaged, DYNAMIC, Layout, TensorDescriptor};
use crate::element::ElementType;
use crate::error::{FormatError, Rule};

use super::{Parameters, Quantization};

impl TensorDescriptor {
    /// QNT-07..14 and the rules of the schemes, but for the storage of partial blocks (QNT-PB-09, QNT-NF-06).
    pub(in crate::descriptor) fn check_quantization(
        &self,
        quantization: &Quantization,
    ) -> Result<(), FormatError> {
        let check =
            Check { tensor: self, at: crate::descriptor::at(self.quantization_at().saturating_add(4)) };
        if let Quantization::Unknown { .. } = quantization {
            return Ok(());
        }
        let storage = self.element_type;
        Rule::Qnt13.check(allows(quantization, storage), |e| {
            e.at(14)
                .expected_to_be(format!("an element type that {} allows", quantization.name()))
                .but_found(storage)
        })?;
        let axis_length = quantization.axis().map(|axis| check.axis(axis)).transpose()?;
        check.buffer_indices(quantization)?;
        match (quantization, axis_length) {
            (Quantization::PerTensor { scale, zero_point }, _) => check.per_tensor(*scale, *zero_point),
            (Quantization::PerChannel { axis, .. }, _) => check.per_channel(*axis),
            (Quantization::PerBlock { axis, block_size, .. }, Some(length)) => {
                check.per_block(*axis, *block_size, length)
            }
            (Quantization::Nf4 { block_size, .. }, Some(length)) => check.nf4(*block_size, length),
            (Quantization::Mxfp { block_size, .. }, Some(length)) => check.mxfp(*block_size, length),
            _ => Ok(()),
        }
    }
}

/// The tensor, and where in its descriptor the scheme's fields start.
struct Check<'a> {
    tensor: &'a TensorDescriptor,
    at: u64,
}

impl Check<'_> {
    /// QNT-11, QNT-12; the length of the axis.
    fn axis(&self, axis: u32) -> Result<u64, FormatError> {
        let shape = self.tensor.shape();
        let at = self.at.saturating_add(4);
        let length = usize::try_from(axis).ok().and_then(|axis| shape.get(axis)).ok_or_else(|| {
            Rule::Qnt11
                .broken()
                .at(at)
                .expected_to_be(format!("an axis below rank {}", shape.len()))
                .but_found(axis)
        })?;
        Rule::Qnt12.check(*length != DYNAMIC, |e| {
            e.at(at).expected_to_be("an axis that is resolved").but_found("a dynamic dimension")
        })?;
        Ok(*length)
    }

    /// QNT-07, QNT-08.
    fn buffer_indices(&self, quantization: &Quantization) -> Result<(), FormatError> {
        let total = self.tensor.buffers.len();
        // The buffers of an extension layout are its own affair; the first one is never a parameter.
        let own = self.tensor.layout.buffer_count(self.tensor.rank()).unwrap_or(1);
        for index in quantization.scales().into_iter().chain(quantization.zero_points()) {
            let position = usize::try_from(index).unwrap_or(usize::MAX);
            Rule::Qnt07.check(position < total, |e| {
                e.at(self.at).expected_to_be(format!("a buffer below {total}")).but_found(index)
            })?;
            Rule::Qnt08.check(position >= own, |e| {
                e.at(self.at)
                    .expected_to_be(format!("a buffer after the {own} of the layout"))
                    .but_found(index)
            })?;
        }
        Ok(())
    }

    /// QNT-PT-01, QNT-PT-02.
    fn per_tensor(&self, scale: f32, zero_point: i32) -> Result<(), FormatError> {
        Rule::QntPt01.check(scale.is_finite() && scale != 0.0, |e| {
            e.at(self.at.saturating_add(4))
                .expected_to_be("a scale that is finite and not zero")
                .but_found(scale)
        })?;
        let (least, most) = storage_range(self.tensor.element_type);
        Rule::QntPt02.check((least..=most).contains(&i64::from(zero_point)), |e| {
            e.at(self.at.saturating_add(8))
                .expected_to_be(format!("a zero point from {least} to {most}"))
                .but_found(zero_point)
        })
    }

    /// QNT-BP-01, QNT-PC-04, QNT-PC-05, QNT-09.
    fn per_channel(&self, axis: u32) -> Result<(), FormatError> {
        if self.paged().is_some() {
            Rule::QntBp01.check(matches!(axis, 1 | 2), |e| {
                e.at(self.at.saturating_add(4))
                    .expected_to_be("axis 1 or 2 of a block-paged tensor")
                    .but_found(axis)
            })?;
        }
        self.sizes(Rule::QntPc04, Rule::QntPc05)
    }

    /// QNT-PB-01, QNT-PB-02, QNT-PB-06, QNT-PB-07, QNT-BP-02..04, QNT-09.
    fn per_block(&self, axis: u32, block_size: u32, length: u64) -> Result<(), FormatError> {
        self.block_size(Rule::QntPb01, block_size, 2, u32::MAX)?;
        if let Some(paged) = self.paged() {
            Rule::QntBp02.check(axis == 0, |e| {
                e.at(self.at.saturating_add(4))
                    .expected_to_be("axis 0 of a block-paged tensor")
                    .but_found(axis)
            })?;
            Rule::QntBp03.check(block_size == paged.page_size, |e| {
                e.at(self.at.saturating_add(8))
                    .expected_to_be(format!("blocks of {}, the page size", paged.page_size))
                    .but_found(block_size)
            })?;
            return self.sizes(Rule::QntBp04, Rule::QntBp04);
        }
        self.block_within(Rule::QntPb02, block_size, length)?;
        self.sizes(Rule::QntPb06, Rule::QntPb07)
    }

    /// QNT-NF-01..03. On a block-paged tensor the scheme has no meaning, and none of them applies.
    fn nf4(&self, block_size: u32, length: u64) -> Result<(), FormatError> {
        if self.paged().is_some() {
            return Ok(());
        }
        self.block_size(Rule::QntNf01, block_size, 8, u32::MAX)?;
        self.block_within(Rule::QntNf02, block_size, length)?;
        self.sizes(Rule::QntNf03, Rule::QntNf03)
    }

    /// QNT-MX-01..03. On a block-paged tensor the scheme has no meaning, and none of them applies.
    fn mxfp(&self, block_size: u32, length: u64) -> Result<(), FormatError> {
        if self.paged().is_some() {
            return Ok(());
        }
        self.block_size(Rule::QntMx01, block_size, 16, 2048)?;
        let is_multiple = length > 0 && length.checked_rem(u64::from(block_size)) == Some(0);
        Rule::QntMx02.check(is_multiple, |e| {
            e.at(self.at.saturating_add(4))
                .expected_to_be(format!("an axis of whole blocks of {block_size}"))
                .but_found(length)
        })?;
        self.sizes(Rule::QntMx03, Rule::QntMx03)
    }

    fn block_size(&self, rule: Rule, block_size: u32, least: u32, most: u32) -> Result<(), FormatError> {
        rule.check(block_size.is_power_of_two() && (least..=most).contains(&block_size), |e| {
            e.at(self.at.saturating_add(8))
                .expected_to_be(format!("a block size that is a power of two from {least} to {most}"))
                .but_found(block_size)
        })
    }

    fn block_within(&self, rule: Rule, block_size: u32, length: u64) -> Result<(), FormatError> {
        rule.check(length == 0 || u64::from(block_size) <= length, |e| {
            e.at(self.at.saturating_add(8))
                .expected_to_be(format!("a block size within the axis of {length}"))
                .but_found(block_size)
        })
    }

    /// The buffers have exactly the size of their parameters; unchecked where a dimension is not resolved.
    fn sizes(&self, scale_rule: Rule, zero_point_rule: Rule) -> Result<(), FormatError> {
        let Some(parameters) = self.tensor.parameters() else { return Ok(()) };
        let Parameters { scales, zero_points, .. } = parameters;
        let (scale_bytes, zero_point_bytes) = (parameters.scale_bytes(), parameters.zero_point_bytes());
        match zero_points {
            Some(zero_points) if zero_points == scales => {
                self.size(Rule::Qnt09, scales, scale_bytes.saturating_add(zero_point_bytes))
            }
            Some(zero_points) => {
                self.size(scale_rule, scales, scale_bytes)?;
                self.size(zero_point_rule, zero_points, zero_point_bytes)
            }
            None => self.size(scale_rule, scales, scale_bytes),
        }
    }

    fn size(&self, rule: Rule, buffer: u32, expected: u128) -> Result<(), FormatError> {
        let index = usize::try_from(buffer).unwrap_or(usize::MAX);
        let found = self.tensor.buffers.get(index).map_or(0, |handle| handle.byte_size);
        rule.check(u128::from(found) == expected, |e| {
            e.at(crate::descriptor::at(self.tensor.handle_at(index)))
                .expected_to_be(format!("{expected} bytes of parameters in buffer {buffer}"))
                .but_found(found)
        })
    }

    fn paged(&self) -> Option<&BlockPaged> {
        match &self.tensor.layout {
            Layout::BlockPaged(paged) => Some(paged),
            _ => None,
        }
    }
}

/// Which storage types a scheme allows (FORMAT §6.4–§6.8).
fn allows(quantization: &Quantization, storage: ElementType) -> bool {
    use ElementType as E;
    match quantization {
        Quantization::PerTensor { .. } | Quantization::PerChannel { .. } => matches!(
            storage,
            E::Int8
                | E::UInt8
                | E::Int16
                | E::UInt16
                | E::Int32
                | E::UInt32
                | E::Int4
                | E::UInt4
                | E::Int2
                | E::UInt2
        ),
        Quantization::PerBlock { .. } => {
            matches!(storage, E::Int8 | E::UInt8 | E::Int4 | E::UInt4 | E::Int2 | E::UInt2)
        }
        Quantization::Nf4 { .. } => storage == E::UInt4,
        Quantization::Mxfp { .. } => matches!(
            storage,
            E::Float8E4M3 | E::Float8E5M2 | E::Float4E2M1 | E::Float6E2M3 | E::Float6E3M2 | E::Int8 | E::Int4
        ),
        Quantization::Unknown { .. } => true,
    }
}

/// The values that a storage type of the affine schemes can have, and with it their zero points.
pub(crate) fn storage_range(storage: ElementType) -> (i64, i64) {
    use ElementType as E;
    match storage {
        E::Int2 => (-2, 1),
        E::UInt2 => (0, 3),
        E::Int4 => (-8, 7),
        E::UInt4 => (0, 15),
        E::Int8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        E::UInt8 => (0, i64::from(u8::MAX)),
        E::Int16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        E::UInt16 => (0, i64::from(u16::MAX)),
        E::UInt32 => (0, i64::from(u32::MAX)),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::{KvRole, ScaleType};

    fn per_block(block_size: u32, scale_type: ScaleType) -> Quantization {
        Quantization::PerBlock { axis: 1, block_size, scales: 1, zero_points: None, scale_type }
    }

    fn refused(
        storage: ElementType,
        shape: [u64; 2],
        quantization: Quantization,
        byte_sizes: &[u64],
    ) -> Option<Rule> {
        TensorDescriptor::builder(storage, shape)
            .quantization(quantization)
            .buffer_sizes(byte_sizes.iter().copied())
            .build()
            .err()
            .map(|broken| broken.rule())
    }

    #[test]
    fn refuses_scales_and_zero_points_that_do_not_fit_the_storage_type() {
        let per_tensor = |storage, scale, zero_point| {
            refused(storage, [2, 2], Quantization::PerTensor { scale, zero_point }, &[])
        };
        assert_eq!(per_tensor(ElementType::Int4, -0.5, -8), None);
        assert_eq!(per_tensor(ElementType::Int4, -0.5, 8), Some(Rule::QntPt02));
        assert_eq!(per_tensor(ElementType::UInt32, 1.0, -1), Some(Rule::QntPt02));
        assert_eq!(per_tensor(ElementType::Int8, f32::NAN, 0), Some(Rule::QntPt01));
        assert_eq!(per_tensor(ElementType::Float32, 1.0, 0), Some(Rule::Qnt13));
    }

    #[test]
    fn refuses_parameter_buffers_that_are_none() {
        let per_channel = |scales| Quantization::PerChannel { axis: 0, scales, zero_points: None };
        let int8 =
            |quantization, byte_sizes: &[u64]| refused(ElementType::Int8, [2, 4], quantization, byte_sizes);
        assert_eq!(int8(per_channel(1), &[8, 8]), None);
        assert_eq!(int8(per_channel(1), &[8, 9]), Some(Rule::QntPc04));
        assert_eq!(int8(per_channel(2), &[8, 8]), Some(Rule::Qnt07));
        assert_eq!(int8(per_channel(0), &[8, 8]), Some(Rule::Qnt08));
        assert_eq!(int8(per_channel(1), &[8, 8, 8]), Some(Rule::Buf02));
        let axis_2 = Quantization::PerChannel { axis: 2, scales: 1, zero_points: None };
        assert_eq!(int8(axis_2, &[8, 8]), Some(Rule::Qnt11));
        let shared = Quantization::PerChannel { axis: 0, scales: 1, zero_points: Some(1) };
        assert_eq!(int8(shared.clone(), &[8, 16]), None);
        assert_eq!(int8(shared, &[8, 8]), Some(Rule::Qnt09));
    }

    #[test]
    fn refuses_blocks_that_do_not_fit_the_axis() {
        let int8 = |block_size, byte_sizes: &[u64]| {
            refused(ElementType::Int8, [2, 5], per_block(block_size, ScaleType::Float32), byte_sizes)
        };
        assert_eq!(int8(4, &[16, 16]), None);
        assert_eq!(int8(4, &[15, 16]), Some(Rule::QntPb09));
        assert_eq!(int8(4, &[9, 16]), Some(Rule::Buf14));
        assert_eq!(int8(4, &[16, 8]), Some(Rule::QntPb06));
        assert_eq!(int8(3, &[16, 16]), Some(Rule::QntPb01));
        assert_eq!(int8(8, &[16, 8]), Some(Rule::QntPb02));
        let mxfp = Quantization::Mxfp { axis: 1, block_size: 32, scales: 1 };
        assert_eq!(refused(ElementType::Int8, [2, 64], mxfp.clone(), &[128, 4]), None);
        assert_eq!(refused(ElementType::Int8, [2, 48], mxfp.clone(), &[96, 4]), Some(Rule::QntMx02));
        assert_eq!(refused(ElementType::Int8, [2, 0], mxfp, &[0, 0]), Some(Rule::QntMx02));
        let nf4 = Quantization::Nf4 { axis: 1, block_size: 8, scales: 1 };
        assert_eq!(refused(ElementType::UInt4, [2, 9], nf4.clone(), &[16, 16]), None);
        assert_eq!(refused(ElementType::UInt4, [2, 9], nf4, &[9, 16]), Some(Rule::QntNf06));
    }

    #[test]
    fn paged_tensors_have_one_parameter_per_slot() {
        let paged = BlockPaged {
            page_size: 4,
            num_pages: 5,
            paged_axis: 0,
            num_seqs: 2,
            kv_role: KvRole::Key,
            layer_index: None,
            wide_indices: false,
        };
        let refused = |axis, block_size, scale_bytes| {
            let quantization = Quantization::PerBlock {
                axis,
                block_size,
                scales: 3,
                zero_points: None,
                scale_type: ScaleType::Float32,
            };
            TensorDescriptor::builder(ElementType::Int8, [3, 2, 8])
                .layout(Layout::BlockPaged(paged))
                .quantization(quantization)
                .buffer_sizes([320, 12, 12, scale_bytes])
                .build()
                .err()
                .map(|broken| broken.rule())
        };
        // The block is longer than the 3 tokens of the axis, which does not matter here.
        assert_eq!(refused(0, 4, 80), None);
        assert_eq!(refused(0, 4, 12), Some(Rule::QntBp04));
        assert_eq!(refused(1, 4, 80), Some(Rule::QntBp02));
        assert_eq!(refused(0, 2, 80), Some(Rule::QntBp03));
    }
}
