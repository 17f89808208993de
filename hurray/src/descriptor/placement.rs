//! Where the buffers of a tensor lie in a file (FORMAT §2.4; the PLC rules of §9.4).

use smallvec::SmallVec;

use crate::bytes::{align_up, is_aligned};
use crate::error::{FormatError, Rule};
use crate::policy::Policy;

use super::{Layout, TensorDescriptor};

/// What descriptors, KV and index are aligned to, in bytes.
pub(crate) const ITEM_ALIGNMENT: u64 = 8;

/// A range of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// From the start of the file, in bytes.
    pub(crate) offset: u64,
    /// In bytes.
    pub(crate) len: u64,
}

impl Extent {
    /// Where it ends; `None` past `u64`.
    pub(crate) fn end(self) -> Option<u64> {
        self.offset.checked_add(self.len)
    }
}

/// What follows the last buffer of a tensor, and what else differs between writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Profile {
    /// Zeros up to the alignment of buffers: what the format demands of writers.
    #[default]
    Padded,
    /// As the format's reference writer: zeros up to a multiple of 8; the header announces neither KV section
    /// nor number of tensors. Only for files that must equal those of that writer byte for byte.
    Compact,
}

/// Where the data of a tensor lie; all offsets from the start of the file, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    /// Where buffer 0 starts; for a head, which has none, where the next item does.
    pub(crate) data_offset: u64,
    /// All buffers and the padding between them; 0 for a head.
    pub(crate) data_length: u64,
    /// Where the last buffer ends; for a head, where its descriptor does.
    pub(crate) end: u64,
    /// Every buffer.
    pub(crate) buffers: SmallVec<[Extent; 1]>,
    alignment: u64,
}

impl Placement {
    /// The one place that a tensor has whose descriptor is at `descriptor_offset`, in a file whose buffers are
    /// aligned to `alignment`. `None` past `u64`.
    #[cfg(test)]
    pub(crate) fn of(
        descriptor: &TensorDescriptor,
        descriptor_offset: u64,
        descriptor_length: u64,
        alignment: u32,
    ) -> Option<Self> {
        let end = descriptor_offset.checked_add(descriptor_length)?;
        if descriptor.buffers.is_empty() {
            return Some(Self {
                data_offset: align_up(end, ITEM_ALIGNMENT)?,
                data_length: 0,
                end,
                buffers: SmallVec::new(),
                alignment: ITEM_ALIGNMENT,
            });
        }
        let data_offset = align_up(end, u64::from(alignment))?;
        Self::from_data_offset(descriptor, data_offset, u64::from(alignment))
    }

    /// The same for a known start of buffer 0.
    fn from_data_offset(descriptor: &TensorDescriptor, data_offset: u64, alignment: u64) -> Option<Self> {
        let mut buffers = SmallVec::with_capacity(descriptor.buffers.len());
        let mut end = data_offset;
        for handle in &descriptor.buffers {
            let extent = Extent { offset: align_up(end, alignment)?, len: handle.byte_size };
            end = extent.end()?;
            buffers.push(extent);
        }
        Some(Self { data_offset, data_length: end.checked_sub(data_offset)?, end, buffers, alignment })
    }

    /// Where the next descriptor, KV section or index starts (PLC-07, PLC-08). `None` past `u64`.
    #[cfg(test)]
    pub(crate) fn next_item(&self, profile: Profile) -> Option<u64> {
        match profile {
            Profile::Padded => align_up(self.end, self.alignment),
            Profile::Compact => align_up(self.end, ITEM_ALIGNMENT),
        }
    }
}

/// What the index says of where one tensor is; all in bytes, offsets from the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexedPlace {
    pub(crate) descriptor_offset: u64,
    pub(crate) descriptor_length: u32,
    pub(crate) data_offset: u64,
    pub(crate) data_length: u64,
}

impl TensorDescriptor {
    /// PLC-01..06: the extent of every buffer, if the index and the descriptor agree on them and every one ends
    /// by `region_end`. Offsets in errors count from the start of the file.
    ///
    /// A tensor of unknown layout, which only permissive mode lets through, gives one extent with all its data.
    #[inline]
    pub(crate) fn check_placement(
        &self,
        place: IndexedPlace,
        alignment: u32,
        region_end: u64,
        policy: &Policy,
    ) -> Result<SmallVec<[Extent; 1]>, FormatError> {
        if self.composite().is_some() {
            return check_head(place);
        }
        let descriptor_end = place.descriptor_offset.saturating_add(u64::from(place.descriptor_length));
        if let Layout::Unknown { .. } = self.layout {
            return check_opaque(place, descriptor_end, region_end);
        }
        let alignment = u64::from(alignment);
        Rule::Plc01.check(is_aligned(place.data_offset, alignment), |e| {
            e.at(place.descriptor_offset)
                .expected_to_be(format!("data at a multiple of {alignment}"))
                .but_found(place.data_offset)
        })?;
        let in_place = if policy.is_permissive() {
            place.data_offset >= descriptor_end
        } else {
            align_up(descriptor_end, alignment) == Some(place.data_offset)
        };
        Rule::Plc02.check(in_place, |e| {
            e.at(place.descriptor_offset)
                .expected_to_be(format!("data at the first multiple of {alignment} from {descriptor_end}"))
                .but_found(place.data_offset)
        })?;
        let mut placement =
            Placement::from_data_offset(self, place.data_offset, alignment).ok_or_else(|| {
                Rule::Plc04
                    .broken()
                    .at(place.data_offset)
                    .expected_to_be(format!("buffers that end by {region_end}"))
                    .but_found("sizes past 64 bits")
            })?;
        for extent in &mut placement.buffers {
            if extent.len == 0 {
                // Takes no bytes, but its position may lie beyond the region; kept where it can be sliced.
                extent.offset = extent.offset.min(region_end);
                continue;
            }
            let end = extent.end();
            Rule::Plc04.check(end.is_some_and(|end| end <= region_end), |e| {
                e.at(extent.offset)
                    .expected_to_be(format!("a buffer that ends by {region_end}"))
                    .but_found(format_args!("{} bytes", extent.len))
            })?;
        }
        Rule::Plc03.check(place.data_length == placement.data_length || policy.is_permissive(), |e| {
            e.at(place.descriptor_offset)
                .expected_to_be(format!("data length {}", placement.data_length))
                .but_found(place.data_length)
        })?;
        Ok(placement.buffers)
    }
}

