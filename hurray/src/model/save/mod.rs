//! Saving: one walk over the model fills a plan; nothing is written before the plan stands.

mod endings;
mod heads;
mod members;
mod reach;
mod ties;
mod walk;

use crate::container::{KvArray, KvValue};
use crate::descriptor::{Dims, TensorDescriptor};
use crate::limits::Limits;
use crate::model::names::{KEYS, SEQUENCE, SOME, TIED, VERSION, escape_key};
use crate::model::{Field, HurraySave};
use crate::writer::{NameProblem, SaveError, TensorSource, is_reserved};

pub use endings::{save, to_bytes, to_writer};
pub(crate) use walk::SaveWalk;
use walk::{GroupKind, Rules, Step, Stored};

/// Saves one value. What is around it there is once, not for each type of value.
pub(crate) type Save<'c, 's> = &'c dyn Fn(Saver<'_, 's>) -> Result<(), SaveError>;

/// Where a value goes: one place in the file, named by a path.
///
/// Takes exactly one thing: a tensor, a key-value entry, or a group of fields.
pub struct Saver<'p, 's> {
    walk: &'p mut SaveWalk<'s>,
    place: Place,
}

/// What lies between a path and a value without a step of its own.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// How many `Some`s.
    somes: u64,
    /// How many newtype variants.
    variants: u32,
    /// Whether a group's fields go among those of the group around it.
    is_flattened: bool,
    /// What the field's attributes say of the tensor that comes.
    rules: Option<Rules>,
}

impl<'p, 's> Saver<'p, 's> {
    pub(crate) fn root(walk: &'p mut SaveWalk<'s>) -> Self {
        Self::at(walk, Place::default())
    }

    fn at(walk: &'p mut SaveWalk<'s>, place: Place) -> Self {
        Self { walk, place }
    }

    /// The same place, for one more thing: only enums save two at one.
    pub(crate) fn by_ref(&mut self) -> Saver<'_, 's> {
        Saver::at(&mut *self.walk, self.place)
    }

    /// The place of the value of a newtype variant whose name was saved.
    ///
    /// # Errors
    ///
    /// [`SaveError::Nesting`] past [`Limits::nesting`]: a chain of such variants is recursion, too.
    pub(crate) fn in_variant(mut self) -> Result<Self, SaveError> {
        self.place.variants = self.place.variants.saturating_add(1);
        self.place.somes = 0;
        self.walk.check_nesting(u64::from(self.place.variants))?;
        Ok(self)
    }

