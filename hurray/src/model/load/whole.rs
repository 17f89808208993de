//! Partitions and overlays at the path: as they are, merged for fields that own their elements, or of a partition
//! the part of one rank only.

use std::ops::Range;

use crate::composite::check_member;
use crate::descriptor::{CompositionRule, Layout};
use crate::element::{Element, ElementType, FloatCast};
use crate::error::{FormatError, Rule, TensorError};
use crate::limits::Limits;
use crate::model::field::Parts;
use crate::model::load::walk::LoadWalk;
use crate::model::load::{Elements, Loader, Rank, Reported};
use crate::model::{Field, Problem, ProblemKind};
use crate::reader::TensorEntry;
use crate::view::{PartitionView, Tensor, Whole, WholeRule, merged, share_of, whole_at};

impl<'f> Loader<'_, 'f> {
    /// The partition or overlay at the path.
    pub(crate) fn whole(self, wanted: &str) -> Result<Whole<'f>, Reported> {
        let Self { walk, place } = self;
        walk.refuse_pieces(place)?;
        if walk.find().is_none() {
            return Err(walk.missing(wanted));
        }
        let entry = walk.tensor()?;
        let whole = walk.whole_of(&entry, wanted)?;
        walk.meet(place.rules);
        if let Some((field, scope)) = place.rules {
            walk.check_shape(field, scope, whole.plan.head().shape())?;
        }
        Ok(whole)
    }
}

impl<'f> LoadWalk<'f> {
    /// The whole of a head. All its members count as used.
    fn whole_of(&mut self, head: &TensorEntry<'f>, wanted: &str) -> Result<Whole<'f>, Reported> {
        match whole_at(self.source.contents(), head.position()) {
            Ok((whole, end)) => {
                (head.position()..end).for_each(|position| self.used.insert(position));
                self.next = end;
                Ok(whole)
            }
            Err(error) => Err(self.refuse(&error, wanted)),
        }
    }

    /// The whole of an entry, if that is the head of one.
    pub(super) fn find_whole(&mut self, entry: &TensorEntry<'f>) -> Result<Option<Whole<'f>>, Reported> {
        let is_head = entry.data_length() == 0
            && entry.known_descriptor().is_ok_and(|descriptor| WholeRule::of(&descriptor).is_some());
        if is_head { self.whole_of(entry, "").map(Some) } else { Ok(None) }
    }

    /// Every element of a whole, converted if the field's attributes allow it.
    pub(super) fn merged<T: Element>(
        &mut self,
        whole: &Whole<'f>,
        field: Option<&'static Field>,
    ) -> Result<Tensor<T>, Reported> {
        let found = whole.plan.element_type();
        let limits = self.limits().clone();
        let may_convert = field.is_some_and(|field| field.cast || field.element_type == Some(found.name()));
        let elements = if found == T::TYPE {
            merged::<T>(whole, &limits)
        } else if let Some(cast) = FloatCast::new(found, T::TYPE).filter(|_| may_convert) {
            self.note_cast(found, T::TYPE);
            merged_and_cast(whole, cast, &limits).map(|bytes| bytemuck::pod_collect_to_vec(&bytes))
        } else {
            Err(TensorError::element_type(T::TYPE, found))
        };
        let tensor = elements.and_then(|elements| Tensor::from_vec(elements, whole.plan.shape()));
        tensor.map_err(|error| self.refuse(&error, ""))
    }

    /// What a field with `partition(..)` gets, and the shape of the whole.
    pub(super) fn partitioned<T: Element>(
        &mut self,
        parts: Parts,
        field: &'static Field,
    ) -> Result<(Elements<'f, T>, Vec<u64>), Reported> {
        let entry = self.tensor()?;
        match self.options.rank {
            Some(rank) => self.part_of_rank(&entry, parts.axis, rank, field),
            None if parts.count.is_none() => Err(self.report(Problem::new(
                ProblemKind::Refused,
                "`LoadOptions::rank`, since the field holds the part of one rank (`partition` without `parts`)",
                "no rank",
            ))),
            None => {
                let elements = self.entry_or_whole(&entry, Some(field))?;
                let shape = wide(elements.shape());
                Ok((elements, shape))
            }
        }
    }

    /// The part of one rank: that of its number if the file has as many parts as there are ranks, else its equal
    /// share of the axis. Other parts are not looked at where the file has the part on its own.
    fn part_of_rank<T: Element>(
        &mut self,
        entry: &TensorEntry<'f>,
        axis: usize,
        rank: Rank,
        field: &'static Field,
    ) -> Result<(Elements<'f, T>, Vec<u64>), Reported> {
        if rank.index >= rank.count {
            let found = format!("rank {} of {}", rank.index, rank.count);
            return Err(self.report(Problem::new(ProblemKind::Refused, "a rank below their number", found)));
        }
        if let Some((part, shape)) = self.own_part(entry, rank) {
            let part = part.map_err(|error| self.refuse(&error.into(), ""))?;
            return Ok((self.part_elements(&part, field)?, shape));
        }
        let Some(whole) = self.find_whole(entry)? else {
            let elements = self.entry_elements::<T>(entry, Some(field))?;
            let shape = wide(elements.shape());
            let along = self.axis_of(elements.shape(), axis)?;
            return Ok((self.narrowed(&elements, axis, share_of(along, rank.index, rank.count))?, shape));
        };
        let along = self.axis_of(whole.plan.shape(), axis)?;
        let shape = wide(whole.plan.shape());
        let share = share_of(along, rank.index, rank.count);
        if let Some(elements) = touched(&whole, axis, &share) {
            return Ok((elements, shape));
        }
        let elements = Elements::Made(self.merged(&whole, Some(field))?);
        Ok((self.narrowed(&elements, axis, share)?, shape))
    }

    fn axis_of(&mut self, shape: &[usize], axis: usize) -> Result<usize, Reported> {
        let along = shape.get(axis).copied();
        along.ok_or(()).map_err(|()| {
            let error = TensorError::Rank { expected: axis.saturating_add(1), found: shape.len() };
            self.refuse(&error, "")
        })
    }

    /// The part of a rank, and the shape of the whole, if the file has a partition of one tensor per rank. Only
    /// the descriptors of the head and of this part are read; the other parts count as used.
    fn own_part(
        &mut self,
        head: &TensorEntry<'f>,
        rank: Rank,
    ) -> Option<(Result<TensorEntry<'f>, FormatError>, Vec<u64>)> {
        if head.data_length() > 0 {
            return None;
        }
        let descriptor = head.known_descriptor().ok()?;
        let fields = descriptor.composite()?;
        if fields.rule != CompositionRule::Partition || usize::try_from(fields.member_count) != Ok(rank.count)
        {
            return None;
        }
        let contents = self.source.contents();
        let first = head.position().saturating_add(1);
        let end = first.checked_add(rank.count).filter(|end| *end <= contents.len())?;
        // An entry with data is no head, so the members are these.
        let has_data = |position| contents.entry(position).is_some_and(|entry| entry.data_length() > 0);
        if !(first..end).all(has_data) {
            return None;
        }
        let entry = contents.entry(first.saturating_add(rank.index))?;
        (head.position()..end).for_each(|position| self.used.insert(position));
        self.next = end;
        let checked = entry.known_descriptor().and_then(|part| {
            Rule::Cmp14.check(!descriptor.shape().contains(&crate::descriptor::DYNAMIC), |e| e)?;
            check_member(&descriptor, fields.rule, &part, rank.index == 0).map(drop)
        });
        Some((checked.map(|()| entry).map_err(|error| entry.blamed(error)), descriptor.shape().to_vec()))
    }

    /// The elements of one part, as they lie if they are dense.
    fn part_elements<T: Element>(
        &mut self,
        part: &TensorEntry<'f>,
        field: &'static Field,
    ) -> Result<Elements<'f, T>, Reported> {
        let merged = part.raw_tensor().map_err(TensorError::from).and_then(|raw| {
            let descriptor = raw.descriptor();
            let is_dense = matches!(
                descriptor.layout(),
                Layout::RowMajor | Layout::ColumnMajor | Layout::Strided { .. }
            );
            match descriptor.quantization() {
                None if is_dense => Ok(None),
                None => Whole::of_one(descriptor.element_type(), raw).map(Some),
                Some(_) => Whole::of_one(T::TYPE, raw).map(Some),
            }
        });
        match merged {
            Ok(None) => self.entry_elements(part, Some(field)),
            Ok(Some(whole)) => self.merged(&whole, Some(field)).map(Elements::Made),
            Err(error) => Err(self.refuse(&error, "")),
        }
    }

    /// A range of an axis.
    pub(super) fn narrowed<T: Element>(
        &mut self,
        whole: &Elements<'f, T>,
        axis: usize,
        range: Range<usize>,
    ) -> Result<Elements<'f, T>, Reported> {
        let narrowed = match whole {
            Elements::Borrowed(view) => view.narrow(axis, range.start, range.len()).map(Elements::Borrowed),
            Elements::Made(tensor) => {
                let view = tensor.view();
                view.narrow(axis, range.start, range.len()).map(|view| Elements::Made(view.to_dense()))
            }
        };
        narrowed.map_err(|error| self.refuse(&error, ""))
    }
}