/// PLC-05, PLC-06.
fn check_head(place: IndexedPlace) -> Result<SmallVec<[Extent; 1]>, FormatError> {
    Rule::Plc05.check(place.data_length == 0, |e| {
        e.at(place.descriptor_offset)
            .expected_to_be("data length 0 of a composite head")
            .but_found(place.data_length)
    })?;
    Ok(SmallVec::new())
}

/// The data of a tensor whose buffers are not known.
#[cold]
fn check_opaque(
    place: IndexedPlace,
    descriptor_end: u64,
    region_end: u64,
) -> Result<SmallVec<[Extent; 1]>, FormatError> {
    let data = Extent { offset: place.data_offset.min(region_end), len: place.data_length };
    if data.len > 0 {
        let in_bounds =
            place.data_offset >= descriptor_end && data.end().is_some_and(|end| end <= region_end);
        Rule::Plc04.check(in_bounds, |e| {
            e.at(place.data_offset)
                .expected_to_be(format!("data from {descriptor_end} to {region_end}"))
                .but_found(format_args!("{} bytes", place.data_length))
        })?;
    }
    Ok(SmallVec::from_elem(data, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ElementType;

    fn place(descriptor_offset: u64, descriptor_length: u32, data: (u64, u64)) -> IndexedPlace {
        IndexedPlace { descriptor_offset, descriptor_length, data_offset: data.0, data_length: data.1 }
    }

    #[test]
    fn tensors_lie_as_in_the_worked_placement() {
        let weights = TensorDescriptor::row_major(ElementType::Float32, [2, 2], 16);
        let placement = Placement::of(&weights, 64, 61, 4096).unwrap();
        assert_eq!((placement.data_offset, placement.data_length, placement.end), (4096, 16, 4112));
        assert_eq!(placement.next_item(Profile::Compact), Some(4112));
        assert_eq!(placement.next_item(Profile::Padded), Some(8192));
        let bias = TensorDescriptor::row_major(ElementType::Int8, [3], 3);
        let placement = Placement::of(&bias, 4112, 53, 4096).unwrap();
        assert_eq!((placement.data_offset, placement.end), (8192, 8195));
        assert_eq!(placement.next_item(Profile::Compact), Some(8200));
        assert_eq!(Placement::of(&bias, u64::MAX - 60, 53, 4096), None);
    }

    #[test]
    fn heads_are_followed_by_no_padding_but_to_8() {
        let head = TensorDescriptor::group(2);
        let placement = Placement::of(&head, 64, 45, 4096).unwrap();
        assert_eq!((placement.data_offset, placement.data_length), (112, 0));
        assert_eq!(placement.next_item(Profile::Padded), Some(112));
        assert!(
            head.check_placement(place(64, 45, (7, 0)), 4096, 112, &Policy::default()).unwrap().is_empty()
        );
        let broken =
            head.check_placement(place(64, 45, (112, 1)), 4096, 113, &Policy::default()).unwrap_err();
        assert_eq!(broken.rule(), Rule::Plc05);
    }

    #[test]
    fn refuses_data_elsewhere_than_the_descriptor_tells() {
        let tensor = TensorDescriptor::row_major(ElementType::Float32, [2, 2], 16);
        let strict = Policy::default();
        let check = |data, region_end, policy: &Policy| {
            tensor.check_placement(place(64, 61, data), 4096, region_end, policy).map_err(|e| e.rule())
        };
        let extents: SmallVec<[Extent; 1]> = SmallVec::from_elem(Extent { offset: 4096, len: 16 }, 1);
        assert_eq!(check((4096, 16), 4112, &strict), Ok(extents.clone()));
        assert_eq!(check((4097, 16), 9000, &strict), Err(Rule::Plc01));
        assert_eq!(check((8192, 16), 9000, &strict), Err(Rule::Plc02));
        assert_eq!(check((4096, 17), 9000, &strict), Err(Rule::Plc03));
        assert_eq!(check((4096, 16), 4111, &strict), Err(Rule::Plc04));
        let permissive = Policy { mode: crate::Mode::Permissive, ..Policy::default() };
        assert_eq!(check((4096, 17), 9000, &permissive), Ok(extents));
        assert_eq!(check((0, 16), 9000, &permissive), Err(Rule::Plc02));
        assert_eq!(check((4096, 16), 4111, &permissive), Err(Rule::Plc04));
    }
}