    /// The path in the file, segments joined by dots; empty at the root.
    #[must_use]
    pub fn path(&self) -> &str {
        self.walk.path.as_str()
    }

    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.walk.limits
    }

    /// Saves one tensor: its descriptor, and one source of bytes for each of its buffers.
    ///
    /// # Errors
    ///
    /// [`SaveError::Root`] at the root of a model, [`SaveError::Format`] when the descriptor breaks a rule,
    /// [`SaveError::Shape`] when the shape breaks the field's `shape = [..]`.
    pub fn tensor(
        self,
        descriptor: &TensorDescriptor,
        sources: impl IntoIterator<Item = TensorSource<'s>>,
    ) -> Result<(), SaveError> {
        self.walk.tensor(descriptor, sources, self.place.rules)
    }

    /// Saves one key-value entry under the path.
    ///
    /// # Errors
    ///
    /// [`SaveError::Root`] at the root of a model, [`SaveError::Collision`] when the key is taken.
    pub fn kv(self, value: KvValue) -> Result<(), SaveError> {
        self.walk.kv(self.place.variants, value)
    }

    /// Saves one of our own entries about the path.
    #[cfg(any(feature = "burn", feature = "candle"))]
    pub(crate) fn note(&mut self, prefix: &str, value: KvValue) -> Result<(), SaveError> {
        self.walk.note(prefix, self.place.variants, value)
    }

    /// Begins a group of fields: a composite head, and its members after it. The root has no head, and neither
    /// has a group below the format's 8 levels, or one that gives way to a partition or an overlay at that depth:
    /// its members join the nearest head above.
    ///
    /// # Errors
    ///
    /// [`SaveError::Limit`] past [`Limits::nesting`].
    pub fn group(self) -> Result<GroupSaver<'p, 's>, SaveError> {
        let kind = if self.place.is_flattened { GroupKind::Flattened } else { GroupKind::Headed };
        GroupSaver::open(self.walk, kind, self.place.is_flattened)
    }

    /// Begins a group of key-value entries only: no head, and no tensors.
    pub(crate) fn metadata(self) -> Result<GroupSaver<'p, 's>, SaveError> {
        GroupSaver::open(self.walk, GroupKind::Metadata, self.place.is_flattened)
    }

    /// An `Option` among the fields around it has no path of its own that could be absent.
    pub(crate) fn refuse_flattened_option(&self) -> Result<(), SaveError> {
        if !self.place.is_flattened {
            return Ok(());
        }
        let source = "an `Option` can't be flattened: whether it is there could not be told".into();
        Err(SaveError::Refused { path: self.walk.path.as_str().into(), source })
    }

    /// What names its own elements has no place among fields, whose names are known.
    fn refuse_flattened(&self, what: &str) -> Result<(), SaveError> {
        if !self.place.is_flattened {
            return Ok(());
        }
        let source = format!("{what} can't be flattened: its names are not known beforehand").into();
        Err(SaveError::Refused { path: self.walk.path.as_str().into(), source })
    }

    /// Saves `Some(value)`: the value itself, or a note that it is there if it writes nothing.
    pub(crate) fn some<T: HurraySave + ?Sized>(self, value: &'s T) -> Result<(), SaveError> {
        let Self { walk, mut place } = self;
        place.somes = place.somes.saturating_add(1);
        walk.check_nesting(place.somes)?;
        let before = walk.written();
        value.save(Saver::at(&mut *walk, place))?;
        if walk.written() == before {
            let note = if place.somes == 1 { KvValue::Bool(true) } else { KvValue::UInt64(place.somes) };
            walk.note(SOME, place.variants, note)?;
        }
        Ok(())
    }

    /// Saves a value that others may share: its tensors once, and after that the name that they have. A load makes it
    /// once, or anew for each of its names.
    pub(crate) fn shared<T: HurraySave + ?Sized>(
        self,
        value: &'s T,
        is_loaded_once: bool,
    ) -> Result<(), SaveError> {
        let (address, size) = (std::ptr::from_ref(value).addr(), size_of_val(value));
        // What other attributes make of the same value has other bytes.
        let form = self
            .rules()
            .map_or((None, false, None), |field| (field.element_type, field.keep_layout, field.align));
        let allocation = (address, size, form);
        if size == 0 || self.walk.path.is_root() || self.place.is_flattened {
            return value.save(self);
        }
        let Self { walk, place } = self;
        if let Some(Stored { path: first, again }) = walk.shared.get(&allocation) {
            let (first, again) = (KvValue::String(first.clone()), *again);
            // Rules of this field's own are held against the value, too.
            if place.rules.is_some() {
                walk.captured(&|part| value.save(Saver::at(part, place)))?;
            }
            walk.reach.add_again(again);
            return walk.note(TIED, place.variants, first);
        }
        let (before, reached) = (walk.tensors, walk.reach.again());
        value.save(Saver::at(&mut *walk, place))?;
        // A newtype variant's value has no name that says which variant it is in.
        if walk.tensors != before && place.variants == 0 {
            if is_loaded_once {
                walk.reach.is_loaded_once(reached);
            }
            let stored = Stored { path: walk.path.as_str().to_owned(), again: walk.reach.since(reached) };
            walk.shared.insert(allocation, stored);
        }
        Ok(())
    }

    /// Whether a slice of `T` is one key-value entry: what an empty one would be.
    pub(crate) fn is_entry<T: HurraySave>(&mut self) -> Result<bool, SaveError> {
        let part = self.walk.captured(&|part| T::save_slice(&[], Saver::root(part), leading(0)))?;
        Ok(part.plan.has_kv(self.walk.path.as_str()))
    }

    /// Saves a value that lives for this call only: its bytes are copied.
    pub(crate) fn copied<T: HurraySave + ?Sized>(self, value: &T) -> Result<(), SaveError> {
        let Self { walk, place } = self;
        let part = walk.captured(&|part| value.save(Saver::at(part, place)))?;
        walk.append_copied(part)
    }

    /// What the field's attributes say of the tensor at this place.
    pub(crate) fn rules(&self) -> Option<&'static Field> {
        self.place.rules.map(|rules| rules.field)
    }

    /// Saves the elements of a sequence as a group, named by their indices.
    pub(crate) fn sequence<T: HurraySave + 's>(
        self,
        items: impl IntoIterator<Item = &'s T>,
    ) -> Result<(), SaveError> {
        self.refuse_flattened("a sequence")?;
        let mut group = self.group()?;
        let mut present = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            present.push(group.element(Step::Index(index), item)?);
        }
        group.walk.reach.add_elements(present.len());
        if group.needs_note(present.len()) {
            group.walk.note(SEQUENCE, 0, KvValue::Array(KvArray::Bools(present)))?;
        }
        group.finish()
    }

    /// Saves the values of a map as a group, named by their keys, in the order given.
    pub(crate) fn map<T: HurraySave + 's>(
        self,
        items: impl IntoIterator<Item = (&'s str, &'s T)>,
    ) -> Result<(), SaveError> {
        self.refuse_flattened("a map")?;
        let mut group = self.group()?;
        let mut keys = Vec::new();
        let mut all_members = true;
        for (key, item) in items {
            let members = group.walk.tensors;
            group.element(Step::Key(key), item)?;
            all_members &= group.walk.tensors != members;
            keys.push(key);
        }
        // Without a head of its own, an empty map would look like a missing one, and neighbours like values.
        if !all_members || group.walk.members(group.frame).is_none() {
            let keys = keys.into_iter().map(str::to_owned).collect();
            group.walk.note(KEYS, 0, KvValue::Array(KvArray::Strings(keys)))?;
        }
        group.finish()
    }

    /// Saves a value that a field's rules hold for, at this very place.
    pub(crate) fn described(self, field: &'static Field, save: Save<'_, 's>) -> Result<(), SaveError> {
        let scope = self.walk.open_scope();
        self.walk.field(scope, field, self.place, save)
    }
}

