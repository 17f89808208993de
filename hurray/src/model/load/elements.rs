//! The tensor at the path as elements: borrowed as they lie, or converted and put together where the field's
//! attributes or a migration say so.

use crate::descriptor::Dims;
use crate::element::{Element, ElementType, FloatCast};
use crate::error::TensorError;
use crate::limits::Limits;
use crate::model::load::redirect::Pieces;
use crate::model::load::walk::LoadWalk;
use crate::model::load::{Loader, Place, Reported};
use crate::model::shape_rule::Scope;
use crate::model::{Field, Problem, ProblemKind};
use crate::reader::TensorEntry;
use crate::view::{Shape, Tensor, TensorView};

/// The elements of a field that may own them.
pub(crate) enum Elements<'f, T> {
    /// As they lie in the file.
    Borrowed(TensorView<'f, T>),
    /// Converted, or put together.
    Made(Tensor<T>),
}

impl<T: Element> Elements<'_, T> {
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Self::Borrowed(view) => view.shape(),
            Self::Made(tensor) => tensor.shape(),
        }
    }

    /// The elements in row-major order, copied.
    ///
    /// # Errors
    ///
    /// [`TensorError::Limit`] past [`Limits::dense_bytes`] for tensors that hold fewer bytes than that.
    pub(crate) fn to_vec(&self, limits: &Limits) -> Result<Vec<T>, TensorError> {
        match self {
            Self::Borrowed(view) => view.to_vec_within(limits.dense_bytes),
            Self::Made(tensor) => Ok(tensor.to_vec()),
        }
    }
}

impl<'f> Loader<'_, 'f> {
    /// The tensor at the path as a typed view of any rank up to 8.
    ///
    /// # Errors
    ///
    /// [`Reported`] when there is none, or when it is of another element type, quantized, or not dense; and when
    /// the field's attributes ask for a conversion, which only owned fields can take.
    #[inline]
    pub fn view<T: Element>(self) -> Result<TensorView<'f, T>, Reported> {
        let Self { walk, place } = self;
        match walk.next_view(place) {
            Some(view) => Ok(view),
            None => walk.view(place),
        }
    }

    /// The tensor at the path, for a field that owns its elements.
    pub(crate) fn elements<T: Element>(self) -> Result<Elements<'f, T>, Reported> {
        self.walk.elements(self.place)
    }

    /// Reports why a tensor could not be taken as a field of a type. `wanted` says what the field is.
    #[cold]
    pub(crate) fn refuse(&mut self, error: &TensorError, wanted: &str) -> Reported {
        self.walk.refuse(error, wanted)
    }
}

