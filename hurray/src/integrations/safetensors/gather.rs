//! Dense tensors of any layout: their elements in row-major order, a block at a time.

use std::io::{self, Write};

use crate::descriptor::TensorDescriptor;
use crate::element::bits;
use crate::error::TensorError;
use crate::reader::TensorEntry;
use crate::view::{Geometry, Index, advance, width};

/// The elements of a dense tensor, to be brought into row-major order.
#[derive(Debug)]
pub(super) struct Gather<'f> {
    bytes: &'f [u8],
    geometry: Geometry,
    /// The bytes of one element, or `Err` with its bits if several share a byte.
    width: Result<usize, u32>,
}

impl<'f> Gather<'f> {
    pub(super) fn of(entry: TensorEntry<'f>, descriptor: &TensorDescriptor) -> Result<Self, TensorError> {
        let raw = entry.raw_tensor()?;
        let geometry = Geometry::of(&raw)?;
        Ok(Self { bytes: geometry.bytes(&raw), geometry, width: width(descriptor)? })
    }

    /// Writes all elements as safetensors has them: bools take a byte each, other small elements are packed.
    pub(super) fn write(&self, sink: &mut impl Write) -> io::Result<()> {
        /// In elements; a multiple of 8, so that packed elements fill whole bytes.
        const BLOCK: usize = 1 << 14;
        let mut index = (!self.geometry.is_empty()).then(|| Index::from_elem(0, self.geometry.shape.len()));
        let mut block = Vec::new();
        while index.is_some() {
            block.clear();
            for _ in 0..BLOCK {
                let Some(at) = &mut index else { break };
                self.element(at, &mut block).ok_or_else(outside)?;
                if !advance(at, &self.geometry.shape) {
                    index = None;
                }
            }
            match self.width {
                Ok(_) | Err(1) => sink.write_all(&block)?,
                Err(bits) => sink.write_all(&bits::pack(bits, block.iter().copied()))?,
            }
        }
        Ok(())
    }

    /// Appends the bytes of an element, or its pattern if it is smaller than a byte.
    fn element(&self, index: &[usize], block: &mut Vec<u8>) -> Option<()> {
        let position = self.geometry.position(index)?;
        match self.width {
            Ok(width) => {
                let start = position.checked_mul(width)?;
                block.extend_from_slice(self.bytes.get(start..start.checked_add(width)?)?);
            }
            Err(bits) => block.push(bits::code_at(self.bytes, bits, position)?),
        }
        Some(())
    }
}

/// Not reached: the geometry was held against the buffer.
#[cold]
fn outside() -> io::Error {
    io::Error::other("an element lies outside its buffer")
}