/// A group that is being saved: takes fields, one after another.
pub struct GroupSaver<'p, 's> {
    walk: &'p mut SaveWalk<'s>,
    frame: walk::Frame,
    /// Why a field of derived code could not be saved.
    failed: Option<SaveError>,
}

impl<'p, 's> GroupSaver<'p, 's> {
    fn open(walk: &'p mut SaveWalk<'s>, kind: GroupKind, is_flattened: bool) -> Result<Self, SaveError> {
        let frame = walk.open(kind, is_flattened)?;
        Ok(Self { walk, frame, failed: None })
    }

    /// The path of the group in the file.
    #[must_use]
    pub fn path(&self) -> &str {
        self.walk.path.as_str()
    }

    /// Saves a field under a name; a dotted name is a path whose inner segments get no head.
    ///
    /// # Errors
    ///
    /// Whatever the value's own impl meets; [`SaveError::Name`] for a name that is empty or has an empty segment,
    /// and for the name `hurray` at the root.
    pub fn field<T: HurraySave + ?Sized>(&mut self, name: &str, value: &'s T) -> Result<(), SaveError> {
        self.element(Step::Name(name), value).map(drop)
    }

    /// Saves one element; tells whether it wrote anything.
    fn element<T: HurraySave + ?Sized>(&mut self, step: Step<'_>, value: &'s T) -> Result<bool, SaveError> {
        let before = self.walk.written();
        let mark = match step {
            Step::Name(name) => {
                if name.split('.').any(str::is_empty) {
                    let reason = if name.is_empty() { NameProblem::Empty } else { NameProblem::EmptySegment };
                    return Err(SaveError::Name { name: name.into(), reason });
                }
                self.check_reserved(name)?;
                self.walk.path.push(name)
            }
            Step::Index(index) => self.walk.path.push_index(index),
            Step::Key(key) => {
                let segment = escape_key(key);
                self.check_reserved(&segment)?;
                self.walk.path.push(&segment)
            }
        };
        let saved = value.save(Saver::root(&mut *self.walk));
        self.walk.path.truncate(mark);
        saved.map(|()| self.walk.written() != before)
    }

