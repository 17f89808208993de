//! Buffer handles (FORMAT §3.7).

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
}

/// The device that a buffer is meant for. In a file the bytes are ordinary host bytes whatever it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeviceTag(pub u8);

impl DeviceTag {
    /// Host memory.
    pub const CPU: Self = Self(0);
}

/// The kind of memory that a buffer is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryClass(pub u8);

impl MemoryClass {
    /// Nothing special.
    pub const STANDARD: Self = Self(0);
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