/// A share of an axis of a partition from the parts that it touches, if these are dense tensors side by side.
fn touched<'f, T: Element>(whole: &Whole<'f>, axis: usize, share: &Range<usize>) -> Option<Elements<'f, T>> {
    let view = PartitionView::<T>::from_whole(whole.clone()).ok()?;
    let ranges: Vec<_> = view.shape().iter().map(|&extent| 0..extent).collect();
    let ranges: Vec<_> = ranges
        .into_iter()
        .enumerate()
        .map(|(at, all)| if at == axis { share.clone() } else { all })
        .collect();
    let mut pieces = view.slice(&ranges).ok()?;
    pieces.sort_by_key(|piece| piece.offset().get(axis).copied());
    let is_whole_slab = |(at, range): (usize, &Range<usize>), extents: &[Range<usize>]| {
        at == axis || extents.get(at).is_some_and(|extent| extent.len() == range.len())
    };
    if !pieces.iter().all(|piece| piece.ranges().iter().enumerate().all(|side| is_whole_slab(side, &ranges)))
    {
        return None;
    }
    let views = pieces.iter().map(|piece| piece.view().ok()).collect::<Option<Vec<_>>>()?;
    match views.as_slice() {
        [] => None,
        [view] => Some(Elements::Borrowed(*view)),
        views => Tensor::concatenate(views, axis).ok().map(Elements::Made),
    }
}

/// The bytes of all elements, converted.
fn merged_and_cast(whole: &Whole<'_>, cast: FloatCast, limits: &Limits) -> Result<Vec<u8>, TensorError> {
    Ok(match cast.from {
        ElementType::Float16 => cast.to_bytes(&merged::<half::f16>(whole, limits)?),
        ElementType::BFloat16 => cast.to_bytes(&merged::<half::bf16>(whole, limits)?),
        ElementType::Float32 => cast.to_bytes(&merged::<f32>(whole, limits)?),
        _ => cast.to_bytes(&merged::<f64>(whole, limits)?),
    })
}

fn wide(shape: &[usize]) -> Vec<u64> {
    shape.iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect()
}
