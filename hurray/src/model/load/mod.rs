//! Loading: one walk over the model's fields asks the file for each, and collects all that is wrong.

mod endings;
mod error;
mod options;
mod sequence;
mod table;
mod walk;

use std::fmt::Display;

use crate::container::KvValue;
use crate::element::Element;
use crate::error::TensorError;
use crate::limits::Limits;
use crate::model::names::{Mark, SOME};
use crate::model::{Field, HurrayLoad, KvEntry, KvLoad, Problem, ProblemKind, Variant};
use crate::reader::TensorEntry;
use crate::view::{SharedMemory, TensorView};

pub use endings::{from_slice, load, map};
pub use error::LoadError;
pub use options::LoadOptions;
#[cfg(feature = "candle")]
pub(crate) use walk::problem_of;
pub(crate) use walk::LoadWalk;
use walk::{Frame, Segment};

/// The proof that a problem is in the report: what a failed field returns in place of details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Reported(());

impl Reported {
    /// For conversions that a check before them makes infallible.
    pub(crate) const WAS_CHECKED: Self = Self(());
}

/// Where a value comes from: one place in the file, named by a path.
///
/// Gives exactly one thing: a tensor, a key-value entry, or a group of fields.
pub struct Loader<'l, 'f> {
    walk: &'l mut LoadWalk<'f>,
    /// How many `Some`s lie between the path and the value.
    somes: u64,
    /// Whether a group's fields are among those of the group around it.
    is_flattened: bool,
}

impl<'l, 'f> Loader<'l, 'f> {
    pub(crate) fn root(walk: &'l mut LoadWalk<'f>) -> Self {
        Self::at(walk, 0)
    }

    fn at(walk: &'l mut LoadWalk<'f>, somes: u64) -> Self {
        Self { walk, somes, is_flattened: false }
    }

    /// The same place, for a first try.
    pub fn by_ref(&mut self) -> Loader<'_, 'f> {
        Loader { walk: &mut *self.walk, somes: self.somes, is_flattened: self.is_flattened }
    }