    /// Saves a field with all that the derive knows of it.
    pub(crate) fn derived_field(
        &mut self,
        field: &'static Field,
        save: Save<'_, 's>,
    ) -> Result<(), SaveError> {
        self.check_reserved(field.name)?;
        if self.frame.is_flattened() {
            self.come_to(field)?;
        }
        let mark = self.walk.path.push(field.name);
        let saved = self.walk.field(self.frame.scope(), field, Place::default(), save);
        self.walk.path.truncate(mark);
        saved
    }

    /// Refuses a flattened field with a name that another one beside it has: no load could tell them apart.
    fn come_to(&mut self, field: &'static Field) -> Result<(), SaveError> {
        let Some((name, other)) = self.walk.flat.come_to(field) else { return Ok(()) };
        let source = format!(
            "the fields `{}` and `{}`, one of them flattened, have the name `{name}` both",
            other.rust, field.rust
        );
        Err(SaveError::Refused { path: self.walk.path.as_str().into(), source: source.into() })
    }

    /// Saves the fields of a struct among those of this group, which are `beside` it.
    pub(crate) fn flattened(
        &mut self,
        beside: &'static [Field],
        owner: &'static str,
        save: Save<'_, 's>,
    ) -> Result<(), SaveError> {
        // Names that come from two types in one place are told apart by these.
        self.walk.flat.put_beside(beside);
        let owner = self.walk.plan.set_owner(Some(owner));
        let saved = save(Saver::at(&mut *self.walk, Place { is_flattened: true, ..Place::default() }));
        self.walk.plan.set_owner(owner);
        saved.map_err(|error| match error {
            // Fields of its own would have names.
            SaveError::Root { .. } => SaveError::Root { what: "a flattened value that is no struct" },
            other => other,
        })
    }

    /// Notes the version of the struct.
    pub(crate) fn version(&mut self, version: u32) -> Result<(), SaveError> {
        self.walk.note(VERSION, 0, KvValue::UInt64(version.into()))
    }

    /// Binds a name of shape rules to the value of a field.
    pub(crate) fn bind(&mut self, name: &'static str, size: Option<u64>) -> Result<(), SaveError> {
        self.walk.bind(self.frame, name, size)
    }

    fn check_reserved(&self, name: &str) -> Result<(), SaveError> {
        if self.walk.path.is_root() && is_reserved(name) {
            return Err(SaveError::Name { name: name.into(), reason: NameProblem::Reserved });
        }
        Ok(())
    }

    /// Whether the number of elements can't be told from the head's members alone.
    fn needs_note(&self, elements: usize) -> bool {
        self.walk.members(self.frame) != u64::try_from(elements).ok()
    }

    /// Does something, unless something before it could not be saved; [`finish`](Self::finish) tells.
    pub(crate) fn attempt(&mut self, save: impl FnOnce(&mut Self) -> Result<(), SaveError>) {
        if self.failed.is_none() {
            self.failed = save(self).err();
        }
    }

    /// Saves a field in the same way.
    pub(crate) fn attempt_field(&mut self, field: &'static Field, save: Save<'_, 's>) {
        self.attempt(|group| group.derived_field(field, save));
    }

    /// Ends the group.
    ///
    /// # Errors
    ///
    /// What derived code could not save; none where fields were saved by [`field`](Self::field). A group that was not
    /// finished counts as finished when it is dropped.
    pub fn finish(mut self) -> Result<(), SaveError> {
        self.failed.take().map_or(Ok(()), Err)
    }
}

impl Drop for GroupSaver<'_, '_> {
    fn drop(&mut self) {
        self.walk.close(self.frame);
    }
}

/// The shape of a slice as the first dimension of a tensor.
pub(crate) fn leading(len: usize) -> Dims {
    Dims::from_slice(&[u64::try_from(len).unwrap_or(u64::MAX)])
}
