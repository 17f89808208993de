//! The form of a file: what is decided before its first byte, and where tensors then lie (FORMAT §2.4).

use crate::bytes::align_up;
use crate::container::{FileFlags, Header, ITEM_ALIGNMENT};
use crate::descriptor::placement::Profile;
use crate::error::{FormatError, Rule};

/// What is decided before the first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileForm {
    /// `A`, in bytes.
    pub(crate) alignment: u32,
    pub(crate) sorted_index: bool,
    pub(crate) profile: Profile,
}

impl Default for FileForm {
    fn default() -> Self {
        Self { alignment: *Header::ALIGNMENTS.start(), sorted_index: false, profile: Profile::Padded }
    }
}

/// Where one tensor lies; all in bytes from the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) descriptor_offset: u64,
    pub(super) data_offset: u64,
    /// From the start of the first buffer to the end of the last one.
    pub(super) data_length: u64,
    /// Where the next item starts.
    pub(super) next: u64,
}

impl FileForm {
    /// Passes an alignment that a header may have.
    pub(super) fn check(&self) -> Result<(), FormatError> {
        Rule::Hdr05.check(self.alignment.is_power_of_two(), |e| {
            e.expected_to_be("a power of two as alignment").but_found(self.alignment)
        })?;
        Rule::Hdr06.check(Header::ALIGNMENTS.contains(&self.alignment), |e| {
            e.expected_to_be("an alignment of 4096 to 2097152").but_found(self.alignment)
        })
    }

    pub(super) fn header(&self, has_kv: bool, tensors: Option<u64>) -> Header {
        let is_announced = self.profile == Profile::Padded;
        Header {
            version_minor: 0,
            flags: FileFlags {
                has_kv_metadata: has_kv && is_announced,
                sorted_index: self.sorted_index,
                has_index_crc32c: true,
            },
            alignment: self.alignment,
            first_descriptor_offset: Header::END,
            tensor_count_hint: tensors.filter(|_| is_announced),
        }
    }

    /// `A`, for arithmetic on offsets.
    pub(super) fn alignment(&self) -> u64 {
        u64::from(self.alignment)
    }

    /// Places the tensor that comes next at or after `offset`; `None` past the end of any file.
    pub(super) fn place(
        &self,
        offset: u64,
        descriptor_length: u64,
        byte_sizes: impl IntoIterator<Item = u64>,
    ) -> Option<Placed> {
        let descriptor_offset = align_up(offset, ITEM_ALIGNMENT)?;
        let descriptor_end = descriptor_offset.checked_add(descriptor_length)?;
        let mut byte_sizes = byte_sizes.into_iter();
        let Some(first) = byte_sizes.next() else {
            // PLC-07: a head is not followed by padding to `A`.
            let data_offset = align_up(descriptor_end, ITEM_ALIGNMENT)?;
            return Some(Placed { descriptor_offset, data_offset, data_length: 0, next: data_offset });
        };
        let data_offset = align_up(descriptor_end, self.alignment())?;
        let mut end = data_offset.checked_add(first)?;
        for byte_size in byte_sizes {
            end = align_up(end, self.alignment())?.checked_add(byte_size)?;
        }
        let padding = match self.profile {
            Profile::Padded => self.alignment(),
            Profile::Compact => ITEM_ALIGNMENT,
        };
        let data_length = end.checked_sub(data_offset)?;
        Some(Placed { descriptor_offset, data_offset, data_length, next: align_up(end, padding)? })
    }
}

#[cfg(test)]
mod tests {
    use super::{FileForm, Placed, Profile};
    use crate::error::Rule;

    const PADDED: FileForm = FileForm { alignment: 4096, sorted_index: false, profile: Profile::Padded };
    const COMPACT: FileForm = FileForm { profile: Profile::Compact, ..PADDED };

    fn placed(descriptor_offset: u64, data_offset: u64, data_length: u64, next: u64) -> Option<Placed> {
        Some(Placed { descriptor_offset, data_offset, data_length, next })
    }

    #[test]
    fn places_the_worked_example_of_the_format() {
        assert_eq!(PADDED.place(64, 61, [16]), placed(64, 4096, 16, 8192));
        assert_eq!(PADDED.place(8192, 53, [3]), placed(8192, 12288, 3, 16384));
        assert_eq!(COMPACT.place(64, 61, [16]), placed(64, 4096, 16, 4112));
        assert_eq!(COMPACT.place(4112, 53, [3]), placed(4112, 8192, 3, 8200));
    }

    #[test]
    fn several_buffers_are_each_aligned() {
        assert_eq!(PADDED.place(64, 109, [8, 4096, 32]), placed(64, 4096, 8192 + 32, 16384));
        // An empty buffer takes no bytes: the next one may share its place.
        assert_eq!(PADDED.place(64, 109, [8, 0, 32]), placed(64, 4096, 4096 + 32, 12288));
    }

    #[test]
    fn an_empty_tensor_is_followed_at_its_own_place() {
        assert_eq!(PADDED.place(64, 61, [0]), placed(64, 4096, 0, 4096));
        assert_eq!(COMPACT.place(64, 61, [0]), placed(64, 4096, 0, 4096));
    }

    #[test]
    fn a_head_is_not_padded_to_the_data_alignment() {
        assert_eq!(PADDED.place(64, 53, []), placed(64, 120, 0, 120));
    }

    #[test]
    fn overflow_is_noticed() {
        assert_eq!(PADDED.place(u64::MAX - 70, 61, [16]), None);
        assert_eq!(PADDED.place(64, 61, [u64::MAX - 4096]), None);
        assert_eq!(PADDED.place(64, 61, [1 << 63, 1 << 63]), None);
    }

    #[test]
    fn refuses_alignments_that_no_header_has() {
        let rule = |alignment| FileForm { alignment, ..PADDED }.check().map_err(|e| e.rule());
        assert_eq!(rule(0), Err(Rule::Hdr05));
        assert_eq!(rule(4097), Err(Rule::Hdr05));
        assert_eq!(rule(2048), Err(Rule::Hdr06));
        assert_eq!(rule(4 << 20), Err(Rule::Hdr06));
        assert_eq!(rule(2 << 20), Ok(()));
    }
}