    /// The path in the file, segments joined by dots; empty at the root.
    #[must_use]
    pub fn path(&self) -> &str {
        self.walk.path()
    }

    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.walk.limits()
    }

    /// A value that [`LoadOptions::context`] was given, by its type: a device, say.
    #[must_use]
    pub fn context<C: 'static>(&self) -> Option<&C> {
        self.walk.options().find_context()
    }

    /// Whether the file has anything at or under the path.
    #[must_use]
    pub fn is_present(&mut self) -> bool {
        self.walk.is_present(self.somes)
    }

    /// Reports a problem at the path.
    #[cold]
    pub fn problem(&mut self, problem: Problem) -> Reported {
        self.walk.report(problem)
    }

    /// The tensor at the path.
    ///
    /// # Errors
    ///
    /// [`Reported`] when there is none, or when its shape breaks the field's `shape = [..]`.
    pub fn tensor(self) -> Result<TensorEntry<'f>, Reported> {
        let entry = self.walk.tensor()?;
        if self.walk.expects_shape() {
            let descriptor = entry.descriptor().map_err(|error| self.walk.refuse(&error.into(), ""))?;
            self.walk.check_shape(descriptor.shape())?;
        }
        Ok(entry)
    }

    /// The key-value entry at the path.
    ///
    /// # Errors
    ///
    /// [`Reported`] when there is none.
    pub fn kv(self) -> Result<KvEntry<'f>, Reported> {
        self.walk.kv()
    }

    /// A group of fields. A head is not needed: fields are found by their names. One that is there has to be
    /// the head of a whole group.
    ///
    /// # Errors
    ///
    /// [`Reported`] when the head is not a group's, is torn, or past [`Limits::nesting`].
    pub fn group(self) -> Result<GroupLoader<'l, 'f>, Reported> {
        let frame = if self.is_flattened { self.walk.open_counted() } else { self.walk.open() }?;
        Ok(GroupLoader { walk: self.walk, frame })
    }

    /// The tensor at the path as a typed view of any rank up to 8.
    ///
    /// # Errors
    ///
    /// [`Reported`] when there is none, or when it is of another element type, quantized, or not dense.
    pub fn view<T: Element>(self) -> Result<TensorView<'f, T>, Reported> {
        let entry = self.walk.tensor()?;
        match entry.view::<T>() {
            Ok(view) => {
                if self.walk.expects_shape() {
                    let shape: Vec<u64> =
                        view.shape().iter().map(|&dim| u64::try_from(dim).unwrap_or(u64::MAX)).collect();
                    self.walk.check_shape(&shape)?;
                }
                Ok(view)
            }
            Err(error) => Err(self.walk.refuse(&error, "")),
        }
    }

    /// The memory of the file, if there is one to share.
    pub(crate) fn shared_memory(&self) -> Option<SharedMemory> {
        self.walk.shared_memory()
    }

    /// One of our own entries about the path.
    #[cfg(feature = "candle")]
    pub(crate) fn own_kv(&mut self, prefix: &str) -> Option<crate::container::KvRef<'f>> {
        self.walk.own_kv(prefix)
    }

    /// Reports why a tensor could not be taken as a field of a type. `wanted` says what the field is.
    #[cold]
    pub(crate) fn refuse(&mut self, error: &TensorError, wanted: &str) -> Reported {
        self.walk.refuse(error, wanted)
    }

    /// A field that is a key-value entry.
    pub(crate) fn kv_value<T: KvLoad<'f>>(self) -> Result<T, Reported> {
        if let Some(absent) = T::absent()
            && !self.walk.has_kv()
        {
            return Ok(absent);
        }
        let entry = self.walk.kv_wanted(T::expects())?;
        T::from_kv(entry).ok_or(()).map_err(|()| {
            let found = describe(&entry.value());
            self.walk.report(Problem::new(ProblemKind::Metadata, T::expects(), found))
        })
    }

    /// A scalar field: a key-value entry, or a tensor of rank 0.
    pub(crate) fn scalar<T: KvLoad<'f>>(self) -> Result<T, Reported> {
        if !self.walk.has_kv() && self.walk.has_tensor() {
            let entry = self.walk.tensor()?;
            return match crate::model::impls::scalar_of(&entry) {
                Ok(value) => T::from_value(&value).ok_or(()).map_err(|()| {
                    self.walk.report(Problem::new(ProblemKind::Metadata, T::expects(), describe(&value)))
                }),
                Err(error) => Err(self.walk.refuse(&error, T::expects())),
            };
        }
        self.kv_value()
    }

    /// Loads a value that a field's rules hold for, at this very place.
    pub(crate) fn described<T>(
        self,
        field: &Field,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let scope = self.walk.open_scope();
        self.walk.described(scope, field, load)
    }

    /// The name of an enum's variant at the path.
    pub(crate) fn variant_name(self, known: &[Variant]) -> Result<String, Reported> {
        if !self.walk.has_kv() {
            let expected = format!("the name of a variant, {}", crate::model::impls::known(known));
            return Err(self.walk.missing(&expected));
        }
        self.kv_value()
    }

    /// `Some` when the file has anything at or under the path.
    pub(crate) fn option<T: HurrayLoad<'f>>(mut self) -> Result<Option<T>, Reported> {
        if !self.is_present() {
            return Ok(None);
        }
        let Self { walk, somes, .. } = self;
        let somes = somes.saturating_add(1);
        walk.use_own_kv(SOME);
        T::load(Loader::at(walk, somes)).map(Some)
    }
}

/// A group that is being loaded: gives fields, one after another.
///
/// Ask for every field before looking at the first result, so that all problems are reported.
pub struct GroupLoader<'l, 'f> {
    walk: &'l mut LoadWalk<'f>,
    frame: Frame,
}

impl<'l, 'f> GroupLoader<'l, 'f> {
    /// The path of the group in the file.
    #[must_use]
    pub fn path(&self) -> &str {
        self.walk.path()
    }

