//! Descriptors as fields met them last. Layers of a model are alike: what the field of the layer before had is told by
//! its bytes, which takes less than reading it.

use crate::bytes::is_same;
use crate::descriptor::PlainDescriptor;
use crate::model::Field;

/// The plain descriptors that fields met last, some of them in the place of others.
#[derive(Debug, Default)]
pub(super) struct Recent<'f>([Option<Met<'f>>; Recent::PLACES]);

#[derive(Debug, Clone, Copy)]
struct Met<'f> {
    bytes: &'f [u8],
    type_tag: u8,
    descriptor: PlainDescriptor,
}

impl Recent<'_> {
    /// As many as layers of models have.
    const PLACES: usize = 16;
}

impl<'f> Recent<'f> {
    /// Reads a descriptor for a field of elements of that type; `None` if it is not a plain one of that type.
    #[inline(always)]
    pub(super) fn read(
        &mut self,
        field: &'static Field,
        bytes: &'f [u8],
        type_tag: u8,
        element_size: usize,
    ) -> Option<PlainDescriptor> {
        // Fields of a struct lie side by side.
        let place = std::ptr::from_ref(field).addr() / size_of::<Field>() % Recent::PLACES;
        let place = self.0.get_mut(place)?;
        match place {
            Some(met) if met.type_tag == type_tag && is_same(met.bytes, bytes) => Some(met.descriptor),
            _ => meet(place, bytes, type_tag, element_size),
        }
    }
}

#[inline(never)]
fn meet<'f>(
    place: &mut Option<Met<'f>>,
    bytes: &'f [u8],
    type_tag: u8,
    element_size: usize,
) -> Option<PlainDescriptor> {
    let descriptor = PlainDescriptor::read(bytes, type_tag, element_size)?;
    *place = Some(Met { bytes, type_tag, descriptor });
    Some(descriptor)
}
