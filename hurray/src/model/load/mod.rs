//! Loading: one walk over the model's fields asks the file for each, and collects all that is wrong.

mod elements;
mod endings;
mod error;
mod finish;
mod group;
mod key_map;
mod migration;
mod names;
mod next;
mod options;
mod presence;
mod redirect;
mod renaming;
mod sequence;
mod table;
mod walk;
mod whole;

use crate::container::KvValue;
use crate::limits::Limits;
use crate::model::names::SOME;
use crate::model::{Field, HurrayLoad, KvEntry, KvLoad, Problem, ProblemKind, Variant};
use crate::reader::TensorEntry;
use crate::view::SharedMemory;

pub(crate) use elements::Elements;
pub use endings::{from_slice, load, map};
pub use error::LoadError;
#[cfg(any(feature = "burn", feature = "candle"))]
pub(crate) use finish::problem_of;
pub use group::GroupLoader;
pub use key_map::KeyMap;
pub use migration::Migration;
pub use next::Next;
pub(crate) use options::Rank;
pub use options::{LoadOptions, Strictness};
pub(crate) use walk::LoadWalk;
use walk::Rules;

/// The proof that a problem is in the report: what a failed field returns in place of details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Reported(());

impl Reported {
    /// For conversions that a check before them makes infallible.
    pub(crate) const WAS_CHECKED: Self = Self(());
}

/// Loads one value into the place that it is for. What is around it there is once, not for each type of value.
type Fill<'c, 'f> = &'c mut dyn FnMut(Loader<'_, 'f>) -> Result<(), Reported>;

/// The value that was loaded, if what is around it did so and tells that it counts.
#[inline]
fn filled<'f, T>(
    load: impl Fn(Loader<'_, 'f>) -> Result<T, Reported>,
    around: impl FnOnce(Fill<'_, 'f>) -> Result<bool, Reported>,
) -> Result<Option<T>, Reported> {
    let mut value = None;
    let counts = around(&mut |loader| {
        value = Some(load(loader)?);
        Ok(())
    })?;
    Ok(value.filter(|_| counts))
}

/// What lies between a path and a value without a step of its own.
///
/// Known by a reference: nearly always there is nothing, and what has just been written in pieces of one size is slow to
/// be copied in pieces of another.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// How many `Some`s.
    somes: u64,
    /// How many newtype variants.
    variants: u32,
    /// Whether a group's fields are among those of the group around it.
    is_flattened: bool,
    /// Whether a migration takes the tensor apart or puts it together.
    is_in_pieces: bool,
    /// What the field's attributes say of the tensor.
    rules: Rules,
}

impl Place {
    /// Nothing.
    const NONE: Self = Self { somes: 0, variants: 0, is_flattened: false, is_in_pieces: false, rules: None };
}

/// Where a value comes from: one place in the file, named by a path.
///
/// Gives exactly one thing: a tensor, a key-value entry, or a group of fields.
pub struct Loader<'l, 'f> {
    walk: &'l mut LoadWalk<'f>,
    place: &'l Place,
}

impl<'l, 'f> Loader<'l, 'f> {
    pub(crate) fn root(walk: &'l mut LoadWalk<'f>) -> Self {
        Self::at(walk, &Place::NONE)
    }

    fn at(walk: &'l mut LoadWalk<'f>, place: &'l Place) -> Self {
        Self { walk, place }
    }

    /// The same place, for a first try.
    pub fn by_ref(&mut self) -> Loader<'_, 'f> {
        Loader::at(&mut *self.walk, self.place)
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
        self.walk.is_present(self.place)
    }

    /// Reports a problem at the path.
    #[cold]
    pub fn problem(&mut self, problem: Problem) -> Reported {
        self.walk.report(problem)
    }