    /// Loads the field of a name; a dotted name is a path.
    ///
    /// # Errors
    ///
    /// [`Reported`], by the field's own impl.
    pub fn field<T: HurrayLoad<'f>>(&mut self, name: &str) -> Result<T, Reported> {
        self.step(Segment::Name, name, T::load)
    }

    fn step<T>(
        &mut self,
        segment: Segment,
        name: &str,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let mark = self.walk.push(segment, name);
        let value = load(Loader::at(&mut *self.walk, 0));
        self.walk.pop(mark);
        value
    }

    /// Loads a field with all that the derive knows of it. `default` stands in where the file has nothing.
    pub(crate) fn derived_field<T>(
        &mut self,
        field: &Field,
        default: Option<impl FnOnce() -> T>,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let mut mark = self.walk.push(Segment::Field(field.rust), field.name);
        if !field.aliases.is_empty()
            && let Some(alias) = self.present_alias(field, mark)
        {
            self.walk.pop(mark);
            mark = self.walk.push(Segment::Field(field.rust), alias);
        }
        if let Some(default) = default
            && !self.walk.is_present(0)
        {
            self.walk.note_defaulted();
            self.walk.pop(mark);
            return Ok(default());
        }
        let value = self.walk.described(self.frame.scope(), field, load);
        self.walk.pop(mark);
        value
    }

    /// The alias under which the file has a field that it does not have under its name.
    fn present_alias(&mut self, field: &Field, mark: Mark) -> Option<&'static str> {
        let named = self.walk.is_present(0);
        let mut found = None;
        for &alias in field.aliases {
            self.walk.pop(mark);
            self.walk.push(Segment::Field(field.rust), alias);
            if self.walk.is_present(0) {
                if named || found.is_some() {
                    let other = found.unwrap_or(field.name);
                    let _ = self.walk.report(Problem::new(
                        ProblemKind::Refused,
                        "the field under one name",
                        format!("it as `{other}` and as `{alias}`"),
                    ));
                }
                found = found.or(Some(alias));
            }
        }
        self.walk.pop(mark);
        self.walk.push(Segment::Field(field.rust), field.name);
        found.filter(|_| !named)
    }

    /// Loads the fields of a struct that are among those of this group.
    pub(crate) fn flattened<T>(
        &mut self,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        load(Loader { is_flattened: true, ..Loader::at(&mut *self.walk, 0) })
    }

    /// Reports what a check of the user's says of a field.
    #[cold]
    pub(crate) fn refuse_field(&mut self, name: &'static str, error: &dyn Display) -> Reported {
        let mark = self.walk.push(Segment::Name, name);
        let reported = self.refuse(error);
        self.walk.pop(mark);
        reported
    }

    /// Reports what a check of the user's says of the struct.
    #[cold]
    pub(crate) fn refuse(&mut self, error: &dyn Display) -> Reported {
        self.walk.report(Problem::new(ProblemKind::Refused, "", error.to_string()))
    }

    /// Binds a name of shape rules to the value of a field.
    pub(crate) fn bind(&mut self, name: &'static str, size: Option<u64>) {
        self.walk.bind(self.frame, name, size);
    }

    /// Ends the group.
    ///
    /// # Errors
    ///
    /// None today; a group that was not finished counts as finished when it is dropped.
    pub fn finish(self) -> Result<(), Reported> {
        Ok(())
    }
}

impl Drop for GroupLoader<'_, '_> {
    fn drop(&mut self) {
        self.walk.close(self.frame);
    }
}

/// A value in a few words: its type, and the value itself if it is short.
fn describe(value: &KvValue) -> String {
    match value {
        KvValue::String(text) if text.chars().count() <= 40 => format!("utf8 {text:?}"),
        KvValue::Int64(value) => format!("int64 {value}"),
        KvValue::UInt64(value) => format!("uint64 {value}"),
        KvValue::Float64(value) => format!("float64 {value:?}"),
        KvValue::Bool(value) => format!("bool {value}"),
        KvValue::Bytes(bytes) => format!("{} bytes", bytes.len()),
        KvValue::Array(array) => format!("array of {} {}", array.len(), array.element_type_name()),
        _ => value.type_name().to_owned(),
    }
}
