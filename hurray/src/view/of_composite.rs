//! Partitions and overlays of an open file.

use super::bytes::SharedBytes;
use super::index;
use super::values::Values;
use super::whole::{Member as Found, Whole};
use super::{OverlayView, PartitionView};
use crate::composite::{self, Composite, Member};
use crate::element::Stored;
use crate::error::{Rule, TensorError};
use crate::limits::Limits;
use crate::reader::{Contents, File};

impl File {
    /// The partition of that name.
    ///
    /// # Errors
    ///
    /// [`TensorError::NotFound`]; [`TensorError::Layout`] for anything but a whole partition;
    /// [`TensorError::ElementType`]; [`TensorError::Format`] for a composite that breaks a rule;
    /// [`TensorError::NotUnderstood`] when a member is of a layout or scheme that is not.
    pub fn partition<T: Stored>(&self, name: &str) -> Result<PartitionView<'_, T>, TensorError> {
        let position = self.tensor(name)?.position();
        let (whole, _) = whole_at(self.contents(), position)?;
        PartitionView::from_whole(whole).map_err(|error| error.in_tensor(name))
    }

    /// The overlay of that name.
    ///
    /// # Errors
    ///
    /// As [`partition`](Self::partition); [`TensorError::NotUnderstood`] also for an overlay that adds elements
    /// of a type without sums: bool, float8_e8m0 and private ones.
    pub fn overlay<T: Stored>(&self, name: &str) -> Result<OverlayView<'_, T>, TensorError> {
        let position = self.tensor(name)?.position();
        let (whole, _) = whole_at(self.contents(), position)?;
        OverlayView::from_whole(whole).map_err(|error| error.in_tensor(name))
    }

    /// Every element of a partition or an overlay in row-major order, in the type of its head (FORMAT §7.6).
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past [`Limits::dense_bytes`], and as [`partition`](Self::partition) and
    /// [`overlay`](Self::overlay).
    pub fn merged_values(&self, composite: &Composite, limits: &Limits) -> Result<Values, TensorError> {
        whole_of(self.contents(), composite)?.values(limits)
    }
}

/// The whole whose head is at a position in the order of the file, and where the tensor after it is.
pub(crate) fn whole_at<'f>(
    contents: Contents<'_, 'f>,
    position: usize,
) -> Result<(Whole<'f>, usize), TensorError> {
    let entry = contents.entry(position).ok_or_else(|| index::outside(&[position], &[contents.len()]))?;
    let head = entry.known_descriptor()?;
    if head.composite().is_none() {
        let expected = "a partition or an overlay";
        return Err(TensorError::layout(expected, head.layout().name()).in_tensor(entry.name()));
    }
    let mut descriptors = contents;
    let composite = composite::assemble_at(&mut descriptors, contents.policy, position)?;
    Ok((whole_of(contents, &composite)?, end_of(&composite)))
}

/// The position after the last tensor of a composite.
fn end_of(composite: &Composite) -> usize {
    let mut last = composite;
    while let Some(Member::Composite(nested)) = last.members().last() {
        last = nested;
    }
    last.members().last().map_or(last.head(), Member::position).saturating_add(1)
}

fn whole_of<'f>(contents: Contents<'_, 'f>, composite: &Composite) -> Result<Whole<'f>, TensorError> {
    let (head, members) = find(contents, composite)?;
    Whole::new(head, members)
}

/// Composites nest 64 levels at most.
fn find<'f>(
    contents: Contents<'_, 'f>,
    composite: &Composite,
) -> Result<(crate::descriptor::TensorDescriptor, Vec<Found<'f>>), TensorError> {
    if !composite.is_complete() {
        return Err(TensorError::layout("a whole composite", "one with members missing"));
    }
    let entry = |position| contents.entry(position).ok_or_else(|| Rule::Cmp12.broken());
    let members = composite.members().iter().map(|member| match member {
        Member::Tensor(position) => Ok(Found::Tensor(entry(*position)?.raw_tensor()?)),
        Member::Composite(nested) => {
            let (head, members) = find(contents, nested)?;
            Ok(Found::Whole(Box::new(head), members))
        }
    });
    let members = members.collect::<Result<_, TensorError>>()?;
    Ok((entry(composite.head())?.known_descriptor()?, members))
}

/// Keeps bytes alive: as part of the memory of a file where there is one, else as a copy.
pub(crate) fn keep_alive(memory: Option<&super::SharedMemory>, bytes: &[u8]) -> SharedBytes {
    let shared = memory.and_then(|memory| SharedBytes::part_of(memory, bytes));
    shared.unwrap_or_else(|| SharedBytes::copy_from(bytes))
}
