//! Buffer handles (FORMAT §3.7).

use smallvec::SmallVec;

use crate::bytes::{Cursor, Sink};
use crate::error::{FormatError, Rule};
use crate::policy::{Policy, is_private};

use super::decode::decode_reserved;

/// In bytes.
pub(super) const HANDLE_LEN: usize = 16;

/// The largest number of buffers that a descriptor can have.
pub(super) const MAX_BUFFERS: usize = 255;

/// One entry of the buffer table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferHandle {
    /// In bytes; 0 is an empty buffer.
    pub byte_size: u64,
    /// In bytes, a power of two.
    pub alignment: u32,
    /// Where the buffer is meant to be placed.
    pub device: DeviceTag,
    /// Who waits for the data; without meaning in a file.
    pub sync_mode: SyncMode,
    /// The kind of memory it is meant for.
    pub memory_class: MemoryClass,
}

impl BufferHandle {
    /// A buffer of `byte_size` bytes for the host, aligned to 64.
    #[must_use]
    pub const fn host(byte_size: u64) -> Self {
        Self {
            byte_size,
            alignment: 64,
            device: DeviceTag::CPU,
            sync_mode: SyncMode::ProducerSynced,
            memory_class: MemoryClass::STANDARD,
        }
    }

    /// The number of buffers, and the handles.
    #[inline]
    pub(super) fn decode_table(fields: &mut Cursor<'_>) -> Result<SmallVec<[Self; 1]>, FormatError> {
        let count = usize::from(fields.u8()?);
        let offset = fields.offset();
        let mut handles = Cursor::new(fields.take(count.saturating_mul(HANDLE_LEN))?, offset, Rule::Dsc04);
        let mut table = SmallVec::with_capacity(count);
        for _ in 0..count {
            table.push(Self::decode(&mut handles)?);
        }
        Ok(table)
    }

    /// BUF-08, BUF-12; the rest is in [`check`](Self::check).
    #[inline]
    fn decode(fields: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let byte_size = fields.u64()?;
        let alignment = fields.u32()?;
        let device = DeviceTag(fields.u8()?);
        let sync_mode = match fields.u8()? {
            0 => SyncMode::ProducerSynced,
            1 => SyncMode::Event,
            2 => SyncMode::ConsumerStream,
            unknown => {
                return Err(Rule::Buf08
                    .broken()
                    .at(fields.offset().saturating_sub(1))
                    .expected_to_be("sync mode 0, 1 or 2")
                    .but_found(unknown));
            }
        };
        let memory_class = MemoryClass(fields.u8()?);
        decode_reserved::<1>(fields, Rule::Buf12)?;
        Ok(Self { byte_size, alignment, device, sync_mode, memory_class })
    }

    pub(super) fn encode(&self, sink: &mut Sink) {
        sink.u64(self.byte_size)
            .u32(self.alignment)
            .u8(self.device.0)
            .u8(self.sync_mode.tag())
            .u8(self.memory_class.0)
            .u8(0);
    }

    /// The rules of one handle: BUF-03, BUF-04, BUF-06, BUF-07, BUF-09..11, BUF-18. `at`: where the handle is,
    /// in bytes from the start of the descriptor.
    #[inline]
    pub(super) fn check(&self, at: u64, policy: &Policy) -> Result<(), FormatError> {
        Rule::Buf03.check(self.alignment.is_power_of_two(), |e| {
            e.at(at.saturating_add(8))
                .expected_to_be("an alignment that is a power of two")
                .but_found(self.alignment)
        })?;
        Rule::Buf04.check(self.byte_size == 0 || self.alignment >= 64, |e| {
            e.at(at.saturating_add(8)).expected_to_be("an alignment of at least 64").but_found(self.alignment)
        })?;
        if (self.device, self.memory_class, self.sync_mode)
            == (DeviceTag::CPU, MemoryClass::STANDARD, SyncMode::ProducerSynced)
        {
            return Ok(());
        }
        self.check_placement_tags(at, policy)
    }

    /// The rules of a handle that is not plain host memory.
    #[cold]
    fn check_placement_tags(&self, at: u64, policy: &Policy) -> Result<(), FormatError> {
        let (device, class) = (self.device.0, self.memory_class.0);
        let device_at = at.saturating_add(12);
        let class_at = at.saturating_add(14);
        Rule::Buf06.check(matches!(device, 0x00..=0x08 | 0xF0..=0xFE), |e| {
            e.at(device_at).expected_to_be("a known device").but_found(format_args!("{device:#04x}"))
        })?;
        Rule::Buf10.check(matches!(class, 0x00..=0x03 | 0xF0..=0xFE), |e| {
            e.at(class_at).expected_to_be("a known memory class").but_found(format_args!("{class:#04x}"))
        })?;
        let class_allowed =
            !is_private(class) || (is_private(device) && policy.private_tags.memory_classes.contains(&class));
        Rule::Buf18.check(class_allowed, |e| {
            e.at(class_at)
                .expected_to_be("a memory class that the application has opted in to, on a private device")
                .but_found(format_args!("{class:#04x} on device {device:#04x}"))
        })?;
        let device_allowed =
            !is_private(device) || policy.is_permissive() || policy.private_tags.devices.contains(&device);
        Rule::Buf07.check(device_allowed, |e| {
            e.at(device_at)
                .expected_to_be("a device that the application has opted in to")
                .but_found(format_args!("{device:#04x}"))
        })?;
        Rule::Buf09.check(
            self.device != DeviceTag::CPU || self.sync_mode == SyncMode::ProducerSynced,
            |e| {
                e.at(at.saturating_add(13))
                    .expected_to_be("sync mode 0 on the host")
                    .but_found(self.sync_mode.tag())
            },
        )?;
        Rule::Buf11.check(is_private(class) || class <= self.device.largest_memory_class(), |e| {
            e.at(class_at)
                .expected_to_be("a memory class that the device has")
                .but_found(format_args!("{class} on device {device:#04x}"))
        })
    }
}

/// The device that a buffer is meant for. In a file the bytes are ordinary host bytes whatever it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeviceTag(pub u8);

impl DeviceTag {
    /// Host memory.
    pub const CPU: Self = Self(0);

    /// The device's name, if it has one in the format.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0x00 => "cpu",
            0x01 => "cuda",
            0x02 => "rocm",
            0x03 => "metal",
            0x04 => "vulkan",
            0x05 => "webgpu",
            0x06 => "hexagon",
            0x07 => "level_zero",
            0x08 => "opencl",
            _ => return None,
        })
    }

    /// The classes that a device has are the first ones of the list (the table of FORMAT §3.7).
    const fn largest_memory_class(self) -> u8 {
        match self.0 {
            0x00 | 0x03 | 0x06 | 0x08 => 2,
            0x01 | 0x02 | 0x04 | 0x07 => 3,
            _ => 0,
        }
    }
}

/// The kind of memory that a buffer is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryClass(pub u8);

impl MemoryClass {
    /// Nothing special.
    pub const STANDARD: Self = Self(0);

    /// The class's name, if it has one in the format.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0x00 => "standard",
            0x01 => "host_pinned",
            0x02 => "unified",
            0x03 => "peer",
            _ => return None,
        })
    }
}

/// Who waits for the data of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SyncMode {
    /// The producer did.
    ProducerSynced,
    /// An event tells.
    Event,
    /// The consumer's stream does.
    ConsumerStream,
}

impl SyncMode {
    /// The tag in the file.
    #[must_use]
    pub const fn tag(self) -> u8 {
        match self {
            Self::ProducerSynced => 0,
            Self::Event => 1,
            Self::ConsumerStream => 2,
        }
    }
}