    /// The tensor at the path, whatever it is.
    ///
    /// # Errors
    ///
    /// [`Reported`] when there is none, or when its shape breaks the field's `shape = [..]`.
    pub fn tensor(self) -> Result<TensorEntry<'f>, Reported> {
        self.walk.whole_tensor(self.place)
    }

    /// The key-value entry at the path.
    ///
    /// # Errors
    ///
    /// [`Reported`] when there is none.
    pub fn kv(self) -> Result<KvEntry<'f>, Reported> {
        self.walk.kv(self.place, "a key-value entry")
    }

    /// A group of fields. A head is not needed: fields are found by their names. One that is there has to be
    /// the head of a whole group.
    ///
    /// # Errors
    ///
    /// [`Reported`] when the head is not a group's, is torn, or past [`Limits::nesting`].
    pub fn group(self) -> Result<GroupLoader<'l, 'f>, Reported> {
        let Self { walk, place } = self;
        walk.refuse_pieces(place)?;
        if !place.is_flattened {
            walk.pass_head()?;
        }
        GroupLoader::open(walk, place.is_flattened)
    }

    /// The memory of the file, if there is one to share.
    pub(crate) fn shared_memory(&self) -> Option<SharedMemory> {
        self.walk.shared_memory()
    }

    /// One of our own entries about the value.
    #[cfg(any(feature = "burn", feature = "candle"))]
    pub(crate) fn note(&mut self, prefix: &str) -> Option<crate::container::KvRef<'f>> {
        self.walk.note(prefix, self.place)
    }

    /// A field that is a key-value entry.
    pub(crate) fn kv_value<T: KvLoad<'f>>(self) -> Result<T, Reported> {
        let Self { walk, place } = self;
        if let Some(absent) = T::absent()
            && !walk.has_kv(place)
        {
            return Ok(absent);
        }
        let entry = walk.kv(place, T::expects())?;
        T::from_kv(entry).ok_or(()).map_err(|()| {
            let found = describe(&entry.value());
            walk.report(Problem::new(ProblemKind::Metadata, T::expects(), found))
        })
    }

    /// A scalar field: a key-value entry, or a tensor of rank 0.
    pub(crate) fn scalar<T: KvLoad<'f>>(self) -> Result<T, Reported> {
        if self.walk.has_kv(self.place) || !self.walk.has_tensor() {
            return self.kv_value();
        }
        let Self { walk, place } = self;
        walk.refuse_pieces(place)?;
        let entry = walk.tensor()?;
        match crate::model::impls::scalar_of(&entry) {
            Ok(value) => T::from_value(&value).ok_or(()).map_err(|()| {
                walk.report(Problem::new(ProblemKind::Metadata, T::expects(), describe(&value)))
            }),
            Err(error) => Err(walk.refuse(&error, T::expects())),
        }
    }

    /// Loads a value that a field's rules hold for, at this very place.
    pub(crate) fn described<T>(
        self,
        field: &'static Field,
        load: impl Fn(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let Self { walk, place } = self;
        let scope = walk.open_scope();
        filled(load, |fill| walk.described(scope, field, place, fill).map(|()| true))?
            .ok_or(Reported::WAS_CHECKED)
    }

    /// The name of an enum's variant at the path.
    pub(crate) fn variant_name(self, known: &[Variant]) -> Result<String, Reported> {
        let Self { walk, place } = self;
        let expected = || format!("the name of a variant, {}", crate::model::impls::known(known));
        if !walk.has_kv(place) {
            return Err(walk.missing(&expected()));
        }
        let entry = walk.kv(place, "")?;
        entry.as_str().map(str::to_owned).ok_or(()).map_err(|()| {
            walk.report(Problem::new(ProblemKind::Metadata, expected(), describe(&entry.value())))
        })
    }

    /// The value of a newtype variant whose name was loaded.
    pub(crate) fn in_variant<T>(
        self,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let variants = self.place.variants.saturating_add(1);
        self.walk.check_nesting(u64::from(variants))?;
        self.walk.enter(&Place { somes: 0, variants, ..*self.place }, load)
    }

    /// `Some` when the file has anything at or under the path.
    pub(crate) fn option<T: HurrayLoad<'f>>(mut self) -> Result<Option<T>, Reported> {
        if !self.is_present() {
            return Ok(None);
        }
        let Self { walk, place } = self;
        walk.use_note(SOME, place);
        let somes = place.somes.saturating_add(1);
        walk.check_nesting(somes)?;
        let before = walk.problems();
        match T::load(Loader::at(walk, &Place { somes, ..*place })) {
            Ok(value) => Ok(Some(value)),
            Err(_) if walk.tolerate_since(before) => Ok(None),
            Err(reported) => Err(reported),
        }
    }

    /// A value that other places of the model may share.
    pub(crate) fn shared<T: HurrayLoad<'f> + 'static>(self) -> Result<std::sync::Arc<T>, Reported> {
        let Self { walk, place } = self;
        let shared = walk.find_shared::<T>();
        if let Some(shared) = &shared
            && place.rules.is_none()
        {
            return Ok(std::sync::Arc::clone(shared));
        }
        let key = walk.path().to_owned();
        // Rules of this field's own are held against the value, too.
        let value = T::load(Loader::at(walk, place))?;
        if let Some(shared) = shared {
            return Ok(shared);
        }
        let value = std::sync::Arc::new(value);
        walk.keep_shared(key, &value);
        Ok(value)
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
