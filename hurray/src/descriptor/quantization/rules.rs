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