impl<'f> LoadWalk<'f> {
    /// The tensor at the path as it is; what has to be taken apart or put together has no entry of its own.
    pub(super) fn whole_tensor(&mut self, place: &Place) -> Result<TensorEntry<'f>, Reported> {
        self.refuse_pieces(place)?;
        let entry = self.tensor()?;
        self.meet(place.rules);
        if let Some((field, scope)) = place.rules {
            let descriptor = entry.known_descriptor().map_err(|error| self.refuse(&error.into(), ""))?;
            self.check_shape(field, scope, descriptor.shape())?;
        }
        Ok(entry)
    }

    /// Refuses a field of a type that a migration can't take apart or put together.
    #[inline]
    pub(super) fn refuse_pieces(&mut self, place: &Place) -> Result<(), Reported> {
        if place.is_in_pieces { Err(self.refused_pieces()) } else { Ok(()) }
    }

    #[cold]
    fn refused_pieces(&mut self) -> Reported {
        self.report(Problem::new(
            ProblemKind::Layout,
            "a whole tensor of the file, for a field of this type",
            "a migration that splits or concatenates",
        ))
    }

    /// The view of the tensor that comes next, if it is the one at the path and nothing about it is special: the
    /// whole of what most fields of most models take.
    #[inline]
    fn next_view<T: Element>(&mut self, place: &Place) -> Option<TensorView<'f, T>> {
        let is_special = place.rules.is_some() || place.is_in_pieces;
        if is_special || self.renamed.is_some() || self.redirects.is_nothing() {
            return None;
        }
        let position = self.next;
        let contents = self.source.contents();
        let entry = contents.entry(position).filter(|entry| entry.has_name(self.path.as_str()))?;
        let view = entry.plain_view()?;
        self.take(position);
        Some(view)
    }

    /// A view of the tensor at the path, wherever it lies.
    fn view<T: Element>(&mut self, place: &Place) -> Result<TensorView<'f, T>, Reported> {
        let rules = place.rules;
        self.meet(rules);
        if place.is_in_pieces || rules.is_some_and(|(field, _)| field.converts() || field.parts.is_some()) {
            return self.borrowed_elements(place);
        }
        let entry = self.tensor()?;
        match entry.view::<T>() {
            Ok(view) => {
                if let Some((field, scope)) = rules {
                    self.check_dims(field, scope, view.shape())?;
                }
                Ok(view)
            }
            Err(error) => {
                // The parts of a whole that the field can't show are not unexpected on top of that.
                if entry.data_length() == 0 {
                    self.use_all_here();
                }
                Err(self.refuse(&error, ""))
            }
        }
    }

    /// Elements for a field that can only borrow them, although something was to be done to them.
    #[cold]
    fn borrowed_elements<T: Element>(&mut self, place: &Place) -> Result<TensorView<'f, T>, Reported> {
        match self.elements::<T>(place)? {
            Elements::Borrowed(view) => Ok(view),
            Elements::Made(_) => Err(self.report(Problem::new(
                ProblemKind::Layout,
                "elements as they lie in the file, since the field borrows them (a `Tensor` or `Vec` owns its own)",
                "elements that have to be converted or put together",
            ))),
        }
    }

    /// Holds the shape of a view against the field's rule.
    #[inline]
    fn check_dims(&mut self, field: &'static Field, scope: Scope, dims: &[usize]) -> Result<(), Reported> {
        if field.shape.is_none() {
            return Ok(());
        }
        let shape: Dims = dims.iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect();
        self.check_shape(field, scope, &shape)
    }

    fn elements<T: Element>(&mut self, place: &Place) -> Result<Elements<'f, T>, Reported> {
        let rules = place.rules;
        self.meet(rules);
        let field = rules.map(|(field, _)| field);
        let mut whole_shape = None;
        let pieces = if place.is_in_pieces { self.redirects.pieces().cloned() } else { None };
        let elements = match pieces {
            None if let Some((field, parts)) = field.and_then(|field| Some((field, field.parts?))) => {
                let (elements, shape) = self.partitioned(parts, field)?;
                whole_shape = Some(shape);
                elements
            }
            None => self.plain_elements(field)?,
            Some(Pieces::Part { axis, index, parts }) => {
                let whole = self.plain_elements::<T>(field)?;
                self.part(&whole, axis, index, parts)?
            }
            Some(Pieces::Joined { paths, axis }) => Elements::Made(self.joined(&paths, axis, field)?),
        };
        if let Some((field, scope)) = rules {
            // The rule is about the whole, also where the field has a part of it.
            match whole_shape {
                Some(shape) => self.check_shape(field, scope, &shape)?,
                None => self.check_dims(field, scope, elements.shape())?,
            }
        }
        Ok(elements)
    }

    /// The elements of the tensor at the path, converted if the field's attributes allow it.
    #[inline]
    fn plain_elements<T: Element>(
        &mut self,
        field: Option<&'static Field>,
    ) -> Result<Elements<'f, T>, Reported> {
        let entry = self.tensor()?;
        self.entry_or_whole(&entry, field)
    }

    /// The elements of a tensor, or those that the members of a partition or an overlay make up.
    #[inline]
    pub(super) fn entry_or_whole<T: Element>(
        &mut self,
        entry: &TensorEntry<'f>,
        field: Option<&'static Field>,
    ) -> Result<Elements<'f, T>, Reported> {
        if entry.data_length() == 0
            && let Some(whole) = self.find_whole(entry)?
        {
            return self.merged(&whole, field).map(Elements::Made);
        }
        self.entry_elements(entry, field)
    }

    /// The elements of a tensor that is in one piece.
    #[inline]
    pub(super) fn entry_elements<T: Element>(
        &mut self,
        entry: &TensorEntry<'f>,
        field: Option<&'static Field>,
    ) -> Result<Elements<'f, T>, Reported> {
        if let Some(field) = field
            && field.converts()
        {
            return self.converted(entry, field);
        }
        match entry.view::<T>() {
            Ok(view) => Ok(Elements::Borrowed(view)),
            Err(error) => Err(self.refuse(&error, "")),
        }
    }

    fn converted<T: Element>(
        &mut self,
        entry: &TensorEntry<'f>,
        field: &'static Field,
    ) -> Result<Elements<'f, T>, Reported> {
        let found = match entry.known_descriptor() {
            Ok(descriptor) => descriptor.element_type(),
            Err(error) => return Err(self.refuse(&error.into(), "")),
        };
        let wanted = field.element_type.unwrap_or(T::TYPE.name());
        if !field.cast && found.name() != wanted {
            return Err(self.report(Problem::new(ProblemKind::ElementType, wanted, found.to_string())));
        }
        let elements = if found == T::TYPE {
            entry.view::<T>().map(Elements::Borrowed)
        } else {
            FloatCast::new(found, T::TYPE)
                .ok_or_else(|| TensorError::element_type(T::TYPE, found))
                .and_then(|cast| cast_tensor(cast, entry, self.limits().dense_bytes))
                .and_then(|(bytes, shape)| Tensor::from_vec(bytemuck::pod_collect_to_vec(&bytes), &shape))
                .map(Elements::Made)
        };
        match elements {
            Ok(elements) => {
                if found != T::TYPE {
                    self.note_cast(found, T::TYPE);
                }
                Ok(elements)
            }
            Err(error) => Err(self.refuse(&error, "")),
        }
    }

    /// One of several equal parts along an axis.
    fn part<T: Element>(
        &mut self,
        whole: &Elements<'f, T>,
        axis: usize,
        index: usize,
        parts: usize,
    ) -> Result<Elements<'f, T>, Reported> {
        let along = whole.shape().get(axis).copied();
        let length = along.and_then(|along| along.checked_div(parts));
        match (along, length) {
            (Some(along), Some(length)) if length.checked_mul(parts) == Some(along) => {
                let start = index.saturating_mul(length);
                self.narrowed(whole, axis, start..start.saturating_add(length))
            }
            _ => Err(self.report(Problem::new(
                ProblemKind::Shape,
                format!("{parts} equal parts along axis {axis}"),
                format!("{:?}", whole.shape()),
            ))),
        }
    }

    /// The tensors at several paths, one after another along an axis.
    fn joined<T: Element>(
        &mut self,
        paths: &[String],
        axis: usize,
        field: Option<&'static Field>,
    ) -> Result<Tensor<T>, Reported> {
        let here = self.path.as_str().to_owned();
        let mut tensors = Vec::with_capacity(paths.len());
        let mut failed = None;
        for path in paths {
            let settled = self.settle(path, &Place::NONE);
            match settled.and_then(|()| self.plain_elements::<T>(field)) {
                Ok(elements) => tensors.push(elements),
                Err(reported) => failed = Some(reported),
            }
        }
        self.path.set(&here);
        if let Some(reported) = failed {
            return Err(reported);
        }
        let views: Vec<TensorView<'_, T>> = tensors
            .iter()
            .map(|elements| match elements {
                Elements::Borrowed(view) => *view,
                Elements::Made(tensor) => tensor.view(),
            })
            .collect();
        let limit = self.limits().dense_bytes;
        let count = views
            .iter()
            .fold(0u64, |sum, view| sum.saturating_add(u64::try_from(view.len()).unwrap_or(u64::MAX)));
        let bytes = count.saturating_mul(u64::try_from(size_of::<T>()).unwrap_or(1));
        if bytes > limit {
            let error = TensorError::limit("dense_bytes", limit, bytes.into());
            return Err(self.refuse(&error, ""));
        }
        Tensor::concatenate(&views, axis).map_err(|error| self.refuse(&error, ""))
    }
}

/// A dense tensor of real floats, converted to a type of which only the size is known: its bytes, and its shape.
fn cast_tensor(
    cast: FloatCast,
    entry: &TensorEntry<'_>,
    limit: u64,
) -> Result<(Vec<u8>, Shape), TensorError> {
    fn of<F: Element>(
        cast: FloatCast,
        entry: &TensorEntry<'_>,
        limit: u64,
    ) -> Result<(Vec<u8>, Shape), TensorError> {
        let view = entry.view::<F>()?;
        let bytes = match view.as_slice() {
            Some(elements) => cast.to_bytes(elements),
            None => cast.to_bytes(&view.to_vec_within(limit)?),
        };
        Ok((bytes, Shape::new(view.shape())?))
    }
    match cast.from {
        ElementType::Float16 => of::<half::f16>(cast, entry, limit),
        ElementType::BFloat16 => of::<half::bf16>(cast, entry, limit),
        ElementType::Float32 => of::<f32>(cast, entry, limit),
        _ => of::<f64>(cast, entry, limit),
    }
}
